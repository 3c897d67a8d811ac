import { afterEach, describe, expect, it, vi } from 'vitest';
import { moment } from '../../src/blocks/mrkdwn.ts';
import { breakGlass, requestApproval, vote } from '../../src/changes/approve.ts';
import { confirm } from '../../src/changes/confirm.ts';
import { notified, recover } from '../../src/changes/recover.ts';
import { OfferError, UsageError } from '../../src/errors.ts';
import { PlatformConnectionError, PlatformError } from '../../src/platform/errors.ts';
import { forced } from '../support/forced.ts';
import { ADA, asked, BEN, CYD, createHouse, type House, MINUTE, PLACE, said } from './house.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const ask = async (house: House, line: string) => asked(await house.type(line)).confirmation.id;
const lost = (applied: 'no' | 'maybe' = 'maybe') =>
  new PlatformConnectionError('the connection broke off', { applied, service: 'api', method: 'POST', path: '/lamp' });
const fails = (error: Error) => () => {
  throw error;
};
const NOTHING = '· Nothing was changed.';

describe('A change that is made', () => {
  it('is said to the channel with the button that takes it back, and is in the audit with what was shown', async () => {
    const house = await createHouse();
    const outcome = await house.do('lamp set hall on');
    expect(outcome).toMatchObject({ kind: 'done', confirmation: { id: outcome.id } });
    expect(outcome).not.toHaveProperty('reveal');
    expect(said(outcome)).toEqual(['The lamp hall is *on*.', '· <@UADA> · `lamp set`', '[Undo: undo]']);
    const button = (outcome as unknown as { message: { blocks: { elements: unknown[] }[] } }).message.blocks[2]!
      .elements[0];
    expect(button).toMatchObject({
      value: outcome.id,
      confirm: {
        title: { text: 'Take it back?' },
        text: { text: 'It is put back only if nothing else has changed it since.' },
        confirm: { text: 'Take it back' },
      },
    });
    expect(await house.state(outcome.id)).toBe('done');
    expect(await house.audit()).toMatchObject([
      {
        actor: 'UADA',
        team: 'T1',
        channel: 'C0HOUSE',
        operation: 'lamp set',
        target: 'hall',
        given: { lamp: '1', power: 'on' },
        outcome: 'done',
        detail: '',
        rule: 'the role family may run everything (the policy line 5)',
        preview: { before: { power: 'off' }, after: { power: 'on' } },
        confirmation: outcome.id,
      },
    ]);
    expect(await house.store.reversals.read(outcome.id)).toMatchObject({
      state: 'open',
      given: { lamp: '1', power: 'off' },
    });
  });

  it('is put back by itself after its time, which the arguments that put it back do not repeat', async () => {
    const house = await createHouse();
    const outcome = await house.do('lamp set hall on --for 30m');
    expect(said(outcome)).toEqual([
      'The lamp hall is *on*.',
      `· <@UADA> · \`lamp set\` · for 30 min: put back by itself ${moment(new Date('2026-11-21T12:30:00Z')).value}`,
      '[Put back now: undo]',
    ]);
    expect(await house.store.reversals.read(outcome.id)).toMatchObject({
      given: { lamp: '1', power: 'off' },
      dueAt: new Date(house.now().getTime() + 30 * MINUTE),
    });
  });

  it('has no button where it cannot be taken back, or nobody knows what was there before', async () => {
    const house = await createHouse();
    const bell = await house.do('bell ring 3');
    expect(said(bell)).toEqual(['It rang.', '· <@UADA> · `bell ring`']);
    expect(await house.store.reversals.read(bell.id)).toBeUndefined();
    house.unread = 'the fuse is out';
    expect(said(await house.do('lamp set hall on'))).toEqual(['The lamp hall is *on*.', '· <@UADA> · `lamp set`']);
  });

  it('shows a secret to the one who asked, and the audit keeps what may be kept', async () => {
    const house = await createHouse();
    const outcome = await house.do('key make front');
    expect(outcome).toMatchObject({ kind: 'done', reveal: { text: 'The key for front is 4711.' } });
    expect((await house.audit())[0]).toMatchObject({ given: { door: '(a door)' }, target: 'front' });
    expect(await house.do('key make none')).not.toHaveProperty('reveal');
  });

  it('reads everything anew, where it was asked, as the one who pressed, in ten minutes at most', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const house = await createHouse();
    const place = { channelId: 'C0HOUSE', threadTs: '1.2' };
    const { id } = asked(await house.type('lamp set hall on', ADA, { place })).confirmation;
    const progress: unknown[] = [];
    const reader = { locale: 'de', timezone: 'UTC', now: house.now() };
    await confirm(house.changes, id, { actor: ADA, reader }, (...told) => void progress.push(told));
    expect(progress).toEqual([[1, 2]]);
    expect(house.lookups.at(-1)).toEqual({ fresh: true, given: { lamp: '1', power: 'on' } });
    expect(house.contexts.at(-1)).toMatchObject({ place, actor: ADA, reader });
    expect(timeout.mock.calls.at(-1)).toEqual([10 * MINUTE]);
    await house.press(asked(await house.type('lamp set hall dim')).confirmation.id);
    expect(house.contexts.at(-1)?.place).toEqual(PLACE);
  });

  it('says every quarter of a minute that it is alive, until it ends', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const renew = vi.spyOn(house.store.confirmations, 'renew');
    house.afterRun = () => {
      vi.advanceTimersByTime(14_999);
      expect(renew).not.toHaveBeenCalled();
      house.storeFails = (sql) => sql.includes('iif(lease_until');
      vi.advanceTimersByTime(15_001);
      expect(renew.mock.calls).toEqual([[id], [id]]);
    };
    await house.press(id);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(renew).toHaveBeenCalledTimes(2);
    expect(house.logged).toMatchObject([
      { level: 40, msg: 'a claim could not be renewed', err: { message: 'the store is gone' } },
      { level: 40, msg: 'a claim could not be renewed' },
    ]);
  });

  it('is said to be made even when the store fails right after it', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.afterRun = () => {
      house.storeFails = () => true;
    };
    const outcome = await house.press(id);
    expect(said(outcome)[0]).toBe('The lamp hall is *on*.');
    expect(house.logged).toMatchObject([
      {
        level: 50,
        msg: 'how a change ended could not be written down',
        confirmation: id,
        err: { message: 'the store is gone' },
      },
    ]);
  });

  it.each([
    [[BEN], 'cellar', 'approved by UBEN'],
    [[BEN, CYD], 'attic', 'approved by UBEN, UCYD'],
  ])('names who approved it: %o', async (approvers, lamp, detail) => {
    const house = await createHouse();
    const id = await ask(house, `lamp set ${lamp} on`);
    await requestApproval(house.changes, id, ADA, 'so that I see');
    for (const approver of approvers) await vote(house.changes, id, approver, 'approved', '');
    expect(await house.press(id)).toMatchObject({ kind: 'done' });
    expect((await house.audit()).at(-1)).toMatchObject({ outcome: 'done', detail });
  });

  it('says that nobody approved what was let through without', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set cellar on');
    await breakGlass(house.changes, id, ADA, 'a flood', async () => undefined);
    expect(await house.press(id)).toMatchObject({ kind: 'done' });
    expect((await house.audit()).at(-1)).toMatchObject({ outcome: 'done', detail: 'without approval: a flood' });
  });
});

