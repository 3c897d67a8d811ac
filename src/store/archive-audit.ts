import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entryLine, headerLine } from './archive-file.ts';
import { type Archive, newestArchive } from './archives.ts';
import { chain, GENESIS, type Link, type Seen } from './audit-chain.ts';
import { type Database, timeOf } from './database.ts';
import { macOf } from './protection.ts';
import type { Seal } from './seal.ts';
import { livingIn, type Standing } from './standing.ts';

/**
 * Moves whole months that ended before a moment from the audit to files of the folder, the oldest first. A file is there, whole, before
 * it is noted, and noted before its entries go: whatever dies in between, the next one goes on, and writes the same file again.
 * Returns the names of the files. Throws where the audit is not whole.
 */
export async function archiveAudit(
  database: Database,
  seal: Seal,
  { folder, before, standing }: { folder: string; before: Date; standing: Standing },
): Promise<string[]> {
  const files: string[] = [];
  for (;;) {
    const behind = await newestArchive(database, seal);
    // Another process may have died before it removed them.
    await database.execute('DELETE FROM audit WHERE number <= :number', { number: behind?.number ?? 0 });
    const month = await oldestMonth(database, before);
    if (month === undefined) return files;
    const archive = await writeArchive(database, seal, { folder, behind, ...month });
    if (archive === undefined) continue;
    await note(database, seal, { ...archive, living: await livingIn(database, seal, standing) });
    files.push(archive.file);
  }
}

interface Month {
  /** `2026-10` */
  name: string;
  first: number;
  last: number;
}

/** The month of the oldest entry, where it ended before then. The newest entry stays: the next one goes on from it. */
async function oldestMonth(database: Database, before: Date): Promise<Month | undefined> {
  const { rows } = await database.execute('SELECT number, at FROM audit ORDER BY number LIMIT 1');
  if (rows[0] === undefined) return undefined;
  const [first, at] = [Number(rows[0].number), new Date(Number(rows[0].at))];
  const end = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
  if (end > before.getTime()) return undefined;
  const found = await database.execute(
    'SELECT min((SELECT max(number) FROM audit), coalesce((SELECT min(number) FROM audit WHERE at >= :end), 9e15)) - 1 AS last',
    { end },
  );
  const last = Number(found.rows[0]?.last);
  return last < first ? undefined : { name: at.toISOString().slice(0, 7), first, last };
}

/** Writes the file under another name, and gives it its own once the disk has it. Undefined: another replica was first. */
async function writeArchive(
  database: Database,
  seal: Seal,
  { folder, behind, name, first, last }: Month & { folder: string; behind: Archive | undefined },
): Promise<Omit<Archive, 'living'> | undefined> {
  const file = `audit-${name}-from-${first}.jsonl`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = join(folder, `.${file}.${randomBytes(6).toString('hex')}`);
  const handle = await open(fresh, 'wx', 0o600);
  try {
    const end = await writeEntries(handle, chain(database, seal, behind?.number ?? 0), behind?.hash ?? GENESIS, last);
    // Its entries went while they were read.
    if (((await newestArchive(database, seal))?.number ?? 0) >= last) return undefined;
    if (end.number !== last) throw new Error(`the audit is not whole after entry ${end.number}: it stays as it is`);
    await handle.sync();
    await rename(fresh, join(folder, file));
    const parent = await open(folder, 'r');
    await parent.sync().finally(() => parent.close());
    return { ...end, file };
  } finally {
    await handle.close();
    await rm(fresh, { force: true });
  }
}

/** Writes entries up to the last one, or up to the first that is not whole. */
async function writeEntries(
  handle: FileHandle,
  links: AsyncIterable<Link>,
  before: string,
  last: number,
): Promise<Seen> {
  await handle.write(headerLine(before));
  let end: Seen = { number: 0, hash: before };
  for await (const { row, problem } of links) {
    if (Number(row.number) > last || problem !== undefined) break;
    await handle.write(entryLine(row));
    end = { number: Number(row.number), hash: String(row.hash) };
  }
  return end;
}

/** From now on the audit goes on from the archive. Of several replicas one notes it. */
async function note(database: Database, seal: Seal, { living, ...archive }: Archive): Promise<void> {
  const row = { ...archive, living: JSON.stringify(living), at: await timeOf(database) };
  await database.execute(
    `INSERT INTO audit_archives (number, hash, file, living, at, mac)
     SELECT :number, :hash, :file, :living, :at, :mac
     WHERE NOT EXISTS (SELECT 1 FROM audit_archives WHERE number >= :number)`,
    { ...row, mac: macOf(seal, 'audit_archives', row) },
  );
}
