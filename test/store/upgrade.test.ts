import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { cancel } from '../../src/changes/confirm.ts';
import { expire, notified, recover } from '../../src/changes/recover.ts';
import { putBackDue, undo } from '../../src/changes/undo.ts';
import { Secret } from '../../src/secret.ts';
import { adopt } from '../../src/store/adopt.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { ADA, asked, BEN, CYD, createFixture, type Fixture, MINUTE, said, shown } from '../changes/fixture.ts';

const READER = { locale: 'en', timezone: 'UTC', now: new Date('2026-11-21T12:02:00Z') };
const AGAIN = '[Ask again: ask-again]';

/** A store as the commit 46c9c5a has written it, with a change in every state; this version goes on with it. */
describe.each([
  ['as it is', 'store-46c9c5a.sql', undefined],
  ['sealed', 'store-46c9c5a-sealed.sql', 'a key of old'],
])('A store of the version before, %s', (_, file, key) => {
  let folder: string;
  let fixture: Fixture;
  let ids: Map<string, string>;
  const id = (name: string) => ids.get(name)!;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-upgrade-'));
    const url = `file:${join(folder, 'edgewise.db')}`;
    const client = createClient({ url });
    await client.executeMultiple(readFileSync(new URL(`fixtures/${file}`, import.meta.url), 'utf8'));
    const { rows } = await client.execute('SELECT name, id FROM fixture_names');
    ids = new Map(rows.map((row) => [String(row.name), String(row.id)]));
    client.close();
    fixture = await createFixture(
      {},
      {
        async open(clock) {
          const database = await openDatabase({ url, clock });
          if (key !== undefined) await adopt(database, { encryptionKey: Secret.of(key), adopt: true });
          return database;
        },
        ...(key === undefined ? {} : { key }),
      },
    );
    // As it was when the store was left, a minute after noon.
    fixture.pass(MINUTE + 1);
    for (const [server, power] of [
      ['web', 'off'],
      ['mail', 'on'],
      ['billing', 'idle'],
      ['archive', 'on'],
    ] as const)
      fixture.servers.set(server, power);
  });
  afterEach(async () => {
    await fixture.store.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps every change as it was', async () => {
    const states = await Promise.all([...ids].map(async ([name, one]) => [name, await fixture.state(one)]));
    expect(Object.fromEntries(states)).toEqual({
      done: 'done',
      'taken back': 'done',
      'undo failed': 'done',
      'for a while': 'done',
      'undo stopped': 'done',
      'undo sent': 'done',
      'done, untold': 'done',
      'unknown, untold': 'unknown',
      'cancelled, untold': 'cancelled',
      'refused, untold': 'refused',
      'failed, untold': 'failed',
      claimed: 'claimed',
      sent: 'sent',
      asked: 'asked',
      destructive: 'asked',
      drafted: 'drafted',
      waiting: 'waiting',
      voted: 'waiting',
      approved: 'asked',
      'approved, untold': 'asked',
      'let through': 'asked',
      'rejected, untold': 'rejected',
      'expired, untold': 'expired',
    });
    const { confirmations } = fixture.store;
    expect(await confirmations.attempt(id('taken back'), 1)).toMatchObject({
      undoes: id('taken back'),
      attempt: 1,
      state: 'done',
      given: { server: '1', power: 'off' },
    });
    expect(await confirmations.attempt(id('undo stopped'), 1)).toMatchObject({ state: 'failed', interrupted: true });
    expect(await confirmations.attempt(id('undo sent'), 1)).toMatchObject({ state: 'sent' });
    expect(await confirmations.read(id('failed, untold'))).not.toHaveProperty('interrupted');
    expect(await confirmations.read(id('done'))).not.toHaveProperty('undoes');
    expect(await fixture.store.audit.verify()).toMatchObject({ problems: [] });
  });

  it('is gone on with when the leases are over: everything is ended or told once, and nothing is done again', async () => {
    expect(await fixture.recover()).toEqual([]);
    fixture.pass(MINUTE + 1);
    const found = Object.fromEntries((await fixture.recover()).map((one) => [one.id, one.words]));
    const web = '`server set` on `web`';
    expect(found).toEqual({
      [id('claimed')]: [`Not done: ${web}. Edgewise stopped before it was sent.`, AGAIN],
      [id('sent')]: [
        `Not certain: ${web}. Edgewise stopped while it was done.`,
        'The platform still shows the state from before, and may still be doing it. Look there once more.',
      ],
      [`undo-${id('undo sent')}`]: [
        'Not certain, putting back: `server set` on `billing`. Edgewise stopped while it was done.',
        'The platform still shows the state from before, and may still be doing it. Look there once more.',
      ],
      [id('done, untold')]: [`Done: ${web}. Edgewise stopped before it could tell you.`, '[Undo: undo]'],
      [id('unknown, untold')]: [
        'Not certain: `alarm test` on `the alarm 3`. Edgewise stopped while it was done.',
        'The platform does not show whether it took effect. Look there before you repeat it.',
      ],
      [id('cancelled, untold')]: [`Cancelled: ${web}. Nothing was done.`, AGAIN],
      [id('refused, untold')]: [`Not done: ${web}: changed since it was asked.`, AGAIN],
      [id('failed, untold')]: [`Not done: ${web}: the disk is full.`, AGAIN],
      [id('expired, untold')]: [`Expired: ${web}. Nothing was done.`, AGAIN],
      [id('voted')]: ['waiting'],
      [id('approved, untold')]: ['decided'],
      [id('rejected, untold')]: ['decided'],
    });
    for (const one of Object.keys(found)) await notified(fixture.changes, one);
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toEqual([]);
    expect(fixture.done).toEqual([]);
  });

  it('is confirmed, approved and cancelled as if nothing had been', async () => {
    expect(await fixture.press(id('asked'))).toMatchObject({ kind: 'done' });
    expect(await fixture.press(id('destructive'), ADA, { typedName: 'old' })).toMatchObject({ kind: 'done' });
    expect(await requestApproval(fixture.changes, id('drafted'), ADA, '')).toMatchObject({ kind: 'waiting' });
    expect(await vote(fixture.changes, id('waiting'), CYD, 'approved', '')).toMatchObject({ kind: 'decided' });
    expect(await vote(fixture.changes, id('drafted'), BEN, 'rejected', 'no')).toMatchObject({ kind: 'decided' });
    // They were shown that the billing is idle.
    for (const name of ['approved', 'let through'])
      expect(await fixture.press(id(name))).toMatchObject({ kind: name === 'approved' ? 'done' : 'not-done' });
    expect(shown(await cancel(fixture.changes, id('approved, untold'), ADA))).toEqual([
      'Cancelled: `server set` on `billing`. Nothing was done.',
    ]);
    expect(said(await fixture.press(id('done')))).toEqual([
      'Done already: `server set` on `web`. It was not done again.',
    ]);
    expect(fixture.done).toEqual(['web idle', 'deleted old', 'billing on']);
    expect((await fixture.audit()).slice(-6).map(({ outcome }) => outcome)).toEqual([
      'waiting',
      'approved',
      'rejected',
      'done',
      'refused',
      'cancelled',
    ]);
  });

  it('is taken back by the button and by the clock, also where the process before had begun', async () => {
    // Nobody had approved what is put back, so the policy may ask nobody now.
    fixture.ruledBy('roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\n');
    const mail = await undo(fixture.changes, id('for a while'), ADA, READER);
    expect(mail).toMatchObject({ outcome: { kind: 'done' } });
    expect(await fixture.state(id('for a while'))).toBe('undone');
    expect(await undo(fixture.changes, id('taken back'), ADA, READER)).toHaveProperty('refused');
    fixture.pass(MINUTE + 1);
    const ends = await putBackDue(fixture.changes, READER);
    expect(ends.map(({ original, outcome }) => [original.id, outcome.kind])).toEqual([[id('undo stopped'), 'done']]);
    expect(await fixture.store.confirmations.attempt(id('undo stopped'), 2)).toMatchObject({ state: 'done' });
    expect(fixture.done).toEqual(['mail idle', 'archive off']);
  });

  it('is not taken back by the clock where others have to approve that now, and never did', async () => {
    fixture.pass(MINUTE + 1);
    const [end] = await putBackDue(fixture.changes, READER);
    expect(end).toMatchObject({ original: { id: id('undo stopped') }, outcome: { kind: 'not-done' } });
    expect(said(end!.outcome).slice(0, 2)).toEqual([
      'Not done: `server set` on `archive`.',
      'This needs 2 of 2 named people by now.',
    ]);
    expect(fixture.done).toEqual([]);
  });

  it('expires what nobody has decided in time', async () => {
    fixture.pass(60 * MINUTE);
    const ended = (await expire(fixture.changes)).map((one) => [one.id, one.outcome]);
    expect(new Map(ended as [string, string][])).toEqual(
      new Map(
        ['asked', 'destructive', 'drafted', 'waiting', 'voted', 'approved', 'approved, untold', 'let through'].map(
          (name) => [
            id(name),
            name === 'waiting' || name === 'voted' ? 'not approved in time' : 'not confirmed in time',
          ],
        ),
      ),
    );
    expect((await recover(fixture.changes)).length).toBeGreaterThan(0);
  });
});

