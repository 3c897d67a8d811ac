import { describe, expect, it, vi } from 'vitest';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import type { Undone } from '../../src/changes/undo.ts';
import { undo, undoArguments } from '../../src/changes/undo.ts';
import { PlatformConnectionError, PlatformError } from '../../src/platform/errors.ts';
import { UNDO_WINDOW } from '../../src/store/reversals.ts';
import { forced } from '../support/forced.ts';
import { leftChanges } from '../support/left.ts';
import { ADA, asked, BEN, createFixture, type Fixture, FOREIGN_ADA, MINUTE, said, shown } from './fixture.ts';

const READER = { locale: 'en', timezone: 'UTC', now: new Date(0) };
/** The command that puts it back, as far as it is known. */
const AGAIN = expect.stringMatching(/^\[Ask to undo it: command:server set \d \w+\]$/);
const HINT = '· Type the command that undoes it.';
const UNDER_WAY = 'I’m undoing this right now. I won’t do it twice.';
const NOT_SENT = 'Edgewise stopped before it was sent';

const REQUEST = { service: 'api', method: 'POST', path: '/' } as const;
/** What the platform does: it says no, or its answer is lost. */
const refuses = () => {
  throw new PlatformError('The server is gone', { ...REQUEST, status: 400 });
};
const loses = () => {
  throw new PlatformConnectionError('it broke off', { ...REQUEST, applied: 'maybe' });
};

/** What pressing Undo comes to: what is said, and how it ended where it did. */
async function press(
  fixture: Fixture,
  id: string,
  actor = ADA,
): Promise<{ words: string[]; kind?: string } | undefined> {
  const taken = await undo(fixture.changes, id, actor, READER);
  if (taken === undefined) return undefined;
  return 'refused' in taken
    ? { words: shown(taken.refused) }
    : { words: said(taken.outcome), kind: taken.outcome.kind };
}

const ends = (all: Undone[]) =>
  all.map(({ original, outcome, requester }) => ({
    id: original.id,
    kind: outcome.kind,
    requester: requester === undefined ? [] : shown(requester),
  }));
const due = async (fixture: Fixture) => ends(await fixture.putBack());
const reversal = async (fixture: Fixture, id: string) => (await fixture.store.reversals.read(id))?.state;

