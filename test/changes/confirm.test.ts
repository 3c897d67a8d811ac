import { describe, expect, it } from 'vitest';
import type { ChangeState } from '../../src/changes/change.ts';
import { cancel } from '../../src/changes/confirm.ts';
import { expire, notified, recover } from '../../src/changes/recover.ts';
import { forced } from '../support/forced.ts';
import { ADA, asked, BEN, createHouse, FOREIGN_ADA, type House, MINUTE, said, shown } from './house.ts';

const ask = async (house: House, line: string) => asked(await house.type(line)).confirmation.id;

describe('Pressing Confirm', () => {
  it('counts once, for the one who asked, and says when it counts', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    let claims = 0;
    const claimed = async () => {
      claims += 1;
      expect(house.done).toEqual([]);
      expect(await house.state(id)).toBe('claimed');
    };
    expect(await house.press(id, ADA, { claimed })).toMatchObject({ kind: 'done', confirmation: { id } });
    const again = await house.press(id, ADA, { claimed });
    expect(again).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(again)).toEqual(['This was done already. It was not done again.']);
    expect(claims).toBe(1);
    expect(house.done).toEqual(['hall on']);
  });

  it('counts once also when it is pressed twice at once, with a name typed that nobody asked for', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    const typed = { typedName: 'whatever' };
    const outcomes = await Promise.all([house.press(id, ADA, typed), house.press(id, ADA, typed)]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['done', 'not-done']);
    expect(said(outcomes.find(({ kind }) => kind === 'not-done')!)).toEqual([
      'This is being done right now. It is not done a second time.',
    ]);
    expect(house.done).toEqual(['hall on']);
  });

  it('does nothing for what is not known', async () => {
    const house = await createHouse();
    const outcome = await house.press('unknown');
    expect(outcome.kind).toBe('not-done');
    expect(outcome).not.toHaveProperty('confirmation');
    expect(said(outcome)).toEqual([
      'This confirmation is not known any more. Nothing was done.',
      '· Repeat the command.',
    ]);
  });

  it.each([BEN, FOREIGN_ADA])('does nothing for somebody else: %o', async (actor) => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    const outcome = await house.press(id, actor);
    expect(outcome.kind).toBe('not-done');
    expect(outcome).not.toHaveProperty('confirmation');
    expect(said(outcome)).toEqual([
      'This confirmation belongs to <@UADA>. Nothing was done.',
      '· Type the command yourself to do it.',
    ]);
    expect(await house.state(id)).toBe('asked');
  });

  it('wants the very name typed, and the confirmation stands until it is', async () => {
    const house = await createHouse();
    const id = await ask(house, 'box burn old');
    for (const typedName of [undefined, '', 'new', 'OLD']) {
      const outcome = await house.press(id, ADA, typedName === undefined ? {} : { typedName });
      expect(outcome).toEqual({ kind: 'retype', message: 'Type exactly: old' });
    }
    expect(await house.state(id)).toBe('asked');
    expect(said(await house.press(id, ADA, { typedName: ' old ' }))[0]).toBe('The box old is gone.');
    expect(said(await house.press(id, ADA, { typedName: 'new' }))).toEqual([
      'This was done already. It was not done again.',
    ]);
  });

  const again = '· Repeat the command if you still want it.';
  it.each<[ChangeState, string | null, string[]]>([
    ['done', null, ['This was done already. It was not done again.']],
    ['undone', null, ['This was done already. It was not done again.']],
    ['cancelled', null, ['This was cancelled. Nothing was done.', again]],
    ['claimed', null, ['This is being done right now. It is not done a second time.']],
    ['handed over', null, ['This is being done right now. It is not done a second time.']],
    ['sent', null, ['This is being done right now. It is not done a second time.']],
    [
      'unknown',
      null,
      [
        'How this ended is not known. It is not sent a second time.',
        '· Look at the platform, then repeat the command if needed.',
      ],
    ],
    ['failed', 'the fuse blew', ['This was not done: the fuse blew.', again]],
    ['refused', null, ['This was not done: it was refused.', again]],
    ['overtaken', 'changed since it was asked', ['This was not done: changed since it was asked.', again]],
    ['expired', null, ['This confirmation has expired. Nothing was done.', again]],
  ])('says how it stands when it is %s', async (state, outcome, words) => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    await forced(house.store.database, 'UPDATE confirmations SET state = :state, outcome = :outcome', {
      state,
      outcome,
    });
    expect(said(await house.press(id))).toEqual(words);
    expect(shown(await cancel(house.changes, id, ADA))).toEqual(words);
    expect(house.done).toEqual([]);
  });

  it('comes too late after a quarter of an hour', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.pass(15 * MINUTE);
    const outcome = await house.press(id);
    expect(said(outcome)).toEqual(['This confirmation has expired. Nothing was done.', again]);
    expect(house.done).toEqual([]);
  });

  it('ends with words when the store fails, whether it was claimed or not', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.storeFails = () => true;
    const early = await house.press(id);
    expect(early.kind).toBe('unknown');
    expect(early).not.toHaveProperty('confirmation');
    const [first, reference] = said(early);
    expect(first).toBe('Something went wrong inside Edgewise.');
    expect(house.logged.at(-1)).toMatchObject({
      level: 50,
      msg: 'a confirmation could not be carried out',
      confirmation: id,
      reference: /`([0-9a-f]{8})`/.exec(reference ?? '')?.[1],
      err: { message: 'the store is gone' },
    });
    house.storeFails = (sql) => sql.includes("'sent'");
    expect(await house.press(id)).toMatchObject({ kind: 'not-done', confirmation: { id } });
    house.storeFails = () => false;
    const second = await ask(house, 'lamp set hall on');
    const claimed = () => Promise.reject(new Error('nobody hears it'));
    expect(await house.press(second, ADA, { claimed })).toMatchObject({
      kind: 'unknown',
      confirmation: { id: second },
    });
    expect(house.done).toEqual([]);
  });
});

