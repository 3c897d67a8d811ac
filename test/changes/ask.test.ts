import { afterEach, describe, expect, it, vi } from 'vitest';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { ask } from '../../src/changes/ask.ts';
import { previewAgain } from '../../src/changes/preview.ts';
import { findConfirmation } from '../../src/changes/services.ts';
import { suggest } from '../../src/changes/suggest.ts';
import { ForbiddenError, UsageError } from '../../src/errors.ts';
import { ADA, asked, BEN, CYD, createHouse, DAN, FOREIGN_ADA, MINUTE, PLACE, said, shown } from './house.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('Asking to read', () => {
  it('is answered at once, kept for sharing with the one who asked, and remembered', async () => {
    const house = await createHouse();
    const answer = await house.type('lamp list downstairs');
    expect(answer).toMatchObject({ kind: 'result' });
    expect(said(answer)).toEqual(['hall, kitchen (Europe/Berlin)']);
    const { shareId = '' } = answer as { shareId?: string };
    expect(await house.store.results.read(shareId, ADA)).toEqual((answer as { message: unknown }).message);
    expect(await house.store.results.read(shareId, BEN)).toBeUndefined();
    expect(await house.audit()).toMatchObject([
      {
        actor: 'UADA',
        team: 'T1',
        channel: 'C0HOUSE',
        operation: 'lamp list',
        target: 'downstairs',
        given: { room: 'downstairs' },
        outcome: 'done',
        rule: 'the role family may run everything (the policy line 5)',
      },
    ]);
    expect((await house.audit())[0]).not.toHaveProperty('confirmation');
  });

  it('keeps neither what comes as a file nor what is asked too often to be remembered', async () => {
    const house = await createHouse();
    expect(await house.type('lamp list --file')).not.toHaveProperty('shareId');
    expect(await house.type('status')).not.toHaveProperty('shareId');
    expect((await house.audit()).map(({ operation }) => operation)).toEqual(['lamp list']);
  });

  it('believes a list of a moment ago, which a change does not', async () => {
    const house = await createHouse();
    await house.type('lamp look hall');
    await house.type('lamp set hall on');
    expect(house.lookups).toEqual([
      { fresh: false, given: { lamp: 'hall' } },
      { fresh: true, given: { lamp: 'hall', power: 'on' } },
    ]);
  });

  it('is given who asks, where, as whom, and what time it is', async () => {
    const house = await createHouse();
    const place = { channelId: 'C0HOUSE', threadTs: '1.2' };
    await house.type('lamp list', BEN, { place });
    expect(house.contexts[0]).toMatchObject({
      actor: BEN,
      place,
      now: house.now(),
      reader: { locale: 'en-GB', timezone: 'Europe/Berlin' },
    });
  });

  /** Somebody asks for a list that never comes. */
  async function waiting(stop?: AbortSignal) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const house = await createHouse();
    const signal = () => house.contexts[0]!.signal;
    house.beforeRun = () =>
      new Promise((_, fail) => signal().addEventListener('abort', () => fail(signal().reason as Error)));
    const operation = house.operations.find(({ name }) => name === 'lamp list')!;
    const reader = { locale: 'en', timezone: 'UTC', now: house.now() };
    const answer = ask(house.changes, { operation, given: {}, actor: ADA, place: PLACE, reader }, { stop });
    while (house.contexts.length === 0) await new Promise((settle) => setImmediate(settle));
    return { answer, signal };
  }

  it('ends after ten minutes, and says so', async () => {
    const { answer, signal } = await waiting();
    vi.advanceTimersByTime(10 * MINUTE - 1);
    expect(signal().aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(said(await answer)).toEqual(['It took longer than 10 minutes, so it was stopped. Nothing was changed.']);
  });

  it('ends when the person does not want it any more', async () => {
    const stop = new AbortController();
    const { answer } = await waiting(stop.signal);
    stop.abort(new UsageError('You stopped it.'));
    expect(said(await answer)).toEqual(['You stopped it.']);
  });

  it('says how far it is', async () => {
    const house = await createHouse();
    const operation = house.operations.find(({ name }) => name === 'lamp look')!;
    const run = operation.run;
    operation.run = (values, context) => {
      context.progress(1, 2);
      return run(values, context);
    };
    const reader = { locale: 'en', timezone: 'UTC', now: house.now() };
    const told: unknown[] = [];
    const progress = (...how: unknown[]) => void told.push(how);
    await ask(house.changes, { operation, given: { lamp: 'hall' }, actor: ADA, place: PLACE, reader }, { progress });
    expect(told).toEqual([[1, 2]]);
  });
});

