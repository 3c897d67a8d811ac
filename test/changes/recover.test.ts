import { afterEach, describe, expect, it, vi } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { notified } from '../../src/changes/recover.ts';
import { PlatformConnectionError } from '../../src/platform/errors.ts';
import { forced } from '../support/forced.ts';
import { ADA, asked, BEN, createHouse, type House, MINUTE, PLACE } from './house.ts';

afterEach(() => void vi.restoreAllMocks());

const AGAIN = '· Repeat the command if you still want it.';
const STOPPED = 'not sent: the bot stopped before the request left';

const ask = async (house: House, line: string) => asked(await house.type(line)).confirmation.id;

/** Types it, and the process dies at a place of which this says what is written in the store; another one looks later. */
async function died(house: House, line: string, set: Record<string, string | null>): Promise<string> {
  const id = await ask(house, line);
  const assignments = Object.keys(set).map((column) => `${column} = :${column}`);
  const lease = set.state === 'sent' || set.state === 'claimed' ? 'lease_until' : 'notify_after';
  await forced(
    house.store.database,
    `UPDATE confirmations SET ${[...assignments, `${lease} = :now + 60000`].join(', ')} WHERE id = :id`,
    { ...set, id },
  );
  house.restart();
  house.pass(MINUTE + 1);
  return id;
}

