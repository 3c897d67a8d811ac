import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { type Audit, createAudit } from '../../src/store/audit.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createSeal } from '../../src/store/seal.ts';

const SEAL = createSeal(Secret.of('a key that only the bot knows'));
const DAY = 86_400_000;

describe('old entries of the audit', () => {
  let now: Date;
  let database: Database;
  let audit: Audit;
  /** The statement at which the process dies; none when it is not reached. */
  let dies: number;

  beforeEach(async () => {
    now = new Date('2026-08-01T12:00:00Z');
    database = await openDatabase({ url: ':memory:', clock: () => now });
    audit = createAudit(database, SEAL);
    for (; now < new Date('2026-11-21T12:00:00Z'); now = new Date(now.getTime() + DAY))
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
        async together(statements) {
          dies -= 1;
          if (dies <= 0) throw new Error('killed');
          return database.together(statements);
        },
      },
      SEAL,
    );
  /** Entries 1 to 71 are older. */
  const forget = (by = another()) => by.forget(41 * DAY);
  const numbers = async () =>
    (await database.execute('SELECT number FROM audit ORDER BY number')).rows.map(({ number }) => Number(number));
  const tamper = (sql: string) =>
    database.execute('DROP TRIGGER IF EXISTS audit_keeps').then(() => database.execute(sql));

  it('are removed, and the rest is proven from there on', async () => {
    const { head } = await audit.verify();
    await forget();
    await forget();
    expect((await numbers())[0]).toBe(72);
    const verdict = await another().verify(head);
    expect(verdict).toMatchObject({ entries: 112, head, problems: [], rows: [], isHeadGone: false });
    expect(verdict.start).toMatchObject({ number: 71 });
    now = new Date(now.getTime() + DAY);
    await forget();
    expect((await another().verify(head)).start).toMatchObject({ number: 72 });
  });

  it('are removed a few hundred at a time, until none is left', async () => {
    const entry = { actor: 'U1', team: 'T1', channel: 'C1', operation: 'zone show', target: 'shop', given: {} };
    now = new Date('2026-11-21T12:00:00Z');
    for (let count = 0; count < 1_200; count += 1) await audit.append({ ...entry, outcome: 'done', detail: '' });
    now = new Date('2027-01-21T12:00:00Z');
    await audit.append({ ...entry, outcome: 'done', detail: '' });
    await forget();
    expect(await numbers()).toEqual([1_313]);
    expect((await another().verify()).problems).toEqual([]);
  });

  it('stay where the audit is not intact', async () => {
    await tamper('DELETE FROM audit WHERE number = 40');
    await expect(forget()).rejects.toThrow('not intact after entry 39');
    expect((await numbers()).length).toBe(111);
    expect((await another().verify()).problems).toEqual([{ number: 40, what: 'missing' }]);
  });

  it('go as a whole or not at all, wherever the process dies in between', async () => {
    for (let step = 1; ; step += 1) {
      dies = step;
      const isOver = await forget().then(
        () => true,
        () => false,
      );
      dies = Infinity;
      expect((await another().verify()).problems, `step ${step}`).toEqual([]);
      expect((await numbers()).length, `step ${step}`).toBe(isOver ? 41 : 112);
      if (isOver) break;
    }
  });

  it('go once when two replicas begin at the same moment', async () => {
    await Promise.all([forget(), forget()]);
    expect((await numbers()).length).toBe(41);
    expect((await another().verify()).problems).toEqual([]);
  });

  it.each([
    [
      'a beginning that somebody else has noted',
      `INSERT INTO audit_starts (number, hash, at)
       SELECT 100, hash, at FROM audit WHERE number = 100; DELETE FROM audit WHERE number <= 100`,
    ],
    ['a beginning that is not noted any more', 'DELETE FROM audit_starts WHERE number = 71'],
    [
      'a beginning that is to be later',
      'UPDATE audit_starts SET number = 80 WHERE number = 71; DELETE FROM audit WHERE number <= 80',
    ],
    ['entries after the beginning', 'DELETE FROM audit WHERE number <= 74'],
    [
      'entries that were put before the rest',
      `INSERT INTO audit SELECT 50, at, 'U9', team, channel, operation, target, content, hash, mac FROM audit WHERE number = 80`,
    ],
  ])('are missed: %s', async (_, statements) => {
    await forget();
    for (const sql of statements.split(';')) await tamper(sql);
    const { problems, rows } = await another().verify();
    expect(problems.length + (rows?.length ?? 0)).toBeGreaterThan(0);
  });
});
