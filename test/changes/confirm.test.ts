import { describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import type { ChangeState } from '../../src/changes/change.ts';
import { cancel } from '../../src/changes/confirm.ts';
import { expire, notified } from '../../src/changes/recover.ts';
import { createConfirmations } from '../../src/store/confirmations.ts';
import { forced } from '../support/forced.ts';
import { ADA, asked, BEN, createFixture, type Fixture, FOREIGN_ADA, MINUTE, said, shown } from './fixture.ts';

const ask = async (fixture: Fixture, line: string) => asked(await fixture.type(line)).confirmation.id;

describe('Pressing Confirm', () => {
  it('counts once, for the one who asked, and says when it counts', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    let claims = 0;
    const claimed = async () => {
      claims += 1;
      expect(fixture.done).toEqual([]);
      expect(await fixture.state(id)).toBe('claimed');
    };
    expect(await fixture.press(id, ADA, { claimed })).toMatchObject({ kind: 'done', confirmation: { id } });
    const again = await fixture.press(id, ADA, { claimed });
    expect(again).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(again)).toEqual(['Already done: `server set` on `web`. I didn’t do it again.']);
    expect(claims).toBe(1);
    expect(fixture.done).toEqual(['web on']);
  });

  it('counts once also when it is pressed twice at once, with a name typed that nobody asked for', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    const typed = { typedName: 'whatever' };
    const outcomes = await Promise.all([fixture.press(id, ADA, typed), fixture.press(id, ADA, typed)]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['done', 'not-done']);
    expect(said(outcomes.find(({ kind }) => kind === 'not-done')!)).toEqual([
      'Being done right now: `server set` on `web`. I won’t do it twice.',
    ]);
    expect(fixture.done).toEqual(['web on']);
  });

  it('does nothing for what is not known', async () => {
    const fixture = await createFixture();
    const outcome = await fixture.press('unknown');
    expect(outcome.kind).toBe('not-done');
    expect(outcome).not.toHaveProperty('confirmation');
    expect(said(outcome)).toEqual(['I no longer have this confirmation. Nothing was done.', '· Repeat the command.']);
  });

  it.each([BEN, FOREIGN_ADA])('does nothing for somebody else: %o', async (actor) => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    const outcome = await fixture.press(id, actor);
    expect(outcome.kind).toBe('not-done');
    expect(outcome).not.toHaveProperty('confirmation');
    expect(said(outcome)).toEqual(['Only <@UADA> can run this. Nothing was done.']);
    expect(await fixture.state(id)).toBe('asked');
  });

  it('wants the very name typed, and the confirmation stands until it is', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'backup delete old');
    for (const typedName of [undefined, '', 'new', 'OLD']) {
      const outcome = await fixture.press(id, ADA, typedName === undefined ? {} : { typedName });
      expect(outcome).toEqual({ kind: 'stands', message: message('Type exactly: old') });
    }
    expect(await fixture.state(id)).toBe('asked');
    expect(said(await fixture.press(id, ADA, { typedName: ' old ' }))[1]).toBe('The backup old is gone.');
    expect(said(await fixture.press(id, ADA, { typedName: 'new' }))).toEqual([
      'Already done: `backup delete` on `old`. I didn’t do it again.',
    ]);
  });

  const again = '[Ask again: ask-again]';
  it.each<[ChangeState, string | null, string[]]>([
    ['done', null, ['Already done: `server set` on `web`. I didn’t do it again.']],
    ['undone', null, ['Done and undone: `server set` on `web`. I didn’t do it again.', again]],
    ['cancelled', null, ['Cancelled: `server set` on `web`. Nothing was done.', again]],
    ['claimed', null, ['Being done right now: `server set` on `web`. I won’t do it twice.']],
    ['sent', null, ['Being done right now: `server set` on `web`. I won’t do it twice.']],
    [
      'unknown',
      null,
      [
        'Outcome unknown: `server set` on `web`. I won’t send it twice.',
        '· Check the platform, then repeat the command if it is still needed.',
        again,
      ],
    ],
    ['failed', 'the disk is full', ['Not done: `server set` on `web`: the disk is full.', again]],
    ['refused', null, ['Not done: `server set` on `web`: it was refused.', again]],
    [
      'overtaken',
      'changed since it was asked',
      ['Not done: `server set` on `web`: changed since it was asked.', again],
    ],
    ['expired', null, ['Expired: `server set` on `web`. Nothing was done.', '[Ask again: ask-again]']],
    ['rejected', null, ['Rejected: `server set` on `web`. Nothing was done.', again]],
  ])('says how it stands when it is %s', async (state, outcome, words) => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    await forced(fixture.store.database, 'UPDATE confirmations SET state = :state, outcome = :outcome', {
      state,
      outcome,
    });
    expect(said(await fixture.press(id))).toEqual(words);
    expect(shown(await cancel(fixture.changes, id, ADA))).toEqual(words);
    expect(fixture.done).toEqual([]);
  });

  it('goes on with what a stopping process gave away, which says and sends nothing more of it', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    const { confirmations } = fixture.store;
    await confirmations.claim(id, ADA);
    expect(confirmations.held()).toBe(1);
    await confirmations.handOver();
    expect(await fixture.state(id)).toBe('asked');
    expect(await confirmations.send(id)).toBe(false);
    expect(await confirmations.claim(id, BEN)).toBeUndefined();
    const next = createConfirmations(fixture.store.database);
    fixture.restart({ store: { ...fixture.store, confirmations: next } });
    expect((await fixture.press(id)).kind).toBe('done');
    expect(fixture.done).toEqual(['web on']);
  });

  it('comes too late after a quarter of an hour, even if the store’s clock goes back', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.pass(15 * MINUTE);
    const outcome = await fixture.press(id);
    expect(said(outcome)).toEqual(['Expired: `server set` on `web`. Nothing was done.', '[Ask again: ask-again]']);
    fixture.pass(-10 * MINUTE);
    expect(said(await fixture.press(id))).toEqual(said(outcome));
    expect(fixture.done).toEqual([]);
  });

  it('ends with words when the store fails, whether it was claimed or not', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.storeFails = () => true;
    const early = await fixture.press(id);
    expect(early.kind).toBe('stands');
    expect(said(early)).toEqual([
      'Edgewise cannot reach its own store.',
      '· It keeps trying. Try again in a minute; if it stays like this, tell whoever runs Edgewise.',
      '· I sent nothing this time. Press the button again later; it won’t run twice.',
    ]);
    const inView = await fixture.press(id, ADA, { isClosed: true });
    expect(said(inView).at(-1)).toBe(
      '· I sent nothing this time. If you hear no more within minutes, repeat the command.',
    );
    expect(fixture.logged.at(-1)).toMatchObject({
      level: 50,
      msg: 'a confirmation could not be carried out',
      confirmation: id,
      err: { message: 'the store is gone' },
    });
    fixture.storeFails = (sql) => sql.includes("'sent'");
    expect(await fixture.press(id)).toMatchObject({ kind: 'not-done', confirmation: { id } });
    fixture.storeFails = () => false;
    const second = await ask(fixture, 'server set web on');
    const claimed = () => Promise.reject(new Error('nobody hears it'));
    expect(await fixture.press(second, ADA, { claimed })).toMatchObject({
      kind: 'unknown',
      confirmation: { id: second },
    });
    expect(fixture.done).toEqual([]);
  });
});

