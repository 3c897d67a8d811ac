import { afterEach, describe, expect, it, vi } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { notified } from '../../src/changes/recover.ts';
import { beginInteraction, during } from '../../src/interaction.ts';
import { PlatformConnectionError } from '../../src/platform/errors.ts';
import { keepingChange, NOT_SENT } from '../../src/store/confirmations.ts';
import { forced } from '../support/forced.ts';
import { leftChanges } from '../support/left.ts';
import { ADA, asked, BEN, createFixture, type Fixture, MINUTE, PLACE } from './fixture.ts';

afterEach(() => void vi.restoreAllMocks());

const AGAIN = '[Ask again: ask-again]';
const STOPPED = 'Edgewise stopped before it was sent';

const ask = async (fixture: Fixture, line: string) => asked(await fixture.type(line)).confirmation.id;

/** Types it, and the process dies at a place of which this says what is written in the store; another one looks later. */
async function died(fixture: Fixture, line: string, set: Record<string, string | null>): Promise<string> {
  const id = await ask(fixture, line);
  const assignments = Object.keys(set).map((column) => `${column} = :${column}`);
  const { database } = fixture.store;
  await forced(database, `UPDATE confirmations SET ${assignments.join(', ')} WHERE id = :id`, { ...set, id });
  await begun(fixture, id);
  fixture.restart();
  fixture.pass(MINUTE + 1);
  return id;
}

/** As if this process had a change under way, or had somebody to tell of it. */
async function begun({ store }: Fixture, id: string): Promise<void> {
  const { sql, args = {} } = keepingChange(id);
  await store.database.execute(sql, args);
}

