import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OnSimulator, onSimulator } from './on-simulator.ts';
import { blockText, fileOf, prepare } from './performing.ts';

const definition = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '2' },
  paths: {
    '/items': {
      get: {
        parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
        responses: { 200: { description: 'ok' } },
      },
    },
  },
});
const files = [fileOf('F0A1', 'shop.json', definition)];

/** What a line leads to: the state before as the preview shows it, the written requests, and the message. */
async function perform(setting: OnSimulator, line: string) {
  const prepared = await prepare(line, { ...setting, files });
  const preview = prepared.operation.preview === undefined ? undefined : await prepared.preview();
  const before = setting.simulator.requests.length;
  const text = blockText(await prepared.run());
  const sent = setting.simulator.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
  return { preview, text, sent };
}

describe('Rows 1 to 6 against the simulator', () => {
  let setting: OnSimulator;
  beforeAll(async () => {
    setting = await onSimulator();
  });
  afterAll(() => setting.close());

  it('list the keys, masked', async () => {
    const { text } = await perform(setting, 'key list --per-page 5');
    const keys = setting.simulator.account.keys.map((key) => key.Key);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => text.includes(key))).toEqual([]);
    expect(text).toMatch(/Page 1 · \d+ of \d+/);
  });

  it('upload a definition, and replace it by a second one', async () => {
    const first = await perform(setting, 'guardian upload shop --file F0A1');
    expect(first.preview?.before).toEqual({ title: null, version: null, endpoints: null, updatedAt: null });
    expect(first.sent).toEqual([expect.stringMatching(/^POST .*\/api-guardian\/spec$/)]);
    expect(first.text).toContain('/items');
    expect(first.text).toContain('Query: q');
    const second = await perform(setting, 'guardian upload shop --file F0A1');
    expect(second.preview?.before).toMatchObject({ title: 'Shop', version: '2' });
    expect(second.sent).toEqual([expect.stringMatching(/^PATCH .*\/api-guardian\/spec$/)]);
    expect(second.text).toContain('replaced the OpenAPI definition of');
    expect((await perform(setting, 'guardian show shop')).text).toContain('/items');
  });

  it('set a category of bots and show it', async () => {
    const { preview, sent } = await perform(setting, 'bot set shop aitool block');
    expect(preview?.before).toBeDefined();
    expect(sent).toEqual([expect.stringMatching(/^PUT .*\/bot-categorization\/categories\/3$/)]);
    expect((await perform(setting, 'bot list shop')).text).toMatch(/AITool\nBlock/);
  });

  it('add a variable and list it', async () => {
    const [script] = setting.simulator.account.scripts;
    const { preview, text } = await perform(setting, `variable add ${script?.Name} NEW_ONE 5 --required`);
    expect(preview?.before?.Name).toBeNull();
    expect(text).toContain('added the variable `NEW_ONE of');
    expect((await perform(setting, `variable list ${script?.Id}`)).text).toMatch(/NEW_ONE\n\d+\nyes\n5/);
    expect((await perform(setting, 'script list')).text).toContain(script?.Name);
  });

  it('request a certificate and complete it', async () => {
    const { text } = await perform(setting, 'certificate request docs.example.com');
    expect(text).toContain('\n_acme-challenge.docs.example.com\n');
    const { preview, sent } = await perform(setting, 'certificate complete docs.example.com');
    expect(preview?.before).toEqual({ certificate: 'none' });
    expect(sent).toEqual(['POST /pullzone/completeExternalDnsCertificate']);
  });

  it('force HTTPS on an international hostname and show the zone', async () => {
    const { preview, sent } = await perform(setting, 'ssl force shop.münchen.example on');
    expect(preview?.before).toEqual({ ForceSSL: false });
    expect(sent).toEqual(['POST /pullzone/308002/setForceSSL']);
    expect((await perform(setting, 'zone show shop')).text).toMatch(/shop\.xn--mnchen-3ya\.example\nno\non\nown/);
    expect((await perform(setting, 'zone list')).text).toMatch(/13 pull zones[\s\S]*main-site\n308001/);
  });

  it('never show a secret of the account', async () => {
    const texts = [];
    for (const line of [
      'zone list',
      'zone show video',
      'zone show api',
      'script list',
      'key list',
      'variable list 41300',
    ]) {
      texts.push((await perform(setting, line)).text);
    }
    const all = texts.join('\n');
    expect(setting.simulator.secrets().filter((secret) => all.includes(secret))).toEqual([]);
  });
});

describe('Rows 1 to 6 by ids alone, where the platform knows nothing but the specification', () => {
  let setting: OnSimulator;
  beforeAll(async () => {
    setting = await onSimulator({ specOnly: true });
  });
  afterAll(() => setting.close());

  it.each([
    ['key list', 'GET /apikey'],
    ['guardian upload shield:5102 --file F0A1', 'POST /shield/shield-zone/5102/api-guardian/spec'],
    ['bot set 5102 2 block', 'PUT /shield/shield-zone/5102/bot-categorization/categories/2'],
    ['variable add 41300 OTHER', 'POST /compute/script/41300/variables/add'],
    ['certificate request img.example.com', 'POST /pullzone/requestExternalDnsCertificate'],
    ['ssl force img.example.com off --zone 308003', 'POST /pullzone/308003/setForceSSL'],
  ])('%s sends that row’s request alone', async (line, request) => {
    const { preview, sent } = await perform(setting, line);
    expect(sent).toEqual([request]);
    if (preview !== undefined) expect([preview.before, typeof preview.unread]).toEqual([undefined, 'string']);
  });

  it('names are refused with the reason', async () => {
    for (const line of [
      'guardian show shop',
      'variable list router',
      'zone show shop',
      'ssl force img.example.com on',
    ]) {
      await expect(prepare(line, setting)).rejects.toMatchObject({ name: 'UsageError' });
    }
  });

  it.each([
    'guardian show shield:5102',
    'bot list 5102',
    'variable list 41300',
    'zone show 308001',
    'zone list',
    'script list',
  ])('%s says that the platform does not show it', async (line) => {
    await expect(perform(setting, line)).rejects.toMatchObject({ name: 'UsageError' });
  });
});