describe('Pressing Cancel', () => {
  it('ends it for the one who asked, is remembered, and is told once', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    expect(shown(await cancel(fixture.changes, id, BEN))).toEqual(['Only <@UADA> can cancel this.']);
    expect(await fixture.state(id)).toBe('asked');
    expect(shown(await cancel(fixture.changes, id, ADA))).toEqual([
      'Cancelled: `server set` on `web`. Nothing was done.',
    ]);
    expect(await fixture.state(id)).toBe('cancelled');
    expect(await fixture.audit()).toMatchObject([
      {
        actor: 'UADA',
        channel: 'C0OPS',
        operation: 'server set',
        target: 'web',
        given: { server: '1', power: 'on' },
        outcome: 'cancelled',
        detail: '',
        confirmation: id,
      },
    ]);
    await notified(fixture.changes, id);
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
  });

  it('says when there is nothing to cancel', async () => {
    const fixture = await createFixture();
    expect(shown(await cancel(fixture.changes, 'unknown', ADA))).toEqual(['I no longer have this confirmation.']);
  });

  it('works for a command that does not exist any more, which is not in the audit then', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.operations.splice(0, 1);
    expect(shown(await cancel(fixture.changes, id, ADA))).toEqual([
      'Cancelled: `server set` on `web`. Nothing was done.',
    ]);
    expect(await fixture.audit()).toEqual([]);
  });

  it('is told again by the next process when nobody could be told', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    await cancel(fixture.changes, id, ADA);
    fixture.pass(2 * MINUTE);
    fixture.restart();
    expect(await fixture.recover()).toEqual([
      {
        id,
        words: ['Cancelled: `server set` on `web`. Nothing was done.', '[Ask again: ask-again]'],
      },
    ]);
  });
});

describe('Waiting too long', () => {
  it('ends each once, and is told once', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    expect(await expire(fixture.changes)).toEqual([]);
    fixture.pass(15 * MINUTE);
    expect(await expire(fixture.changes)).toMatchObject([{ id, state: 'expired', outcome: 'not confirmed in time' }]);
    expect(await expire(fixture.changes)).toEqual([]);
    await notified(fixture.changes, id);
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
  });
});