describe('What a process that died has left', () => {
  it('is left alone while it may still be at it', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    await fixture.store.confirmations.claim(id, ADA);
    await fixture.store.confirmations.send(id);
    fixture.pass(MINUTE - 1);
    expect(await fixture.recover()).toEqual([]);
    expect(await fixture.state(id)).toBe('sent');
    await fixture.store.jobs.renew(`change:${id}`);
    fixture.pass(MINUTE - 1);
    expect(await fixture.recover()).toEqual([]);
    fixture.pass(1);
    expect(await fixture.recover()).toMatchObject([{ id }]);
  });

  it('is looked at on the platform when the request may be out, and nothing is sent again', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const fixture = await createFixture();
    const id = await died(fixture, 'server set web on', { state: 'sent' });
    fixture.servers.set('web', 'on');
    expect(await fixture.recover()).toEqual([
      {
        id,
        words: [
          'Outcome unknown: `server set` on `web`. Edgewise stopped in the middle of it.',
          'The platform now shows what you asked for: it took effect.',
        ],
      },
    ]);
    expect(timeout.mock.calls.at(-1)).toEqual([5_000]);
    expect(fixture.contexts.at(-1)).toMatchObject({ actor: ADA, place: PLACE });
    expect(fixture.lookups.at(-1)).toEqual({ fresh: true, given: { server: '1', power: 'on' } });
    expect(fixture.done).toEqual([]);
    expect(await fixture.audit()).toMatchObject([
      {
        actor: 'UADA',
        team: 'T1',
        channel: 'C0OPS',
        operation: 'server set',
        target: 'web',
        given: { server: '1', power: 'on' },
        outcome: 'unknown',
        detail: 'the bot stopped in between',
        preview: { before: { power: 'off' }, after: { power: 'on' } },
        confirmation: id,
      },
    ]);
  });

  it('goes on under the id of whoever ran it, which the log and the audit of both processes have', async () => {
    const fixture = await createFixture();
    const id = await during(beginInteraction('command', { id: '0a0a0a0a' }), () => ask(fixture, 'server set web on'));
    expect((await fixture.store.confirmations.read(id))?.interaction).toBe('0a0a0a0a');
    const pressed = beginInteraction('action', { id: '1b1b1b1b' });
    await during(pressed, () => fixture.store.confirmations.claim(id, ADA));
    await fixture.store.confirmations.send(id);
    fixture.restart();
    fixture.pass(MINUTE + 1);
    await fixture.recover();
    expect(await fixture.audit()).toMatchObject([{ outcome: 'unknown', interaction: '1b1b1b1b', confirmation: id }]);
  });

  it('takes no id that somebody else wrote there', async () => {
    const fixture = await createFixture();
    const id = await died(fixture, 'server set web on', { state: 'sent', interaction: 'x", "level": 60, "y' });
    await fixture.recover();
    const [entry] = await fixture.audit();
    expect(entry).toMatchObject({ confirmation: id, interaction: expect.stringMatching(/^[0-9a-f]{8}$/) });
  });

  it('looks from the thread in which it was asked', async () => {
    const fixture = await createFixture();
    await died(fixture, 'server set web on', { state: 'sent', thread: '1.2' });
    await fixture.recover();
    expect(fixture.contexts.at(-1)?.place).toEqual({ channelId: 'C0OPS', threadTs: '1.2', external: false });
  });

  it('knows that nothing was done when the request had not left', async () => {
    const fixture = await createFixture();
    const id = await died(fixture, 'server set web on', { state: 'claimed' });
    expect(await fixture.recover()).toEqual([
      { id, words: ['Not done: `server set` on `web`: Edgewise stopped before it was sent.', AGAIN] },
    ]);
    expect(await fixture.audit()).toMatchObject([{ outcome: 'failed', detail: STOPPED }]);
  });

  it.each<[string, Record<string, string | null>, string[]]>([
    ['done', { state: 'done' }, ['Done: `server set` on `web`. Edgewise stopped before it could tell you.']],
    ['undone', { state: 'undone' }, ['Done: `server set` on `web`. Edgewise stopped before it could tell you.']],
    ['cancelled', { state: 'cancelled' }, ['Cancelled: `server set` on `web`. Nothing was done.', AGAIN]],
    [
      'expired',
      { state: 'expired', outcome: 'not approved in time' },
      ['Expired: `server set` on `web`. Nothing was done.', AGAIN],
    ],
    ['expired without a word', { state: 'expired' }, ['Expired: `server set` on `web`. Nothing was done.', AGAIN]],
    [
      'failed',
      { state: 'failed', outcome: 'the disk is full' },
      ['Not done: `server set` on `web`: the disk is full.', AGAIN],
    ],
    ['refused', { state: 'refused' }, ['Not done: `server set` on `web`: it was refused.', AGAIN]],
    [
      'overtaken',
      { state: 'overtaken', outcome: 'changed since it was asked' },
      ['Not done: `server set` on `web`: changed since it was asked.', AGAIN],
    ],
  ])('is told when it was %s', async (_, set, words) => {
    const fixture = await createFixture();
    const id = await died(fixture, 'server set web on', set);
    expect(await fixture.recover()).toEqual([{ id, words }]);
    expect(fixture.done).toEqual([]);
    const entries = (await fixture.audit()).map(({ outcome, detail }) => [outcome, detail]);
    // That nobody pressed a button is nothing that anybody did.
    const word = { undone: 'done', overtaken: 'refused' }[String(set.state)] ?? set.state;
    expect(entries).toEqual(set.state === 'expired' ? [] : [[word, set.outcome ?? 'the bot stopped in between']]);
  });

  it('can still be taken back when it was done, or may have been', async () => {
    for (const state of ['done', 'unknown']) {
      const fixture = await createFixture();
      const id = await ask(fixture, 'server set web on');
      await fixture.store.reversals.keep({ confirmation: id, given: { server: '1', power: 'off' } });
      await forced(fixture.store.database, 'UPDATE confirmations SET state = :state', { state });
      await begun(fixture, id);
      fixture.restart();
      const [found] = await fixture.recover();
      expect(found?.words.filter((line) => line.startsWith('['))).toEqual(state === 'done' ? ['[Undo: undo]'] : []);
      expect(await fixture.store.reversals.read(id)).toMatchObject({ state: 'open' });
    }
  });

  it('is not opened for undoing when it was not done', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    await fixture.store.reversals.keep({ confirmation: id, given: { server: '1', power: 'off' } });
    await forced(fixture.store.database, "UPDATE confirmations SET state = 'failed'");
    await begun(fixture, id);
    fixture.restart();
    await fixture.recover();
    expect(await fixture.store.reversals.read(id)).toMatchObject({ state: 'kept' });
  });

  it('is one whose secret nobody saw: what to do is said', async () => {
    const fixture = await createFixture();
    const id = await died(fixture, 'key create shop', { state: 'done' });
    expect(await fixture.recover()).toEqual([
      {
        id,
        words: [
          'Done: `key create` on `shop`. Edgewise stopped before it could tell you.',
          'Look whether shop has a new key.',
        ],
      },
    ]);
    await notified(fixture.changes, id);
    const second = await died(fixture, 'key create forum', { state: 'unknown' });
    expect(await fixture.recover()).toEqual([
      {
        id: second,
        words: [
          'Outcome unknown: `key create` on `forum`. Edgewise stopped in the middle of it.',
          'The platform does not show whether it took effect.',
          'Look whether forum has a new key.',
        ],
      },
    ]);
  });

  it('says what to do only where a secret was made and the command knows what', async () => {
    const fixture = await createFixture();
    fixture.operations.find(({ name }) => name === 'server set')!.whenUnknown = () => message('Look.');
    delete fixture.operations.find(({ name }) => name === 'key create')!.whenUnknown;
    for (const line of ['server set web on', 'key create shop']) {
      const id = await died(fixture, line, { state: 'done' });
      expect((await fixture.recover()).map(({ words }) => words.length)).toEqual([1]);
      await notified(fixture.changes, id);
    }
  });

  it('is in the audit once, whoever writes it', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    fixture.restart();
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toMatchObject([{ id }]);
    expect(await fixture.audit()).toHaveLength(1);
  });

  it('is told until it was told, by one at a time', async () => {
    const fixture = await createFixture();
    const id = await died(fixture, 'server set web on', { state: 'claimed' });
    expect(await fixture.recover()).toHaveLength(1);
    expect(await fixture.recover()).toEqual([]);
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toHaveLength(1);
    await notified(fixture.changes, id);
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toEqual([]);
  });

  it.each(['claimed', 'done', 'failed'])(
    'stays for the next one when another process only hears that it was told: %s',
    async (state) => {
      const fixture = await createFixture();
      const id = await died(fixture, 'server set web on', { state });
      await notified(fixture.changes, id);
      expect(await fixture.recover()).toHaveLength(1);
      expect(await fixture.audit()).toHaveLength(1);
    },
  );

  it('ends also when the command does not exist any more', async () => {
    const fixture = await createFixture();
    const id = await died(fixture, 'server set web on', { state: 'sent' });
    fixture.operations.splice(0, 1);
    expect(await fixture.recover()).toMatchObject([
      { id, words: ['Outcome unknown: `server set` on `web`. I won’t send it twice.', expect.anything()] },
    ]);
    await notified(fixture.changes, id);
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toEqual([]);
  });

  it('does not hold up the others when one cannot be ended', async () => {
    const fixture = await createFixture();
    await died(fixture, 'server set web on', { state: 'claimed' });
    const second = await died(fixture, 'server set mail on', { state: 'claimed' });
    const { append } = fixture.store.audit;
    vi.spyOn(fixture.store.audit, 'append').mockImplementation((entry) =>
      entry.target === 'web' ? Promise.reject(new Error('the audit is gone')) : append(entry),
    );
    expect((await fixture.recover()).map(({ id }) => id)).toEqual([second]);
    expect(fixture.logged).toMatchObject([
      { level: 50, msg: expect.stringMatching(/could not be done/), err: { message: 'the audit is gone' } },
    ]);
  });
});