describe('A change that is not made', () => {
  it.each<[string, string, (house: House) => void, string[]]>([
    [
      'the state is another one than was shown',
      'lamp set hall on',
      (house) => house.lamps.set('hall', 'dim'),
      [
        'Nothing was done: `hall` has changed since you asked.',
        '*When you asked*\nPower: `off`',
        '*Now*\nPower: `dim`',
        '· Look at it again, then repeat the command if you still want it.',
      ],
    ],
    [
      'the state cannot be read any more',
      'lamp set hall on',
      (house) => {
        house.unread = 'the fuse is out';
      },
      [
        'Nothing was done: `hall` has changed since you asked.',
        '*When you asked*\nPower: `off`',
        '*Now*\nnot known: the fuse is out',
        '· Look at it again, then repeat the command if you still want it.',
      ],
    ],
    [
      'what it comes to is another one',
      'lamp set hall on',
      (house) => {
        const operation = house.operations[0]!;
        const { preview } = operation;
        operation.preview = async (values, context) => ({
          ...(await preview!(values, context)),
          after: { power: 'on', colour: 'red' },
        });
      },
      [
        'Nothing was done: `hall` has changed since you asked.',
        '*When you asked*\nPower: `on`',
        '*Now*\nPower: `on`\nColour: `red`',
        '· Look at it again, then repeat the command if you still want it.',
      ],
    ],
    [
      'the name means something else',
      'lamp set hall on',
      (house) => {
        house.operations[0]!.target = () => 'entrance';
      },
      [
        'Nothing was done: `hall` has changed since you asked.',
        '*When you asked*\nPower: `on`',
        '*Now*\nPower: `on`',
        '· Look at it again, then repeat the command if you still want it.',
      ],
    ],
  ])('because %s', async (_, line, happens, words) => {
    const house = await createHouse();
    const id = await ask(house, line);
    happens(house);
    const outcome = await house.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(outcome)).toEqual(words);
    expect(house.done).toEqual([]);
    expect(await house.state(id)).toBe('overtaken');
    expect(await house.audit()).toMatchObject([
      { outcome: 'refused', detail: 'changed since it was asked', confirmation: id },
    ]);
    expect(await house.store.reversals.read(id)).toBeUndefined();
    await notified(house.changes, id);
    house.pass(2 * MINUTE);
    expect(await recover(house.changes)).toEqual([]);
  });

  it('because the right is gone, whatever the target is', async () => {
    const house = await createHouse();
    const ids = [await ask(house, 'bell ring 3'), await ask(house, 'lamp set kitchen on')];
    house.ruledBy(
      'roles:\n  less:\n    people: [UADA]\n    allow:\n      - operations: lamp set\n        where: { lamp: hall }\n',
    );
    const [bell, lamp] = [await house.press(ids[0]!), await house.press(ids[1]!)];
    expect(said(bell)).toEqual(['You may not run bell ring: only the role admins may.', '· Ask <@UADM>.', NOTHING]);
    expect(said(lamp)[0]).toMatch(/^You may not run lamp set on kitchen: /);
    expect(house.lookups.filter(({ given }) => given.times !== undefined)).toEqual([]);
    expect(await house.audit()).toMatchObject([
      { outcome: 'failed', detail: 'You may not run bell ring: only the role admins may.' },
      { outcome: 'failed' },
    ]);
    expect(house.done).toEqual([]);
  });

  it('because it needs an approval by now', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.ruledBy(
      'roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\napproval:\n  - operations: lamp set\n    approvers: { people: [UBEN] }\n',
    );
    const outcome = await house.press(id);
    expect(said(outcome)).toEqual([
      'This needs 1 of 1 named person by now.',
      '· Repeat the command to ask for it.',
      NOTHING,
    ]);
    expect(await house.state(id)).toBe('failed');
    expect(house.done).toEqual([]);
  });

  it.each([
    ['who approved it may not by now', '{ people: [UCYD] }', '', []],
    ['it needs two of them by now', '{ people: [UBEN, UCYD] }', '    count: 2\n', []],
    ['nothing is let through without by now', '{ people: [UBEN] }', '', ['glass']],
  ])('because %s', async (_, approvers, more, [glass]) => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set cellar on');
    if (glass === undefined) {
      await requestApproval(house.changes, id, ADA, 'so that I see');
      await vote(house.changes, id, BEN, 'approved', '');
    } else await breakGlass(house.changes, id, ADA, 'a flood', async () => undefined);
    house.ruledBy(
      `roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\napproval:\n  - operations: lamp set\n    approvers: ${approvers}\n${more}`,
    );
    expect(said(await house.press(id))[0]).toMatch(/^This needs .* by now\.$/);
    expect(await house.state(id)).toBe('failed');
    expect(house.done).toEqual([]);
  });

  it('because the command does not exist any more', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.operations.splice(0, 1);
    const outcome = await house.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(outcome)).toEqual(['This command does not exist any more. Nothing was done.']);
    expect(await house.store.confirmations.read(id)).toMatchObject({
      state: 'refused',
      outcome: 'the command does not exist any more',
    });
    await notified(house.changes, id);
    house.pass(2 * MINUTE);
    expect(await recover(house.changes)).toEqual([]);
  });

  it('because what was asked for was sealed with another key', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    await forced(house.store.database, `UPDATE confirmations SET given = 'sealed:AAAA'`);
    const outcome = await house.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(outcome)).toEqual([
      'What you asked for cannot be read any more: the key of the bot’s store has changed. Nothing was done.',
      '· Repeat the command.',
    ]);
    expect(await house.store.confirmations.read(id)).toMatchObject({
      state: 'refused',
      outcome: 'sealed with another key',
    });
    await notified(house.changes, id);
    house.pass(2 * MINUTE);
    expect(await recover(house.changes)).toEqual([]);
  });

  it('because somebody took the claim for dead while it was read again', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.beforePreview = async () => {
      house.beforePreview = () => undefined;
      house.pass(2 * MINUTE);
      await house.store.confirmations.abandoned();
    };
    const outcome = await house.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(said(outcome)).toEqual([
      'This was not done: not sent: the bot stopped before the request left.',
      '· Repeat the command if you still want it.',
    ]);
    expect(house.done).toEqual([]);
  });

  it('because the platform said no, and says so', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.beforeRun = fails(
      new PlatformError('The bulb is gone', { status: 400, service: 'api', method: 'POST', path: '/' }),
    );
    const outcome = await house.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done', confirmation: { id } });
    expect(outcome).not.toHaveProperty('offer');
    expect(said(outcome)).toEqual(['The platform said no: The bulb is gone.', '· status 400', NOTHING]);
    expect(await house.state(id)).toBe('failed');
    expect(await house.audit()).toMatchObject([{ outcome: 'failed', detail: '400: The bulb is gone' }]);
    expect(house.logged).toMatchObject([{ level: 20, msg: 'not done', operation: 'lamp set', outcome: 'refused' }]);
    expect(await house.store.reversals.read(id)).toMatchObject({ state: 'kept' });
    await notified(house.changes, id);
    house.pass(2 * MINUTE);
    expect(await recover(house.changes)).toEqual([]);
  });

  it('and nothing was sent when reading failed, however it failed', async () => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.beforePreview = fails(lost());
    const outcome = await house.press(id);
    expect(outcome).toMatchObject({ kind: 'not-done' });
    expect(await house.state(id)).toBe('failed');
  });

  it('offers what can be gone on with, with buttons of its own', async () => {
    const house = await createHouse();
    const id = await ask(house, 'key make front');
    const offer = (operation: string) =>
      fails(new OfferError(new UsageError('There is one.'), { label: 'Again', operation, given: { door: 'front' } }));
    house.beforeRun = offer('key again');
    const outcome = await house.press(id);
    expect(said(outcome)).toEqual(['There is one.', NOTHING]);
    expect(outcome).toMatchObject({
      offer: { kind: 'question', confirmation: { operation: 'key again', target: 'front' } },
    });
    house.beforeRun = offer('key never');
    expect(await house.do('key make front')).not.toHaveProperty('offer');
  });
});

