import { afterEach, describe, expect, it, vi } from 'vitest';
import { moment } from '../../src/blocks/mrkdwn.ts';
import { breakGlass, requestApproval, vote } from '../../src/changes/approve.ts';
import { confirm } from '../../src/changes/confirm.ts';
import { notified } from '../../src/changes/recover.ts';
import { ForbiddenError, UsageError } from '../../src/errors.ts';
import { beginInteraction, during, unread } from '../../src/interaction.ts';
import { PlatformConnectionError, PlatformError } from '../../src/platform/errors.ts';
import { forced } from '../support/forced.ts';
import { leftChanges } from '../support/left.ts';
import { ADA, asked, BEN, CYD, createFixture, type Fixture, MINUTE, PLACE, said } from './fixture.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const ask = async (fixture: Fixture, line: string) => asked(await fixture.type(line)).confirmation.id;
const lost = (applied: 'no' | 'maybe' = 'maybe') =>
  new PlatformConnectionError('the connection broke off', { applied, service: 'api', method: 'POST', path: '/server' });
const fails = (error: Error) => () => {
  throw error;
};
const NOTHING = '· Nothing was changed.';

describe('A change that is made', () => {
  it('is said to the channel with the button that takes it back, and is in the audit with what was shown', async () => {
    const fixture = await createFixture();
    const outcome = await fixture.do('server set web on');
    expect(outcome).toMatchObject({ kind: 'done', confirmation: { id: outcome.id } });
    expect(outcome).not.toHaveProperty('reveal');
    expect(said(outcome)).toEqual(['<@UADA> ran `server set` on `web`', 'The server web is *on*.', '[Undo: undo]']);
    const button = (outcome as unknown as { message: { blocks: { elements: unknown[] }[] } }).message.blocks[2]!
      .elements[0];
    expect(button).toMatchObject({
      value: outcome.id,
      confirm: {
        title: { text: 'server set on web?' },
        text: { text: 'Only if nobody has changed it since.' },
        confirm: { text: 'Undo it' },
      },
    });
    expect(await fixture.state(outcome.id)).toBe('done');
    expect(await fixture.audit()).toMatchObject([
      {
        actor: 'UADA',
        team: 'T1',
        channel: 'C0OPS',
        operation: 'server set',
        target: 'web',
        given: { server: '1', power: 'on' },
        outcome: 'done',
        detail: '',
        rule: 'the role operators may run everything (the policy line 5)',
        preview: { before: { power: 'off' }, after: { power: 'on' } },
        confirmation: outcome.id,
      },
    ]);
    expect(await fixture.store.reversals.read(outcome.id)).toMatchObject({
      state: 'open',
      given: { server: '1', power: 'off' },
    });
  });

  it('is put back by itself after its time, which the arguments that put it back do not repeat', async () => {
    const fixture = await createFixture();
    const outcome = await fixture.do('server set web on --for 30m');
    expect(said(outcome)).toEqual([
      '<@UADA> ran `server set` on `web`',
      'The server web is *on*.',
      `· For 30 min; switches back ${moment(new Date('2026-11-21T12:30:00Z')).value}.`,
      '[Switch back now: undo]',
    ]);
    expect(await fixture.store.reversals.read(outcome.id)).toMatchObject({
      given: { server: '1', power: 'off' },
      dueAt: new Date(fixture.now().getTime() + 30 * MINUTE),
    });
  });

  it('has no button where it cannot be taken back, or nobody knows what was there before', async () => {
    const fixture = await createFixture();
    const alarm = await fixture.do('alarm test 3');
    expect(said(alarm)).toEqual(['<@UADA> ran `alarm test` on `the alarm 3`', 'It was heard.']);
    expect(await fixture.store.reversals.read(alarm.id)).toBeUndefined();
    fixture.unread = 'the network is down';
    expect(said(await fixture.do('server set web on'))).toEqual([
      '<@UADA> ran `server set` on `web`',
      'The server web is *on*.',
    ]);
  });

  it('shows a secret to the one who asked, and the audit keeps what may be kept', async () => {
    const fixture = await createFixture();
    const outcome = await fixture.do('key create shop');
    expect(outcome).toMatchObject({ kind: 'done', reveal: { text: 'The key for shop is 4711.' } });
    expect((await fixture.audit())[0]).toMatchObject({ given: { app: '(an app)' }, target: 'shop' });
    expect(await fixture.do('key create none')).not.toHaveProperty('reveal');
  });

  it('reads everything anew, where it was asked, as the one who pressed, in ten minutes at most', async () => {
    const timeout = vi.spyOn(globalThis, 'setTimeout');
    const fixture = await createFixture();
    const place = { channelId: 'C0OPS', threadTs: '1.2', external: false };
    const { id } = asked(await fixture.type('server set web on', ADA, { place })).confirmation;
    const reader = { locale: 'de', timezone: 'UTC', now: fixture.now() };
    await confirm(fixture.changes, id, { actor: ADA, reader });
    // The last one is for the words about its undo.
    expect(fixture.lookups.at(-2)).toEqual({ fresh: true, given: { server: '1', power: 'on' } });
    expect(fixture.contexts.at(-1)).toMatchObject({ place, actor: ADA, reader });
    expect(timeout.mock.calls.map(([, ms]) => ms)).toContain(10 * MINUTE);
    await fixture.press(asked(await fixture.type('server set web idle')).confirmation.id);
    expect(fixture.contexts.at(-1)?.place).toEqual(PLACE);
  });

  it('says every quarter of a minute that it is alive, until it ends', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const renew = vi.spyOn(fixture.store.jobs, 'renew');
    fixture.afterRun = () => {
      vi.advanceTimersByTime(14_999);
      expect(renew).not.toHaveBeenCalled();
      fixture.storeFails = (sql) => sql.startsWith('UPDATE jobs SET run_at');
      vi.advanceTimersByTime(15_001);
      expect(renew.mock.calls).toEqual([[`change:${id}`], [`change:${id}`]]);
    };
    await fixture.press(id);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(renew).toHaveBeenCalledTimes(2);
    expect(fixture.logged).toMatchObject([
      { level: 40, msg: 'a claim could not be renewed', err: { message: 'the store is gone' } },
      { level: 40, msg: 'a claim could not be renewed' },
    ]);
  });

  it('is said to be made even when the store fails right after it', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.afterRun = () => {
      fixture.storeFails = () => true;
    };
    const outcome = await fixture.press(id);
    expect(said(outcome)[1]).toBe('The server web is *on*.');
    expect(fixture.logged).toMatchObject([
      {
        level: 50,
        msg: 'how a change ended could not be written down',
        confirmation: id,
        err: { message: 'the store is gone' },
      },
    ]);
  });

  it.each([
    [[BEN], 'billing', 'approved by UBEN'],
    [[BEN, CYD], 'archive', 'approved by UBEN, UCYD'],
  ])('names who approved it: %o', async (approvers, server, detail) => {
    const fixture = await createFixture();
    const id = await ask(fixture, `server set ${server} on`);
    await requestApproval(fixture.changes, id, ADA, 'so that I see');
    for (const approver of approvers) await vote(fixture.changes, id, approver, 'approved', '');
    expect(await fixture.press(id)).toMatchObject({ kind: 'done' });
    expect((await fixture.audit()).at(-1)).toMatchObject({ outcome: 'done', detail });
  });

  it('says that nobody approved what was let through without', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set billing on');
    await breakGlass(fixture.changes, id, ADA, 'an outage', async () => undefined);
    expect(await fixture.press(id)).toMatchObject({ kind: 'done' });
    expect((await fixture.audit()).at(-1)).toMatchObject({ outcome: 'done', detail: 'without approval: an outage' });
  });
});

