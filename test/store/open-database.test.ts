import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/open-database.ts';

describe('an embedded store', () => {
  let folder: string;
  let url: string;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-database-'));
    url = `file:${join(folder, 'deeper', 'edgewise.db')}`;
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  /** Another process that opens the store, keeps it open, and says so. */
  async function openElsewhere(): Promise<ChildProcess> {
    const database = fileURLToPath(new URL('../../src/store/open-database.ts', import.meta.url));
    const code = `
      const { openDatabase } = await import(${JSON.stringify(database)});
      const opened = await openDatabase({ url: ${JSON.stringify(url)} });
      await opened.execute("INSERT INTO jobs (key, kind, run_at) VALUES ('from elsewhere', 'stop', :now)");
      console.log('open');
      setInterval(() => opened.execute('SELECT 1'), 10_000);
    `;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await once(child.stdout!, 'data');
    return child;
  }

  it('refuses to open while another process has it, and opens once that one was killed', async () => {
    const child = await openElsewhere();
    const refused = openDatabase({ url });
    await expect(refused).rejects.toMatchObject({ kind: 'taken' });
    await expect(refused).rejects.toThrow(/in use by another process.*STORE_URL=postgres/);

    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const database = await openDatabase({ url });
    const { rows } = await database.execute('SELECT key FROM jobs');
    expect(rows).toEqual([{ key: 'from elsewhere' }]);
    await database.close();
  });

  it('is refused to a second opening in the same process too, and is free again when it was closed', async () => {
    const database = await openDatabase({ url });
    await expect(openDatabase({ url })).rejects.toMatchObject({ kind: 'taken' });
    await database.close();
    const again = await openDatabase({ url });
    await again.close();
  });

  it('has its own time, in milliseconds', async () => {
    const before = Date.now();
    const database = await openDatabase({ url });
    const { rows } = await database.execute('SELECT :now AS time');
    expect(Number(rows[0]!.time)).toBeGreaterThanOrEqual(before - 1);
    expect(Number(rows[0]!.time)).toBeLessThanOrEqual(Date.now() + 1);
    await database.close();
  });

  it('keeps what it has when it is opened again', async () => {
    const first = await openDatabase({ url });
    await first.execute("INSERT INTO jobs (key, kind, run_at) VALUES ('kept', 'stop', 1)");
    await first.close();
    const second = await openDatabase({ url });
    expect((await second.execute('SELECT key, run_at FROM jobs')).rows).toEqual([{ key: 'kept', run_at: 1 }]);
    expect(await second.execute('DELETE FROM jobs')).toMatchObject({ changed: 1 });
    await second.close();
  });
});
