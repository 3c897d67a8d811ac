import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { CONFIRM, confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('what a person sees before deciding', () => {
  let workspace: TestWorkspace;
  let folder: string;
  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');
  const writes = () => workspace.platform.writes().filter(({ path }) => !path.endsWith('/auth/generate'));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-test-'));
    workspace = await startTestWorkspace({ environment: { STORE_URL: `file:${join(folder, 'kept.db')}` } });
  });
  afterAll(async () => {
    await workspace.close();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    expect(workspace.slack.problems).toEqual([]);
    workspace.platform.requests.splice(0);
  });

  it('is how many requests came from the bots that are to be blocked', async () => {
    for (const zone of workspace.platform.account.shieldZones) zone.botActions = {};
    await ops().type('/edge bot set shop aiscraper block');
    const preview = await ops().expectMessage(/Block\?[\s\S]*\[Cancel\]/);
    expect(preview.text).toMatch(/(No|(at least )?[\d,]+) logged requests? came from bots/);
    expect(preview.text).toMatch(/modelreader (at least )?[1-9][\d,]*, corpusbot 0/);
    const asked = workspace.platform.requests.filter(({ path }) => path.endsWith('/logs'));
    expect(asked.map(({ query }) => query.userAgentContains)).toEqual(['modelreader', 'corpusbot']);
    await preview.click(CONFIRM);
    await preview.expectGone();
    // Counted to be shown, not once more to be carried out.
    expect(workspace.platform.requests.filter(({ path }) => path.endsWith('/logs'))).toHaveLength(2);
  });

  it('is what the definition changes, against the plan', async () => {
    const content = `openapi: 3.0.3\ninfo: {title: Small, version: '1'}\npaths:\n${Array.from(
      { length: 60 },
      (_, index) => `  /nowhere/${index}: {get: {responses: {'200': {description: ok}}}}\n`,
    ).join('')}`;
    const root = await ops().type('here', { files: [{ name: 'small.yaml', content }] });
    await ops().type('@edgewise guardian upload api', { thread: root });
    const preview = await ops().expectMessage(/Title: [\s\S]*\[Cancel\]/);
    expect(preview.text).toMatch(/Endpoints[^\n]*\n60 of \d+/);
    expect(preview.text).toMatch(/Endpoints: 60, and the limit of the \w+ plan is \d+/);
    expect(preview.text).toMatch(/Removed \(\d+\)/);
    expect(writes()).toEqual([]);
    await preview.click('Cancel');
    await preview.expectChange(/Cancelled/);
  });

  it('is the rows that a statement would touch, and nothing is touched meanwhile', async () => {
    await ops().type("/edge database execute shop UPDATE customers SET name = 'A new name' WHERE id IN (1, 2)");
    const form = await ada().expectModal('Database execute', { ready: true });
    expect(form.text).toMatch(/Rows touched: .*2/);
    expect(form.text).toMatch(/These rows as they are now/);
    expect(writes()).toEqual([]);
    await form.close();
  });

  it('has to be the same when it is carried out', async () => {
    await ops().type("/edge database execute shop UPDATE customers SET name = 'Somebody' WHERE name = 'Nobody yet'");
    const form = await ada().expectModal('Database execute', { ready: true });
    expect(form.text).toMatch(/Rows touched: .*0/);
    const { url = '', seeded } = workspace.platform.account.databases[0]!;
    const somebodyElse = createClient({ url, authToken: seeded.fullAccess });
    await somebodyElse.execute("UPDATE customers SET name = 'Nobody yet' WHERE id = 3");
    somebodyElse.close();
    await form.fill({ 'Type the name to confirm': 'shop' });
    await form.submit();
    const told = await ops().expectMessage(/It has changed since\./);
    expect(told.text).toMatch(/Rows touched: .*0[\s\S]*Rows touched: .*1/);
    expect(
      writes()
        .map(({ body }) => JSON.stringify(body))
        .filter((body) => body.includes('Somebody')),
    ).toEqual([]);
  });

  it('comes as a file to the one who asked, and to nobody else', async () => {
    await ops().type('/edge database query shop --csv SELECT id, name FROM customers ORDER BY id LIMIT 3');
    const told = await ops().expectMessage(/3 rows/);
    expect(told.ephemeral).toBe(true);
    expect(told.buttons).not.toContain('Share');
    // The message of a file alone has no text.
    const card = await ada().in('@edgewise').expectMessage(/^/);
    expect(card.files.map(({ text }) => text)).toEqual([expect.stringMatching(/^"id","name"\r\n1,".+"\r\n2,/)]);
    const ben = workspace.slack.person('ben');
    expect(ben.in('#ops').messages.flatMap(({ files }) => files)).toEqual([]);
  });

  it('is no view where a token was ended and none was made', async () => {
    const { text } = await confirmed(workspace, 'token invalidate events');
    expect(text).toMatch(/@ada invalidated all tokens of events/);
    expect(text).not.toMatch(/to show|shown once/);
    const told = await ops().expectMessage(/No valid token remains/);
    expect(told.buttons).toEqual(expect.arrayContaining(['Create both tokens', 'Create one']));
  });

  it('is kept without the values of the statements', async () => {
    await workspace.app.stop();
    const store = byHand(join(folder, 'kept.db'));
    const { rows } = await store.execute('SELECT * FROM audit');
    store.close();
    const kept = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(kept).toContain('UPDATE customers SET name = ? WHERE name = ?');
    expect(kept).not.toContain('Nobody yet');
    expect(kept).toContain('SELECT id, name FROM customers ORDER BY id LIMIT ?');
  });
});
