import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a query that is typed', () => {
  let workspace: TestWorkspace;
  const ops = () => workspace.slack.person('ada').in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());

  it('does not leave a flag behind the SQL unsaid, where it is a comment', async () => {
    await ops().type('/edge database query shop SELECT id FROM orders --csv');
    await ops().expectMessage(
      /--csv comes after the SQL[\s\S]*Flags go before it: \/edge database query <database> --csv/,
    );
    await ops().type('/edge database query shop SELECT id FROM orders --offset 20');
    await ops().expectMessage(/--offset 20 comes after the SQL/);
    await ops().type("/edge database query shop SELECT '--csv' AS flag -- csv");
    await ops().expectMessage(/1 row/);
  });

  it('reaches no file of the server', async () => {
    const file = join(tmpdir(), `edgewise-never-${process.pid}`);
    for (const sql of [
      `SELECT writefile('${file}', 'x')`,
      "SELECT ReadFile('/etc/hosts')",
      "SELECT * FROM fsdir('/')",
    ]) {
      await ops().type(`/edge database query shop ${sql}`);
      await ops().expectMessage(/(writefile|readfile|fsdir) is not allowed here/);
    }
    expect(existsSync(file)).toBe(false);
  });

  it('shows a number without end, and masks what stands beside it', async () => {
    await ops().type("/edge database query shop SELECT 1e999 AS much, 'hush' AS password");
    const answer = await ops().expectMessage(/±Infinity/);
    expect(answer.text).not.toMatch(/hush/);
  });

  it('says where to look when there is no such table', async () => {
    await ops().type('/edge database query shop SELECT * FROM nosuch');
    const answer = await ops().expectMessage(/no such table: nosuch[\s\S]*SELECT name, sql FROM sqlite_schema/);
    expect(answer.text).not.toMatch(/status 200/);
  });
});