describe('A change of which nobody knows whether it was made', () => {
  it.each<[string, (house: House) => void, string[]]>([
    [
      'it took effect',
      (house) => house.lamps.set('hall', 'on'),
      ['The platform now shows what you asked for: it took effect.'],
    ],
    [
      'it did not',
      () => undefined,
      ['The platform still shows the state from before: it probably did not take effect.'],
    ],
    ['something else', (house) => house.lamps.set('hall', 'dim'), ['*The platform now shows*\nPower: `dim`']],
    [
      'nothing',
      (house) => {
        house.unread = '';
      },
      ['The platform does not show whether it took effect. Look there before you repeat it.'],
    ],
    [
      'that it cannot be read',
      (house) => {
        house.beforePreview = fails(lost('no'));
      },
      ['What the platform shows now could not be read: no answer: the connection broke off.'],
    ],
    [
      'that it is not there',
      (house) => {
        house.beforePreview = fails(new UsageError('There is no lamp “hall”.'));
      },
      ['It was looked at again: There is no lamp “hall”.'],
    ],
  ])('is looked at once more: it shows %s', async (_, happens, words) => {
    const house = await createHouse();
    const id = await ask(house, 'lamp set hall on');
    house.beforeRun = () => {
      happens(house);
      throw lost();
    };
    const outcome = await house.press(id);
    expect(outcome).toMatchObject({ kind: 'unknown', confirmation: { id } });
    expect(said(outcome)).toEqual([
      'The platform did not answer: the connection broke off.',
      '· Whether it took effect is not known. Look before you repeat it.',
      ...words,
    ]);
    expect(await house.state(id)).toBe('unknown');
    expect(await house.audit()).toMatchObject([{ outcome: 'unknown', detail: 'no answer: the connection broke off' }]);
    expect(await house.store.reversals.read(id)).toMatchObject({ state: 'open' });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a part of it', { power: 'on', colour: 'red' }, '*The platform now shows*\nPower: `on`\nColour: `red`'],
    ['all that it shows', { power: 'on' }, 'The platform now shows what you asked for: it took effect.'],
    ['nothing that was asked for', { smell: 'burnt' }, '*The platform now shows*\nSmell: `burnt`'],
  ])('is looked at field by field: it shows %s', async (_, present, words) => {
    const house = await createHouse();
    const operation = house.operations[0]!;
    operation.preview = async () => ({ before: { power: 'off' }, after: { power: 'on', colour: 'blue' } });
    const id = await ask(house, 'lamp set hall on');
    house.beforeRun = () => {
      operation.preview = async () => ({ before: present as never, after: {} });
      throw lost();
    };
    expect(said(await house.press(id)).at(-1)).toBe(words);
  });

  it('says what to do, where the command knows it', async () => {
    const house = await createHouse();
    house.beforeRun = fails(lost());
    expect(said(await house.do('key make front')).slice(2)).toEqual([
      'The platform does not show whether it took effect.',
      'Look whether front has a new lock.',
    ]);
  });

  it('is one that failed in a way that nobody expected, with a reference', async () => {
    const house = await createHouse();
    house.beforeRun = fails(new Error('a bulb burst'));
    const outcome = await house.do('lamp set hall on');
    expect(outcome.kind).toBe('unknown');
    expect(said(outcome)).toEqual([
      'Something went wrong inside Edgewise.',
      expect.stringContaining('Tell whoever runs it this reference'),
      'It may have taken effect all the same.',
      'The platform still shows the state from before: it probably did not take effect.',
    ]);
    expect(await house.audit()).toMatchObject([
      { outcome: 'unknown', reference: expect.stringMatching(/^[0-9a-f]{8}$/) },
    ]);
    expect(house.logged).toMatchObject([{ level: 50, msg: 'unexpected error', operation: 'lamp set' }]);
  });

  it('is none when the request certainly did not leave', async () => {
    const house = await createHouse();
    house.beforeRun = fails(lost('no'));
    const outcome = await house.do('lamp set hall on');
    expect(said(outcome)).toEqual([
      'The platform did not answer: the connection broke off.',
      '· The request did not reach it, so nothing was changed.',
      NOTHING,
    ]);
    expect(await house.state(outcome.id)).toBe('failed');
  });
});
