import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { confirmed } from '../../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../support/workspace.ts';

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
  ])('gets dots for %s', async (sql) => {
    const from = workspace.slack.outgoing.length;
    await ops().type(`/edge database query events ${sql}`);
    const answer = await ops().expectMessage(/rows 1 to/);
    expect(answer.text).toContain('••••');
    expect(answer.text).not.toMatch(/horse|staple/);
    await ops().type(`/edge database query events --csv ${sql}`);
    await ops().expectMessage(/apostrophe/);
    expect(JSON.stringify(workspace.slack.outgoing.slice(from))).not.toMatch(/battery staple/);
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