describe('Pressing Cancel', () => {
  it('ends it for the one who asked, is remembered, and is told once', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    expect(shown(await cancel(house.changes, id, BEN))).toEqual(['Only <@UADA> can cancel this.']);
    expect(await house.state(id)).toBe('asked');
    expect(shown(await cancel(house.changes, id, ADA))).toEqual(['Cancelled. Nothing was done.']);
    expect(await house.state(id)).toBe('cancelled');
    expect(await house.audit()).toMatchObject([
      {
        actor: 'UADA',
        channel: 'C0HOUSE',
        operation: 'lamp set',
        target: 'hall',
        given: { lamp: '1', power: 'on' },
        outcome: 'cancelled',
        detail: '',
        confirmation: id,
      },
    ]);
    await notified(house.changes, id);
    house.pass(2 * MINUTE);
    expect(await recover(house.changes)).toEqual([]);
  });

  it('says when there is nothing to cancel', async () => {
    const house = await createHouse();
    expect(shown(await cancel(house.changes, 'unknown', ADA))).toEqual(['This confirmation is not known any more.']);
  });

  it('works for a command that does not exist any more, which is not in the audit then', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.operations.splice(0, 1);
    expect(shown(await cancel(house.changes, id, ADA))).toEqual(['Cancelled. Nothing was done.']);
    expect(await house.audit()).toEqual([]);
  });

  it('is told again by the next process when nobody could be told', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    await cancel(house.changes, id, ADA);
    house.pass(2 * MINUTE);
    house.restart();
    expect(await house.recover()).toEqual([
      {
        id,
        words: ['`lamp set` on `hall` was cancelled. Nothing was done.', '· Repeat the command if you still want it.'],
      },
    ]);
  });
});

describe('Waiting too long', () => {
  it('ends each once, and is told once', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    expect(await expire(house.changes)).toEqual([]);
    house.pass(15 * MINUTE);
    expect(await expire(house.changes)).toMatchObject([{ id, state: 'expired', outcome: 'not confirmed in time' }]);
    expect(await expire(house.changes)).toEqual([]);
    await notified(house.changes, id);
    house.pass(2 * MINUTE);
    expect(await recover(house.changes)).toEqual([]);
  });
});
