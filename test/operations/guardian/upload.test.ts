import { describe, expect, it } from 'vitest';
import type { GivenFile } from '../../../src/operations/context.ts';
import { textOfDefinition } from '../../../src/operations/guardian/upload.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import type { Guardian, SpecificationUpload } from '../../../src/platform/resources/shield-zones.ts';
import type { Done } from '../../../src/platform/shapes.ts';
import { blockText, fileOf, type PlatformPart, prepare, zoneOf } from '../performing.ts';

const lists = { zones: [zoneOf(1001, 'shop')], shieldZones: [{ shieldZoneId: 12, pullZoneId: 1001 }] };
const content = '{"openapi":"3.0.3","info":{"title":"Shop","version":"2"},"paths":{}}';
const file = fileOf('F0A1', 'shop.json', content);
const files = [file];

const refusal = (status: number, message: string, key?: string) =>
  new PlatformError(message, { status, key, service: 'shield', method: 'POST', path: '/shield' });

const NONE = refusal(404, 'No API Guardian configuration found.', 'api_guardian.get_api_guardian.no_configuration');

const guardian: Guardian = {
  configuration: {
    shieldZoneId: 12,
    isEnabled: true,
    executionMode: 1,
    bodyLimitAction: 7,
    unmatchedPathAction: 2,
    title: 'Shop',
    version: '1',
    maxEndpoints: 10,
    maxFieldsPerType: 21,
    maxNestingDepth: 5,
    maxTotalSchemaNodes: 1001,
    maxTotalRegexLength: 2002,
    createdAt: '2026-11-01T10:00:00Z',
    updatedAt: '2026-11-02T10:00:00Z',
  },
  endpoints: [
    {
      apiGuardianEndpointId: 4,
      requestMethod: 'GET',
      requestPath: '/items/{id}',
      isEnabled: true,
      validateAuthorization: true,
      authSchemes: [{ schemeName: 'key', schemeType: 'ApiKey', location: 'Header', credentialName: 'X-Key' }],
      availableParameters: { Path: ['id'], Query: ['q', 'page'], Header: [], Cookie: [] },
      injectionDetectionParameters: { Path: [], Query: ['q'], Header: [], Cookie: [] },
      detectParameterSqli: true,
      rateLimitingEnabled: true,
      rateLimitingType: 'Global',
      rateLimitingRequestCount: 100,
      rateLimitingTimeframe: 60,
      requestBodySchemaYaml: 'type: object',
      responseBodySchemasYaml: { 200: 'type: array' },
    },
  ],
};

interface Sent extends SpecificationUpload {
  method: string;
  id: number;
}

function shield(present: Guardian | Error, answer: Done<Guardian> | Error, sent: Sent[] = []): PlatformPart {
  const give = async <T>(value: T | Error): Promise<T> => {
    if (value instanceof Error) throw value;
    return value;
  };
  return {
    shieldZones: {
      guardian: () => give(present),
      async uploadSpec(id, upload) {
        sent.push({ method: 'POST', id, ...upload });
        return give(answer);
      },
      async updateSpec(id, upload) {
        sent.push({ method: 'PATCH', id, ...upload });
        return give(answer);
      },
    },
  };
}

const LINE = 'guardian upload shop --file F0A1';