describe('Pressing Undo', () => {
  it('puts back what was there before, once, without asking again', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    expect(await press(fixture, id)).toEqual({
      kind: 'done',
      words: ['↩️ <@UADA> ran `server set` on `web` · undone', 'The server web is *off*.'],
    });
    expect(fixture.done).toEqual(['web on', 'web off']);
    expect(await fixture.store.confirmations.read(`undo-${id}`)).toMatchObject({
      state: 'done',
      operation: 'server set',
      given: { server: '1', power: 'off' },
      target: 'web',
      preview: { before: { power: 'on' }, after: { power: 'off' } },
      actor: 'UADA',
      team: 'T1',
      channel: 'C0OPS',
      undoes: id,
    });
    expect(await fixture.store.confirmations.read(`undo-${id}`)).not.toHaveProperty('thread');
    expect(await reversal(fixture, id)).toBe('done');
    expect(await fixture.state(id)).toBe('undone');
    expect(await press(fixture, id)).toEqual({ words: ['It was already undone. I won’t do it twice.'] });
    expect((await fixture.audit()).map(({ outcome, confirmation }) => [outcome, confirmation])).toEqual([
      ['done', id],
      ['done', `undo-${id}`],
    ]);
    // What was taken back is not to be taken back in turn.
    expect(await fixture.store.reversals.read(`undo-${id}`)).toBeUndefined();
  });

  it('says it in the thread where it was asked', async () => {
    const fixture = await createFixture();
    const place = { channelId: 'C0OPS', threadTs: '1.2', external: false };
    const { id } = asked(await fixture.type('server set web on', ADA, { place })).confirmation;
    await fixture.press(id);
    await press(fixture, id);
    expect(await fixture.store.confirmations.read(`undo-${id}`)).toMatchObject({ channel: 'C0OPS', thread: '1.2' });
  });

  it('needs no second approval for one’s own change', async () => {
    const fixture = await createFixture();
    const { id } = asked(await fixture.type('server set billing on')).confirmation;
    await requestApproval(fixture.changes, id, ADA, '');
    await vote(fixture.changes, id, BEN, 'approved', '');
    await fixture.press(id);
    expect(await press(fixture, id)).toMatchObject({ kind: 'done' });
  });

  it('puts nothing back that somebody has changed since, nor what is back already', async () => {
    const fixture = await createFixture();
    const first = await fixture.do('server set web on');
    fixture.servers.set('web', 'idle');
    expect(await press(fixture, first.id)).toEqual({
      kind: 'not-done',
      words: [
        'Not undone: `server set` on `web`. It has changed since.',
        '*Then*\nPower: `on`',
        '*Now*\nPower: `idle`',
        '· If you still want it, type the command that does it.',
      ],
    });
    expect(await reversal(fixture, first.id)).toBe('failed');
    const second = await fixture.do('server set web on');
    fixture.servers.set('web', 'idle');
    expect(await press(fixture, second.id)).toEqual({
      kind: 'not-done',
      words: ['It’s already back to the old state: nothing to undo.'],
    });
    expect(await press(fixture, second.id)).toEqual({
      words: ['I already tried to undo it, and won’t try again.', AGAIN],
    });
    expect(fixture.done).toEqual(['web on', 'web on']);
  });

  it('comes too late after half an hour, or after the time that was given', async () => {
    const fixture = await createFixture();
    const [short, long] = [await fixture.do('server set web on'), await fixture.do('server set mail on --for 1h')];
    expect(await undoArguments(fixture.changes, short.id)).toEqual({ server: '1', power: 'off' });
    fixture.pass(UNDO_WINDOW);
    expect(await undoArguments(fixture.changes, short.id)).toBeUndefined();
    expect(await press(fixture, short.id)).toEqual({ words: ['It is too late to undo this.', AGAIN] });
    expect(await press(fixture, long.id)).toMatchObject({ kind: 'done' });
    expect(await undoArguments(fixture.changes, long.id)).toBeUndefined();
    expect(await undoArguments(fixture.changes, 'unknown')).toBeUndefined();
  });

  it('goes the ordinary way for somebody else, and says when it knows nothing of it', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    expect(await press(fixture, id, BEN)).toBeUndefined();
    expect(await press(fixture, id, FOREIGN_ADA)).toBeUndefined();
    expect(await press(fixture, 'unknown')).toEqual({ words: ['I no longer know this change.', HINT] });
    const alarm = await fixture.do('alarm test 3');
    expect(await press(fixture, alarm.id)).toEqual({ words: ['It is too late to undo this.', HINT] });
    expect(await reversal(fixture, id)).toBe('open');
  });

  it('comes too late also where it failed before, and says so where it was left as somebody set it', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    fixture.beforeRun = refuses;
    expect(await press(fixture, id)).toMatchObject({ kind: 'not-done' });
    fixture.beforeRun = () => undefined;
    fixture.pass(UNDO_WINDOW);
    expect(await press(fixture, id)).toEqual({ words: ['It is too late to undo this.', AGAIN] });
    const other = await fixture.do('server set mail on');
    fixture.servers.set('mail', 'idle');
    await press(fixture, other.id);
    expect(await press(fixture, other.id)).toEqual({
      words: ['I already tried to undo it, and won’t try again.', AGAIN],
    });
    await forced(fixture.store.database, `DELETE FROM confirmations WHERE undoes IS NOT NULL`);
    expect(await press(fixture, other.id)).toEqual({ words: ['It is too late to undo this.', AGAIN] });
  });

  it('is done once when it is pressed twice at once', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    fixture.beforeRun = async () => {
      fixture.beforeRun = () => undefined;
      expect(await press(fixture, id)).toEqual({ words: [UNDER_WAY] });
    };
    expect(await press(fixture, id)).toMatchObject({ kind: 'done' });
    expect(fixture.done).toEqual(['web on', 'web off']);
  });

  it('waits while something else has the job, such as a look at a watched change', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    const look = await fixture.store.jobs.hold('reversal', `reversal:${id}`);
    const holding = vi.spyOn(fixture.store.jobs, 'hold');
    const pressed = press(fixture, id);
    await expect.poll(() => holding.mock.calls.length).toBe(1);
    expect(await reversal(fixture, id)).toBe('open');
    await fixture.store.jobs.release(look);
    expect(await pressed).toMatchObject({ kind: 'done' });
    expect(fixture.done).toEqual(['web on', 'web off']);
  });

  it('is not begun where another process has begun it', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    await forced(
      fixture.store.database,
      `INSERT INTO confirmations SELECT 'undo-' || id, operation, given, target, typed_name, preview, actor, team, channel,
         thread, 'sent', outcome, approval, reason, glass_broken, post_channel, post_ts, created_at, expires_at, NULL, id,
         NULL, NULL, NULL
       FROM confirmations`,
    );
    expect(await press(fixture, id)).toEqual({ words: [UNDER_WAY] });
    expect(await reversal(fixture, id)).toBe('claimed');
    expect(fixture.done).toEqual(['web on']);
  });

  it('can be tried again after it failed, while its time lasts', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on');
    fixture.beforeRun = refuses;
    for (let time = 1; time <= 7; time += 1) expect(await press(fixture, id)).toMatchObject({ kind: 'not-done' });
    expect(await reversal(fixture, id)).toBe('open');
    fixture.beforeRun = () => undefined;
    expect(await press(fixture, id)).toMatchObject({ kind: 'done' });
    expect(await fixture.state(`undo-${id}-7`)).toBe('failed');
    expect(await fixture.state(`undo-${id}-8`)).toBe('done');
    expect(fixture.done).toEqual(['web on', 'web off']);
  });
});

