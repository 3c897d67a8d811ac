export interface Region {
  code: string;
  name: string;
  country: string;
  continent: string;
}

export const REGIONS: readonly Region[] = [
  { code: 'DE', name: 'Frankfurt', country: 'DE', continent: 'EU' },
  { code: 'UK', name: 'London', country: 'GB', continent: 'EU' },
  { code: 'FR', name: 'Paris', country: 'FR', continent: 'EU' },
  { code: 'SE', name: 'Stockholm', country: 'SE', continent: 'EU' },
  { code: 'WA', name: 'Warsaw', country: 'PL', continent: 'EU' },
  { code: 'ES', name: 'Madrid', country: 'ES', continent: 'EU' },
  { code: 'NY', name: 'New York', country: 'US', continent: 'NA' },
  { code: 'LA', name: 'Los Angeles', country: 'US', continent: 'NA' },
  { code: 'DAL', name: 'Dallas', country: 'US', continent: 'NA' },
  { code: 'BR', name: 'Sao Paulo', country: 'BR', continent: 'SA' },
  { code: 'SG', name: 'Singapore', country: 'SG', continent: 'AS' },
  { code: 'JP', name: 'Tokyo', country: 'JP', continent: 'AS' },
  { code: 'BOM', name: 'Mumbai', country: 'IN', continent: 'AS' },
  { code: 'SYD', name: 'Sydney', country: 'AU', continent: 'OC' },
];

/** Which continents' visitors a time zone has most of. */
export const HOME_CONTINENT: Readonly<Record<string, string>> = {
  Europe: 'EU',
  America: 'NA',
  Asia: 'AS',
  Australia: 'OC',
};

export const ZONE_NAMES = [
  'atlas-shop',
  'billing-api',
  'photo-vault',
  'live-hls',
  'handbook',
  'font-edge',
  'auth-gate',
  'find-api',
  'map-tiles',
  'newsroom',
  'pay-widget',
  'download-hub',
  'game-patch',
  'iot-ingest',
  'forum-web',
  'press-kit',
  'staging-site',
  'mail-assets',
  'pixel-tag',
  'survey-app',
  'clinic-portal',
  'school-vod',
  'radio-stream',
  'tickets-web',
  'travel-search',
  'recipe-blog',
  'bank-static',
  'weather-feed',
  'podcast-cdn',
  'car-config',
] as const;

/** What a zone serves decides its paths, its sizes and how much of it can be cached. */
export interface Trade {
  paths: readonly string[];
  hit: readonly [number, number];
  bytes: readonly [number, number];
  response: readonly [number, number];
}

export const TRADES: readonly Trade[] = [
  {
    paths: [
      '/',
      '/products/{n}',
      '/category/{word}',
      '/assets/app.{hash}.js',
      '/assets/main.{hash}.css',
      '/img/{n}/640.webp',
      '/cart',
      '/api/cart/{id}',
      '/checkout/confirm',
      '/search?q={word}&page={d}',
      '/login',
      '/favicon.ico',
    ],
    hit: [0.6, 0.9],
    bytes: [12_000, 90_000],
    response: [90, 420],
  },
  {
    paths: [
      '/v2/orders/{n}',
      '/v2/users/{id}',
      '/v2/session',
      '/v2/events',
      '/v1/prices?sku={n}',
      '/v2/export/{id}',
      '/v2/search?term={word}&token={hash}',
      '/health',
    ],
    hit: [0.15, 0.5],
    bytes: [900, 6_000],
    response: [40, 260],
  },
  {
    paths: [
      '/hls/{id}/master.m3u8',
      '/hls/{id}/720p/seg-{n}.ts',
      '/hls/{id}/1080p/seg-{n}.ts',
      '/hls/{id}/audio/seg-{n}.aac',
      '/thumb/{id}.jpg',
      '/drm/license/{id}',
      '/subtitles/{id}/en.vtt',
    ],
    hit: [0.85, 0.98],
    bytes: [250_000, 1_800_000],
    response: [60, 350],
  },
  {
    paths: [
      '/tiles/{d}/{n}/{n}.png',
      '/photos/{id}/large.jpg',
      '/photos/{id}/thumb.webp',
      '/static/{hash}.woff2',
      '/upload/{id}',
      '/render/{n}?w={n}&sig={hash}',
    ],
    hit: [0.7, 0.95],
    bytes: [20_000, 160_000],
    response: [80, 600],
  },
  {
    paths: [
      '/',
      '/{word}/{n}',
      '/{word}/{word}-{n}',
      '/feed.xml',
      '/wp-json/wp/v2/posts?page={d}',
      '/wp-content/uploads/2026/{n}.jpg',
      '/wp-content/themes/site/{hash}.css',
      '/comments/{n}',
      '/sitemap.xml',
    ],
    hit: [0.55, 0.92],
    bytes: [15_000, 70_000],
    response: [180, 900],
  },
];

export const WORDS =
  'shoes lamp kettle travel spring garden laptop radio winter bridge ticket orange harbour violin'.split(' ');

export const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
] as const;

export const BOTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
] as const;

export const CRAWLER = 'python-requests/2.32.4';
export const ATTACKER = 'Go-http-client/2.0';
export const APP = 'CompanionApp/5.2.0 (iOS 18.5; build 4471)';

/** Networks that visitors come from, as number and name. */
export const NETWORKS: readonly (readonly [number, string])[] = [
  [3320, 'Deutsche Telekom AG'],
  [7922, 'Comcast Cable Communications, LLC'],
  [2856, 'British Telecommunications PLC'],
  [4713, 'NTT Communications Corporation'],
  [9498, 'Bharti Airtel Ltd.'],
  [26599, 'Telefonica Brasil S.A'],
  [1221, 'Telstra Limited'],
];

/** Networks of rented machines: attackers and crawlers come from these. */
export const CLOUDS: readonly (readonly [number, string])[] = [
  [14061, 'DigitalOcean, LLC'],
  [16276, 'OVH SAS'],
  [24940, 'Hetzner Online GmbH'],
];
