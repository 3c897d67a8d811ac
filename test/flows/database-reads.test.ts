import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CannedPlatform, startCannedPlatform } from '../support/canned-platform.ts';
import { confirmed, isTrial } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [database execute]
    where: { database: events }
    approvers: { people: [U0BEN000002] }
    expires: 30m
roles:
  admins:
    allow: ['*']
  writers:
    people: [U0BEN000002]
    allow: [database execute]
`;

const said = (body: unknown) => JSON.stringify(body ?? '');

describe('a preview of a statement', () => {
  let workspace: TestWorkspace;
  let folder: string;
  const on = (name: string) => workspace.slack.person(name).in('#ops');
  const pipelines = () => workspace.platform.requests.filter(({ path }) => path === '/v2/pipeline');
  const audited = async () => {
    const ops = on('ada');
    ops.readAll();
    await ops.type('/edge audit list --command "database execute"');
    return (await ops.expectMessage(/./)).text;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-reads-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({ environment: { POLICY_FILE: join(folder, 'policy.yml') } });
    const { url = '', seeded } = workspace.platform.account.databases[0]!;
    const owner = createClient({ url, authToken: seeded.fullAccess });
    for (const sql of [
      'CREATE TABLE people (id INTEGER PRIMARY KEY, name, reset_token, upper_token AS (upper(reset_token)))',
      "INSERT INTO people (id, name, reset_token) VALUES (1, 'ada', 'hunter2-hunter2'), (2, 'ben', 'swordfish-9')",
      'CREATE TABLE tests (id INTEGER PRIMARY KEY, name)',
      "INSERT INTO tests VALUES (1, 'only a test row')",
      'CREATE VIRTUAL TABLE notes USING fts5(body)',
    ])
      await owner.execute(sql);
    owner.close();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => workspace.platform.requests.splice(0));
  afterEach(() => expect(workspace.slack.problems).toEqual([]));

  /** The preview of a statement that needs no approval, as its requester sees it. */
  async function previewed(name: string, sql: string) {
    await on(name).type(`/edge database execute shop ${sql}`);
    const form = await workspace.slack.person(name).expectModal('Database execute');
    await form.expectChange(/^(?![\s\S]*(One moment|takes a moment))/);
    const { text } = form;
    await form.close();
    return text;
  }

  it('shows who may not query the database no row and no number, tries nothing, and needs no full-access token', async () => {
    const text = await previewed('ben', 'UPDATE customers SET id = id WHERE id <= 10');
    expect(text).toContain('has not been tried out');
    expect(text).not.toMatch(/@mail\.example|Rows touched|rows as they are now|\b10 rows/);
    expect(
      pipelines()
        .map(({ body }) => said(body))
        .filter((body) => !body.includes('EXPLAIN')),
    ).toEqual([]);
    expect(workspace.platform.account.databases[0]!.tokens.at(-1)?.authorization).toBe('read-only');
    await expect(confirmedBy('ben', 'UPDATE customers SET id = id WHERE id <= 10')).resolves.toMatch(/10 rows changed/);
  });

  /** Types the name that the form asks for. */
  async function confirmedBy(name: string, sql: string) {
    const ops = on(name);
    ops.readAll();
    await ops.type(`/edge database execute shop ${sql}`);
    const form = await workspace.slack.person(name).expectModal('Database execute');
    await form.expectChange(/Type the name/);
    await form.fill({ 'Type the name to confirm': 'shop' });
    await form.submit();
    return (await ops.expectMessage(/executed/)).text;
  }

  it('shows who may query it the rows as a query would, and the audit knows', async () => {
    const text = await previewed('ada', 'UPDATE people SET name = name WHERE id < 3');
    expect(text).toMatch(/would touch 2 rows[\s\S]*rows as they are now[\s\S]*ada[ |]+••••/);
    expect(text).not.toMatch(/hunter2|HUNTER2|swordfish/i);
    expect(await audited()).toMatch(/previewed database execute on/);
  });

  it.each([
    'WITH people AS (SELECT id, reset_token AS name FROM people) UPDATE people SET name = name',
    'WITH orders AS (SELECT reset_token AS status FROM people) UPDATE orders SET status = status',
    'WITH customers AS (SELECT * FROM tests) DELETE FROM customers',
    'UPDATE tests SET name = name FROM people',
    'DELETE FROM people WHERE name IN (SELECT reset_token FROM people) OR 1',
    'UPDATE people SET name = reset_token',
  ])('shows no secret, and no other table’s row, for %s', async (sql) => {
    const text = await previewed('ada', sql);
    expect(text.split('as they are now')[1] ?? '').not.toMatch(/hunter2|swordfish|only a test row/i);
  });

  it.each([
    "query shop SELECT json_extract('{}', reset_token) FROM people WHERE id = 1",
    "query shop SELECT 1 WHERE json_extract('{}', (SELECT reset_token FROM people LIMIT 1)) IS NULL",
    'query shop SELECT * FROM notes WHERE notes MATCH (SELECT reset_token FROM people LIMIT 1)',
    "query shop SELECT * FROM notes WHERE notes MATCH (SELECT '(' || reset_token FROM people LIMIT 1)",
    "execute shop UPDATE tests SET name = json_extract('{}', (SELECT reset_token FROM people LIMIT 1))",
  ])('is refused without what the database had read by then: %s', async (line) => {
    await on('ada').type(`/edge database ${line}`);
    const refused = /refused the statement: [^•]*••••/;
    if (line.startsWith('query')) expect((await on('ada').expectMessage(refused)).text).not.toMatch(/hunter2/);
    else {
      const form = await workspace.slack.person('ada').expectModal('Database execute');
      await form.expectChange(refused);
      expect(form.text).not.toMatch(/hunter2/);
      await form.close();
    }
  });

  it.each([
    ['SELECT nme FROM tests', 'no such column: nme'],
    ['SELECT name FROM nosuch', 'no such table: nosuch'],
    ['SELECT nosuch(name) FROM tests', 'no such function: nosuch'],
    ['SELECT json(name) FROM tests', 'malformed JSON'],
  ])('is refused in the database’s own words where they say nothing else: %s', async (sql, words) => {
    await on('ada').type(`/edge database query shop ${sql}`);
    await on('ada').expectMessage(new RegExp(words));
  });

  it('is refused by the names of a constraint', async () => {
    expect(await previewed('ada', 'INSERT INTO tests VALUES (1, 2)')).toContain('constraint failed: tests.id');
  });

  it('names the table of which it touches every row', async () => {
    const text = await previewed('ada', 'WITH p AS (SELECT * FROM people) UPDATE tests SET name = name');
    expect(text).toContain('it touches every row of tests');
  });

  it.each(['name', '*', 'id, (SELECT name FROM tests)'])(
    'returns nothing to who may not query the database: %s',
    async (columns) => {
      const text = await confirmedBy('ben', `UPDATE tests SET name = name RETURNING ${columns}`);
      expect(text).toMatch(/1 row changed[\s\S]*What it returned is for those who may query the database\./);
      expect(text).not.toContain('only a test row');
    },
  );

  it('says what a statement returned as a query would show it', async () => {
    const text = await confirmedBy(
      'ada',
      'UPDATE people SET name = name WHERE id = 1 RETURNING id, reset_token AS n, name || reset_token AS x',
    );
    expect(text).toMatch(/1 row changed[\s\S]*••••/);
    expect(text).not.toContain('hunter2');
  });

  it('is explained with a reading token while others have to approve it, and tried once they have, before it runs', async () => {
    const tokens = () => workspace.platform.account.databases[1]!.tokens.map(({ authorization }) => authorization);
    const before = tokens().length;
    const ops = on('ada');
    const { slack } = workspace;
    await ops.type("/edge database execute events UPDATE events SET kind = 'purchase' WHERE id <= 3");
    const asking = await slack.person('ada').expectModal('Ask for approval', { ready: true });
    expect(asking.text).toMatch(/The database accepts the statement[\s\S]*after approval/);
    expect(asking.text).toContain("SET kind = 'purchase' WHERE id <= 3");
    expect(asking.text).not.toMatch(/touch|as they are now/);
    await asking.submit();
    const card = await on('ben').expectMessage(/wants to/);
    await card.click('Look closer');
    const closer = await slack.person('ben').expectModal('Look closer', { ready: true });
    expect(closer.text).toContain("SET kind = 'purchase' WHERE id <= 3");
    expect(pipelines().filter(isTrial)).toEqual([]);
    expect(new Set(tokens().slice(before))).toEqual(new Set(['read-only']));
    await closer.submit();
    const told = await slack
      .person('ada')
      .in('@edgewise')
      .expectMessage(/approved: Execute/);
    await told.click('Run');
    const form = await slack.person('ada').expectModal('Database execute', { ready: true });
    expect(form.text).toMatch(/would touch 3 rows/);
    expect(pipelines().filter(isTrial)).toHaveLength(1);
    await form.fill({ 'Type the name to confirm': 'events' });
    await form.submit();
    await ops.expectMessage(/3 rows changed/);
    expect(pipelines().filter(isTrial)).toHaveLength(2);
  });

  it('is refused by the database’s own words, whoever has to approve it', async () => {
    await on('ada').type('/edge database execute events UPDATE nosuch SET a = 1');
    const form = await workspace.slack.person('ada').expectModal('Database execute');
    await form.expectChange(/no such table: nosuch/);
    await form.close();
    expect(pipelines().filter(isTrial)).toEqual([]);
  });

  // The simulated database is SQLite, and says so.
  it.each([
    ['ALTER TABLE tests ALTER COLUMN name TO name TEXT', /near "TO": syntax error/],
    ['CREATE TABLE numbered (id INTEGER PRIMARY KEY, a) RANDOM ROWID', /near "ROWID": syntax error/],
  ])('leaves to the database what libSQL alone takes: %s', async (sql, said) => {
    await on('ada').type(`/edge database execute events ${sql}`);
    const form = await workspace.slack.person('ada').expectModal('Database execute');
    await form.expectChange(said);
    await form.close();
  });

  it('reads the quotation marks of a phone as they were meant', async () => {
    const ops = on('ada');
    await ops.type('/edge database query shop SELECT “name” AS who FROM customers WHERE name = ‘Nobody’ OR id = 1');
    await ops.expectMessage(/1 row\nwho/);
    await ops.type("/edge database query shop SELECT ‘it's’");
    await ops.expectMessage(/quotation marks do not match/);
  });
});

describe('a database that does not answer as one', () => {
  let platform: CannedPlatform;
  let workspace: TestWorkspace;
  const ops = () => workspace.slack.person('ada').in('#ops');
  beforeAll(async () => {
    platform = await startCannedPlatform();
    workspace = await startTestWorkspace({ environment: platform.environment });
  });
  afterAll(async () => {
    await workspace.close();
    await platform.close();
  });

  it.each([
    ['a web page', '<!DOCTYPE html><html><head><title>Blocked</title></head><body>Sign in</body></html>'],
    ['nothing', undefined],
    ['an empty object', {}],
    ['no results', { results: [] }],
    ['an error of its own', { error: 'Unauthorized' }],
    ['null', null],
    ['the end of a stream', { results: [{ type: 'ok', response: { type: 'close' } }] }],
  ])('is not known to have changed anything: %s', async (_, body) => {
    platform.answer('POST /v2/pipeline', { body });
    const { text } = await confirmed(workspace, 'database execute configured UPDATE users SET name = 1 WHERE id = 1');
    expect(text).toMatch(/^Outcome unknown[\s\S]*It may have taken effect anyway/);
    expect(text).not.toMatch(/Sign in|As it came/);
  });

  it.each([
    ['a boolean', { type: 'boolean', value: true }],
    ['a number with a point', { type: 'integer', value: '1.0' }],
    ['a bare null', null],
    ['a wrapper of its own', { kind: 'text', data: 'hunter2' }],
    ['a text that is none', { type: 'text', value: ['hunter2'] }],
  ])('shows nothing of a cell that is %s, and masks the others', async (_, cell) => {
    const rows = (names: string[], cells: unknown[]) => ({
      type: 'ok',
      response: { type: 'execute', result: { cols: names.map((name) => ({ name })), rows: [cells] } },
    });
    const text = (value: string) => ({ type: 'text', value });
    const schema = rows(['name', 'sql'], [text('users'), text('CREATE TABLE users (id, password)')]);
    const found = rows(['id', 'password'], [cell, text('hunter2')]);
    platform.answer('POST /v2/pipeline', { body: { results: [schema, found] } });
    await ops().type('/edge database query configured SELECT id, password FROM users');
    const answer = await ops().expectMessage(/1 row/);
    expect(answer.text).toMatch(/\(not readable\)[ |]+••••/);
    expect(answer.text).not.toContain('hunter2');
  });

  it('shows nothing of rows that cannot be told apart', async () => {
    platform.answer('POST /v2/pipeline', { body: { results: [{ type: 'ok', rows: [['hunter2']] }] } });
    await ops().type('/edge database query configured SELECT id, password FROM users');
    const answer = await ops().expectMessage(/cannot be read/);
    expect(answer.text).not.toContain('hunter2');
  });
});

describe('a query without a host that a token may go to', () => {
  it.each(['query shop SELECT 1', 'execute shop CREATE TABLE never (a)'])(
    'makes none at the platform: %s',
    async (line) => {
      const workspace = await startTestWorkspace({ environment: { PLATFORM_DATABASE_HOST: 'elsewhere.example' } });
      const ada = workspace.slack.person('ada');
      await ada.in('#ops').type(`/edge database ${line}`);
      const refused = /is not one that tokens may be sent to/;
      if (line.startsWith('query')) await ada.in('#ops').expectMessage(refused);
      else await (await ada.expectModal(/./)).expectChange(refused);
      expect(workspace.platform.requests.filter(({ path }) => path.endsWith('/auth/generate'))).toEqual([]);
      await workspace.close();
    },
  );
});
