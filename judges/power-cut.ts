/**
 * `npm run check -- power-cut [--kills 200] [--backups 100]`: a process that writes to an embedded store is killed at random, and the
 * files are copied as they lie. Each copy has to be whole, with everything that was said to be written. Then the store is backed up
 * beside 50 writes a second, and each backup has to be whole.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Secret } from '../src/secret.ts';
import { backUp } from '../src/store/backup.ts';
import { createSeal } from '../src/store/seal.ts';
import { openStore } from '../src/store/store.ts';
import { byHand } from '../test/support/by-hand.ts';

const encryptionKey = Secret.of('a key for this check only');
const [, , role, path, every] = process.argv;
if (role === 'writer') await write(path!, Number(every));
else await check();

/** Says of each entry that it is in the audit, once it is. */
async function write(file: string, milliseconds: number): Promise<void> {
  const store = await openStore({ url: `file:${file}`, encryptionKey });
  // Each writer is somebody else: a kill leaves a question open, and of those a person has only so many.
  const actor = { id: `U${process.pid}`, teamId: 'T1' };
  for (;;) {
    const { id } = await store.confirmations.create({
      ...{ operation: 'ssl force', given: { hostname: 'cdn.example.com' }, target: 'cdn.example.com' },
      ...{ preview: { after: { ForceSSL: true } }, actor: actor.id, team: actor.teamId, channel: 'C1' },
    });
    await store.confirmations.cancel(id, actor);
    const target = id.padEnd(200, '.');
    await store.audit.append({
      ...{ actor: 'U1', team: 'T1', channel: 'C1', operation: 'ssl force', target },
      ...{ given: {}, outcome: 'done' as const, detail: '' },
    });
    process.send?.(target);
    await pause(milliseconds);
  }
}

/** A writer, and what it has said. */
function startWriter(file: string, milliseconds: number): { child: ChildProcess; said: string[] } {
  const said: string[] = [];
  const child = fork(fileURLToPath(import.meta.url), ['writer', file, String(milliseconds)]);
  child.on('message', (target) => said.push(String(target)));
  child.on('exit', (code) => {
    if (code !== null) throw new Error(`the writer ended by itself, with exit code ${code}`);
  });
  return { child, said };
}

async function check(): Promise<void> {
  const { values } = parseArgs({ options: { kills: { type: 'string' }, backups: { type: 'string' } } });
  const [kills, backups] = [Number(values.kills ?? 200), Number(values.backups ?? 100)];
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-power-cut-'));
  const [file, copy] = [join(folder, 'edgewise.db'), join(folder, 'copy.db')];
  const faults: string[] = [];
  let [entries, missing] = [0, 0];
  for (let kill = 1; kill <= kills; kill += 1) {
    const { child, said } = startWriter(file, 0);
    while (said.length === 0) await pause(5);
    await pause(Math.random() * 200);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    for (const end of ['', '-wal']) if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`);
    const hand = byHand(copy);
    const [whole] = (await hand.execute('PRAGMA integrity_check')).rows;
    const known = new Set((await hand.execute('SELECT target FROM audit')).rows.map(({ target }) => target));
    hand.close();
    if (whole?.integrity_check !== 'ok') faults.push(`kill ${kill}: ${String(whole?.integrity_check)}`);
    missing += said.filter((target) => !known.has(target)).length;
    const store = await openStore({ url: `file:${copy}`, encryptionKey });
    const verdict = await store.audit.verify();
    await store.close();
    entries = verdict.entries;
    if (verdict.problems.length + (verdict.rows?.length ?? 0) > 0)
      faults.push(`kill ${kill}: ${JSON.stringify([verdict.problems, verdict.rows])}`);
    for (const end of ['', '-wal', '-shm', '.lock']) rmSync(`${copy}${end}`, { force: true });
  }
  if (missing > 0) faults.push(`${missing} entries were said to be written, and are not there`);
  console.log(`${kills} kills, ${entries} entries in the end, ${missing} of those that were said are missing`);

  const { child, said } = startWriter(file, 20);
  while (said.length === 0) await pause(5);
  const begun = performance.now();
  for (let count = 1; count <= backups; count += 1) {
    const { audit } = await backUp(`file:${file}`, copy, createSeal(encryptionKey));
    if (audit.problems.length + (audit.rows?.length ?? 0) > 0)
      faults.push(`backup ${count}: ${JSON.stringify([audit.problems, audit.rows])}`);
    rmSync(copy);
  }
  const seconds = (performance.now() - begun) / 1_000;
  child.kill('SIGKILL');
  await once(child, 'exit');
  console.log(
    `${backups} backups in ${seconds.toFixed(0)} s, beside ${(said.length / seconds).toFixed(0)} writes a second`,
  );
  for (const fault of faults) console.log(fault);
  rmSync(folder, { recursive: true });
  process.exit(faults.length === 0 ? 0 : 1);
}
