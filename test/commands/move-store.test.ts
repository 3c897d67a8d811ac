import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { write } from '../../judges/start/bad-starts.ts';

const COMMAND = fileURLToPath(new URL('../../src/commands/move-store.ts', import.meta.url));
const KEY = 'a key of the tests, and of nobody else';
const NOWHERE = 'postgres://edgewise:pass4word@127.0.0.1:2/edgewise';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgewise-move-store-'));
  await write({ folder }, KEY);
});
afterAll(() => rm(folder, { recursive: true }));

function move(from: string, to: string, key = KEY): Promise<{ code: number; said: string }> {
  const env = { PATH: process.env.PATH, EDGEWISE_ENCRYPTION_KEY: key };
  const args = ['--import', import.meta.resolve('tsx'), COMMAND, from, to];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: `${stdout}${stderr}`.trim() }),
    );
  });
}

describe('move-store', () => {
  it.each([
    ['a first store that is not there', 'file:bbb.db', 'file:copy.db', /^FROM: there is no store at bbb\.db\.$/],
    [
      'a password with a slash, which it does not repeat',
      'file:edgewise.db',
      'postgres://edgewise:pass/word@db.example/edgewise',
      /^TO is not an address of a store\. Begin it with file: or postgres:\/\/, and write characters such as # \/ %/,
    ],
    ['a file without file:', 'edgewise.db', 'copy.db', /^FROM is not an address .*\nTO is not an address /],
    [
      'a server that is away',
      NOWHERE,
      'file:copy.db',
      /^The store could not be reached: connect ECONNREFUSED 127\.0\.0\.1:2\. Try again\.$/,
    ],
    ['the other server too', 'file:edgewise.db', NOWHERE, /^The store could not be reached: connect ECONNREFUSED/],
    ['a folder in place of a store', 'file:edgewise.db', 'file:/', /^TO: \/ .*\.$/],
  ])('says in a sentence what is wrong with %s', async (_, from, to, says) => {
    const { code, said } = await move(from, to);
    expect(said).toMatch(says);
    expect(said).not.toMatch(/pass[4/]word|\n {4}at /);
    expect(code).toBe(2);
    expect((await readdir(folder)).filter((name) => name.startsWith('bbb'))).toEqual([]);
  });

  it('calls no store forged because somebody gives another key', async () => {
    const { code, said } = await move('file:edgewise.db', 'file:other.db', 'the key of somebody else, for sure');
    expect(said).toMatch(/^The store was written with another EDGEWISE_ENCRYPTION_KEY\. Give that one/);
    expect(code).toBe(2);
  });
});
