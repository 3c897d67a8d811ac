import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform();

const DEFINITION = `openapi: 3.0.3
info: { title: Shop, version: '2' }
security: [{ bearer: [] }]
paths:
  /orders/{id}:
    parameters: [{ $ref: '#/components/parameters/Id' }]
    put:
      parameters: [{ name: dry, in: query, schema: { type: boolean } }, { name: sid, in: cookie, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { type: object } } } } }
    get:
      security: []
      responses: { '200': { description: ok } }
components:
  parameters: { Id: { name: id, in: path, required: true, schema: { type: integer } } }
  schemas: { Order: { type: object, properties: { total: { type: number } } } }
  securitySchemes:
    bearer: { type: http, scheme: bearer }
`;

const upload = (zone: number, content: unknown, method = 'POST', headers: Record<string, string> = {}) =>
  platform.ask('api', method, `/shield/shield-zone/${zone}/api-guardian/spec`, {
    body: { content, enforceAuthorizationValidation: true },
    headers,
  });

const withSchema = (schema: object, schemas: object) =>
  JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Deep', version: '1' },
    paths: {
      '/a': { post: { requestBody: { content: { json: { schema } } } } },
      '/b': { $ref: '#/paths/~1a' },
      c: { get: {} },
    },
    components: { schemas },
  });

const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [
      `S${n}`,
      n + 1 === length ? {} : { properties: { next: { $ref: `#/components/schemas/S${n + 1}` } } },
    ]),
  );

const withPaths = (count: number): string =>
  JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Many', version: '1' },
    paths: Object.fromEntries(Array.from({ length: count }, (_, n) => [`/p${n}`, { get: { responses: {} } }])),
  });

describe('the OpenAPI definition', () => {
  test('is read into the configuration and the endpoints', async () => {
    const { status, body } = await upload(5101, DEFINITION);
    expect(status).toBe(200);
    expect(body.error).toMatchObject({ success: true });
    expect(body.data.configuration).toMatchObject({
      shieldZoneId: 5101,
      title: 'Shop',
      version: '2',
      executionMode: 0,
      maxEndpoints: 50,
      maxFieldsPerType: 100,
      maxNestingDepth: 8,
      maxTotalSchemaNodes: 2500,
      maxTotalRegexLength: 10000,
    });
    const [get, put] = body.data.endpoints;
    expect(get).toMatchObject({ requestMethod: 'GET', authSchemes: [], validateAuthorization: false });
    expect(put).toMatchObject({
      requestMethod: 'PUT',
      requestPath: '/orders/{id}',
      validateAuthorization: true,
      validateRequestBodySchema: true,
      authSchemes: [{ schemeName: 'bearer', schemeType: 'Http', location: 'Header', httpScheme: 'bearer' }],
      availableParameters: { Path: ['id'], Query: ['dry'], Header: [], Cookie: ['sid'] },
      rateLimitingEnabled: true,
      rateLimitingType: 'Global',
    });
    expect(put.requestBodySchemaYaml).toContain('total');
    expect(put.responseBodySchemasYaml).toEqual({ '200': 'type: object\n' });
    expect((await platform.get('/shield/shield-zone/5101/api-guardian')).body.data).toEqual(body.data);
    expect((await platform.get('/shield/shield-zone/5106/api-guardian')).status).toBe(404);
  });

  test('is refused where one exists, and then updated with PATCH', async () => {
    expect(await upload(5103, DEFINITION)).toMatchObject({
      status: 409,
      body: { status: 409, title: 'Conflict', errorKey: 'api_guardian.specification.already_exists' },
    });
    const reply = await upload(5103, withPaths(3), 'PATCH');
    expect(reply.body.data.configuration.title).toBe('Many');
    expect(reply.body.data.endpoints).toHaveLength(3);
    expect((await upload(5106, DEFINITION, 'PATCH')).status).toBe(404);
  });

  test('is measured in the words of the official definition', async () => {
    const self = { items: { $ref: '#/components/schemas/Self' } };
    const wide = { properties: Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`f${n}`, { items: {} }])) };
    const schemas = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`W${n}`, wide]));
    const reply = await upload(5103, withSchema({ allOf: [wide, wide] }, { ...chain(3), Self: self }), 'PATCH');
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.body.data.endpoints.map((one: Record<string, unknown>) => one.requestPath)).toEqual(['/a', '/b']);
    expect(await upload(5103, withSchema({}, schemas), 'PATCH')).toMatchObject({
      body: { detail: expect.stringContaining('2534 nodes') },
    });
  });

  test.each(['text/plain', 'application/yaml', 'multipart/form-data'])('is refused as %s', async (type) => {
    expect((await upload(5102, DEFINITION, 'POST', { 'content-type': type })).status).toBe(415);
  });

  test.each(['text/json', 'application/vnd.oai+json', 'application/json; charset=utf-8'])(
    'passes as %s',
    async (type) => {
      const reply = await upload(5106, withPaths(11), 'POST', { 'content-type': type });
      expect([200, 409]).toContain(reply.status);
    },
  );

  test.each([
    [5104, DEFINITION, 403, 'invalid_plan_type.api_guardian'],
    [5102, withPaths(11), 400, 'api_guardian.limit.max_endpoints'],
    [5102, DEFINITION.replace('3.0.3', '3.1.0'), 400, 'api_guardian.unsupported_version'],
    [5102, withSchema({}, chain(4)), 400, 'api_guardian.limit.max_nesting_depth'],
    [5102, '{"openapi": ', 400, 'api_guardian.invalid_specification'],
    [5102, 'just text', 400, 'api_guardian.invalid_specification'],
    [5102, DEFINITION.replace('schemas/Order', 'schemas/Gone'), 400, 'api_guardian.unresolved_reference'],
    [5102, undefined, 400, 'invalid_body'],
    [9, DEFINITION, 404, 'not_found_or_unauthorised_access.shieldzone'],
  ])('is refused on zone %d for %j with %d', async (zone, content, status, errorKey) => {
    const writes = platform.simulator.writes().length;
    expect(await upload(zone, content)).toMatchObject({
      status,
      body: { type: expect.any(String), title: expect.any(String), status, detail: expect.any(String), errorKey },
    });
    expect(platform.simulator.writes()).toHaveLength(writes);
  });
});

