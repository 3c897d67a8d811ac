import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const definition = (title: string) =>
  `openapi: 3.0.3\ninfo:\n  title: ${title}\n  version: '1.0'\npaths:\n  /items:\n    get:\n      parameters:\n        - { name: page, in: query, schema: { type: integer } }\n      responses: { '200': { description: ok } }\n`;
const file = (content: string | Buffer, name = 'api.yaml') => ({ name, content });

describe('uploading a definition', () => {
  let workspace: TestWorkspace;
  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');
  const sent = () => workspace.platform.requests.filter(({ method }) => method !== 'GET');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  afterEach(() => {
    workspace.platform.requests.splice(0);
    expect(workspace.slack.problems).toEqual([]);
  });

  /** Gives a file in a thread and mentions the bot there. */
  async function given(line: string, ...files: { name: string; content: string | Buffer }[]): Promise<string> {
    const root = await ops().type('here it is', { files });
    await ops().type(`@edgewise ${line}`, { thread: root });
    return root;
  }

  it('takes the file of the thread, shows what it is, and sends its text', async () => {
    await given('guardian upload assets', file(definition('Shop API')));
    const preview = await ops().expectMessage(/Title: – → Shop API/);
    expect(preview.text).toMatch(/File: .*api\.yaml/);
    expect(sent()).toEqual([]);
    await preview.click(CONFIRM);
    await preview.expectGone();
    const outcome = await ops().expectMessage(/uploaded an OpenAPI definition for assets[\s\S]*api\.yaml/);
    for (const limit of ['Endpoints', 'Fields per type', 'Nesting depth', 'Schema nodes', 'Length of patterns']) {
      expect(outcome.text).toMatch(new RegExp(`${limit}[^|\\n]*\\| [\\d,]+`));
    }
    expect(outcome.text).toMatch(/GET[\s\S]*\/items/);
    expect(sent()).toMatchObject([
      { method: 'POST', body: { content: definition('Shop API'), enforceAuthorizationValidation: true } },
    ]);
    expect(sent()[0]?.headers['content-type']).toBe('application/json');
  });

  it('replaces it by a second one, and says so first', async () => {
    await given('guardian upload assets --enforce-authorization off', file(definition('Second API')));
    const preview = await ops().expectMessage(/Replace[\s\S]*Title: Shop API → Second API/);
    expect(preview.text).toMatch(/There is already a definition: this one replaces it/);
    await preview.click(CONFIRM);
    await preview.expectGone();
    await ops().expectMessage(/replaced the OpenAPI definition of assets/);
    expect(sent()).toMatchObject([
      { method: 'PATCH', body: { content: definition('Second API'), enforceAuthorizationValidation: false } },
    ]);
  });

  it('takes the file of a form', async () => {
    await ops().type('/edge guardian upload api');
    const form = await ada().expectModal('Guardian upload', { ready: true });
    await form.fill({
      'OpenAPI definition': file(
        JSON.stringify({ openapi: '3.0.1', info: { title: 'J', version: '2' }, paths: {} }),
        'j.json',
      ),
    });
    await form.submit();
    await form.expectChange(/→ J/);
    expect(sent()).toEqual([]);
    await form.close();
  });

  it.each(['302', '200', '403'])(
    'says that Slack does not give the file, when its download is answered %s',
    async (status) => {
      workspace.slack.fault(`download=${status}*1`);
      await given('guardian upload shop', file(definition('Hidden')));
      const told = await ops().expectMessage(
        /Slack does not let me read the file\.[\s\S]*Invite me to the channel where it was shared, or attach it in the form\.[\s\S]*files:read/,
      );
      expect(told.text).not.toMatch(/OpenAPI definition that can be read|Something went wrong/);
    },
  );

  it.each(['500*1', '429*1', 'drop*1'])('asks for the file again, when its download is answered %s', async (fault) => {
    workspace.slack.fault(`download=${fault}`);
    await given('guardian upload shop', file(definition('Twice')));
    await (await ops().expectMessage(/Title: – → Twice/)).click('Cancel');
  });

  it('tells nothing of a file that stands elsewhere and is of somebody else, whatever it is', async () => {
    const secret = definition('A plan that nobody knows');
    await workspace.slack
      .person('ben')
      .in('@edgewise')
      .type('look', { files: [file(secret), file('x', 'picture.png')] });
    const [plan, picture] = [...workspace.slack.workspace.files.values()].slice(-2);
    const told: string[] = [];
    for (const id of [plan!.id, picture!.id, 'F0NOTTHERE1']) {
      await ops().type(`@edgewise guardian upload shop --file ${id}`);
      told.push((await ops().expectMessage(/no such file/)).text.replaceAll(id, 'ID'));
    }
    expect(new Set(told).size).toBe(1);
    expect(told[0]).toMatch(/Slack has no such file for you here\.[\s\S]*Give it again/);
    // Where it stands, and to whoever gave it, it is theirs.
    await workspace.slack
      .person('ben')
      .in('#ops')
      .type('here', { files: [file(definition('For everybody'))] });
    const shared = [...workspace.slack.workspace.files.values()].at(-1)!;
    await ops().type(`@edgewise guardian upload shop --file ${shared.id}`);
    await (await ops().expectMessage(/Title: – → For everybody/)).click('Cancel');
    await ada()
      .in('#releases')
      .type('mine', { files: [file(definition('My own'))] });
    const own = [...workspace.slack.workspace.files.values()].at(-1)!;
    await ops().type(`@edgewise guardian upload shop --file ${own.id}`);
    await (await ops().expectMessage(/Title: – → My own/)).click('Cancel');
  });

  it('opens the form when there is no file, and keeps the one of the thread', async () => {
    await ops().type('@edgewise guardian upload api');
    const told = await ops().expectMessage(/guardian upload needs more: OpenAPI definition/);
    await told.click('Fill in');
    const form = await ada().expectModal('Guardian upload', { ready: true });
    expect(form.value('Zone')).toBe('api');
    await form.close();
  });

  it.each([
    ['JSON that is cut', file('{"openapi": "3.0.0", ', 'cut.json'), /line 1: Flow map must end/],
    ['JSON that is a list', file('[1, 2]', 'list.json'), /it is a list, not an object/],
    ['YAML without a version', file('info:\n  title: x\n'), /it has no openapi version/],
    ['bytes that are no text', file(Buffer.from([0xff, 0xfe, 0x00, 0xd8]), 'binary.yaml'), /is not text in UTF-8/],
    ['an empty file', file('', 'empty.yaml'), /The file empty\.yaml is empty/],
    ['another type of file', file('x', 'picture.png'), /is of the wrong type: only \.json/],
    ['a file that is too large', file('x'.repeat(2_200_000), 'large.yaml'), /too large|at most 2/],
  ])('refuses %s before anything is sent', async (_, picked, reads) => {
    await given('guardian upload shop', picked);
    const told = await ops().expectMessage(reads);
    expect(told.ephemeral).toBe(true);
    expect(sent()).toEqual([]);
  });

  it('refuses a file that is another one when it is confirmed', async () => {
    await given('guardian upload shop', file(definition('Before')));
    const preview = await ops().expectMessage(/→ Before/);
    const stored = [...workspace.slack.workspace.files.values()].at(-1)!;
    stored.bytes = Buffer.from(definition('After'));
    await preview.click(CONFIRM);
    await preview.expectChange(/its content has changed/);
    expect(sent()).toEqual([]);
  });

  it('says why the platform does not take it', async () => {
    workspace.platform.fault('accepted@POST api-guardian');
    await given('guardian upload docs', file(definition('Docs')));
    const preview = await ops().expectMessage(/→ Docs/);
    await preview.click(CONFIRM);
    await preview.expectChange(/Please upgrade to Advanced[\s\S]*Nothing was changed/);
    workspace.platform.clearFaults();
    expect(sent()).toHaveLength(1);
  });
});
