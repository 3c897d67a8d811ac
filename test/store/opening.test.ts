import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartError } from '../../src/start-error.ts';
import { openingProblem } from '../../src/store/opening.ts';
import { openFile } from '../../src/store/sqlite.ts';
import { StoreError } from '../../src/store/store-error.ts';

const FILE = 'file:/data/edgewise.db?mode=x';
const SERVER = 'postgres://edgewise:secret@db.example.com/edgewise';
const withCode = (code: string) => Object.assign(new Error('said'), { code });

describe('an embedded store that cannot be opened', () => {
  it('on a full disk says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgewise-full-'));
    const connection = openFile(`${folder}/full.db`);
    await connection.execute('PRAGMA max_page_count = 2');
    const statements = ['one', 'two', 'three'].map((name) => ({ sql: `CREATE TABLE ${name} (a)` }));
    const full = await connection.together(statements).catch((error: unknown) => error);
    await connection.close();
    await rm(folder, { recursive: true });
    expect(openingProblem(FILE, full)).toMatchObject({
      kind: 'disk',
      message: 'STORE_URL: /data/edgewise.db cannot be written to: the disk is full. Make room on it.',
    });
  });

  it.each([
    ['EROFS', 'create', 'is on a disk that is read-only. Mount it for writing, or name another.'],
    ['ENOSPC', 'disk', 'cannot be written, because the disk is full. Make room on it.'],
    ['SQLITE_READONLY', 'refused', 'may not be written to. Give it to the user that the bot runs as, with its folder.'],
    ['SQLITE_CORRUPT', 'store', 'is damaged. Restore its last backup.'],
  ])('with %s says what to do', (code, kind, says) => {
    expect(openingProblem(FILE, withCode(code))).toMatchObject({
      kind,
      message: `STORE_URL: /data/edgewise.db ${says}`,
    });
  });

  it('for a reason that nobody knows is a fault', () => {
    const unknown = new Error('never heard of');
    expect(openingProblem(FILE, unknown)).toBe(unknown);
  });
});

describe('a server that does not open the store', () => {
  it.each([
    ['is waited for while it starts', withCode('57P03'), StoreError, /^said$/],
    ['is waited for while nobody listens', withCode('ECONNREFUSED'), StoreError, /^said$/],
    [
      'is waited for when none of its addresses answers',
      new AggregateError([Object.assign(new Error('connect ECONNREFUSED ::1:5432'), { code: 'ECONNREFUSED' })]),
      StoreError,
      /^connect ECONNREFUSED/,
    ],
    ['ends the start when it refuses the password', withCode('28P01'), StartError, /db\.example\.com refuses the user/],
    [
      'ends the start when there is no such schema',
      withCode('3F000'),
      StartError,
      /has no schema of the name in STORE_URL\. Make it: `CREATE SCHEMA edgewise`\.$/,
    ],
    ['ends the start when there is no such database', withCode('3D000'), StartError, /has no database of the name/],
    [
      'ends the start when its certificate is signed by nobody who is known',
      withCode('SELF_SIGNED_CERT_IN_CHAIN'),
      StartError,
      /not trusted.*STORE_CA/,
    ],
    [
      'ends the start when it has no TLS, and TLS is asked for',
      new Error('The server does not support SSL connections'),
      StartError,
      /has no TLS/,
    ],
  ])('%s', (_, error, kind, says) => {
    const problem = openingProblem(SERVER, error);
    expect(problem).toBeInstanceOf(kind);
    expect(problem).toHaveProperty('message', expect.stringMatching(says));
    expect((problem as Error).message).not.toContain('secret');
  });
});