describe('bot categories', () => {
  const set = (zone: number, category: number | string, body: unknown) =>
    platform.ask('api', 'PUT', `/shield/shield-zone/${zone}/bot-categorization/categories/${category}`, { body });

  test.each([0, 1, 7])('takes category %d and shows it', async (category) => {
    expect(await set(5101, category, { action: 1 })).toMatchObject({
      status: 200,
      body: { data: { category, action: 1 }, error: { success: true } },
    });
  });

  test('lists the actions of the seven categories', async () => {
    await set(5102, 3, { action: 2 });
    const { body } = await platform.get('/shield/shield-zone/5102/bot-categorization');
    expect(body.categories).toHaveLength(7);
    expect(body.categories[2]).toMatchObject({ category: 3, categoryAction: 2 });
  });

  test.each([
    [5101, 255, { action: 1 }, 400, 'invalid_category'],
    [5101, 8, { action: 1 }, 400, 'invalid_category'],
    [5101, 'SEO', { action: 1 }, 400, 'invalid_category'],
    [5101, 2, { action: 3 }, 400, 'invalid_action'],
    [5101, 2, { Action: 1 }, 400, 'invalid_action'],
    [5104, 2, { action: 1 }, 403, 'invalid_plan_type.bot_detection'],
    [9, 2, { action: 1 }, 404, 'not_found_or_unauthorised_access.shieldzone'],
  ])('refuses zone %d, category %s, %j with %d', async (zone, category, body, status, errorKey) => {
    expect(await set(zone, category, body)).toMatchObject({ status, body: { status, errorKey } });
  });

  test('fails as an envelope, and behind a 202, when told to', async () => {
    const { simulator } = platform;
    const writes = simulator.writes().length;
    let off = simulator.fault('envelope@/shield');
    expect(await set(5104, 2, { action: 1 })).toMatchObject({
      status: 403,
      body: { data: null, error: { statusCode: 403, success: false, errorKey: 'invalid_plan_type.bot_detection' } },
    });
    off();
    off = simulator.fault('accepted@PUT /shield');
    expect(await set(5101, 2, { action: 1 })).toMatchObject({ status: 202, body: { error: { success: false } } });
    off();
    expect(simulator.writes()).toHaveLength(writes);
  });
});

test('shield zones are found by pull zone', async () => {
  const { body } = await platform.get('/shield/shield-zones/pullzone-mapping');
  expect(body.data).toContainEqual({ shieldZoneId: 5102, pullZoneId: 308002 });
  expect((await platform.get('/shield/shield-zone/get-by-pullzone/308002')).body.data.planType).toBe(1);
  expect((await platform.get('/shield/shield-zone/get-by-pullzone/308003')).status).toBe(202);
  expect((await platform.get('/shield/shield-zones?perPage=2')).body.page).toMatchObject({
    totalCount: 6,
    nextPage: 2,
  });
});
