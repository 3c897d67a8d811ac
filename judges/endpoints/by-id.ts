/** The 16 endpoints by plain ids: all that is known on a platform that has nothing but the specification. */
import type { ModalOnPage } from '../../test/playground/e2e/browser.ts';
import type { EndpointCase } from './by-name.ts';
import { definition } from './definition.ts';

/** Takes the typed id itself, which the suggestions end with. */
const typed = (form: ModalOnPage, label: string, id: string): Promise<void> => form.choose(label, `Use “${id}”`, id);

/** As a person has it who looks it up elsewhere: no route of the specification lists zones, scripts or shield zones. */
export const endpointsById: (Omit<EndpointCase, 'form'> & Partial<Pick<EndpointCase, 'form'>>)[] = [
  {
    endpoint: 'GET /apikey',
    does: 'lists the API keys',
    line: {
      type: '/edge key list',
      shown: /Page 1 · 14 of 14/,
      request: { method: 'GET', path: '/apikey' },
    },
  },
  {
    endpoint: 'POST /shield/shield-zone/{zone}/api-guardian/spec',
    does: 'uploads an OpenAPI definition',
    line: {
      type: '@edgewise guardian upload 5101',
      attach: definition,
      confirm: 'button',
      shown: /uploaded an OpenAPI definition for shield zone 5101.*Schema nodes in all.*\/v1\/orders/s,
      request: { method: 'POST', path: '/shield/shield-zone/5101/api-guardian/spec' },
    },
    form: {
      type: '/edge guardian upload',
      async fill(form) {
        await typed(form, 'Zone', 'shield:5106');
        await form.attach('OpenAPI definition', definition);
      },
      confirm: 'button',
      shown: /uploaded an OpenAPI definition for shield zone 5106.*Schema nodes in all.*\/v1\/orders/s,
      request: { method: 'POST', path: '/shield/shield-zone/5106/api-guardian/spec' },
    },
  },
  {
    endpoint: 'PUT /shield/shield-zone/{zone}/bot-categorization/categories/{category}',
    does: 'sets the action for a category of bots',
    line: {
      type: '/edge bot set 5102 2 allow',
      confirm: 'button',
      shown: /set AIScraper bots on shield zone 5102.*: .*Allow/,
      request: {
        method: 'PUT',
        path: '/shield/shield-zone/5102/bot-categorization/categories/2',
        body: { action: 2 },
      },
    },
    form: {
      type: '/edge bot set',
      async fill(form) {
        await typed(form, 'Zone', 'shield:5101');
        await form.choose('Category', /None/);
        await form.choose('Action', /Block/);
      },
      confirm: 'button',
      shown: /set None bots on shield zone 5101.*: .*Block/,
      request: {
        method: 'PUT',
        path: '/shield/shield-zone/5101/bot-categorization/categories/0',
        body: { action: 1 },
      },
    },
  },
  {
    endpoint: 'POST /compute/script/{id}/variables/add',
    does: 'adds a variable to a script',
    line: {
      type: '/edge variable add 41311 CACHE_SECONDS 300',
      confirm: 'button',
      shown: /added the variable CACHE_SECONDS of 41311/,
      request: {
        method: 'POST',
        path: '/compute/script/41311/variables/add',
        body: { Name: 'CACHE_SECONDS', Required: false, DefaultValue: '300' },
      },
    },
    form: {
      type: '/edge variable add',
      async fill(form) {
        await typed(form, 'Script', '41300');
        await form.fill('Name', 'REGION');
        await form.check('Required');
      },
      confirm: 'button',
      shown: /added the variable REGION of 41300/,
      request: {
        method: 'POST',
        path: '/compute/script/41300/variables/add',
        body: { Name: 'REGION', Required: true },
      },
    },
  },
  {
    endpoint: 'POST /pullzone/requestExternalDnsCertificate',
    does: 'requests a certificate',
    line: {
      type: '/edge certificate request docs.example.com',
      confirm: 'button',
      shown: /requested a certificate for docs\.example\.com/,
      request: {
        method: 'POST',
        path: '/pullzone/requestExternalDnsCertificate',
        body: { Hostname: 'docs.example.com' },
      },
    },
    form: {
      type: '/edge certificate request',
      fill: (form) => typed(form, 'Hostname', 'preview.example.com'),
      confirm: 'button',
      shown: /requested a certificate for preview\.example\.com/,
      request: {
        method: 'POST',
        path: '/pullzone/requestExternalDnsCertificate',
        body: { Hostname: 'preview.example.com' },
      },
    },
  },
  {
    endpoint: 'POST /pullzone/{id}/setForceSSL',
    does: 'forces HTTPS',
    line: {
      type: '/edge ssl force shop.example.com on --zone 308002',
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
        await typed(form, 'Hostname', 'img.example.com');
        await form.choose('State', 'off');
        await typed(form, 'Zone', '308003');
      },
      confirm: 'button',
      shown: /switched force HTTPS .*off for img\.example\.com/,
      request: {
        method: 'POST',
        path: '/pullzone/308003/setForceSSL',
        body: { Hostname: 'img.example.com', ForceSSL: false },
      },
    },
  },
  {
    endpoint: 'GET /statistics',
    does: 'shows statistics',
    line: {
      type: '/edge stats show 308002 --all',
      shown: /308002.*by the day, in UTC.*Average origin response.*By the day/s,
      request: { method: 'GET', path: '/statistics', query: { pullZone: '308002' } },
    },
    form: {
      type: '/edge stats show --from 02-30-2026',
      open: async (person) => (await person.expectMessage('Open the form')).click('Open the form'),
      async fill(form) {
        await typed(form, 'Zone', '308001');
        await form.fill('From', '3d');
      },
      shown: /308001.*by the day, in UTC.*Cache hit rate.*5xx.*By the day/s,
      request: { method: 'GET', path: '/statistics', query: { pullZone: '308001' } },
    },
  },
  {
    endpoint: 'GET /pullzone/{id}/optimizer/statistics',
    does: 'shows the optimizer’s statistics',
    line: {
      type: '/edge stats optimizer 308003',
      shown: /Optimizer of 308003.*Traffic saved.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308003/optimizer/statistics' },
    },
    form: {
      type: '/edge stats optimizer',
      fill: (form) => typed(form, 'Zone', '308012'),
      shown: /Optimizer of 308012.*Traffic saved.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308012/optimizer/statistics' },
    },
  },
  {
    endpoint: 'GET /pullzone/{id}/originshield/queuestatistics',
    does: 'shows the origin shield’s queue',
    line: {
      type: '/edge stats queue 308001',
      shown: /Origin shield queue of 308001.*Most queued.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308001/originshield/queuestatistics' },
    },
    form: {
      type: '/edge stats queue',
      fill: (form) => typed(form, 'Zone', '308004'),
      shown: /Origin shield queue of 308004.*Most queued.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308004/originshield/queuestatistics' },
    },
  },
  {
    endpoint: 'GET /pullzone/{id}/safehop/statistics',
    does: 'shows what SafeHop saved',
    line: {
      type: '/edge stats safehop 308002',
      shown: /SafeHop of 308002.*Requests saved.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308002/safehop/statistics' },
    },
    form: {
      type: '/edge stats safehop',
      fill: (form) => typed(form, 'Zone', '308010'),
      shown: /SafeHop of 308010.*Requests saved.*By the day/s,
      request: { method: 'GET', path: '/pullzone/308010/safehop/statistics' },
    },
  },
  {
    endpoint: 'GET /mc/apps',
    does: 'lists the applications',
    line: {
      type: '/edge app list',
      shown: /23 applications.*HbqFNk0KZjzYOcp/s,
      request: { method: 'GET', path: '/mc/apps' },
    },
  },
  {
    endpoint: 'DELETE /mc/apps/{app}',
    does: 'deletes an application',
    line: {
      type: '/edge app delete 6pAGPcExPNJrT6H',
      confirm: { name: 'cart-api' },
      shown: /cart-api .*: marked for deletion; cleanup runs in the background/,
      request: { method: 'DELETE', path: '/mc/apps/6pAGPcExPNJrT6H' },
    },
    form: {
      type: '/edge app delete',
      fill: (form) => form.choose('Application', /ppdovHbLTeuuUMn/, 'ppdovHbLTeuuUMn'),
      confirm: { name: 'search-indexer' },
      shown: /search-indexer .*: marked for deletion; cleanup runs in the background/,
      request: { method: 'DELETE', path: '/mc/apps/ppdovHbLTeuuUMn' },
    },
  },
  {
    endpoint: 'GET /mc/apps/{app}/volumes',
    does: 'lists the volumes of an application',
    line: {
      type: '/edge volume list HbqFNk0KZjzYOcp',
      shown: /HbqFNk0KZjzYOcp.*1 volume.*Containers.*stock-data.*Instances.*detached/s,
      request: { method: 'GET', path: '/mc/apps/HbqFNk0KZjzYOcp/volumes' },
    },
    form: {
      type: '/edge volume list',
      fill: (form) => form.choose('Application', /T5iD4ttrYBgKrAP/, 'T5iD4ttrYBgKrAP'),
      shown: /T5iD4ttrYBgKrAP.*1 volume.*Containers.*sessions.*Instances/s,
      request: { method: 'GET', path: '/mc/apps/T5iD4ttrYBgKrAP/volumes' },
    },
  },
  {
    endpoint: 'GET /{zone}/{date}',
    does: 'shows origin errors',
    line: {
      type: '/edge errors show 308002 yesterday',
      shown: /308002: [\d,]+ origin errors of \d+ kinds? on \d{4}-\d\d-\d\d \(UTC\).*Errors by the hour/s,
      request: { service: 'origin-logs', method: 'GET', path: /^\/308002\/\d\d-\d\d-\d{4}$/ },
    },
    // Without a date: today, which may not have had any error yet.
    form: {
      type: '/edge errors show',
      fill: (form) => typed(form, 'Zone', '308004'),
      shown: /308004: (no|[\d,]+) origin errors?.* on .*today in UTC\)/,
      request: { service: 'origin-logs', method: 'GET', path: /^\/308004\/\d\d-\d\d-\d{4}$/ },
    },
  },
  {
    endpoint: 'GET /v2/pullzones/{zone}/logs',
    does: 'searches the access log',
    line: {
      type: '/edge log search 308002 --cache MISS',
      shown: /25 requests.*308002, cache MISS/s,
      request: { service: 'logging', method: 'GET', path: '/v2/pullzones/308002/logs' },
    },
    form: {
      type: '/edge log search',
      async fill(form) {
        await typed(form, 'Zone', '308001');
        await form.fill('Requests at once', '10');
      },
      shown: /10 requests.*308001/,
      request: { service: 'logging', method: 'GET', path: '/v2/pullzones/308001/logs' },
    },
  },
  {
    endpoint: 'POST /v2/pipeline',
    does: 'queries the database in the settings',
    line: {
      type: '/edge database query db_01JZ7K3M9QW4T8X2C6V5B1N0HA SELECT id, product, total FROM orders ORDER BY id LIMIT 3',
      shown: /database in the settings: 3 rows.*1,?002/s,
      request: { service: 'database', method: 'POST', path: '/v2/pipeline' },
    },
    form: {
      type: '/edge database query',
      async fill(form) {
        await form.choose('Database', 'The database in the settings');
        await form.fill('SQL', 'SELECT count(*) AS orders FROM orders');
      },
      shown: /database in the settings: 1 row.*480/s,
      request: { service: 'database', method: 'POST', path: '/v2/pipeline' },
    },
  },
];