describe('Asking for a change', () => {
  it('shows the state now and after, and stores exactly what is meant', async () => {
    const house = await createHouse();
    const place = { channelId: 'C0HOUSE', threadTs: '1.2' };
    const answer = asked(await house.type('lamp set 1 on', ADA, { place }));
    expect(said(answer)).toEqual(['*Switch a lamp*\n`hall`', 'Power: `off` → `on`']);
    expect(answer).not.toHaveProperty('approval');
    expect(answer.confirmation).toEqual({
      id: expect.stringMatching(/^[\w-]{16}$/),
      operation: 'lamp set',
      given: { lamp: '1', power: 'on' },
      target: 'hall',
      preview: { before: { power: 'off' }, after: { power: 'on' } },
      actor: 'UADA',
      team: 'T1',
      channel: 'C0HOUSE',
      thread: '1.2',
      state: 'asked',
      createdAt: house.now(),
      expiresAt: new Date(house.now().getTime() + 15 * MINUTE),
    });
    expect(house.done).toEqual([]);
    expect(await house.audit()).toEqual([]);
  });

  it('says what else is worth knowing, of the preview and of a longer look', async () => {
    const house = await createHouse();
    const details = (words: string) => ({
      text: words,
      blocks: [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text: words } }],
    });
    house.preflight = { warnings: ['It is the last bulb.'], details: details('bulbs: 1') };
    expect(said(await house.type('lamp set hall dim'))).toEqual([
      '*Switch a lamp*\n`hall`',
      'Power: `off` → `dim`',
      ':warning: It may flicker.',
      ':warning: It is the last bulb.',
      'bulbs: 1',
    ]);
  });

  it('says that the present state is not known, and why', async () => {
    const house = await createHouse();
    house.unread = 'the fuse is out';
    expect(said(await house.type('lamp set hall on'))).toContain('· The present state is not known: the fuse is out.');
    expect(said(await house.type('bell ring 3'))).toEqual([
      '*Ring the bell*\n`the bell 3`',
      '· The present state is not known: the platform does not show it.',
    ]);
  });

  it('says when it is put back by itself, and refuses what could not be', async () => {
    const house = await createHouse();
    for (const [typed, words] of [
      ['30m', '30 min'],
      ['2h', '2 h'],
      ['90m', '90 min'],
    ]) {
      expect(said(await house.type(`lamp set hall on --for ${typed}`)).slice(-2)).toEqual([
        `*Then, ${words} after it was done, back by itself*\nPower: \`on\` → \`off\``,
        '· Only if nothing else has changed it by then.',
      ]);
    }
    house.unread = 'the fuse is out';
    const refused = await house.type('lamp set hall on --for 30m');
    expect(refused).toMatchObject({ kind: 'problem', argument: 'for', outcome: 'usage' });
    expect(said(refused)).toEqual([
      'It could not be put back: the platform does not show the present state.',
      '· Leave --for out.',
    ]);
  });

  it('wants the name typed for what cannot be taken back, unless --force says otherwise', async () => {
    const house = await createHouse();
    expect(asked(await house.type('box burn old')).confirmation.typedName).toBe('old');
    expect(asked(await house.type('box burn old --force')).confirmation).not.toHaveProperty('typedName');
    expect(asked(await house.type('lamp set hall on')).confirmation).not.toHaveProperty('typedName');
  });

  it('says who has to approve it, and whether the glass can be broken', async () => {
    const house = await createHouse();
    const cellar = asked(await house.type('lamp set cellar on'));
    expect(cellar.approval).toEqual({ words: '1 of 3 named people (<@UBEN>, <@UCYD>)', breakGlass: true });
    expect(cellar.confirmation).toMatchObject({
      state: 'drafted',
      approval: {
        count: 1,
        lifetime: 60 * MINUTE,
        names: { lamp: [['cellar', '3']], room: [['below']], power: [['on']], for: [] },
      },
    });
    const attic = asked(await house.type('lamp set attic on'));
    expect(attic.approval).toEqual({ words: '2 of 2 named people (<@UBEN>, <@UCYD>)', breakGlass: false });
  });

  it('opens the form for what is missing', async () => {
    const house = await createHouse();
    expect(await house.type('lamp set')).toEqual({ kind: 'form', missing: ['lamp', 'power'] });
  });

  it('cannot be typed where only a button offers it', async () => {
    const house = await createHouse();
    const operation = house.operations.find(({ name }) => name === 'key again')!;
    const request = { operation, given: { door: 'front' }, actor: ADA, place: PLACE };
    const reader = { locale: 'en', timezone: 'UTC', now: house.now() };
    expect(said(await ask(house.changes, { ...request, reader }))).toEqual([
      'key again cannot be typed: a button offers it when key make was refused.',
    ]);
    expect(await house.type('key again', ADA, { offered: true })).toMatchObject({ kind: 'question' });
  });
});

