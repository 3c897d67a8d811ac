import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { confirmed } from '../../test/support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';

const PIN = 918_273_645;
const PASSWORD = 'correct horse battery staple';

describe('Somebody who wants to read the secrets in a database', () => {
  let workspace: TestWorkspace;
  const ops = () => workspace.slack.person('ada').in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
    for (const statement of [
      'CREATE TABLE people (id, name, password)',
      `INSERT INTO people VALUES (1, 'ada', '${PASSWORD}')`,
      'CREATE VIEW contacts (a, b) AS SELECT name, password FROM people',
      'CREATE VIEW letters (x, value) AS SELECT password, 1 FROM people',
      'CREATE VIEW innocent AS WITH q(n) AS (SELECT b FROM contacts) SELECT n FROM q',
      "CREATE TABLE members (id, secret_word, shown AS (secret_word || ''))",
      `INSERT INTO members (id, secret_word) VALUES (1, '${PASSWORD}')`,
      'CREATE INDEX by_password ON people (password)',
      'CREATE TABLE pins (pin INTEGER PRIMARY KEY)',
      `INSERT INTO pins VALUES (${PIN})`,
      'CREATE TABLE cards (id, reset_token, card_number, recovery_code, auth)',
      `INSERT INTO cards VALUES (1, '${PASSWORD}', '${PASSWORD}', '${PASSWORD}', '${PASSWORD}')`,
      'CREATE VIRTUAL TABLE vault USING fts5(title, passphrase)',
      `INSERT INTO vault VALUES ('one', '${PASSWORD}')`,
    ])
      await confirmed(workspace, `database execute events ${statement}`, '#ops');
  });
  afterAll(() => workspace.close());
  beforeEach(() => expect(workspace.slack.problems).toEqual([]));

  it.each([
    'SELECT password AS p FROM people',
    "SELECT name || ' ' || password AS p FROM people",
    'SELECT substr(password, 2) AS p FROM people',
    "SELECT json_object('k', password) AS p FROM people",
    'SELECT * FROM contacts',
    'WITH a(b) AS (SELECT password FROM people) SELECT b AS p FROM a',
    'SELECT name FROM people UNION SELECT password FROM people',
    'SELECT (SELECT group_concat(password) FROM people) AS p',
    // Views, and generated columns.
    'SELECT n FROM innocent',
    'SELECT c.b AS p FROM contacts AS c',
    'SELECT shown FROM members',
    'SELECT m.* FROM members AS m',
    // The name of another table, or twice the same.
    'WITH events AS (SELECT id, password AS kind FROM people) SELECT kind FROM events',
    'SELECT t.b FROM members AS t, contacts AS t',
    'SELECT t.* FROM people AS t, contacts AS t',
    'SELECT t.* FROM (SELECT 1 AS one) AS t, contacts AS t',
    'SELECT t.name, t.password AS name FROM people AS t',
    'SELECT name FROM (SELECT password AS name FROM people)',
    // NATURAL, USING, and what makes rows of its arguments.
    'SELECT * FROM people NATURAL JOIN (SELECT 1 AS id, password AS p FROM people)',
    'SELECT p FROM people JOIN (SELECT id, password AS p FROM people) USING (id)',
    "SELECT * FROM json_each('[1]') NATURAL JOIN letters",
    "SELECT j.*, letters.* FROM json_each('[1]') AS j JOIN letters USING (value)",
    'SELECT j.value AS p FROM people, json_each(json_array(password)) AS j',
    'SELECT value AS p FROM json_tree((SELECT json_group_array(password) FROM people))',
    // Aggregates, windows, JSON, formats.
    'SELECT max(password) AS p, count(*) AS n FROM people',
    'SELECT first_value(password) OVER () AS p FROM people',
    "SELECT printf('%s', password) AS p, json_quote(password) AS q FROM people",
    'SELECT CASE WHEN 1 THEN password END AS p FROM people INDEXED BY by_password WHERE password > 0',
    // Quoted in every way.
    'SELECT "password" AS p, [password] AS q, `PassWord` AS r FROM "PEOPLE"',
    // The number of a row, which is the secret.
    'SELECT rowid AS p FROM pins',
    'SELECT _rowid_ AS p, oid AS q FROM pins WHERE 1',
    // A search index, and where it keeps its texts.
    'SELECT vault AS p, c1 AS q FROM vault JOIN vault_content ON 1',
    "SELECT snippet(vault, 1, '', '', '', 9) AS p FROM vault",
    // Other names.
    'SELECT reset_token AS a, card_number AS b, recovery_code AS c, auth AS d FROM cards',
    'SELECT cards.* FROM cards',
    // Several under each other, a subquery in ORDER BY, VALUES.
    'SELECT id FROM people UNION ALL SELECT reset_token FROM cards',
    'VALUES ((SELECT password FROM people))',
    'SELECT p FROM (SELECT 1 AS p EXCEPT SELECT 2 UNION ALL SELECT password FROM people) ORDER BY (SELECT 1) DESC',
  ])('gets dots for %s', async (sql) => {
    const from = workspace.slack.outgoing.length;
    await ops().type(`/edge database query events ${sql}`);
    const answer = await ops().expectMessage(/: [\d,]+ rows?$/m);
    expect(answer.text).toContain('••••');
    expect(answer.text).not.toMatch(/horse|staple/);
    await ops().type(`/edge database query events --csv ${sql}`);
    await ops().expectMessage(/apostrophe/);
    expect(JSON.stringify(workspace.slack.outgoing.slice(from))).not.toMatch(/battery staple|918273645/);
  });

  it.each([
    "ATTACH 'file:x' AS other",
    "SELECT * FROM pragma_table_info('people')",
    'SELECT * FROM main.pragma_index_xinfo',
    'SELECT people.id FROM people, pragma_database_list',
    'UPDATE people SET name = name RETURNING password',
    'SELECT edit(password) FROM people',
    'SELECT data FROM sqlite_dbpage',
  ])('is refused %s', async (sql) => {
    await ops().type(`/edge database query events ${sql}`);
    await ops().expectMessage(/is not allowed here|is not a query/);
  });

  it.each([
    ['UPDATE people SET name = name RETURNING id, password AS p', '••••'],
    ['INSERT INTO members (id) SELECT password FROM people RETURNING id', '••••'],
    ['DELETE FROM members WHERE 0 RETURNING (SELECT password FROM people) AS p', '0 rows'],
  ])('is not told by what it returns: %s', async (sql, shows) => {
    const { text } = await confirmed(workspace, `database execute events ${sql}`, '#ops');
    expect(text).toContain(shows);
    expect(text).not.toContain(PASSWORD);
  });

  it.each(['sqlite_stmt', 'sqlite_log', 'sqlite_dbdata', 'sqlite_stat4'])('is refused %s', async (table) => {
    await ops().type(`/edge database query events SELECT * FROM ${table}`);
    await ops().expectMessage(/is not allowed here/);
  });
});