describe('What a process that died has left', () => {
  it('is left alone while it may still be alive', async () => {
    const house = await createHouse();
    const id = await died(house, 'lamp set hall on', { state: 'sent' });
    await forced(house.store.database, 'UPDATE confirmations SET lease_until = :now + 1000');
    expect(await house.recover()).toEqual([]);
    expect(await house.state(id)).toBe('sent');
  });

  it('is looked at on the platform when the request may be out, and nothing is sent again', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const house = await createHouse();
    const id = await died(house, 'lamp set hall on', { state: 'sent' });
    house.lamps.set('hall', 'on');
    expect(await house.recover()).toEqual([
      {
        id,
        words: [
          'Edgewise stopped while it was doing `lamp set` on `hall`. The outcome is unknown.',
          'The platform now shows what you asked for: it took effect.',
        ],
      },
    ]);
    expect(timeout.mock.calls.at(-1)).toEqual([30_000]);
    expect(house.contexts.at(-1)).toMatchObject({ actor: ADA, place: PLACE });
    expect(house.lookups.at(-1)).toEqual({ fresh: true, given: { lamp: '1', power: 'on' } });
    expect(house.done).toEqual([]);
    expect(await house.audit()).toMatchObject([
      {
        actor: 'UADA',
        team: 'T1',
        channel: 'C0HOUSE',
        operation: 'lamp set',
        target: 'hall',
        given: { lamp: '1', power: 'on' },
        outcome: 'unknown',
        detail: 'the bot stopped in between',
        preview: { before: { power: 'off' }, after: { power: 'on' } },
        confirmation: id,
      },
    ]);
  });

  it('says so when there was nothing to change', async () => {
    const house = await createHouse();
    await died(house, 'lamp set hall off', { state: 'sent' });
    expect((await house.recover()).map(({ words }) => words[1])).toEqual([
      'The platform shows what you asked for, as it did before: there was nothing to change.',
    ]);
  });

  it('looks from the thread in which it was asked', async () => {
    const house = await createHouse();
    await died(house, 'lamp set hall on', { state: 'sent', thread: '1.2' });
    await house.recover();
    expect(house.contexts.at(-1)?.place).toEqual({ channelId: 'C0HOUSE', threadTs: '1.2' });
  });

  it('knows that nothing was done when the request had not left', async () => {
    const house = await createHouse();
    const id = await died(house, 'lamp set hall on', { state: 'claimed' });
    expect(await house.recover()).toEqual([
      { id, words: ['Edgewise stopped before it sent `lamp set` on `hall`. Nothing was done.', AGAIN] },
    ]);
    expect(await house.audit()).toMatchObject([{ outcome: 'failed', detail: STOPPED }]);
  });

  it.each<[string, Record<string, string | null>, string[]]>([
    ['done', { state: 'done' }, ['Edgewise stopped before it could tell you: `lamp set` on `hall` was done.']],
    ['undone', { state: 'undone' }, ['Edgewise stopped before it could tell you: `lamp set` on `hall` was done.']],
    ['cancelled', { state: 'cancelled' }, ['`lamp set` on `hall` was cancelled. Nothing was done.', AGAIN]],
    [
      'expired',
      { state: 'expired', outcome: 'not approved in time' },
      ['`lamp set` on `hall` was not approved in time. Nothing was done.', AGAIN],
    ],
    [
      'expired without a word',
      { state: 'expired' },
      ['`lamp set` on `hall` was not confirmed in time. Nothing was done.', AGAIN],
    ],
    [
      'failed',
      { state: 'failed', outcome: 'the fuse blew' },
      ['`lamp set` on `hall` was not done: the fuse blew.', AGAIN],
    ],
    ['refused', { state: 'refused' }, ['`lamp set` on `hall` was not done: it was refused.', AGAIN]],
    [
      'overtaken',
      { state: 'overtaken', outcome: 'changed since it was asked' },
      ['`lamp set` on `hall` was not done: changed since it was asked.', AGAIN],
    ],
  ])('is told when it was %s', async (_, set, words) => {
    const house = await createHouse();
    const id = await died(house, 'lamp set hall on', set);
    expect(await house.recover()).toEqual([{ id, words }]);
    expect(house.done).toEqual([]);
    const entries = (await house.audit()).map(({ outcome, detail }) => [outcome, detail]);
    // That nobody pressed a button is nothing that anybody did.
    const word = { undone: 'done', overtaken: 'refused' }[String(set.state)] ?? set.state;
    expect(entries).toEqual(set.state === 'expired' ? [] : [[word, set.outcome ?? 'the bot stopped in between']]);
  });

  it('can still be taken back when it was done, or may have been', async () => {
    for (const state of ['done', 'unknown']) {
      const house = await createHouse();
      const id = await ask(house, 'lamp set hall on');
      await house.store.reversals.keep({ confirmation: id, given: { lamp: '1', power: 'off' } });
      await forced(house.store.database, 'UPDATE confirmations SET state = :state, notify_after = :now - 1', { state });
      const [found] = await house.recover();
      expect(found?.words.filter((line) => line.startsWith('['))).toEqual(state === 'done' ? ['[Undo: undo]'] : []);
      expect(await house.store.reversals.read(id)).toMatchObject({ state: 'open' });
    }
  });

  it('is not opened for undoing when it was not done', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    await house.store.reversals.keep({ confirmation: id, given: { lamp: '1', power: 'off' } });
    await forced(house.store.database, "UPDATE confirmations SET state = 'failed', notify_after = :now - 1");
    await house.recover();
    expect(await house.store.reversals.read(id)).toMatchObject({ state: 'kept' });
  });

  it('is one whose secret nobody saw: what to do is said', async () => {
    const house = await createHouse();
    const id = await died(house, 'key make front', { state: 'done' });
    expect(await house.recover()).toEqual([
      {
        id,
        words: [
          'Edgewise stopped before it could tell you: `key make` on `front` was done.',
          'Look whether front has a new lock.',
        ],
      },
    ]);
    await notified(house.changes, id);
    const second = await died(house, 'key make back', { state: 'unknown' });
    expect(await house.recover()).toEqual([
      {
        id: second,
        words: [
          'Edgewise stopped while it was doing `key make` on `back`. The outcome is unknown.',
          'The platform does not show whether it took effect.',
          'Look whether back has a new lock.',
        ],
      },
    ]);
  });

  it('says what to do only where a secret was made and the command knows what', async () => {
    const house = await createHouse();
    house.operations.find(({ name }) => name === 'lamp set')!.whenUnknown = () => message('Look.');
    delete house.operations.find(({ name }) => name === 'key make')!.whenUnknown;
    for (const line of ['lamp set hall on', 'key make front']) {
      const id = await died(house, line, { state: 'done' });
      expect((await house.recover()).map(({ words }) => words.length)).toEqual([1]);
      await notified(house.changes, id);
    }
  });

  it('is in the audit once, whoever writes it', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on');
    house.restart();
    house.pass(MINUTE + 1);
    expect(await house.recover()).toMatchObject([{ id }]);
    expect(await house.audit()).toHaveLength(1);
  });

  it('is told until it was told, by one at a time', async () => {
    const house = await createHouse();
    const id = await died(house, 'lamp set hall on', { state: 'claimed' });
    expect(await house.recover()).toHaveLength(1);
    expect(await house.recover()).toEqual([]);
    house.pass(MINUTE + 1);
    expect(await house.recover()).toHaveLength(1);
    await notified(house.changes, id);
    house.pass(MINUTE + 1);
    expect(await house.recover()).toEqual([]);
  });

  it.each(['claimed', 'done', 'failed'])(
    'stays for the next one when another process only hears that it was told: %s',
    async (state) => {
      const house = await createHouse();
      const id = await died(house, 'lamp set hall on', { state });
      await notified(house.changes, id);
      expect(await house.recover()).toHaveLength(1);
      expect(await house.audit()).toHaveLength(1);
    },
  );

  it('ends also when the command does not exist any more', async () => {
    const house = await createHouse();
    const id = await died(house, 'lamp set hall on', { state: 'sent' });
    house.operations.splice(0, 1);
    expect(await house.recover()).toEqual([{ id, words: ['`lamp set` does not exist any more. It is not done.'] }]);
    await notified(house.changes, id);
    house.pass(MINUTE + 1);
    expect(await house.recover()).toEqual([]);
  });

  it('does not hold up the others when one cannot be ended', async () => {
    const house = await createHouse();
    await died(house, 'lamp set hall on', { state: 'claimed' });
    const second = await died(house, 'lamp set kitchen on', { state: 'claimed' });
    const { append } = house.store.audit;
    vi.spyOn(house.store.audit, 'append').mockImplementation((entry) =>
      entry.target === 'hall' ? Promise.reject(new Error('the audit is gone')) : append(entry),
    );
    expect((await house.recover()).map(({ id }) => id)).toEqual([second]);
    expect(house.logged).toMatchObject([
      { level: 50, msg: 'what was begun could not be ended', err: { message: 'the audit is gone' } },
    ]);
  });
});

