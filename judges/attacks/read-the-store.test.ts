import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { undo } from '../../src/changes/undo.ts';
import { forgetOld } from '../../src/store/forget.ts';
import { ADA, createFixture, type Fixture, MINUTE, said, shown } from '../../test/changes/fixture.ts';

const DAY = 24 * 60 * MINUTE;
const TYPED = 'hunter-two';
const KEY = 'nobody else knows this key';
const READER = { locale: 'en', timezone: 'UTC', now: new Date('2026-11-21T12:00:00Z') };

describe('Somebody who reads the store', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await createFixture();
  });
  afterEach(() => fixture.store.close());

  /** Every row of every table, as text. */
  async function stored({ store: { database } }: Fixture): Promise<string> {
    const { rows } = await database.execute(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_hash'`,
    );
    const all = await Promise.all(rows.map(({ name }) => database.execute(`SELECT * FROM ${String(name)}`)));
    return JSON.stringify(all.map((table) => table.rows));
  }
  const change = (which: Fixture) => which.do(`key create ${TYPED}`);

  it('finds what was typed for a change sealed, where there is a key', async () => {
    const keyed = await createFixture({}, { key: KEY });
    await change(keyed);
    const { rows } = await keyed.store.database.execute('SELECT given, preview FROM confirmations');
    expect(JSON.stringify(rows)).not.toContain(TYPED);
    await keyed.store.close();
  });

  it('finds neither arguments nor preview without one, once it ended more than a day ago', async () => {
    await fixture.do('server set web on');
    fixture.pass(2 * DAY);
    await forgetOld(fixture.store.database);
    const { rows } = await fixture.store.database.execute('SELECT given, preview FROM confirmations');
    expect(rows).toEqual([{ given: '{}', preview: '{}' }]);
  });

  it('has made it be forgotten early, and gains nothing', async () => {
    const keyed = await createFixture({}, { key: KEY });
    const { id } = await keyed.do('server set web on --for 30m');
    await keyed.store.database.execute(`UPDATE confirmations SET given = '{}', preview = '{}'`);
    keyed.restart();
    const undone = await undo(keyed.changes, id, ADA, READER);
    expect(undone && 'refused' in undone && shown(undone.refused)[0]).toBe('It is too late to undo this.');
    expect(keyed.done).toEqual(['web on']);
    expect((await keyed.store.audit.verify()).rows).toMatchObject([{ table: 'confirmations', key: id }]);
    keyed.pass(2 * DAY);
    await forgetOld(keyed.store.database);
    await keyed.store.close();
  });

  it('does not keep a change from being put back after days', async () => {
    const keyed = await createFixture({}, { key: KEY });
    const { id } = await keyed.do('server set web on --for 3d');
    await keyed.do('server set mail on');
    keyed.pass(2 * DAY);
    await forgetOld(keyed.store.database);
    expect((await keyed.store.audit.verify()).rows).toEqual([]);
    const undone = await undo(keyed.changes, id, ADA, READER);
    expect(undone && 'outcome' in undone && said(undone.outcome).slice(0, 2)).toEqual([
      '↩️ <@UADA> ran `server set` on `web` · undone',
      'The server web is *off*.',
    ]);
    await keyed.store.close();
  });

  it('reads in the audit no more than a part of what an argument keeps for itself', async () => {
    await change(fixture);
    fixture.pass(2 * DAY);
    await forgetOld(fixture.store.database);
    const { rows } = await fixture.store.database.execute('SELECT content FROM audit');
    expect(JSON.stringify(rows)).not.toContain(TYPED);
    expect(await stored(fixture)).not.toContain(`"app":"${TYPED}"`);
  });
});