describe('A change that is not made', () => {
  it.each<[string, string, (fixture: Fixture) => void, string[]]>([
    [
      'the state is another one than was shown',
      'server set web on',
      (fixture) => fixture.servers.set('web', 'idle'),
      [
        'Not done: `server set` on `web`. It has changed since.',
        '*Then*\nPower: `off`',
        '*Now*\nPower: `idle`',
        '· If you still want it, type the command that does it.',
      ],
    ],
    [
      'the state cannot be read any more',
      'server set web on',
      (fixture) => {
        fixture.unread = 'the network is down';
      },
      [
        'Not done: `server set` on `web`. I can’t read the current state, so it may have changed.',
        '*Then*\nPower: `off`',
        '· Not read: the network is down.',
        '· If you still want it, type the command that does it.',
      ],
    ],
    [
      'what it comes to is another one',
      'server set web on',
      (fixture) => {
        const operation = fixture.operations[0]!;
        const { preview } = operation;
        operation.preview = async (values, context) => ({
          ...(await preview!(values, context)),
          after: { power: 'on', disk: 'ssd' },
        });
      },
      [
        'Not done: `server set` on `web`. It has changed since.',
        '*Then*\nPower: `on`',
        '*Now*\nPower: `on`\nDisk: `ssd`',
        '· If you still want it, type the command that does it.',
      ],
    ],
    [
      'the name means something else',
      'server set web on',
      (fixture) => {
        fixture.operations[0]!.target = () => 'entrance';
      },
      [
        'Not done: `server set` on `web`. The platform does not show `web` any more: it was renamed or deleted.',
        '· Nothing was changed.',
      ],
    ],
  ])('because %s', async (_, line, happens, words) => {
    const fixture = await createFixture();
    const id = await ask(fixture, line);
    happens(fixture);
    const outcome = await fixture.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(outcome)).toEqual(words);
    expect(fixture.done).toEqual([]);
    expect(await fixture.state(id)).toBe('overtaken');
    expect(await fixture.audit()).toMatchObject([
      { outcome: 'refused', detail: 'changed since it was asked', confirmation: id },
    ]);
    expect(await fixture.store.reversals.read(id)).toBeUndefined();
    await notified(fixture.changes, id);
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
  });

  it('but stays approved, because the state cannot be read now', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set billing on');
    await requestApproval(fixture.changes, id, ADA, 'so that I see');
    await vote(fixture.changes, id, BEN, 'approved', '');
    await notified(fixture.changes, id);
    const failure = new PlatformConnectionError('it broke off', {
      service: 'api',
      method: 'GET',
      path: '/',
      applied: 'no',
    });
    fixture.beforePreview = () => {
      throw failure;
    };
    const first = await fixture.press(id);
    expect(said(first)).toEqual([
      'Not done: `server set` on `billing`.',
      'The platform did not answer: it broke off.',
      '· Nothing was changed. Try again in a moment.',
      '[Run: run primary]',
    ]);
    expect(await fixture.state(id)).toBe('approved');
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
    expect(fixture.store.confirmations.held()).toBe(0);
    // It goes on, and says in its preview what it could not read.
    fixture.unread = 'the network is down';
    fixture.beforePreview = () => unread(failure);
    const press = () => during(beginInteraction('action'), () => fixture.press(id));
    expect(await press()).toMatchObject({ kind: 'not-done' });
    expect(await fixture.state(id)).toBe('approved');
    // Without a list, a right to what has that name is not seen.
    fixture.unread = undefined;
    fixture.beforePreview = () => {
      unread(failure);
      throw new ForbiddenError('You may not.', 'a rule');
    };
    expect(said(await press())).toContain('The platform did not answer: it broke off.');
    expect(await fixture.state(id)).toBe('approved');
    fixture.beforePreview = () => undefined;
    fixture.pass(60 * MINUTE - 2 * MINUTE - 1);
    expect((await fixture.press(id)).kind).toBe('done');
    expect(fixture.done).toEqual(['billing on']);
  });

  it('because the right is gone, whatever the target is', async () => {
    const fixture = await createFixture();
    const ids = [await ask(fixture, 'alarm test 3'), await ask(fixture, 'server set mail on')];
    fixture.ruledBy(
      'roles:\n  less:\n    people: [UADA]\n    allow:\n      - operations: server set\n        where: { server: web }\n',
    );
    const [alarm, server] = [await fixture.press(ids[0]!), await fixture.press(ids[1]!)];
    expect(said(alarm)).toEqual([
      'Not done: `alarm test` on `the alarm 3`.',
      'You may not run alarm test: only the role admins may.',
      '· Ask <@UADM>.',
      NOTHING,
    ]);
    expect(said(server)[1]).toMatch(/^You may not run server set on mail: /);
    expect(fixture.lookups.filter(({ given }) => given.times !== undefined)).toEqual([]);
    expect(await fixture.audit()).toMatchObject([
      { outcome: 'failed', detail: 'You may not run alarm test: only the role admins may.' },
      { outcome: 'failed' },
    ]);
    expect(fixture.done).toEqual([]);
  });

  it('because it needs an approval by now', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.ruledBy(
      'roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\napproval:\n  - operations: server set\n    approvers: { people: [UBEN] }\n',
    );
    const outcome = await fixture.press(id);
    expect(said(outcome)).toEqual([
      'Not done: `server set` on `web`.',
      'This now needs one approval from 1 named person.',
      '· Repeat the command to ask for it.',
      NOTHING,
    ]);
    expect(await fixture.state(id)).toBe('failed');
    expect(fixture.done).toEqual([]);
  });

  it.each([
    ['who approved it may not by now', '{ people: [UCYD] }', '', []],
    ['it needs two of them by now', '{ people: [UBEN, UCYD] }', '    count: 2\n', []],
    ['nothing is let through without by now', '{ people: [UBEN] }', '', ['glass']],
  ])('because %s', async (_, approvers, more, [glass]) => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set billing on');
    if (glass === undefined) {
      await requestApproval(fixture.changes, id, ADA, 'so that I see');
      await vote(fixture.changes, id, BEN, 'approved', '');
    } else await breakGlass(fixture.changes, id, ADA, 'an outage', async () => undefined);
    fixture.ruledBy(
      `roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\napproval:\n  - operations: server set\n    approvers: ${approvers}\n${more}`,
    );
    expect(said(await fixture.press(id))[1]).toMatch(/^This now needs .*\.$/);
    expect(await fixture.state(id)).toBe('failed');
    expect(fixture.done).toEqual([]);
  });

  it('because the command does not exist any more', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.operations.splice(0, 1);
    const outcome = await fixture.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(outcome)).toEqual(['Not done: `server set` on `web`: the command does not exist any more.']);
    expect(await fixture.store.confirmations.read(id)).toMatchObject({
      state: 'refused',
      outcome: 'the command does not exist any more',
    });
    await notified(fixture.changes, id);
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
  });

  it('because what was asked for was sealed with another key', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    await forced(fixture.store.database, `UPDATE confirmations SET given = 'sealed:AAAA'`);
    const outcome = await fixture.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(outcome)).toEqual([
      'Not done: `server set` on `web`: it can’t be read any more, because the store’s key has changed or somebody else has written to the store.',
      '· Repeat the command.',
    ]);
    expect(await fixture.store.confirmations.read(id)).toMatchObject({
      state: 'refused',
      outcome: expect.stringMatching(/^it can’t be read any more/),
    });
    await notified(fixture.changes, id);
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
  });

  it('because somebody took the claim for dead while it was read again', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.beforePreview = async () => {
      fixture.beforePreview = () => undefined;
      fixture.pass(2 * MINUTE);
      await leftChanges(fixture.store.jobs, fixture.store.confirmations);
    };
    const outcome = await fixture.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(outcome)).toEqual([
      'Not done: `server set` on `web`: Edgewise stopped before it was sent.',
      '[Ask again: ask-again]',
    ]);
    expect(fixture.done).toEqual([]);
  });

  it('because the platform refused it, and says so', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.beforeRun = fails(
      new PlatformError('The server is gone', { status: 400, service: 'api', method: 'POST', path: '/' }),
    );
    const outcome = await fixture.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(outcome).not.toHaveProperty('offer');
    expect(said(outcome)).toEqual([
      'Not done: `server set` on `web`.',
      'The platform refused it: The server is gone.',
      '· status 400',
      NOTHING,
    ]);
    expect(await fixture.state(id)).toBe('failed');
    expect(await fixture.audit()).toMatchObject([{ outcome: 'failed', detail: '400: The server is gone' }]);
    expect(fixture.logged).toMatchObject([{ level: 20, msg: 'not done', operation: 'server set', outcome: 'refused' }]);
    expect(await fixture.store.reversals.read(id)).toMatchObject({ state: 'kept' });
    await notified(fixture.changes, id);
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
  });

  it('and nothing was sent when reading failed, however it failed', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.beforePreview = fails(lost());
    const outcome = await fixture.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done' });
    expect(await fixture.state(id)).toBe('failed');
  });
});

