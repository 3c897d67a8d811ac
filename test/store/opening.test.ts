import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { describe, expect, it } from 'vitest';
import { StartError } from '../../src/start-error.ts';
import { openingProblem } from '../../src/store/opening.ts';
import { StoreError } from '../../src/store/store-error.ts';

const FILE = 'file:/data/edgewise.db?mode=x';
const SERVER = 'libsql://db.example.com?authToken=secret';
const withCode = (code: string, cause?: Error) => Object.assign(new Error('said', { cause }), { code });

describe('an embedded store that cannot be opened', () => {
  it('on a full disk says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgewise-full-'));
    const client = createClient({ url: `file:${folder}/full.db` });
    await client.execute('PRAGMA max_page_count = 2');
    const statements = ['one', 'two', 'three'].map((name) => `CREATE TABLE ${name} (a)`);
    const full = await client.batch(statements, 'write').catch((error: unknown) => error);
    client.close();
    await rm(folder, { recursive: true });
    expect(openingProblem(FILE, full)).toMatchObject({
      kind: 'disk',
      message: 'STORE_URL: /data/edgewise.db cannot be written to: the disk is full. Make room on it.',
    });
  });

  it.each([
    ['EROFS', 'create', 'is on a disk that is read-only. Mount it for writing, or name another.'],
    ['ENOSPC', 'disk', 'cannot be written, because the disk is full. Make room on it.'],
    [
      'SQLITE_READONLY_DBMOVED',
      'refused',
      'may not be written to. Give it to the user that the bot runs as, with its folder.',
    ],
    ['SQLITE_CORRUPT', 'store', 'is damaged. Put back the last copy of it.'],
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
  const status = (code: number) => withCode('SERVER_ERROR', Object.assign(new Error(), { status: code }));
  it.each([
    ['is waited for when it has a fault', status(503), StoreError, /^HTTP 503$/],
    [
      'is waited for when its name is not known yet',
      new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND db.example.com') }),
      StoreError,
      /^getaddrinfo ENOTFOUND/,
    ],
    ['is waited for when it hangs', new DOMException('', 'TimeoutError'), StoreError, /^no answer in time$/],
    [
      'ends the start when it refuses the token',
      status(403),
      StartError,
      /^The store at db\.example\.com refuses STORE_AUTH_TOKEN\. /,
    ],
    [
      'ends the start when there is no such database',
      status(404),
      StartError,
      /is not a libSQL server \(HTTP 404\)\. /,
    ],
  ])('%s', (_, error, kind, says) => {
    const problem = openingProblem(SERVER, error);
    expect(problem).toBeInstanceOf(kind);
    expect(problem).toHaveProperty('message', expect.stringMatching(says));
    expect((problem as Error).message).not.toContain('secret');
  });
});
