import { createRandom, rankOf } from '../random.ts';

/** Someone who sends requests. */
export interface Visitor {
  /** Anonymised: the last octet is 0. */
  ip: string;
  country: string;
  /** The edge location that serves them. */
  edge: string;
  userAgent: string;
  asn: number;
  organization: string;
}

const COUNTRIES: readonly [code: string, share: number, edges: readonly string[]][] = [
  ['DE', 0.23, ['DE', 'DE', 'FR']],
  ['US', 0.22, ['NY', 'LA', 'WA', 'IL', 'TX']],
  ['GB', 0.1, ['UK']],
  ['FR', 0.07, ['FR']],
  ['NL', 0.05, ['NL', 'DE']],
  ['AT', 0.04, ['AT', 'DE']],
  ['PL', 0.04, ['PL', 'DE']],
  ['IN', 0.05, ['BOM', 'SG']],
  ['JP', 0.04, ['JP']],
  ['BR', 0.04, ['BR']],
  ['CA', 0.03, ['CA', 'NY']],
  ['AU', 0.03, ['SYD']],
  ['SG', 0.02, ['SG']],
  ['ZA', 0.02, ['JH']],
  ['FI', 0.02, ['FI', 'SE']],
];

const COUNTRY_WEIGHTS = Float64Array.from(COUNTRIES, (_, index) =>
  COUNTRIES.slice(0, index + 1).reduce((sum, [, share]) => sum + share, 0),
);

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0',
  'okhttp/4.12.0',
  'curl/8.14.1',
];

const BOTS: readonly [userAgent: string, asn: number, organization: string][] = [
  ['Mozilla/5.0 (compatible; SearchCrawler/2.1; +https://crawler.search.example/bot)', 64_496, 'Search Example'],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ModelReader/1.2; +https://models.example/reader)',
    64_497,
    'Models Example',
  ],
  ['SeoAuditBot/7.0 (+https://seo-audit.example/bot)', 64_498, 'SEO Audit Example'],
  ['LinkPreview/1.0 (+https://chat.example/preview)', 64_499, 'Chat Example'],
  ['python-requests/2.32.4', 64_500, 'Cloud Example'],
];

const PROVIDERS = ['Fibre Example', 'Mobile Example', 'Cable Example', 'Campus Example'];

const known = new Map<string, Visitor>();

/** The visitor of that rank (the lower, the busier); negative ranks and one in seven others are bots. */
export function visitorOf(seed: number, zoneId: number, rank: number): Visitor {
  const key = `${seed}/${zoneId}/${rank}`;
  let visitor = known.get(key);
  if (!visitor) {
    visitor = makeVisitor(seed, zoneId, rank);
    if (known.size > 60_000) {
      known.clear();
    }
    known.set(key, visitor);
  }
  return visitor;
}

function makeVisitor(seed: number, zoneId: number, rank: number): Visitor {
  const random = createRandom(seed, 'visitor', zoneId, rank);
  const [country, , edges] = COUNTRIES[rankOf(COUNTRY_WEIGHTS, random.next())] ?? COUNTRIES[0] ?? ['DE', 1, ['DE']];
  const bot = rank < 0 ? BOTS[-rank - 1] : random.next() < 0.14 ? random.pick(BOTS) : undefined;
  const provider = random.integer(0, PROVIDERS.length - 1);
  return {
    ip: `${random.pick([31, 46, 62, 77, 84, 91, 109, 151, 178, 203])}.${random.integer(0, 255)}.${random.integer(0, 255)}.0`,
    country,
    edge: random.pick(edges),
    userAgent:
      bot?.[0] ?? BROWSERS[Math.min(random.integer(0, BROWSERS.length - 1), random.integer(0, 8))] ?? 'curl/8.14.1',
    asn: bot?.[1] ?? 64_510 + provider,
    organization: bot?.[2] ?? PROVIDERS[provider] ?? 'Example',
  };
}