describe('A change of which nobody knows whether it was made', () => {
  it.each<[string, (fixture: Fixture) => void, string[]]>([
    [
      'it took effect',
      (fixture) => fixture.servers.set('web', 'on'),
      ['The platform now shows what you asked for: it took effect.'],
    ],
    ['it did not', () => undefined, ['The platform still shows the old state: it probably did not take effect.']],
    ['something else', (fixture) => fixture.servers.set('web', 'idle'), ['*The platform now shows*\nPower: `idle`']],
    [
      'nothing',
      (fixture) => {
        fixture.unread = '';
      },
      ['The platform does not show whether it took effect. Check there before you repeat it.'],
    ],
    [
      'that it cannot be read',
      (fixture) => {
        fixture.beforePreview = fails(lost('no'));
      },
      ['I could not read what the platform shows now: no answer: the connection broke off.'],
    ],
    [
      'that it is not there',
      (fixture) => {
        fixture.beforePreview = fails(new UsageError('There is no server “web”.'));
      },
      ['I looked again: There is no server “web”.'],
    ],
  ])('is looked at once more: it shows %s', async (_, happens, words) => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set web on');
    fixture.beforeRun = () => {
      happens(fixture);
      throw lost();
    };
    const outcome = await fixture.press(id);
    expect(outcome).toMatchObject({ kind: 'unknown', confirmation: { id } });
    expect(said(outcome)).toEqual([
      'Outcome unknown: `server set` on `web`.',
      'The platform did not answer: the connection broke off.',
      '· It may have taken effect. Check before you repeat it.',
      ...words,
    ]);
    expect(await fixture.state(id)).toBe('unknown');
    expect(await fixture.audit()).toMatchObject([
      { outcome: 'unknown', detail: 'no answer: the connection broke off' },
    ]);
    expect(await fixture.store.reversals.read(id)).toMatchObject({ state: 'open' });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a part of it', { power: 'on', disk: 'ssd' }, '*The platform now shows*\nPower: `on`\nDisk: `ssd`'],
    ['all that it shows', { power: 'on' }, 'The platform now shows what you asked for: it took effect.'],
    ['nothing that was asked for', { noise: 'loud' }, '*The platform now shows*\nNoise: `loud`'],
  ])('is looked at field by field: it shows %s', async (_, present, words) => {
    const fixture = await createFixture();
    const operation = fixture.operations[0]!;
    operation.preview = async () => ({ before: { power: 'off' }, after: { power: 'on', disk: 'hdd' } });
    const id = await ask(fixture, 'server set web on');
    fixture.beforeRun = () => {
      operation.preview = async () => ({ before: present as never, after: {} });
      throw lost();
    };
    expect(said(await fixture.press(id)).at(-1)).toBe(words);
  });

  it('says what to do, where the command knows it', async () => {
    const fixture = await createFixture();
    fixture.beforeRun = fails(lost());
    expect(said(await fixture.do('key create shop')).slice(3)).toEqual([
      'The platform does not show whether it took effect.',
      'Look whether shop has a new key.',
    ]);
  });

  it('is one that failed in a way that nobody expected, with a reference', async () => {
    const fixture = await createFixture();
    fixture.beforeRun = fails(new Error('a bug'));
    const outcome = await fixture.do('server set web on');
    expect(outcome.kind).toBe('unknown');
    expect(said(outcome)).toEqual([
      'Outcome unknown: `server set` on `web`.',
      'Something went wrong inside Edgewise.',
      expect.stringContaining('Tell whoever runs Edgewise this reference'),
      'It may have taken effect anyway.',
      'The platform still shows the old state: it probably did not take effect.',
    ]);
    expect(await fixture.audit()).toMatchObject([
      { outcome: 'unknown', reference: expect.stringMatching(/^[0-9a-f]{8}$/) },
    ]);
    expect(fixture.logged).toMatchObject([{ level: 50, msg: 'unexpected error', operation: 'server set' }]);
  });

  it('is none when the request certainly did not leave', async () => {
    const fixture = await createFixture();
    fixture.beforeRun = fails(lost('no'));
    const outcome = await fixture.do('server set web on');
    expect(said(outcome)).toEqual([
      'Not done: `server set` on `web`.',
      'The platform did not answer: the connection broke off.',
      '· The request did not reach it, so nothing was changed.',
    ]);
    expect(await fixture.state(outcome.id)).toBe('failed');
  });
});