/** What the version before writes, word by word: its replicas may run until a deploy is through. */
describe('A replica of the version before, beside this one', () => {
  const LEFT = 'lease_until = :now + 60000';

  it('is understood in how it takes something back, and in what it did not send', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    await fixture.store.database.execute(
      `INSERT INTO confirmations (id, operation, given, target, preview, actor, team, channel, state, created_at, expires_at)
       SELECT 'undo-' || id || '-2', operation, given, target, preview, actor, team, channel, 'asked', created_at, expires_at
       FROM confirmations WHERE id = :id`,
      { id },
    );
    const second = (await fixture.store.confirmations.attempt(id, 2))!;
    expect(second).toMatchObject({ id: `undo-${id}-2`, undoes: id, attempt: 2, state: 'asked' });
    await fixture.store.confirmations.claim(second.id, ADA);
    await fixture.store.database.execute(
      `UPDATE confirmations SET state = 'failed', outcome = 'not sent: the bot stopped before the request left', ${LEFT}
       WHERE id = :id AND state = 'claimed'`,
      { id: second.id },
    );
    expect(await fixture.store.confirmations.read(second.id)).toMatchObject({ state: 'failed', interrupted: true });
  });

  it('has its approvals run, and the outcomes told that it did not tell', async () => {
    const fixture = await createFixture();
    const { database } = fixture.store;
    const ids: string[] = [];
    for (const server of ['billing', 'web', 'mail'])
      ids.push(asked(await fixture.type(`server set ${server} on`)).confirmation.id);
    const [billing = '', web = '', mail = ''] = ids;
    await requestApproval(fixture.changes, billing, ADA, '');
    await notified(fixture.changes, billing);
    await database.execute(
      `INSERT INTO approvals (confirmation, approver, verdict, reason, at) VALUES (:billing, :ben, 'approved', '', 0)`,
      { billing, ben: BEN.id },
    );
    await database.execute(`UPDATE confirmations SET state = 'asked', ${LEFT} WHERE id = :id AND state = 'waiting'`, {
      id: billing,
    });
    for (const id of [web, mail])
      for (const state of ['claimed', 'sent', 'done'])
        await database.execute(`UPDATE confirmations SET state = :state, ${LEFT} WHERE id = :id`, { id, state });
    await database.execute(
      `UPDATE confirmations SET lease_until = NULL WHERE id = :id AND state NOT IN ('claimed', 'sent')`,
      { id: mail },
    );
    expect(await fixture.recover()).toEqual([]);
    fixture.pass(MINUTE + 1);
    expect((await fixture.recover()).map((one) => one.id).sort()).toEqual([billing, web].sort());
    for (const id of [billing, web]) await notified(fixture.changes, id);
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toEqual([]);
    expect(await fixture.press(billing)).toMatchObject({ kind: 'done' });
  });
});
