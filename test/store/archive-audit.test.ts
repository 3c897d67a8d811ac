import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { verifyArchive } from '../../src/store/archive-file.ts';
import { type Audit, createAudit } from '../../src/store/audit.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';

const SEAL = createSeal(Secret.of('a key that only the bot knows'));
const DAY = 86_400_000;
const NOW = new Date('2026-11-21T12:00:00Z');
const FILES = ['audit-2026-08-from-1.jsonl', 'audit-2026-09-from-32.jsonl'];

describe('old entries of the audit', () => {
  let folder: string;
  let now: Date;
  let database: Database;
  let audit: Audit;
  /** The statement at which the process dies; none when it is not reached. */
  let dies: number;

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'edgewise-archive-')), 'audit');
    now = new Date('2026-08-01T12:00:00Z');
    database = await openDatabase({ url: ':memory:', clock: () => now });
    audit = createAudit(database, SEAL);
    for (; now < NOW; now = new Date(now.getTime() + DAY))
      await audit.append({
        actor: 'U1',
        team: 'T1',
        channel: 'C1',
        operation: 'ssl force',
        target: `on ${now.toISOString().slice(0, 10)}`,
        given: {},
        outcome: 'done',
        detail: '',
      });
    dies = Infinity;
  });
  afterEach(async () => {
    await database.close();
    await rm(join(folder, '..'), { recursive: true, force: true });
  });

  /** A process that knows nothing but the store. */
  const another = () =>
    createAudit(
      {
        ...database,
        async execute(sql, args) {
          dies -= 1;
          if (dies <= 0) throw new Error('killed');
          return database.execute(sql, args);
        },
      },
      SEAL,
    );
  const archive = (by = another()) => by.archive(folder, new Date(NOW.getTime() - 40 * DAY));
  const numbers = async () =>
    (await database.execute('SELECT number FROM audit ORDER BY number')).rows.map(({ number }) => Number(number));
  const tamper = (sql: string) =>
    database.execute('DROP TRIGGER IF EXISTS audit_keeps').then(() => database.execute(sql));

  it('go to one file a month, which only its owner reads, and the rest is proven from there on', async () => {
    const { head } = await audit.verify();
    expect(await archive()).toEqual(FILES);
    expect(await archive()).toEqual([]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of FILES) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    expect((await numbers())[0]).toBe(62);
    const verdict = await another().verify(head);
    expect(verdict).toMatchObject({ entries: 112, head, problems: [], rows: [], isHeadGone: false });
    const last = await verifyArchive(join(folder, FILES[1]!), SEAL, head);
    expect(last).toMatchObject({ first: 32, last: 61, hasHead: false });
    expect(verdict.archive).toMatchObject({ number: 61, file: FILES[1], hash: last.head });
    expect(last.before).toBe((await verifyArchive(join(folder, FILES[0]!), SEAL)).head);
  });

  it('stay where the audit is not whole', async () => {
    await tamper('DELETE FROM audit WHERE number = 40');
    await expect(archive()).rejects.toThrow('not whole after entry 39');
    expect((await numbers()).length).toBe(80);
    expect((await another().verify()).problems).toEqual([{ number: 40, what: 'missing' }]);
  });

  it('are neither lost nor there twice, wherever the process dies in between', async () => {
    const before = await numbers();
    for (let step = 1; ; step += 1) {
      dies = step;
      const isOver = await archive().then(
        () => true,
        () => false,
      );
      dies = Infinity;
      if (isOver) break;
      const files = await readdir(folder).catch(() => []);
      const kept = await Promise.all(
        files.filter((file) => file.endsWith('.jsonl')).map((file) => verifyArchive(join(folder, file), SEAL)),
      );
      const there = await numbers();
      const all = new Set([
        ...kept.flatMap(({ first, last }) => before.filter((number) => number >= first && number <= last)),
        ...there,
      ]);
      expect(
        [...all].sort((a, b) => a - b),
        `step ${step}`,
      ).toEqual(before);
      expect((await another().verify()).problems, `step ${step}`).toEqual([]);
    }
    expect((await readdir(folder)).sort()).toEqual(FILES);
    expect((await numbers()).length).toBe(112 - 61);
  });

  it('go once when two replicas begin at the same moment', async () => {
    await Promise.all([archive(), archive()]);
    expect((await readdir(folder)).sort()).toEqual(FILES);
    for (const file of FILES) expect(await verifyArchive(join(folder, file), SEAL)).not.toHaveProperty('broken');
    expect((await another().verify()).problems).toEqual([]);
  });

  it.each([
    [
      'an archive that is noted and was never made',
      `INSERT INTO audit_archives (number, hash, file, living, at)
       SELECT 100, hash, 'x', '{"upTo":0,"versions":{}}', at FROM audit WHERE number = 100; DELETE FROM audit WHERE number <= 100`,
    ],
    ['an archive that is not noted any more', 'DELETE FROM audit_archives WHERE number = 61'],
    [
      'an archive that is to end later',
      'UPDATE audit_archives SET number = 70 WHERE number = 61; DELETE FROM audit WHERE number <= 70',
    ],
    ['entries between the archive and the rest', 'DELETE FROM audit WHERE number <= 64'],
    [
      'entries that were put before the rest',
      `INSERT INTO audit SELECT 50, at, 'U9', team, channel, operation, target, content, hash, mac FROM audit WHERE number = 80`,
    ],
  ])('are missed: %s', async (_, statements) => {
    await archive();
    for (const sql of statements.split(';')) await tamper(sql);
    const { problems, rows } = await another().verify();
    expect(problems.length + (rows?.length ?? 0)).toBeGreaterThan(0);
  });

  it.each([
    ['changed', (text: string) => text.replace('on 2026-09-05', 'on 2026-09-06'), { number: 36, what: 'changed' }],
    ['missing', (text: string) => text.replace(/^\{"number":40,.*\n/m, ''), { number: 40, what: 'missing' }],
    ['unsigned', (text: string) => text.replace(/"mac":"[0-9a-f]{4}/, '"mac":"0000'), { number: 32, what: 'unsigned' }],
  ])('that are %s in their file are found, without the store', async (_, edit, broken) => {
    await archive();
    const path = join(folder, FILES[1]!);
    await writeFile(path, edit(await readFile(path, 'utf8')));
    expect((await verifyArchive(path, SEAL)).broken).toEqual(broken);
  });

  it('leave behind which subscriptions went on: one that had ended by then does not come back', async () => {
    now = new Date('2026-09-10T12:00:00Z');
    const subscriptions = createSubscriptions(database, SEAL, audit);
    const gone = await subscriptions.add(PLAIN, () => undefined);
    await subscriptions.add(PLAIN, () => undefined);
    await tamper('CREATE TABLE kept AS SELECT * FROM subscriptions');
    await subscriptions.end(gone.id);
    now = new Date('2027-03-01T12:00:00Z');
    await audit.append({
      actor: 'U1',
      team: 'T1',
      channel: 'C1',
      operation: 'zone list',
      target: '',
      given: {},
      outcome: 'done',
      detail: '',
    });
    await another().archive(folder, new Date('2027-02-01T00:00:00Z'));
    expect((await database.execute('SELECT count(*) AS left FROM audit')).rows[0]?.left).toBe(1);
    expect((await another().verify()).rows).toEqual([]);
    await tamper('DELETE FROM subscriptions');
    await tamper('INSERT INTO subscriptions SELECT * FROM kept');
    expect((await another().verify()).rows).toEqual([
      { table: 'subscriptions', key: String(gone.id), what: 'has ended, as the audit says' },
    ]);
  });
});
