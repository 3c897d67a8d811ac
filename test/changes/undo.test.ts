import { describe, expect, it } from 'vitest';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import type { Undone } from '../../src/changes/undo.ts';
import { putBackDue, undo, undoArguments } from '../../src/changes/undo.ts';
import { PlatformConnectionError, PlatformError } from '../../src/platform/errors.ts';
import { forced } from '../support/forced.ts';
import { ADA, asked, BEN, CYD, createHouse, FOREIGN_ADA, type House, MINUTE, said, shown } from './house.ts';

const READER = { locale: 'en', timezone: 'UTC', now: new Date(0) };
const HINT = '· Type the command that puts it back.';
const UNDER_WAY = 'This is being put back right now. It is not done a second time.';
const NOT_SENT = 'not sent: the bot stopped before the request left';

const REQUEST = { service: 'api', method: 'POST', path: '/' } as const;
/** What the platform does: it says no, or its answer is lost. */
const refuses = () => {
  throw new PlatformError('The bulb is gone', { ...REQUEST, status: 400 });
};
const loses = () => {
  throw new PlatformConnectionError('it broke off', { ...REQUEST, applied: 'maybe' });
};

/** What pressing Undo comes to: what is said, and how it ended where it did. */
async function press(house: House, id: string, actor = ADA): Promise<{ words: string[]; kind?: string } | undefined> {
  const taken = await undo(house.changes, id, actor, READER);
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
const due = async (house: House) => ends(await putBackDue(house.changes, READER));
const reversal = async (house: House, id: string) => (await house.store.reversals.read(id))?.state;

describe('Pressing Undo', () => {
  it('puts back what was there before, once, without asking again', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on');
    expect(await press(house, id)).toEqual({
      kind: 'done',
      words: ['The lamp hall is *off*.', '· <@UADA> · `lamp set` · put back'],
    });
    expect(house.done).toEqual(['hall on', 'hall off']);
    expect(await house.store.confirmations.read(`undo-${id}`)).toMatchObject({
      state: 'done',
      operation: 'lamp set',
      given: { lamp: '1', power: 'off' },
      target: 'hall',
      preview: { before: { power: 'on' }, after: { power: 'off' } },
      actor: 'UADA',
      team: 'T1',
      channel: 'C0HOUSE',
      undoes: id,
      attempt: 1,
    });
    expect(await house.store.confirmations.read(`undo-${id}`)).not.toHaveProperty('thread');
    expect(await reversal(house, id)).toBe('done');
    expect(await house.state(id)).toBe('undone');
    expect(await press(house, id)).toEqual({ words: ['It was put back already. It is not done a second time.'] });
    expect((await house.audit()).map(({ outcome, confirmation }) => [outcome, confirmation])).toEqual([
      ['done', id],
      ['done', `undo-${id}`],
    ]);
    // What was taken back is not to be taken back in turn.
    expect(await house.store.reversals.read(`undo-${id}`)).toBeUndefined();
  });

  it('says it in the thread where it was asked', async () => {
    const house = await createHouse();
    const place = { channelId: 'C0HOUSE', threadTs: '1.2' };
    const { id } = asked(await house.type('lamp set hall on', ADA, { place })).confirmation;
    await house.press(id);
    await press(house, id);
    expect(await house.store.confirmations.read(`undo-${id}`)).toMatchObject({ channel: 'C0HOUSE', thread: '1.2' });
  });

  it('needs no second approval for one’s own change', async () => {
    const house = await createHouse();
    const { id } = asked(await house.type('lamp set cellar on')).confirmation;
    await requestApproval(house.changes, id, ADA, '');
    await vote(house.changes, id, BEN, 'approved', '');
    await house.press(id);
    expect(await press(house, id)).toMatchObject({ kind: 'done' });
  });

  it('puts nothing back that somebody has changed since, nor what is back already', async () => {
    const house = await createHouse();
    const first = await house.do('lamp set hall on');
    house.lamps.set('hall', 'dim');
    expect(await press(house, first.id)).toEqual({
      kind: 'not-done',
      words: [
        'It was not put back: `hall` has changed since.',
        '*What was set*\nPower: `on`',
        '*Now*\nPower: `dim`',
        '· Type the command that puts it back, if you still want that.',
      ],
    });
    expect(await reversal(house, first.id)).toBe('failed');
    const second = await house.do('lamp set hall on');
    house.lamps.set('hall', 'dim');
    expect(await press(house, second.id)).toEqual({
      kind: 'not-done',
      words: ['It is as it was before: nothing had to be put back.'],
    });
    expect(await press(house, second.id)).toEqual({
      words: ['Putting it back was tried already, and is not tried again.', HINT],
    });
    expect(house.done).toEqual(['hall on', 'hall on']);
  });

  it('tells whoever changed it since that theirs stays', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on');
    await house.do('lamp set hall dim', BEN);
    const taken = await undo(house.changes, id, ADA, READER);
    expect(taken).toMatchObject({ outcome: { kind: 'not-done' }, other: { user: 'UBEN' } });
    const { id: second } = await house.do('lamp set kitchen on');
    expect(await undo(house.changes, second, ADA, READER)).not.toHaveProperty('other');
  });

  it('comes too late after a quarter of an hour, or after the time that was given', async () => {
    const house = await createHouse();
    const [short, long] = [await house.do('lamp set hall on'), await house.do('lamp set kitchen on --for 30m')];
    expect(await undoArguments(house.changes, short.id)).toEqual({ lamp: '1', power: 'off' });
    house.pass(15 * MINUTE);
    expect(await undoArguments(house.changes, short.id)).toBeUndefined();
    expect(await press(house, short.id)).toEqual({ words: ['The time for undoing is over.', HINT] });
    expect(await press(house, long.id)).toMatchObject({ kind: 'done' });
    expect(await undoArguments(house.changes, long.id)).toBeUndefined();
    expect(await undoArguments(house.changes, 'unknown')).toBeUndefined();
  });

  it('goes the ordinary way for somebody else, and says when it knows nothing of it', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on');
    expect(await press(house, id, BEN)).toBeUndefined();
    expect(await press(house, id, FOREIGN_ADA)).toBeUndefined();
    expect(await press(house, 'unknown')).toEqual({ words: ['This change is not known any more.', HINT] });
    const bell = await house.do('bell ring 3');
    expect(await press(house, bell.id)).toEqual({ words: ['The time for undoing is over.', HINT] });
    expect(await reversal(house, id)).toBe('open');
  });

  it('comes too late also where it failed before, and says so where it was left as somebody set it', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on');
    house.beforeRun = refuses;
    expect(await press(house, id)).toMatchObject({ kind: 'not-done' });
    house.beforeRun = () => undefined;
    house.pass(15 * MINUTE);
    expect(await press(house, id)).toEqual({ words: ['The time for undoing is over.', HINT] });
    const other = await house.do('lamp set kitchen on');
    house.lamps.set('kitchen', 'dim');
    await press(house, other.id);
    expect(await press(house, other.id)).toEqual({
      words: ['Putting it back was tried already, and is not tried again.', HINT],
    });
    await forced(house.store.database, `DELETE FROM confirmations WHERE undoes IS NOT NULL`);
    expect(await press(house, other.id)).toEqual({ words: ['The time for undoing is over.', HINT] });
  });

  it('is done once when it is pressed twice at once', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on');
    house.beforeRun = async () => {
      house.beforeRun = () => undefined;
      expect(await press(house, id)).toEqual({ words: [UNDER_WAY] });
    };
    expect(await press(house, id)).toMatchObject({ kind: 'done' });
    expect(house.done).toEqual(['hall on', 'hall off']);
  });

  it('is not begun where another process has begun it', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on');
    await forced(
      house.store.database,
      `INSERT INTO confirmations SELECT 'undo-' || id, operation, given, target, typed_name, preview, actor, team, channel,
         thread, 'sent', outcome, approval, reason, glass_broken, post_channel, post_ts, created_at, expires_at, :now + 60000, id,
         1, 0, NULL
       FROM confirmations`,
    );
    expect(await press(house, id)).toEqual({ words: [UNDER_WAY] });
    expect(await reversal(house, id)).toBe('claimed');
    expect(house.done).toEqual(['hall on']);
  });

  it('can be tried again after it failed, while its time lasts', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on');
    house.beforeRun = refuses;
    for (let time = 1; time <= 7; time += 1) expect(await press(house, id)).toMatchObject({ kind: 'not-done' });
    expect(await reversal(house, id)).toBe('open');
    house.beforeRun = () => undefined;
    expect(await press(house, id)).toMatchObject({ kind: 'done' });
    expect(await house.state(`undo-${id}-7`)).toBe('failed');
    expect(await house.state(`undo-${id}-8`)).toBe('done');
    expect(house.done).toEqual(['hall on', 'hall off']);
  });
});