describe('An approval that a process that died has left', () => {
  it('goes on where it stopped: asked for, approved or rejected', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set billing on');
    await requestApproval(fixture.changes, id, ADA, 'so that I see');
    fixture.restart();
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toEqual([{ id, words: ['waiting'] }]);
    await vote(fixture.changes, id, BEN, 'approved', '');
    fixture.restart();
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toEqual([{ id, words: ['decided'] }]);
    const second = await ask(fixture, 'server set billing on');
    await requestApproval(fixture.changes, second, ADA, '');
    await vote(fixture.changes, second, BEN, 'rejected', 'not now');
    fixture.restart();
    fixture.pass(MINUTE + 1);
    expect((await fixture.recover()).find((found) => found.id === second)).toEqual({ id: second, words: ['decided'] });
  });

  it('is told at once when nothing is left to be said', async () => {
    const fixture = await createFixture();
    const id = await died(fixture, 'server set web on', { state: 'expired' });
    await forced(fixture.store.database, "UPDATE confirmations SET undoes = 'another' WHERE id = :id", {
      id,
    });
    expect(await fixture.recover()).toEqual([]);
    fixture.pass(MINUTE + 1);
    expect(await fixture.recover()).toEqual([]);
  });
});

describe('A putting back that a process that died has left', () => {
  async function putBack(set: string): Promise<Fixture> {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    await forced(fixture.store.database, `UPDATE confirmations SET undoes = 'another', ${set} WHERE id = :id`, { id });
    await begun(fixture, id);
    fixture.restart();
    return fixture;
  }

  it('is called so', async () => {
    const fixture = await putBack("state = 'sent'");
    const [found] = await fixture.recover();
    expect(found?.words[0]).toBe(
      'Outcome unknown, undoing it: `server set` on `web`. Edgewise stopped in the middle of it.',
    );
  });

  it('is gone on with by the clock when it was not sent: nobody is told yet', async () => {
    for (const set of [`state = 'claimed'`, `state = 'failed', outcome = '${NOT_SENT}'`, `state = 'expired'`]) {
      const fixture = await putBack(set);
      expect(await fixture.recover()).toEqual([]);
      fixture.pass(MINUTE + 1);
      expect(await leftChanges(fixture.store.jobs, fixture.store.confirmations)).toEqual([]);
    }
  });

  it('is told when it failed for a reason', async () => {
    const fixture = await putBack(`state = 'failed', outcome = 'the disk is full'`);
    expect(await fixture.recover()).toMatchObject([
      { words: ['Not done, undoing it: `server set` on `web`: the disk is full.', AGAIN] },
    ]);
  });

  it('is looked at with what cannot be read said so', async () => {
    const fixture = await putBack("state = 'sent'");
    fixture.beforePreview = () => {
      throw new PlatformConnectionError('no line', { applied: 'no', service: 'api', method: 'GET', path: '/' });
    };
    const [found] = await fixture.recover();
    expect(found?.words[1]).toBe('I could not read what the platform shows now: no answer: no line.');
  });
});