describe('guardian upload', () => {
  it('shows what will be sent, and that nothing is there yet', async () => {
    const preview = await (await prepare(LINE, { platform: shield(NONE, NONE), lists, files })).preview();
    expect(preview).toEqual({
      before: { title: null, version: null, endpoints: null, updatedAt: null },
      after: {
        title: 'Shop',
        version: '2',
        endpoints: 0,
        updatedAt: 'now',
        openapi: '3.0.3',
        enforceAuthorizationValidation: true,
        file: 'shop.json',
        bytes: content.length,
        sha256: file.sha256,
      },
      warnings: [],
    });
  });

  it('posts the text as it is, once, with authorization enforced unless told', async () => {
    const sent: Sent[] = [];
    const setting = { platform: shield(NONE, { extra: {} }, sent), lists, files };
    const prepared = await prepare(LINE, setting);
    expect(prepared.canonical).toEqual({ zone: 'shield:12', file: `F0A1:sha256:${file.sha256}` });
    await prepared.run();
    await (await prepare(`${LINE} --enforce-authorization off`, setting)).run();
    expect(sent).toEqual([
      { method: 'POST', id: 12, content, enforceAuthorizationValidation: true },
      { method: 'POST', id: 12, content, enforceAuthorizationValidation: false },
    ]);
  });

  it('shows the configuration with all five limits, and the endpoints with schemes, parameters and rate limit', async () => {
    const platform = shield(NONE, { answer: guardian, extra: {} });
    const message = await (await prepare(LINE, { platform, lists, files })).run();
    const text = blockText(message);
    for (const words of ['*Block*', '*7*', '*Ignore*', '\n10', '\n21', '\n5', '\n1,001', '\n2,002']) {
      expect(text).toContain(words);
    }
    expect(text).toContain(
      'GET\n/items/{id}\nyes\nApiKey in Header X-Key (key)\nPath: id; Query: q, page\n100 per 60 s, Global\n' +
        'authorization, SQL injection in Query: q\n4',
    );
    expect(message.files).toEqual([
      {
        name: 'schemas.yaml',
        title: 'Schemas of the bodies',
        content:
          '# GET /items/{id}: request body\ntype: object\n---\n# GET /items/{id}: response body of 200\ntype: array\n',
      },
    ]);
  });

  it('replaces the definition that is there', async () => {
    const sent: Sent[] = [];
    const platform = shield(guardian, { answer: guardian, extra: {} }, sent);
    const prepared = await prepare(LINE, { platform, lists, files });
    const preview = await prepared.preview();
    expect(preview.before).toEqual({
      title: 'Shop',
      version: '1',
      endpoints: 1,
      updatedAt: '2026-11-02T10:00:00Z',
    });
    expect(preview.warnings).toEqual(['There is already a definition: this one replaces it.']);
    expect(blockText(await prepared.run())).toContain(
      'replaced the OpenAPI definition of `shop (1001), shield zone 12`\nIt is in the file `shop.json`.',
    );
    expect(sent).toEqual([{ method: 'PATCH', id: 12, content, enforceAuthorizationValidation: true }]);
  });

  it('is sent without the mark that some editors put before it', () => {
    const textOf = (content: Buffer) => textOfDefinition({ name: 'api.yaml', content });
    expect(textOf(Buffer.from('\ufeffopenapi: 3.0.3'))).toBe('openapi: 3.0.3');
    expect(() => textOf(Buffer.from([0x6f, 0xff, 0xfe]))).toThrow(/not text in UTF-8/);
  });

  it('passes on a refusal', async () => {
    const error = refusal(403, 'Not on this plan.', 'invalid_plan_type.api_guardian');
    const prepared = await prepare(LINE, { platform: shield(NONE, error), lists, files });
    await expect(prepared.run()).rejects.toBe(error);
  });

  it('warns of a version that the platform is not known to read, and says why the present state is unknown', async () => {
    const swagger = fileOf('F0A1', 'old.yml', 'swagger: "2.0"');
    const platform = shield(refusal(404, 'Not Found'), NONE);
    const preview = await (await prepare(LINE, { platform, lists, files: [swagger] })).preview();
    expect(preview.unread).toBe('the platform does not show it');
    expect(preview.warnings).toEqual([expect.stringContaining('this definition says 2.0')]);
  });
});

describe('before a definition is uploaded', () => {
  const document = (paths: Record<string, unknown>, more: object = {}) =>
    fileOf(
      'F0A1',
      'shop.json',
      JSON.stringify({ openapi: '3.0.3', info: { title: 'Shop', version: '2' }, paths, ...more }),
    );
  const plain = { get: { responses: {} } };

  async function preflight(given: GivenFile, present: Guardian | Error, { plan = 1 } = {}) {
    const platform: PlatformPart = {
      shieldZones: {
        ...shield(present, NONE).shieldZones,
        getByPullZone: async () => ({ shieldZoneId: 12, pullZoneId: 1001, planType: plan }),
      },
    };
    const prepared = await prepare(LINE, { platform, lists, files: [given] });
    const preview = await prepared.preview();
    const { warnings = [], details } = await prepared.preflight();
    return { preview, warnings, text: (details?.text ?? '').replaceAll(/[*`]/g, '') };
  }

  it('says which endpoints are added and removed', async () => {
    const same = await preflight(document({ '/items/{id}': plain }), guardian);
    expect(same.text).toContain('It has the endpoints that are active now.');

    const other = await preflight(document({ '/items/{id}': plain, '/carts': { post: {}, get: {} } }), guardian);
    expect(other.text).toContain('Added (2)\n• POST /carts\n• GET /carts');
    expect(other.text).not.toContain('Removed');
    const gone = await preflight(document({ '/carts': { post: {} } }), guardian);
    expect(gone.text).toContain('Removed (1)\n• GET /items/{id}');
    expect(gone.preview.before).toMatchObject({ endpoints: 1 });
    expect(gone.preview.after).toMatchObject({ endpoints: 1, title: 'Shop', version: '2' });
  });

  it('compares the endpoints with the plan, or with the limit of the definition that is there', async () => {
    const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`/p${index}`, plain]));
    const advanced = await preflight(document(eleven), NONE);
    expect(advanced.text).toContain('Plan: Advanced\nEndpoints: 11 of 10');
    expect(advanced.warnings).toContain(
      'Endpoints: 11, and the limit of the Advanced plan is 10. The platform will probably refuse it.',
    );
    expect((await preflight(document(eleven), NONE, { plan: 2 })).warnings).toEqual([]);
    expect((await preflight(document(eleven), NONE, { plan: 0 })).warnings).toEqual([
      'The plan of this shield zone is Basic, which has no request validation.',
    ]);
    expect((await preflight(document(eleven), guardian, { plan: 2 })).text).toContain('Endpoints: 11 of 10');
  });
});

describe('guardian show', () => {
  it('shows what is there, or that nothing is', async () => {
    const run = async (present: Guardian | Error) =>
      blockText(await (await prepare('guardian show shop', { platform: shield(present, NONE), lists })).run());
    expect(await run(guardian)).toContain('Request validation of shop (1001), shield zone 12');
    await expect(run(NONE)).rejects.toMatchObject({
      message: 'There is no definition for shop (1001), shield zone 12 yet.',
    });
    await expect(run(refusal(404, 'Not Found'))).rejects.toMatchObject({ name: 'UsageError' });
  });
});