describe('By the clock', () => {
  it('is put back when its time is over, not before, once, and the requester is told', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on --for 30m');
    house.pass(30 * MINUTE - 1);
    expect(await due(house)).toEqual([]);
    house.pass(1);
    expect(await due(house)).toEqual([
      { id, kind: 'done', requester: ['The time is over: `lamp set` on `hall` was put back.'] },
    ]);
    expect(await due(house)).toEqual([]);
    expect(house.done).toEqual(['hall on', 'hall off']);
    expect(house.contexts.at(-1)).toMatchObject({ actor: ADA, reader: READER });
  });

  it('says why it was not put back', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on --for 30m');
    house.lamps.set('hall', 'dim');
    house.pass(30 * MINUTE);
    expect(await due(house)).toEqual([
      {
        id,
        kind: 'not-done',
        requester: [
          'The time is over, but `lamp set` on `hall` was *not* put back.',
          'It was not put back: `hall` has changed since.',
          '*What was set*\nPower: `on`',
          '*Now*\nPower: `dim`',
          '· Type the command that puts it back, if you still want that.',
        ],
      },
    ]);
  });

  it.each([
    ['lamp set hall dim', BEN, { user: 'UBEN', words: '`lamp set` on `hall` stays' }],
    ['lamp set hall dim', ADA, undefined],
    ['lamp set kitchen dim', BEN, undefined],
  ])('tells whoever changed it since from here that theirs stays: %s', async (line, actor, told) => {
    const house = await createHouse();
    await house.do('lamp set hall dim', CYD);
    await house.do('lamp set hall on --for 30m');
    await house.do(line, actor);
    house.lamps.set('hall', 'dim');
    house.pass(30 * MINUTE);
    const [end] = await putBackDue(house.changes, READER);
    expect(end).toMatchObject({ outcome: { kind: 'not-done' } });
    expect(end?.other?.user).toBe(told?.user);
    if (told === undefined) return;
    expect(shown(end!.other!.message)).toEqual([
      `Your ${told.words}: what <@UADA> had set before was to be put back, and was not.`,
    ]);
  });

  describe('is told in the channel', () => {
    it.each([
      ['was *not* put back', 'not-done', refuses],
      ['may not have been put back', 'unknown', loses],
    ] as const)('when it %s; it is not tried after its time', async (words, kind, goesWrong) => {
      const house = await createHouse();
      const { id } = await house.do('lamp set hall on --for 30m');
      house.beforeRun = goesWrong;
      house.pass(30 * MINUTE);
      const [end] = await putBackDue(house.changes, READER);
      expect(end).toMatchObject({ outcome: { kind } });
      expect(shown(end!.channel!)).toEqual([
        `:warning: The time is over, but \`lamp set\` on \`hall\` ${words}.`,
        '· <@UADA> was told why. Type the command that puts it back.',
      ]);
      expect(await reversal(house, id)).toBe('failed');
      expect(await due(house)).toEqual([]);
      expect(await press(house, id)).toEqual({
        words: ['Putting it back was tried already, and is not tried again.', HINT],
      });
    });

    it('not when it was put back, nor when somebody has changed it since', async () => {
      const house = await createHouse();
      await house.do('lamp set hall on --for 30m');
      await house.do('lamp set kitchen on --for 30m');
      house.lamps.set('hall', 'dim');
      house.pass(30 * MINUTE);
      const all = await putBackDue(house.changes, READER);
      expect(all.map(({ outcome }) => outcome.kind).sort()).toEqual(['done', 'not-done']);
      for (const end of all) expect(end).not.toHaveProperty('channel');
    });
  });

  it('does not say that it was not put back when only the answer was lost', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on --for 30m');
    house.afterRun = loses;
    house.pass(30 * MINUTE);
    expect(await due(house)).toEqual([
      {
        id,
        kind: 'unknown',
        requester: [
          'The time is over. Whether `lamp set` on `hall` was put back is not certain.',
          'The platform did not answer: it broke off.',
          '· Whether it took effect is not known. Look before you repeat it.',
          'The platform now shows what you asked for: it took effect.',
        ],
      },
    ]);
  });

  it('tells nobody of what came to nothing, or was done to something with a longer name', async () => {
    const house = await createHouse();
    await house.do('lamp set hall on --for 30m');
    house.beforeRun = refuses;
    await house.do('lamp set hall dim', BEN);
    house.beforeRun = () => undefined;
    const { number: _, at: __, ...entry } = (await house.audit())[0]!;
    await house.store.audit.append({ ...entry, actor: 'UCYD', target: 'hallway', confirmation: 'another' });
    house.lamps.set('hall', 'dim');
    house.pass(30 * MINUTE);
    const [end] = await putBackDue(house.changes, READER);
    expect(end).toMatchObject({ outcome: { kind: 'not-done' } });
    expect(end).not.toHaveProperty('other');
  });

  it('tells nobody else when it was put back', async () => {
    const house = await createHouse();
    await house.do('lamp set hall on --for 30m');
    await house.do('lamp set hall dim', BEN);
    house.lamps.set('hall', 'on');
    house.pass(30 * MINUTE);
    const [end] = await putBackDue(house.changes, READER);
    expect(end).toMatchObject({ outcome: { kind: 'done' } });
    expect(end).not.toHaveProperty('other');
  });

  /** Somebody pressed Undo, and the process died before anything was sent. */
  async function stopped(times: number): Promise<{ house: House; id: string }> {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on --for 30m');
    for (let time = 1; time <= times; time += 1) {
      house.beforePreview = async () => {
        house.pass(MINUTE + 1);
        await house.store.confirmations.abandoned();
      };
      // The claim is taken from it while it reads: as if it had died there.
      if (time === 1) await undo(house.changes, id, ADA, READER);
      else await putBackDue(house.changes, READER);
      await forced(house.store.database, `UPDATE reversals SET state = 'claimed', lease_until = :now - 1`);
    }
    house.beforePreview = () => undefined;
    house.restart();
    return { house, id };
  }

  it('is tried once when it fails, and then only by the button, while that works', async () => {
    const house = await createHouse();
    const { id } = await house.do('lamp set hall on --for 5m');
    house.beforeRun = refuses;
    house.pass(5 * MINUTE);
    expect(await due(house)).toMatchObject([{ kind: 'not-done' }]);
    house.beforeRun = () => undefined;
    expect(await due(house)).toEqual([]);
    expect(await press(house, id)).toMatchObject({ kind: 'done' });
  });

  it('is gone on with when a process died before anything was sent, under another name', async () => {
    const { house, id } = await stopped(1);
    expect(await house.store.confirmations.read(`undo-${id}`)).toMatchObject({
      state: 'failed',
      outcome: NOT_SENT,
      interrupted: true,
    });
    expect(await due(house)).toEqual([
      {
        id,
        kind: 'done',
        requester: ['Edgewise had stopped while it put something back for you: `lamp set` on `hall` was put back.'],
      },
    ]);
    expect(await house.state(`undo-${id}-2`)).toBe('done');
    expect(house.done).toEqual(['hall on', 'hall off']);
  });

  it('is given up, and said to be, after five times', async () => {
    const { house, id } = await stopped(4);
    expect(await house.state(`undo-${id}-4`)).toBe('failed');
    expect(await due(house)).toMatchObject([{ kind: 'done' }]);
    const never = await stopped(5);
    expect(await due(never.house)).toEqual([
      {
        id: never.id,
        kind: 'not-done',
        requester: [
          'Edgewise had stopped while it put something back for you, but `lamp set` on `hall` was *not* put back.',
          'It was begun several times, and Edgewise stopped each time.',
        ],
      },
    ]);
    expect(await reversal(never.house, never.id)).toBe('failed');
    expect(await never.house.store.confirmations.read(`undo-${never.id}-6`)).toBeUndefined();
    expect(never.house.done).toEqual(['hall on']);
  });

  it('is begun anew where nobody went on in time', async () => {
    const { house, id } = await stopped(1);
    await forced(
      house.store.database,
      `UPDATE confirmations SET state = 'expired', outcome = NULL, interrupted = 0 WHERE undoes IS NOT NULL`,
    );
    expect(await due(house)).toMatchObject([{ id, kind: 'done' }]);
  });

  it.each([
    ['done', 'done'],
    ['refused', 'failed'],
    ['failed', 'open'],
  ])('is told by nobody twice when another process has ended it as %s', async (state, settled) => {
    const { house, id } = await stopped(1);
    await forced(
      house.store.database,
      `UPDATE confirmations SET state = :state, outcome = 'as it was', interrupted = 0 WHERE undoes IS NOT NULL`,
      { state },
    );
    expect(await due(house)).toEqual([]);
    expect(await reversal(house, id)).toBe(settled);
    expect(house.done).toEqual(['hall on']);
    expect(house.logged.filter(({ level }) => level === 50)).toEqual([]);
  });

  it('holds up nothing else when one fails, or is not known any more', async () => {
    const house = await createHouse();
    const ids: string[] = [];
    for (const lamp of ['hall', 'kitchen', 'hall']) ids.push((await house.do(`lamp set ${lamp} dim --for 30m`)).id);
    await forced(house.store.database, 'DELETE FROM confirmations WHERE id = :id', { id: ids[0]! });
    await forced(house.store.database, `UPDATE confirmations SET preview = 'broken' WHERE id = :id`, { id: ids[1]! });
    house.pass(30 * MINUTE);
    expect(await due(house)).toMatchObject([{ id: ids[2] }]);
    expect(await reversal(house, ids[0]!)).toBe('failed');
    expect(house.logged.map(({ level, msg, confirmation }) => [level, msg, confirmation])).toEqual(
      expect.arrayContaining([
        [50, 'a change that is due to be put back is not known', ids[0]],
        [50, 'what is due could not be put back', ids[1]],
      ]),
    );
    expect(house.logged.find(({ confirmation }) => confirmation === ids[1])).toHaveProperty('err.message');
  });
});
