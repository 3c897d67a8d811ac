import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a token that is saved for the operator', () => {
  let workspace: TestWorkspace;
  let folder: string;
  const file = () => join(folder, 'database.env');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-test-'));
    workspace = await startTestWorkspace({ environment: { TOKEN_ENV_FILE: file() } });
  });
  afterAll(async () => {
    await workspace.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is written with an address that a shell takes for nothing else', async () => {
    const database = workspace.platform.account.databases[0]!;
    database.url = `${database.url}/?x=1&y=$(id)`;
    await confirmed(workspace, `token create ${database.id} --read-only --save-env`);
    expect(await readFile(file(), 'utf8')).toMatch(
      /^PLATFORM_DATABASE_AUTH_TOKEN=[\w.-]+\nPLATFORM_DATABASE_URL='\S+\/\?x=1&y=\$\(id\)\/?'\n$/,
    );
  });

  it.each(['token create', 'token regenerate', 'token invalidate --regenerate'])(
    'makes and ends none (%s) where the platform names a host that tokens may not be sent to',
    async (command) => {
      const database = workspace.platform.account.databases[1]!;
      database.url = 'libsql://taken-over.elsewhere.test';
      const before = workspace.platform.writes().length;
      const [noun, verb, ...flags] = command.split(' ');
      const ada = workspace.slack.person('ada');
      const refused = /taken-over\.elsewhere\.test is not one that tokens may be sent to/;
      await ada.in('#ops').type(`/edge ${noun} ${verb} ${database.id} ${flags.join(' ')} --save-env`);
      if (verb === 'create') await ada.in('#ops').expectMessage(refused);
      else await (await ada.expectModal(/./)).expectChange(refused);
      expect(workspace.platform.writes()).toHaveLength(before);
    },
  );
});