describe('An approval that a process that died has left', () => {
  it('goes on where it stopped: asked for, approved or rejected', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set cellar on');
    await requestApproval(house.changes, id, ADA, 'so that I see');
    house.restart();
    house.pass(MINUTE + 1);
    expect(await house.recover()).toEqual([{ id, words: ['waiting'] }]);
    await vote(house.changes, id, BEN, 'approved', '');
    house.restart();
    house.pass(MINUTE + 1);
    expect(await house.recover()).toEqual([{ id, words: ['decided'] }]);
    const second = await ask(house, 'lamp set cellar on');
    await requestApproval(house.changes, second, ADA, '');
    await vote(house.changes, second, BEN, 'rejected', 'not now');
    house.restart();
    house.pass(MINUTE + 1);
    expect((await house.recover()).find((found) => found.id === second)).toEqual({ id: second, words: ['decided'] });
  });

  it('is told at once when nothing is left to be said', async () => {
    const house = await createHouse();
    const id = await died(house, 'lamp set hall on', { state: 'expired' });
    await forced(house.store.database, "UPDATE confirmations SET undoes = 'another', attempt = 1 WHERE id = :id", {
      id,
    });
    expect(await house.recover()).toEqual([]);
    house.pass(MINUTE + 1);
    expect(await house.store.confirmations.abandoned()).toEqual([]);
  });
});

describe('A putting back that a process that died has left', () => {
  async function putBack(set: string): Promise<House> {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    await forced(
      house.store.database,
      `UPDATE confirmations SET undoes = 'another', attempt = 1, ${set} WHERE id = :id`,
      { id },
    );
    house.restart();
    return house;
  }

  it('is called so', async () => {
    const house = await putBack("state = 'sent', lease_until = :now - 1");
    const [found] = await house.recover();
    expect(found?.words[0]).toBe(
      'Edgewise stopped while it was putting back `lamp set` on `hall`. The outcome is unknown.',
    );
  });

  it('is gone on with by the clock when it was not sent: nobody is told yet', async () => {
    for (const set of [
      `state = 'claimed', lease_until = :now - 1`,
      `state = 'failed', interrupted = 1, notify_after = :now - 1`,
      `state = 'expired', notify_after = :now - 1`,
    ]) {
      const house = await putBack(set);
      expect(await house.recover()).toEqual([]);
      house.pass(MINUTE + 1);
      expect(await house.store.confirmations.abandoned()).toEqual([]);
    }
  });

  it('is told when it failed for a reason', async () => {
    const house = await putBack(`state = 'failed', outcome = 'the fuse blew', notify_after = :now - 1`);
    expect(await house.recover()).toMatchObject([
      { words: ['putting back `lamp set` on `hall` was not done: the fuse blew.', AGAIN] },
    ]);
  });

  it('is looked at with what cannot be read said so', async () => {
    const house = await putBack("state = 'sent', lease_until = :now - 1");
    house.beforePreview = () => {
      throw new PlatformConnectionError('no line', { applied: 'no', service: 'api', method: 'GET', path: '/' });
    };
    const [found] = await house.recover();
    expect(found?.words[1]).toBe('What the platform shows now could not be read: no answer: no line.');
  });
});
