import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Audit, createAudit } from '../../src/store/audit.ts';
import type { AuditEntry } from '../../src/store/audit-entry.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { byHand } from '../support/by-hand.ts';

describe('the audit', () => {
  let folder: string;
  let url: string;
  let database: Database;
  let audit: Audit;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-audit-'));
    url = `file:${join(folder, 'edgewise.db')}`;
    database = await openDatabase({ url });
    audit = createAudit(database);
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const entry = (target: string, actor = 'U1'): AuditEntry => ({
    actor,
    team: 'T1',
    channel: 'C1',
    operation: 'ssl force',
    target,
    given: { hostname: target, state: 'on' },
    outcome: 'done',
    detail: '',
    rule: 'admins may everything',
    preview: { before: { ForceSSL: false }, after: { ForceSSL: true } },
  });

  /** What somebody with the database file and no respect for it does. */
  async function tamper(...statements: string[]): Promise<void> {
    const client = byHand(join(folder, 'edgewise.db'));
    await client.executeMultiple(
      `DROP TRIGGER IF EXISTS audit_stays; DROP TRIGGER IF EXISTS audit_keeps; ${statements.join(';')}`,
    );
    client.close();
  }

  it('is intact while others append to it', async () => {
    await audit.append(entry('cdn.example.com'));
    const other = createAudit(database);
    let isWalked = false;
    const watched = createAudit({
      ...database,
      async execute(sql, args) {
        const found = await database.execute(sql, args);
        if (sql.startsWith('SELECT * FROM audit WHERE number')) {
          if (!isWalked) await other.append(entry('shop.example.com', 'U2'));
          isWalked = true;
        }
        return found;
      },
    });
    expect(await watched.verify()).toMatchObject({ entries: 1, problems: [] });
    expect(isWalked).toBe(true);
  });

  it('is intact when nobody touched it, and tells who changed what', async () => {
    await audit.append(entry('cdn.example.com'));
    await audit.append(entry('shop.example.com', 'U2'));
    expect(await audit.verify()).toMatchObject({ entries: 2, head: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await audit.list({ target: 'SHOP', limit: 10 })).map(({ actor, number }) => [actor, number])).toEqual([
      ['U2', 2],
    ]);
    expect((await audit.list({ operation: 'ssl', limit: 10 })).map(({ target }) => target)).toEqual([
      'shop.example.com',
      'cdn.example.com',
    ]);
  });

  it('keeps one chain when many write at once', async () => {
    const other = createAudit(database);
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? audit : other).append(entry(`host-${index}`))),
    );
    expect(await audit.verify()).toMatchObject({ entries: 60 });
    expect((await audit.verify()).problems).toEqual([]);
  });

  it('cannot be changed or emptied through the store', async () => {
    await audit.append(entry('cdn.example.com'));
    await expect(database.execute("UPDATE audit SET actor = 'U9'")).rejects.toThrow('append-only');
    await expect(database.execute('DELETE FROM audit')).rejects.toThrow('append-only');
  });

  it.each([
    ['an actor that was changed', "UPDATE audit SET actor = 'U9' WHERE number = 3", { number: 3, what: 'changed' }],
    [
      'an outcome that was changed',
      `UPDATE audit SET content = replace(content, 'done', 'failed') WHERE number = 2`,
      { number: 2, what: 'changed' },
    ],
    ['a time that was changed', 'UPDATE audit SET at = at - 1 WHERE number = 4', { number: 4, what: 'changed' }],
    [
      'text that moved from one field to another',
      "UPDATE audit SET actor = 'U', team = '1T1' WHERE number = 1",
      { number: 1, what: 'changed' },
    ],
    ['an entry that was removed', 'DELETE FROM audit WHERE number = 3', { number: 3, what: 'missing' }],
    ['the first one removed', 'DELETE FROM audit WHERE number = 1', { number: 1, what: 'missing' }],
    ['the newest ones removed', 'DELETE FROM audit WHERE number > 3', { number: 4, what: 'cut off' }],
  ])('finds %s, and says which', async (_, statement, problem) => {
    for (let index = 0; index < 5; index += 1) await audit.append(entry(`host-${index}`));
    await tamper(statement);
    expect(await audit.verify()).toMatchObject({ entries: problem.number - 1, problems: [problem] });
  });

  it('finds every one of several, and says which', async () => {
    for (let index = 0; index < 12; index += 1) await audit.append(entry(`host-${index}`));
    await tamper(
      "UPDATE audit SET actor = 'U9' WHERE number IN (2, 9)",
      'DELETE FROM audit WHERE number IN (4, 5, 11, 12)',
    );
    expect(await audit.verify()).toEqual({
      entries: 1,
      problems: [
        { number: 2, what: 'changed' },
        { number: 4, what: 'missing' },
        { number: 5, what: 'missing' },
        { number: 9, what: 'changed' },
        { number: 11, what: 'cut off' },
      ],
    });
  });
});