describe('Somebody who wants to read the metrics', () => {
  const token = `metrics${'-'.repeat(2)}${'m'.repeat(24)}`;
  let workspace: TestWorkspace;
  let apart: number;
  beforeAll(async () => {
    workspace = await startTestWorkspace({ environment: { METRICS_PORT: '0', METRICS_TOKEN: token } });
    const line = workspace.logged.find((one) => one.includes('metrics have a port of their own')) ?? '{}';
    ({ port: apart } = JSON.parse(line) as { port: number });
  });
  afterAll(() => workspace.close());

  const ask = (port: number, authorization?: string) =>
    fetch(`http://127.0.0.1:${port}/metrics`, authorization === undefined ? {} : { headers: { authorization } });

  it('finds none where Slack’s requests are taken, with the token of another port or where no token is set', async () => {
    const bare = await startTestWorkspace();
    expect((await ask(bare.app.port)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${bare.app.port}/health/live`)).status).toBe(200);
    await bare.close();
    expect((await ask(workspace.app.port, `Bearer ${token}`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${apart}/health/live`)).status).toBe(404);
  });

  it.each([undefined, '', 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, token, `Basic ${token}`])(
    'reads none with %s',
    async (authorization) => {
      const answer = await ask(apart, authorization);
      expect([answer.status, await answer.text()]).toEqual([401, '']);
    },
  );

  it('reads them with the token', async () => {
    expect(await (await ask(apart, `Bearer ${token}`)).text()).toContain('edgewise_slack_payloads_total');
  });
});