describe('Asking in vain', () => {
  it('is refused with the rule and whom to ask, before anything is looked up, and remembered', async () => {
    const house = await createHouse();
    const answer = await house.type('bell ring 3', DAN);
    expect(answer).toMatchObject({
      kind: 'problem',
      outcome: 'forbidden',
      summary: 'You may not run bell ring: only the roles admins, family may.',
    });
    expect(said(answer)).toEqual([
      'You may not run bell ring: only the roles admins, family may.',
      '· Ask <@UADM>, <@UADA>, <@UBEN>, <@UCYD>.',
    ]);
    expect(await house.audit()).toMatchObject([
      {
        actor: 'UDAN',
        channel: 'C0HOUSE',
        operation: 'bell ring',
        target: '',
        given: { times: '3' },
        outcome: 'forbidden',
        detail: 'You may not run bell ring: only the roles admins, family may.',
      },
    ]);
  });

  it('is refused on a target that the rule does not mean, by its name and its id', async () => {
    const house = await createHouse();
    for (const lamp of ['kitchen', '2']) {
      const answer = await house.type(`lamp set ${lamp} on`, DAN);
      expect(said(answer)[0]).toBe(
        'You may not run lamp set on kitchen: the role guest may run lamp set only where lamp is hall (the policy line 9).',
      );
    }
    expect((await house.audit()).map(({ target }) => target)).toEqual(['kitchen', 'kitchen']);
    expect(await house.type('lamp set 1 on', DAN)).toMatchObject({ kind: 'question' });
  });

  it('names the argument at fault, and is not remembered', async () => {
    const house = await createHouse();
    const answer = await house.type('lamp set garage on');
    expect(answer).toMatchObject({
      kind: 'problem',
      outcome: 'usage',
      argument: 'lamp',
      summary: 'There is no lamp “garage”.',
    });
    expect(said(answer)).toEqual(['There is no lamp “garage”.', '· `/edge lamp list` shows them.']);
    expect(await house.audit()).toEqual([]);
    expect(house.logged).toMatchObject([
      { level: 20, msg: 'not done', operation: 'lamp set', outcome: 'usage', problem: 'There is no lamp “garage”.' },
    ]);
  });

  it('keeps the argument that a look-up itself names', async () => {
    const house = await createHouse();
    const kind = house.operations[0]!.args.power!;
    kind.resolve = () => {
      throw new UsageError('Not while it rains.', { argument: 'weather' });
    };
    expect(await house.type('lamp set hall on')).toMatchObject({ argument: 'weather', summary: 'Not while it rains.' });
    kind.resolve = () => {
      throw new UsageError('Not now.');
    };
    const answer = await house.type('lamp set hall on');
    expect(answer).toMatchObject({ argument: 'power' });
    expect(said(answer)).toEqual(['Not now.']);
    kind.resolve = () => {
      throw new ForbiddenError('Never.', 'because');
    };
    const never = await house.type('lamp set hall on');
    expect(never).toMatchObject({ outcome: 'forbidden' });
    expect(never).not.toHaveProperty('argument');
  });

  it('gives a reference for what nobody expected, which is in the log and in the audit', async () => {
    const house = await createHouse();
    house.beforeRun = () => {
      throw new Error('a bulb burst');
    };
    const answer = await house.type('lamp list');
    const [, hint = ''] = said(answer);
    const reference = /`([0-9a-f]{8})`/.exec(hint)?.[1];
    expect(answer).toMatchObject({ outcome: 'error', summary: `unexpected error ${reference}` });
    expect(house.logged).toMatchObject([
      { level: 50, msg: 'unexpected error', reference, operation: 'lamp list', err: { message: 'a bulb burst' } },
    ]);
    expect(await house.audit()).toMatchObject([
      { outcome: 'error', reference, detail: `unexpected error ${reference}` },
    ]);
  });

  it('ends with words even when the store fails too', async () => {
    const house = await createHouse();
    house.storeFails = () => true;
    const answer = await house.type('bell ring 3', DAN);
    expect(answer).toMatchObject({ kind: 'problem', outcome: 'error', summary: 'the store failed' });
    expect(said(answer)[0]).toBe('Something went wrong inside Edgewise.');
    expect(house.logged.at(-1)).toMatchObject({
      level: 50,
      msg: 'the store failed while a problem was reported',
      err: { message: 'the store is gone' },
    });
  });
});

