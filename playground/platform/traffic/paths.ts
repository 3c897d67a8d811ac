import { createRandom, zipfWeights } from '../random.ts';
import type { Profile } from './traffic.ts';

/** A path that a zone serves. */
export interface ServedPath {
  path: string;
  bytes: number;
  /** True when the cache may hold it. */
  cacheable: boolean;
}

/** Paths with their cumulative weights. */
export interface Weighted {
  paths: readonly ServedPath[];
  weights: Float64Array;
}

/** The paths that visitors of one kind of zone ask for. */
export interface Demand {
  usual: Weighted;
  /** The paths that are asked for in vain. */
  missing: Weighted;
  /** Mean bytes of an answer, and the share of requests for what the cache may hold. */
  meanBytes: number;
  cacheable: number;
}

/** Answers larger than this are mostly asked for in ranges: this share of them, each this part of the whole. */
export const RANGES = { above: 1_000_000, share: 0.8, part: { least: 0.02, spread: 0.5 } };

const PRODUCTS = [
  'rain-jacket',
  'trail-shoes',
  'wool-hat',
  'day-pack',
  'camp-stove',
  'headlamp',
  'tent-2p',
  'water-bottle',
];
const PAGES = ['about', 'contact', 'jobs', 'press', 'imprint', 'shipping', 'returns', 'stores', 'newsletter', 'search'];
const CHAPTERS = ['install', 'configure', 'deploy', 'upgrade', 'limits', 'tokens', 'webhooks', 'errors', 'regions'];

const file = (path: string, bytes: number): ServedPath => ({ path, bytes, cacheable: true });
const dynamic = (path: string, bytes: number): ServedPath => ({ path, bytes, cacheable: false });
const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i + 1));

/** The most wanted path first. */
const USUAL: Record<Profile['kind'], () => ServedPath[]> = {
  site: () => [
    file('/', 18_400),
    file('/assets/main.css', 42_100),
    file('/assets/app.js', 186_000),
    file('/favicon.ico', 4_286),
    file('/images/hero.webp', 240_000),
    ...PAGES.map((page, index) => file(`/${page}`, 12_000 + index * 900)),
    ...numbered(60, (n) => file(`/news/2026/${String((n % 12) + 1).padStart(2, '0')}/story-${n}`, 15_000 + n * 40)),
    dynamic('/search?q=jacket', 9_000),
    dynamic('/newsletter/subscribe', 600),
  ],
  shop: () => [
    file('/', 24_000),
    dynamic('/cart', 7_400),
    dynamic('/api/session', 900),
    file('/assets/shop.js', 212_000),
    file('/assets/shop.css', 51_000),
    ...PRODUCTS.map((product, index) => file(`/products/${product}`, 19_000 + index * 500)),
    dynamic('/checkout', 11_000),
    ...PRODUCTS.flatMap((product) => numbered(6, (n) => file(`/products/${product}?color=${n}`, 19_500))),
    dynamic('/api/recommendations?for=home', 4_800),
    dynamic('/account/orders', 9_900),
  ],
  images: () => [
    ...PRODUCTS.flatMap((product) =>
      [400, 800, 1600].map((width) => file(`/products/${product}-${width}.webp`, width * 95)),
    ),
    ...numbered(160, (n) => file(`/media/${(n * 7919) % 9973}/photo-${n}.webp`, 24_000 + ((n * 6151) % 150_000))),
  ],
  api: () => [
    dynamic('/v1/items?limit=50', 9_200),
    dynamic('/v1/sessions', 700),
    file('/v1/config', 2_300),
    ...numbered(90, (n) => dynamic(`/v1/items/${1000 + n * 3}`, 1_400 + n * 9)),
    dynamic('/v1/events', 220),
    dynamic('/v1/stock?sku=A-1044', 480),
    file('/openapi.json', 61_000),
  ],
  docs: () => [
    file('/', 9_800),
    file('/style.css', 14_000),
    ...CHAPTERS.map((chapter, index) => file(`/guide/${chapter}/`, 14_000 + index * 1_100)),
    ...CHAPTERS.flatMap((chapter) => numbered(5, (n) => file(`/reference/${chapter}/${n}/`, 11_000))),
    file('/search-index.json', 320_000),
  ],
  video: () => [
    ...numbered(8, (n) => file(`/live/channel-${n}/index.m3u8`, 1_400)),
    ...numbered(120, (n) => file(`/vod/film-${(n % 9) + 1}/720p/segment-${n}.ts`, 2_100_000)),
    ...numbered(9, (n) => file(`/vod/film-${n}/poster.jpg`, 180_000)),
  ],
  downloads: () =>
    numbered(40, (n) => file(`/releases/${Math.ceil(n / 8)}.${n % 8}.0/app-setup.zip`, 9_000_000 + n * 60_000)),
};

const MISSING: readonly ServedPath[] = [
  '/wp-login.php',
  '/robots.txt',
  '/apple-touch-icon.png',
  '/.env',
  '/xmlrpc.php',
  '/old/catalog.pdf',
  '/assets/app.8fd21c.js',
  '/images/banner-summer.jpg',
  '/.git/config',
  '/wp-admin/setup-config.php',
  '/sitemap.xml.gz',
  '/ads.txt',
  '/blog/hello-world',
  '/favicon.png',
  ...numbered(30, (n) => `/products/discontinued-${n}`),
].map((path) => file(path, 1_100));

const known = new Map<Profile['kind'], Demand>();

/** The paths that visitors of such a zone ask for; few of them make most of the requests. */
export function pathsOf(kind: Profile['kind']): Demand {
  let paths = known.get(kind);
  if (!paths) {
    const usual = USUAL[kind]();
    const random = createRandom('missing', kind);
    const missing = MISSING.map((path) => ({ path, order: random.next() }))
      .sort((one, other) => one.order - other.order)
      .map(({ path }) => path);
    const weights = zipfWeights(usual.length, 0.9);
    const mean = (value: (path: ServedPath) => number): number =>
      usual.reduce((sum, path, rank) => sum + value(path) * ((weights[rank] ?? 1) - (weights[rank - 1] ?? 0)), 0);
    const ranged = 1 - RANGES.share + RANGES.share * (RANGES.part.least + RANGES.part.spread / 2);
    paths = {
      meanBytes: mean((path) => path.bytes * (path.bytes > RANGES.above ? ranged : 1)),
      cacheable: mean((path) => (path.cacheable ? 1 : 0)),
      usual: { paths: usual, weights },
      missing: { paths: missing, weights: zipfWeights(missing.length, 1.1) },
    };
    known.set(kind, paths);
  }
  return paths;
}
