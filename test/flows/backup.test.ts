import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const COMMAND = fileURLToPath(new URL('../../src/commands/backup.ts', import.meta.url));
const LOADER = import.meta.resolve('tsx');

let workspace: TestWorkspace;
let folder: string;
const ops = () => workspace.slack.person('ada').in('#ops');

beforeEach(async () => {
  workspace = await startTestWorkspace();
  folder = await mkdtemp(join(tmpdir(), 'edgewise-backup-'));
});
afterEach(async () => {
  await workspace.close();
  await rm(folder, { recursive: true });
});

/** Runs `npm run backup -- …` where no `.env` is. */
function backUp(
  file: string,
  environment: Record<string, string> = {},
  within?: 'own files',
): Promise<{ code: number; said: string[] }> {
  const env = {
    PATH: process.env.PATH,
    STORE_URL: `file:${workspace.storeFile}`,
    EDGEWISE_ENCRYPTION_KEY: 'a key for this test only',
    ...environment,
  };
  const command = [process.execPath, '--import', LOADER, COMMAND, file];
  // Root may use every file, unless it has given that right away.
  if (within === 'own files' && process.getuid?.() === 0)
    command.unshift('setpriv', '--bounding-set=-all', '--inh-caps=-all');
  return new Promise((resolve) => {
    execFile(command[0]!, command.slice(1), { env, cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: `${stdout}${stderr}`.trim().split('\n') }),
    );
  });
}

async function look(zone: string): Promise<void> {
  await ops().type(`/edge zone show ${zone}`);
  await ops().expectMessage(new RegExp(zone));
}

const listed = async () => {
  await ops().type('/edge audit list --reads');
  return (await ops().expectMessage(/Audit: .*, newest first/)).text;
};

describe('a copy of the store', () => {
  it('is made while the bot runs, is one complete file for its owner alone, and brings the bot back to that moment', async () => {
    await look('shop');
    const { code, said } = await backUp('copy.db');
    expect(said).toEqual([
      expect.stringMatching(/^copy\.db: \d+ bytes, complete on its own\.$/),
      'Its audit is intact: 1 entry, and written by the bot.',
      expect.stringMatching(/^Audit head \(note it somewhere else\): [0-9a-f]{64}$/),
    ]);
    expect(code).toBe(0);
    expect(await readdir(folder)).toEqual(['copy.db']);
    expect((await stat(join(folder, 'copy.db'))).mode & 0o777).toBe(0o600);
    await look('main-site');
    expect(await listed()).toContain('main-site');

    await workspace.app.stop();
    for (const end of ['', '-wal', '-shm']) await rm(`${workspace.storeFile}${end}`, { force: true });
    await copyFile(join(folder, 'copy.db'), workspace.storeFile);
    await workspace.restart();
    const after = await listed();
    expect(after).toContain('shop');
    expect(after).not.toContain('main-site');
    await ops().type(`/edge audit verify --head ${said[2]!.slice(-64)}`);
    await ops().expectMessage(/The audit is intact.*The head that you gave is in it/s);
  });

  it('is made of what a stopped bot left, which is all in its one file', async () => {
    await look('shop');
    await workspace.app.stop();
    expect((await stat(`${workspace.storeFile}-wal`)).size).toBe(0);
    await copyFile(workspace.storeFile, join(folder, 'by-hand.db'));
    const client = byHand(join(folder, 'by-hand.db'));
    expect((await client.execute('SELECT count(*) AS entries FROM audit')).rows[0]).toMatchObject({ entries: 1 });
    client.close();
    expect((await backUp('copy.db')).said[1]).toBe('Its audit is intact: 1 entry, and written by the bot.');
    await workspace.restart();
  });

  it('is made with the settings that the bot reads, in quotes and from files too', async () => {
    await look('shop');
    const [key, url] = ['"a key for this test only"', `"file:${workspace.storeFile}"\n`];
    const quoted = await backUp('copy.db', { EDGEWISE_ENCRYPTION_KEY: key, STORE_URL: url });
    expect(quoted.said[1]).toBe('Its audit is intact: 1 entry, and written by the bot.');
    await writeFile(join(folder, 'key'), key);
    await writeFile(join(folder, 'url'), url);
    const files = {
      STORE_URL: '',
      STORE_URL_FILE: 'url',
      EDGEWISE_ENCRYPTION_KEY: '',
      EDGEWISE_ENCRYPTION_KEY_FILE: 'key',
    };
    expect((await backUp('other.db', files)).said[1]).toBe(quoted.said[1]);
    expect(await backUp('third.db', { ...files, EDGEWISE_ENCRYPTION_KEY_FILE: 'none' })).toEqual({
      code: 2,
      said: ['EDGEWISE_ENCRYPTION_KEY_FILE: none does not exist. Make it, or name another.'],
    });
  });

  it('takes the place of nothing, and is not made of nothing', async () => {
    await writeFile(join(folder, 'copy.db'), 'the copy of yesterday');
    expect(await backUp('copy.db')).toEqual({
      code: 2,
      said: ['copy.db already exists. Name another file: a copy never overwrites another.'],
    });
    expect(await readFile(join(folder, 'copy.db'), 'utf8')).toBe('the copy of yesterday');
    expect(await backUp('other.db', { STORE_URL: 'file:none.db' })).toEqual({
      code: 2,
      said: ['STORE_URL: there is no store at none.db.'],
    });
    expect(await readdir(folder)).toEqual(['copy.db']);
  });

  it('whose audit is not intact is said to be so', async () => {
    await look('shop');
    await look('main-site');
    const client = byHand(workspace.storeFile);
    await client.executeMultiple(
      "DROP TRIGGER audit_stays; UPDATE audit SET target = 'other' WHERE number = (SELECT max(number) FROM audit)",
    );
    client.close();
    expect(await backUp('copy.db')).toMatchObject({
      code: 1,
      said: [expect.any(String), expect.stringMatching(/^The audit in the copy is not intact/)],
    });
  });

  it('is not called forged because somebody gives another key', async () => {
    await look('shop');
    expect(await backUp('copy.db', { EDGEWISE_ENCRYPTION_KEY: 'the key of somebody else' })).toEqual({
      code: 2,
      said: [expect.stringMatching(/^The store was written with another EDGEWISE_ENCRYPTION_KEY\. Give that one/)],
    });
    expect(await readdir(folder)).toEqual([]);
    expect((await backUp('copy.db', { EDGEWISE_ENCRYPTION_KEY: '' })).said[1]).toBe('Its audit is intact: 1 entry.');
  });

  it('of a stopped store needs the right to write to its folder, and says so', async () => {
    await look('shop');
    await workspace.app.stop();
    const shut = join(folder, 'shut');
    await mkdir(shut);
    await copyFile(workspace.storeFile, join(shut, 'edgewise.db'));
    await chmod(shut, 0o555);
    const { code, said } = await backUp('copy.db', { STORE_URL: `file:${shut}/edgewise.db` }, 'own files');
    await chmod(shut, 0o755);
    expect([code, said]).toEqual([
      2,
      [
        `STORE_URL: ${shut}/edgewise.db may not be written to. Give it to the user that the bot runs as, with its folder.`,
      ],
    ]);
    await workspace.restart();
  });

  it('on a server is left to it, by a command that does it', async () => {
    const { code, said } = await backUp('copy.db', { STORE_URL: 'postgres://edgewise:secret@db.example/edgewise' });
    expect([code, said[0]]).toEqual([2, expect.stringContaining('pg_dump --format=custom')]);
    expect(said.join()).not.toContain('secret');
  });
});