describe('The preview for the view in which the name is typed', () => {
  it('is read again, and only for the one who asked', async () => {
    const house = await createHouse();
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const { id } = asked(await house.type('lamp set hall on')).confirmation;
    house.lamps.set('hall', 'dim');
    expect(shown((await previewAgain(house.changes, id, ADA))!)).toEqual([
      '*Switch a lamp*\n`hall`',
      'Power: `dim` → `on`',
    ]);
    expect(house.lookups.at(-1)).toEqual({ fresh: true, given: { lamp: '1', power: 'on' } });
    expect(house.contexts.at(-1)).toMatchObject({ place: { channelId: 'C0HOUSE' }, actor: ADA });
    expect(timeout.mock.calls).toEqual([[10 * MINUTE]]);
    expect(await previewAgain(house.changes, id, BEN)).toBeUndefined();
    expect(await previewAgain(house.changes, 'unknown', ADA)).toBeUndefined();
    house.operations.splice(0, 1);
    expect(await previewAgain(house.changes, id, ADA)).toBeUndefined();
  });

  it('is for those who decide too, as the one who asked would see it, while it waits for them', async () => {
    const house = await createHouse();
    const { id } = asked(await house.type('lamp set attic on')).confirmation;
    expect(await previewAgain(house.changes, id, BEN)).toBeUndefined();
    await requestApproval(house.changes, id, ADA, 'so that I see');
    expect(shown((await previewAgain(house.changes, id, BEN))!)).toEqual([
      '*Switch a lamp*\n`attic`',
      'Power: `off` → `on`',
    ]);
    expect(house.contexts.at(-1)!.actor).toEqual(ADA);
    await previewAgain(house.changes, id, { ...ADA, kind: 'guest' });
    expect(house.contexts.at(-1)!.actor).toEqual({ ...ADA, kind: 'guest' });
    expect(await previewAgain(house.changes, id, DAN)).toBeUndefined();
    for (const approver of [BEN, CYD]) await vote(house.changes, id, approver, 'approved', '');
    expect(await previewAgain(house.changes, id, BEN)).toBeUndefined();
  });

  it('is found by the id of the confirmation, with its operation', async () => {
    const house = await createHouse();
    const { confirmation } = asked(await house.type('lamp set hall on'));
    const operation = house.operations[0];
    expect(await findConfirmation(house.changes, confirmation.id)).toEqual({ confirmation, operation });
    expect(await findConfirmation(house.changes, 'unknown')).toBeUndefined();
    house.operations.splice(0, 1);
    expect(await findConfirmation(house.changes, confirmation.id)).toBeUndefined();
  });
});

describe('Suggestions', () => {
  const OPTIONS = [
    { label: 'Hall', value: '1', names: { lamp: ['hall', '1'], room: ['downstairs'] } },
    { label: 'Kitchen', value: '2', names: { lamp: ['kitchen', '2'], room: ['downstairs'] } },
    { label: 'Any', value: 'any' },
  ];
  const suggested = async (house: Awaited<ReturnType<typeof createHouse>>, argument: string, actor = ADA) => {
    const operation = house.operations.find(({ name }) => name === 'lamp set')!;
    const reader = { locale: 'en', timezone: 'UTC', now: house.now() };
    return suggest(house.changes, { operation, given: { power: 'on' }, actor, place: PLACE, reader }, argument, 'ha');
  };

  it('are those that the person may choose', async () => {
    const house = await createHouse();
    const queries: unknown[] = [];
    house.suggests = async (query, { given, fresh }) => {
      queries.push({ query, given, fresh });
      return OPTIONS;
    };
    expect(await suggested(house, 'lamp')).toEqual(OPTIONS);
    expect(await suggested(house, 'lamp', DAN)).toEqual([OPTIONS[0], OPTIONS[2]]);
    expect(queries[0]).toEqual({ query: 'ha', given: { power: 'on' }, fresh: false });
  });

  it('are none for who may not run it, where there are none, and when they cannot be had', async () => {
    const house = await createHouse();
    house.suggests = async () => OPTIONS;
    expect(await suggested(house, 'lamp', { ...FOREIGN_ADA, kind: 'stranger' })).toEqual([]);
    expect(await suggested(house, 'power')).toEqual([]);
    expect(await suggested(house, 'nothing')).toEqual([]);
    house.suggests = async () => {
      throw new Error('no list');
    };
    expect(await suggested(house, 'lamp')).toEqual([]);
    expect(house.logged).toMatchObject([
      { level: 40, msg: 'no suggestions', operation: 'lamp set', argument: 'lamp', err: { message: 'no list' } },
    ]);
  });

  it('are none when they take longer than two seconds', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const house = await createHouse();
    house.suggests = () => new Promise(() => undefined);
    const waiting = suggested(house, 'lamp');
    expect(timeout.mock.calls).toEqual([[2_000]]);
    limit.abort();
    expect(await waiting).toEqual([]);
  });
});