describe('By the clock', () => {
  it('is put back when its time is over, not before, once, and the requester is told', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on --for 30m');
    fixture.pass(30 * MINUTE - 1);
    expect(await due(fixture)).toEqual([]);
    fixture.pass(1);
    const all = await fixture.putBack();
    expect(ends(all)).toEqual([{ id, kind: 'done', requester: ['Time’s up: I ran `server set` on `web`.'] }]);
    // Everybody reads whose hand it was.
    expect(said(all[0]!.outcome)[0]).toBe('↩️ Edgewise ran `server set` on `web`, as <@UADA> asked · undone');
    expect((await fixture.audit()).at(-1)).toMatchObject({ actor: 'UADA', detail: 'by Edgewise, as asked' });
    expect(await due(fixture)).toEqual([]);
    expect(fixture.done).toEqual(['web on', 'web off']);
    expect(fixture.contexts.at(-1)).toMatchObject({ actor: ADA, reader: READER });
  });

  it('says why it was not put back', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on --for 30m');
    fixture.servers.set('web', 'idle');
    fixture.pass(30 * MINUTE);
    expect(await due(fixture)).toEqual([
      {
        id,
        kind: 'not-done',
        requester: [
          'Time’s up, but I did *not* undo it: `server set` on `web`.',
          'Not undone: `server set` on `web`. It has changed since.',
          '*Then*\nPower: `on`',
          '*Now*\nPower: `idle`',
          '· If you still want it, type the command that does it.',
        ],
      },
    ]);
  });

  describe('is told in the channel', () => {
    it.each([
      ['did *not* switch back', 'not-done', 'failed', refuses],
      ['may not have switched back', 'unknown', 'unknown', loses],
    ] as const)('when it %s; it is not tried after its time', async (words, kind, state, goesWrong) => {
      const fixture = await createFixture();
      const { id } = await fixture.do('server set web on --for 30m');
      fixture.beforeRun = goesWrong;
      fixture.pass(30 * MINUTE);
      const [end] = await fixture.putBack();
      expect(end).toMatchObject({ outcome: { kind } });
      expect(shown(end!.channel!)).toEqual([
        `⚠️ Time’s up, but this change ${words}: \`server set\` on \`web\`.`,
        '· <@UADA> was told why. Type the command that undoes it.',
      ]);
      expect(await reversal(fixture, id)).toBe(state);
      expect(await due(fixture)).toEqual([]);
      expect(await press(fixture, id)).toEqual({
        words: ['I already tried to undo it, and won’t try again.', AGAIN],
      });
    });

    it('not when it was put back, nor when somebody has changed it since', async () => {
      const fixture = await createFixture();
      await fixture.do('server set web on --for 30m');
      await fixture.do('server set mail on --for 30m');
      fixture.servers.set('web', 'idle');
      fixture.pass(30 * MINUTE);
      const all = await fixture.putBack();
      expect(all.map(({ outcome }) => outcome.kind).sort()).toEqual(['done', 'not-done']);
      for (const end of all) expect(end).not.toHaveProperty('channel');
    });
  });

  it('does not say that it was not put back when only the answer was lost', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on --for 30m');
    fixture.afterRun = loses;
    fixture.pass(30 * MINUTE);
    expect(await due(fixture)).toEqual([
      {
        id,
        kind: 'unknown',
        requester: [
          'Time’s up. I can’t tell whether it was undone: `server set` on `web`.',
          'Outcome unknown: `server set` on `web`.',
          'The platform did not answer: it broke off.',
          '· It may have taken effect. Check before you repeat it.',
          'The platform now shows what you asked for: it took effect.',
        ],
      },
    ]);
  });

  it('tells nobody of what came to nothing, or was done to something with a longer name', async () => {
    const fixture = await createFixture();
    await fixture.do('server set web on --for 30m');
    fixture.beforeRun = refuses;
    await fixture.do('server set web idle', BEN);
    fixture.beforeRun = () => undefined;
    const { number: _, at: __, ...entry } = (await fixture.audit())[0]!;
    await fixture.store.audit.append({ ...entry, actor: 'UCYD', target: 'website', confirmation: 'another' });
    fixture.servers.set('web', 'idle');
    fixture.pass(30 * MINUTE);
    const [end] = await fixture.putBack();
    expect(end).toMatchObject({ outcome: { kind: 'not-done' } });
    expect(end).not.toHaveProperty('other');
  });

  it('tells nobody else when it was put back', async () => {
    const fixture = await createFixture();
    await fixture.do('server set web on --for 30m');
    await fixture.do('server set web idle', BEN);
    fixture.servers.set('web', 'on');
    fixture.pass(30 * MINUTE);
    const [end] = await fixture.putBack();
    expect(end).toMatchObject({ outcome: { kind: 'done' } });
    expect(end).not.toHaveProperty('other');
  });

  /** Somebody pressed Undo, and the process died before anything was sent. */
  async function stopped(times: number): Promise<{ fixture: Fixture; id: string }> {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on --for 30m');
    for (let time = 1; time <= times; time += 1) {
      fixture.beforePreview = async () => {
        fixture.restart();
        await leftChanges(fixture.store.jobs, fixture.store.confirmations);
      };
      // The claim is taken from it while it reads: as if it had died there.
      if (time === 1) await undo(fixture.changes, id, ADA, READER);
      else await fixture.putBack();
      await forced(fixture.store.database, `UPDATE reversals SET state = 'claimed'`);
      await fixture.store.database.execute(`UPDATE jobs SET holder = 'a dead process' WHERE key = :key`, {
        key: `reversal:${id}`,
      });
    }
    fixture.beforePreview = () => undefined;
    fixture.restart();
    return { fixture, id };
  }

  it('is tried once when it fails, and then only by the button, while that works', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on --for 5m');
    fixture.beforeRun = refuses;
    fixture.pass(5 * MINUTE);
    expect(await due(fixture)).toMatchObject([{ kind: 'not-done' }]);
    fixture.beforeRun = () => undefined;
    expect(await due(fixture)).toEqual([]);
    expect(await press(fixture, id)).toMatchObject({ kind: 'done' });
  });

  it('is put back as soon as the state can be read again, for a quarter of an hour', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.do('server set web on --for 30m');
    const late = await fixture.do('server set mail on --for 1h');
    fixture.pass(30 * MINUTE);
    fixture.beforePreview = loses;
    for (let minute = 0; minute < 5; minute += 1) {
      expect(await due(fixture)).toEqual([]);
      expect(await fixture.store.reversals.dueIn(id)).toBe(MINUTE);
      fixture.pass(MINUTE);
    }
    expect(await press(fixture, id)).toEqual({ words: [UNDER_WAY] });
    fixture.beforePreview = () => undefined;
    fixture.pass(MINUTE);
    expect(await due(fixture)).toMatchObject([{ id, kind: 'done' }]);
    fixture.pass(24 * MINUTE);
    fixture.beforePreview = loses;
    for (let minute = 0; minute < 14; minute += 1) {
      expect(await due(fixture)).toEqual([]);
      fixture.pass(MINUTE);
    }
    expect(await due(fixture)).toMatchObject([{ id: late.id, kind: 'not-done' }]);
    fixture.beforePreview = () => undefined;
    expect(await due(fixture)).toEqual([]);
    expect(fixture.done).toEqual(['web on', 'mail on', 'web off']);
  });

  it('is gone on with when a process died before anything was sent, under another name', async () => {
    const { fixture, id } = await stopped(1);
    expect(await fixture.store.confirmations.read(`undo-${id}`)).toMatchObject({
      state: 'failed',
      outcome: NOT_SENT,
      interrupted: true,
    });
    expect(await due(fixture)).toEqual([
      {
        id,
        kind: 'done',
        requester: ['Edgewise was restarted while undoing a change for you: I ran `server set` on `web`.'],
      },
    ]);
    expect(await fixture.state(`undo-${id}-2`)).toBe('done');
    expect(fixture.done).toEqual(['web on', 'web off']);
  });

  it('is given up, and said to be, after five times', async () => {
    const { fixture, id } = await stopped(4);
    expect(await fixture.state(`undo-${id}-4`)).toBe('failed');
    expect(await due(fixture)).toMatchObject([{ kind: 'done' }]);
    const never = await stopped(5);
    expect(await due(never.fixture)).toEqual([
      {
        id: never.id,
        kind: 'not-done',
        requester: [
          'Edgewise was restarted while undoing a change for you, but I did *not* undo it: `server set` on `web`.',
          'It was started several times, and Edgewise stopped each time.',
        ],
      },
    ]);
    expect(await reversal(never.fixture, never.id)).toBe('failed');
    expect(await never.fixture.store.confirmations.read(`undo-${never.id}-6`)).toBeUndefined();
    expect(never.fixture.done).toEqual(['web on']);
  });

  it('is begun anew where nobody went on in time', async () => {
    const { fixture, id } = await stopped(1);
    await forced(
      fixture.store.database,
      `UPDATE confirmations SET state = 'expired', outcome = NULL WHERE undoes IS NOT NULL`,
    );
    expect(await due(fixture)).toMatchObject([{ id, kind: 'done' }]);
  });

  it.each([
    ['done', 'done'],
    ['refused', 'failed'],
    ['failed', 'open'],
  ])('is told by nobody twice when another process has ended it as %s', async (state, settled) => {
    const { fixture, id } = await stopped(1);
    await forced(
      fixture.store.database,
      `UPDATE confirmations SET state = :state, outcome = 'as it was' WHERE undoes IS NOT NULL`,
      { state },
    );
    expect(await due(fixture)).toEqual([]);
    expect(await reversal(fixture, id)).toBe(settled);
    expect(fixture.done).toEqual(['web on']);
    expect(fixture.logged.filter(({ level }) => level === 50)).toEqual([]);
  });

  it('holds up nothing else when one fails, or is not known any more', async () => {
    const fixture = await createFixture();
    const ids: string[] = [];
    for (const set of ['web idle', 'mail idle', 'web on'])
      ids.push((await fixture.do(`server set ${set} --for 30m`)).id);
    await forced(fixture.store.database, 'DELETE FROM confirmations WHERE id = :id', { id: ids[0]! });
    await forced(fixture.store.database, `UPDATE confirmations SET preview = 'broken' WHERE id = :id`, { id: ids[1]! });
    fixture.pass(30 * MINUTE);
    expect(await due(fixture)).toMatchObject([{ id: ids[2] }]);
    expect(await reversal(fixture, ids[0]!)).toBe('failed');
    expect(fixture.logged.map(({ level, msg, confirmation, key }) => [level, msg, confirmation ?? key])).toEqual(
      expect.arrayContaining([
        [50, 'a change that is due to be put back is not known', ids[0]],
        [50, 'a job could not be done: it is tried again in a minute', `reversal:${ids[1]}`],
      ]),
    );
    expect(fixture.logged.find(({ key }) => key === `reversal:${ids[1]}`)).toHaveProperty('err.message');
  });
});
