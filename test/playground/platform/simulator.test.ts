import { describe, expect, test } from 'vitest';
import { startPlatformSimulator } from '../../../playground/platform/simulator.ts';
import { NOON, send, usePlatform } from './platform.ts';

describe('the simulator', () => {
  const platform = usePlatform();

  test.each([
    ['api', '/', { Message: expect.any(String) }],
    ['api', '/mc/nothing', { title: 'Not Found', status: 404 }],
    ['api', '/shield/nothing', { title: 'Not Found', status: 404 }],
    ['api', '/database/nothing', { error: expect.any(String) }],
    ['logging', '/', { error: { code: 'not_found' } }],
    ['originLogs', '/', { Message: expect.any(String) }],
  ] as const)('answers 404 in its own shape to %s %s', async (service, path, body) => {
    expect(await platform.ask(service, 'GET', path)).toMatchObject({ status: 404, body });
  });

  test('gives the settings that the bot needs', () => {
    const { environment, urls } = platform.simulator;
    expect(environment).toEqual({
      PLATFORM_API_URL: urls.api,
      PLATFORM_ACCESS_KEY: expect.any(String),
      PLATFORM_ORIGIN_LOGS_URL: urls.originLogs,
      PLATFORM_LOGGING_URL: urls.logging,
      PLATFORM_DATABASE_API_URL: `${urls.api}/database`,
      PLATFORM_DATABASE_HOST: Object.values(urls.databases)
        .map((url) => new URL(url).host)
        .join(','),
    });
    expect(new Set(Object.values(urls)).size).toBe(4);
  });

  test('refuses a body that is too large', async () => {
    const reply = await platform.ask('api', 'POST', '/pullzone/308001/setForceSSL', { body: 'x'.repeat(6_500_000) });
    expect(reply.status).toBe(413);
  });

  test('knows every secret, also those that are gone', async () => {
    const { account, jwt } = platform.simulator;
    const secrets = platform.simulator.secrets();
    expect(secrets).toContain(account.keys[3]?.Key);
    expect(secrets).toContain(account.zones[0]?.ZoneSecurityKey);
    expect(secrets).toContain(account.scripts[0]?.DeploymentKey);
    expect(secrets).toContain(jwt.logging);
    expect(secrets).toContain(account.databases[0]?.seeded.revoked);
    expect(new Set(secrets).size).toBe(secrets.length);
    expect(secrets.every((secret) => secret.length >= 16)).toBe(true);
    const before = account.databases[0]?.tokens.splice(0, 1)[0];
    expect(platform.simulator.secrets()).toContain(before?.token);
  });

  test('records what it was asked', async () => {
    await platform.get('/statistics?hourly=true&pullZone=308001');
    expect(platform.simulator.requests.at(-1)).toMatchObject({
      service: 'api',
      method: 'GET',
      path: '/statistics',
      query: { hourly: 'true', pullZone: '308001' },
      status: 200,
      applied: false,
      at: NOON,
    });
  });
});

test('two simulators of one seed agree, and those of two seeds have different secrets and traffic', async () => {
  const start = (seed: number) => startPlatformSimulator({ seed, now: () => NOON });
  const simulators = await Promise.all([start(1), start(1), start(2)]);
  const texts = await Promise.all(
    simulators.map(async ({ urls, environment, secrets }) => {
      const headers = { AccessKey: environment.PLATFORM_ACCESS_KEY ?? '' };
      const logs = await send(`${urls.logging}/v2/pullzones/308001/logs?limit=20`, 'GET', { headers });
      return { secrets: secrets().join(), logs: logs.text };
    }),
  );
  await Promise.all(simulators.map((simulator) => simulator.close()));
  expect(texts[1]).toEqual(texts[0]);
  expect(texts[2]?.logs).not.toBe(texts[0]?.logs);
  expect(texts[2]?.secrets).not.toBe(texts[0]?.secrets);
});

describe('with nothing but the specification', () => {
  const platform = usePlatform({ specOnly: true });

  test.each([
    ['api', 'GET', '/pullzone'],
    ['api', 'GET', '/pullzone/308001'],
    ['api', 'GET', '/compute/script'],
    ['api', 'GET', '/shield/shield-zones/pullzone-mapping'],
    ['api', 'GET', '/shield/shield-zone/5101/bot-categorization'],
    ['api', 'PATCH', '/shield/shield-zone/5101/api-guardian/spec'],
    ['api', 'POST', '/pullzone/completeExternalDnsCertificate'],
    ['api', 'GET', '/mc/apps/HbqFNk0KZjzYOcp/endpoints'],
    ['api', 'GET', '/database/v2/databases?page=1'],
    ['logging', 'GET', '/06-14-26/308001.log'],
  ] as const)('%s %s %s is not there', async (service, method, path) => {
    expect((await platform.ask(service, method, path)).status).toBe(404);
  });

  test.each([
    ['api', 'GET', '/apikey', undefined, 200],
    [
      'api',
      'POST',
      '/shield/shield-zone/5102/api-guardian/spec',
      { content: '{"openapi":"3.0.0","paths":{"/a":{"get":{}}}}' },
      200,
    ],
    ['api', 'PUT', '/shield/shield-zone/5101/bot-categorization/categories/2', { action: 1 }, 200],
    ['api', 'POST', '/compute/script/41300/variables/add', { Name: 'A', Required: false }, 200],
    ['api', 'POST', '/pullzone/requestExternalDnsCertificate', { Hostname: 'docs.example.com' }, 200],
    ['api', 'POST', '/pullzone/308002/setForceSSL', { Hostname: 'shop.example.com', ForceSSL: true }, 204],
    ['api', 'GET', '/statistics', undefined, 200],
    ['api', 'GET', '/pullzone/308001/optimizer/statistics', undefined, 200],
    ['api', 'GET', '/pullzone/308001/originshield/queuestatistics', undefined, 200],
    ['api', 'GET', '/pullzone/308001/safehop/statistics', undefined, 200],
    ['api', 'GET', '/mc/apps', undefined, 200],
    ['api', 'GET', '/mc/apps/HbqFNk0KZjzYOcp/volumes', undefined, 200],
    ['api', 'DELETE', '/mc/apps/HbqFNk0KZjzYOcp', undefined, 200],
    ['originLogs', 'GET', '/308001/06-14-2026', undefined, 200],
    ['logging', 'GET', '/v2/pullzones/308001/logs', undefined, 200],
  ] as const)('%s %s %s is there', async (service, method, path, body, status) => {
    expect((await platform.ask(service, method, path, { body })).status).toBe(status);
  });

  test('the statement endpoint is there', async () => {
    const [database] = platform.simulator.account.databases;
    const reply = await send(`${database?.url}/v2/pipeline`, 'POST', {
      headers: { Authorization: `Bearer ${database?.seeded.readOnly}`, 'Content-Type': 'application/json' },
      body: { requests: [{ type: 'execute', stmt: { sql: 'SELECT 1 AS one' } }] },
    });
    expect(reply.body.results[0].response.result.rows).toEqual([[{ type: 'integer', value: '1' }]]);
  });
});
