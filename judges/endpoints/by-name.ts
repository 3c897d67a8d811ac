/** The 16 endpoints of the specification by names, as the seeded account has them. */
import { definition } from './definition.ts';
import type { Way } from './way.ts';

/** An endpoint of the platform, its purpose, and both ways to it. */
export interface EndpointCase {
  endpoint: string;
  does: string;
  line: Way;
  form: Way;
}

/** The button of the complaint about this: that of another endpoint may be shown still. */
const openForm =
  (complaint: string): NonNullable<Way['open']> =>
  async (person) =>
    (await person.expectMessage(complaint)).click('Open the form');

export const endpointsByName: EndpointCase[] = [
  {
    endpoint: 'GET /apikey',
    does: 'lists the API keys',
    line: {
      type: '/edge key list --page 2 --per-page 5',
      shown: /Page 2 · 5 of 14/,
      request: { method: 'GET', path: '/apikey', query: { page: '2', perPage: '5' } },
    },
    // Nothing is missing in it, so nothing brings the form but a mistake.
    form: {
      type: '/edge key list --per-page 3',
      open: openForm('must be between 5 and'),
      fill: (form) => form.fill('Keys per page', '20'),
      shown: /Page 1 · 14 of 14/,
      request: { method: 'GET', path: '/apikey', query: { perPage: '20' } },
    },
  },
  {
    endpoint: 'POST /shield/shield-zone/{zone}/api-guardian/spec',
    does: 'uploads an OpenAPI definition',
    line: {
      type: '@edgewise guardian upload main-site',
      attach: definition,
      confirm: 'button',
      shown: /uploaded an OpenAPI definition for main-site .*Schema nodes in all.*\/v1\/orders/s,
      request: {
        method: 'POST',
        path: '/shield/shield-zone/5101/api-guardian/spec',
        body: { content: definition.content, enforceAuthorizationValidation: true },
      },
    },
    form: {
      type: '/edge guardian upload',
      async fill(form) {
        await form.choose('Zone', /assets/, 'asse');
        await form.attach('OpenAPI definition', definition);
        await form.choose('Enforce authorization', 'off');
      },
      confirm: 'button',
      shown: /uploaded an OpenAPI definition for assets.*Schema nodes in all.*\/v1\/orders/s,
      request: {
        method: 'POST',
        path: '/shield/shield-zone/5106/api-guardian/spec',
        body: { content: definition.content, enforceAuthorizationValidation: false },
      },
    },
  },
  {
    endpoint: 'PUT /shield/shield-zone/{zone}/bot-categorization/categories/{category}',
    does: 'sets the action for a category of bots',
    line: {
      type: '/edge bot set shop aiscraper allow',
      confirm: 'button',
      shown: /set AIScraper bots on shop.*: .*Allow/,
      request: {
        method: 'PUT',
        path: '/shield/shield-zone/5102/bot-categorization/categories/2',
        body: { action: 2 },
      },
    },
    form: {
      type: '/edge bot set',
      async fill(form) {
        await form.choose('Zone', /main-site/, 'cdn.example');
        await form.choose('Category', /AITool/);
        await form.choose('Action', /Block/i);
      },
      confirm: 'button',
      shown: /set AITool bots on main-site.*: .*Block/,
      request: {
        method: 'PUT',
        path: '/shield/shield-zone/5101/bot-categorization/categories/3',
        body: { action: 1 },
      },
    },
  },
  {
    endpoint: 'POST /compute/script/{id}/variables/add',
    does: 'adds a variable to a script',
    line: {
      type: '/edge variable add image-resizer CACHE_SECONDS 300 --required',
      confirm: 'button',
      shown: /added the variable CACHE_SECONDS of image-resizer/,
      request: {
        method: 'POST',
        path: '/compute/script/41311/variables/add',
        body: { Name: 'CACHE_SECONDS', Required: true, DefaultValue: '300' },
      },
    },
    form: {
      type: '/edge variable add',
      async fill(form) {
        await form.choose('Script', /geo-redirect/, 'geo');
        await form.fill('Name', 'REGION');
      },
      confirm: 'button',
      shown: /added the variable REGION of geo-redirect/,
      request: {
        method: 'POST',
        path: '/compute/script/41300/variables/add',
        body: { Name: 'REGION', Required: false },
      },
    },
  },
  {
    endpoint: 'POST /pullzone/requestExternalDnsCertificate',
    does: 'requests a certificate',
    line: {
      type: '/edge certificate request *.tenants.example.com',
      confirm: 'button',
      shown: /requested a certificate for \*\.tenants\.example\.com.*TXT record/s,
      request: {
        method: 'POST',
        path: '/pullzone/requestExternalDnsCertificate',
        body: { Hostname: '*.tenants.example.com' },
      },
    },
    form: {
      type: '/edge certificate request',
      fill: (form) => form.choose('Hostname', /docs\.example\.com/, 'docs'),
      confirm: 'button',
      shown: /requested a certificate for docs\.example\.com.*TXT record/s,
      request: {
        method: 'POST',
        path: '/pullzone/requestExternalDnsCertificate',
        body: { Hostname: 'docs.example.com' },
      },
    },
  },
  {
    endpoint: 'POST /pullzone/{id}/setForceSSL',
    does: 'forces HTTPS',
    line: {
      type: '/edge ssl force shop.example.com on',
      confirm: 'button',
      shown: /switched force HTTPS .*on for shop\.example\.com/,
      request: {
        method: 'POST',
        path: '/pullzone/308002/setForceSSL',
        body: { Hostname: 'shop.example.com', ForceSSL: true },
      },
    },
    form: {
      type: '/edge ssl force',
      async fill(form) {
        await form.choose('Hostname', /checkout\.example\.com/, 'checkout');
        await form.choose('State', 'on');
      },
      confirm: 'button',
      shown: /switched force HTTPS .*on for checkout\.example\.com/,
      request: {
        method: 'POST',
        path: '/pullzone/308002/setForceSSL',
        body: { Hostname: 'checkout.example.com', ForceSSL: true },
      },
    },
  },
  {
    endpoint: 'GET /statistics',
    does: 'shows statistics',
    line: {
      type: '/edge stats show shop --from 7d --all',
      shown: /shop \(308002\).*by the day, in UTC.*Average origin response.*By the day/s,
      request: { method: 'GET', path: '/statistics', query: { pullZone: '308002' } },
    },
    // The zone may be left out, so only a mistake brings the form.
    form: {
      type: '/edge stats show --from 02-30-2026',
      open: openForm('02-30-2026'),
      async fill(form) {
        await form.choose('Zone', /main-site/, 'main');
        await form.fill('From', '2d');
        await form.check('By the hour');
      },
      shown: /main-site \(308001\).*by the hour, in [A-Z].*Cache hit rate.*5xx.*By the hour/s,
      request: { method: 'GET', path: '/statistics', query: { pullZone: '308001', hourly: 'true' } },
    },
  },
  {
    endpoint: 'GET /pullzone/{id}/optimizer/statistics',
    does: 'shows the optimizer’s statistics',
    line: {
      type: '/edge stats optimizer shop-images',
      shown: /Optimizer of shop-images.*Traffic saved.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308003/optimizer/statistics' },
    },
    form: {
      type: '/edge stats optimizer',
      async fill(form) {
        await form.choose('Zone', /assets/, 'assets');
        await form.fill('From', 'yesterday');
        await form.check('By the hour');
      },
      shown: /Optimizer of assets.*Traffic saved.*By the hour/s,
      request: { method: 'GET', path: '/pullzone/308012/optimizer/statistics', query: { hourly: 'true' } },
    },
  },
  {
    endpoint: 'GET /pullzone/{id}/originshield/queuestatistics',
    does: 'shows the origin shield’s queue',
    line: {
      type: '/edge stats queue main-site --from 14d --to yesterday',
      shown: /Origin shield queue of main-site.*Most queued.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308001/originshield/queuestatistics' },
    },
    form: {
      type: '/edge stats queue',
      fill: (form) => form.choose('Zone', /^api/, 'api'),
      shown: /Origin shield queue of api.*Most queued.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308004/originshield/queuestatistics' },
    },
  },
  {
    endpoint: 'GET /pullzone/{id}/safehop/statistics',
    does: 'shows what SafeHop saved',
    line: {
      type: '/edge stats safehop shop --from 30d',
      shown: /SafeHop of shop .*Requests saved.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308002/safehop/statistics' },
    },
    form: {
      type: '/edge stats safehop',
      fill: (form) => form.choose('Zone', /status-page/, 'status'),
      shown: /SafeHop of status-page.*Requests saved.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308010/safehop/statistics' },
    },
  },
  {
    endpoint: 'GET /mc/apps',
    does: 'lists the applications',
    line: {
      type: '/edge app list',
      shown: /23 applications.*stock-api.*HbqFNk0KZjzYOcp/s,
      request: { method: 'GET', path: '/mc/apps' },
    },
    // It has nothing to fill in, so it has no form: its button in help does the same.
    form: {
      open: async (person) => {
        await person.type('/edge help app');
        await person.page.getByRole('button', { name: 'app list', exact: true }).last().click();
      },
      shown: /applications.*HbqFNk0KZjzYOcp/s,
      request: { method: 'GET', path: '/mc/apps' },
    },
  },
  {
    endpoint: 'DELETE /mc/apps/{app}',
    does: 'deletes an application',
    line: {
      type: '/edge app delete cart-api',
      confirm: { name: 'cart-api' },
      shown: /cart-api .*: marked for deletion; cleanup runs in the background/,
      request: { method: 'DELETE', path: /^\/mc\/apps\/[^/]+$/ },
    },
    form: {
      type: '/edge app delete',
      fill: (form) => form.choose('Application', /search-indexer/, 'search'),
      confirm: { name: 'search-indexer' },
      shown: /search-indexer .*: marked for deletion; cleanup runs in the background/,
      request: { method: 'DELETE', path: /^\/mc\/apps\/[^/]+$/ },
    },
  },
  {
    endpoint: 'GET /mc/apps/{app}/volumes',
    does: 'lists the volumes of an application',
    line: {
      type: '/edge volume list stock-api',
      shown: /stock-api .*1 volume.*Containers.*stock-data.*Instances.*detached/s,
      request: { method: 'GET', path: '/mc/apps/HbqFNk0KZjzYOcp/volumes' },
    },
    form: {
      type: '/edge volume list',
      fill: (form) => form.choose('Application', /session-store/, 'session'),
      shown: /session-store .*1 volume.*Containers.*sessions.*Instances/s,
      request: { method: 'GET', path: /^\/mc\/apps\/[^/]+\/volumes$/ },
    },
  },
  {
    endpoint: 'GET /{zone}/{date}',
    does: 'shows origin errors',
    line: {
      type: '/edge errors show shop yesterday',
      shown: /shop \(308002\): [\d,]+ origin errors of \d+ kinds? on \d{4}-\d\d-\d\d \(UTC\).*Errors by the hour/s,
      request: { service: 'origin-logs', method: 'GET', path: /^\/308002\/\d\d-\d\d-\d{4}$/ },
    },
    form: {
      type: '/edge errors show',
      async fill(form) {
        await form.choose('Zone', /^api/, 'api');
        await form.fill('Date', daysAgo(1));
      },
      shown: /api \(308004\): [\d,]+ origin errors of \d+ kinds? on \d{4}-\d\d-\d\d \(UTC\).*Errors by the hour/s,
      request: { service: 'origin-logs', method: 'GET', path: `/308004/${monthFirst(daysAgo(1))}` },
    },
  },
  {
    endpoint: 'GET /v2/pullzones/{zone}/logs',
    does: 'searches the access log',
    line: {
      type: '/edge log search shop --from 1d --status 4xx,5xx --limit 20',
      shown: /20 requests.*shop \(308002\), status 4xx,5xx/s,
      request: { service: 'logging', method: 'GET', path: '/v2/pullzones/308002/logs' },
    },
    form: {
      type: '/edge log search',
      async fill(form) {
        await form.choose('Zone', /main-site/, 'www');
        await form.fill('Cache status', 'miss,stale');
        await form.choose('Order', 'Oldest first');
      },
      shown: /oldest 25 requests.*main-site \(308001\), cache MISS,STALE/s,
      request: { service: 'logging', method: 'GET', path: '/v2/pullzones/308001/logs' },
    },
  },
  {
    endpoint: 'POST /v2/pipeline',
    does: 'queries a database',
    line: {
      type: '/edge database query shop SELECT status, count(*) AS orders, round(sum(total), 2) AS total FROM orders GROUP BY status',
      shown: /shop \(db_\w+\): 5 rows.*delivered.*GROUP BY status/s,
      request: { service: 'database', method: 'POST', path: '/v2/pipeline' },
    },
    form: {
      type: '/edge database query',
      async fill(form) {
        await form.choose('Database', /events/, 'ev');
        await form.fill('SQL', 'SELECT kind, count(*) AS events FROM events GROUP BY kind ORDER BY 2 DESC');
      },
      shown: /events \(db_\w+\): 5 rows.*page_view/s,
      request: { service: 'database', method: 'POST', path: '/v2/pipeline' },
    },
  },
];

/** YYYY-MM-DD in UTC. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** 2026-11-20 → 11-20-2026. */
function monthFirst(iso: string): string {
  return `${iso.slice(5)}-${iso.slice(0, 4)}`;
}
