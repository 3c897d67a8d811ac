import { afterEach, describe, expect, it, vi } from 'vitest';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { ask, suggest } from '../../src/changes/ask.ts';
import { findConfirmation } from '../../src/changes/context.ts';
import { previewAgain } from '../../src/changes/preview.ts';
import { ForbiddenError, UsageError } from '../../src/errors.ts';
import { beginInteraction, during } from '../../src/interaction.ts';
import { ADA, asked, BEN, CYD, createFixture, DAN, FOREIGN_ADA, MINUTE, PLACE, said, shown } from './fixture.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('Asking to read', () => {
  it('is answered at once, kept for sharing with the one who asked, and remembered', async () => {
    const fixture = await createFixture();
    const answer = await fixture.type('server list europe');
    expect(answer).toMatchObject({ kind: 'result' });
    expect(said(answer)).toEqual(['web, mail (Europe/Berlin)']);
    const { shareId = '' } = answer as { shareId?: string };
    expect(await fixture.store.results.take(shareId, BEN)).toBeUndefined();
    expect(await fixture.store.results.take(shareId, ADA)).toMatchObject({
      message: (answer as { message: unknown }).message,
      operation: 'server list',
    });
    expect(await fixture.audit()).toMatchObject([
      {
        actor: 'UADA',
        team: 'T1',
        channel: 'C0OPS',
        operation: 'server list',
        target: 'europe',
        given: { region: 'europe' },
        outcome: 'done',
        rule: 'the role operators may run everything (the policy line 5)',
      },
    ]);
    expect((await fixture.audit())[0]).not.toHaveProperty('confirmation');
  });

  it('keeps neither what comes as a file nor what is asked too often to be remembered', async () => {
    const fixture = await createFixture();
    expect(await fixture.type('server list --file')).not.toHaveProperty('shareId');
    expect(await fixture.type('status')).not.toHaveProperty('shareId');
    expect((await fixture.audit()).map(({ operation }) => operation)).toEqual(['server list']);
  });

  it('believes a list of a moment ago, which a change does not', async () => {
    const fixture = await createFixture();
    await fixture.type('server look web');
    await fixture.type('server set web on');
    expect(fixture.lookups).toEqual([
      { fresh: false, given: { server: 'web' } },
      { fresh: true, given: { server: 'web', power: 'on' } },
    ]);
  });

  it('is given who asks, where, as whom, and what time it is', async () => {
    const fixture = await createFixture();
    const place = { channelId: 'C0OPS', threadTs: '1.2', external: false };
    await fixture.type('server list', BEN, { place });
    expect(fixture.contexts[0]).toMatchObject({
      actor: BEN,
      place,
      now: fixture.now(),
      reader: { locale: 'en-GB', timezone: 'Europe/Berlin' },
    });
  });

  /** Somebody asks for a list that never comes. */
  async function waiting(stop?: AbortSignal) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const fixture = await createFixture();
    const signal = () => fixture.contexts[0]!.signal;
    fixture.beforeRun = () =>
      new Promise((_, fail) => signal().addEventListener('abort', () => fail(signal().reason as Error)));
    const operation = fixture.operations.find(({ name }) => name === 'server list')!;
    const reader = { locale: 'en', timezone: 'UTC', now: fixture.now() };
    const answer = ask(fixture.changes, { operation, given: {}, actor: ADA, place: PLACE, reader }, { stop });
    while (fixture.contexts.length === 0) await new Promise((settle) => setImmediate(settle));
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
    const fixture = await createFixture();
    const operation = fixture.operations.find(({ name }) => name === 'server look')!;
    const run = operation.run;
    operation.run = (values, context) => {
      context.progress(1, 2);
      return run(values, context);
    };
    const reader = { locale: 'en', timezone: 'UTC', now: fixture.now() };
    const told: unknown[] = [];
    const progress = (...how: unknown[]) => void told.push(how);
    await ask(fixture.changes, { operation, given: { server: 'web' }, actor: ADA, place: PLACE, reader }, { progress });
    expect(told).toEqual([[1, 2]]);
  });
});

describe('Asking for a change', () => {
  it('shows the state now and after, and stores exactly what is meant', async () => {
    const fixture = await createFixture();
    const place = { channelId: 'C0OPS', threadTs: '1.2', external: false };
    const answer = asked(await fixture.type('server set 1 on', ADA, { place }));
    expect(said(answer)).toEqual(['`server set` on `web`?', 'Power: `off` → `on`']);
    expect(answer.approval).toBeUndefined();
    expect(answer.confirmation).toEqual({
      id: expect.stringMatching(/^[\w-]{16}$/),
      operation: 'server set',
      given: { server: '1', power: 'on' },
      target: 'web',
      preview: {
        before: { power: 'off' },
        after: { power: 'on' },
        names: { server: [['web', '1']], region: [['europe']], power: [['on']], for: [] },
      },
      actor: 'UADA',
      team: 'T1',
      channel: 'C0OPS',
      thread: '1.2',
      state: 'asked',
      createdAt: fixture.now(),
      expiresAt: new Date(fixture.now().getTime() + 15 * MINUTE),
    });
    expect(fixture.done).toEqual([]);
    expect(await fixture.audit()).toEqual([]);
  });

  it('says what else is worth knowing, of the preview and of a longer look', async () => {
    const fixture = await createFixture();
    const details = (words: string) => ({
      text: words,
      blocks: [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text: words } }],
    });
    fixture.preflight = { warnings: ['It is the last server.'], details: details('servers: 1') };
    expect(said(await fixture.type('server set web idle'))).toEqual([
      '`server set` on `web`?',
      'Power: `off` → `idle`',
      '⚠️ It may stall.',
      '⚠️ It is the last server.',
      'servers: 1',
    ]);
  });

  it('says that the present state is not known, and why', async () => {
    const fixture = await createFixture();
    fixture.unread = 'the network is down';
    expect(said(await fixture.type('server set web on'))).toContain('· Current state unknown: the network is down.');
    expect(said(await fixture.type('alarm test 3'))).toEqual(['`alarm test` on `the alarm 3`?']);
  });

  it('says when it is put back by itself, and refuses what could not be', async () => {
    const fixture = await createFixture();
    for (const [typed, words] of [
      ['30m', '30 min'],
      ['2h', '2 h'],
      ['90m', '1 h 30 min'],
    ]) {
      expect(said(await fixture.type(`server set web on --for ${typed}`)).slice(-2)).toEqual([
        `*Switches back after ${words}*\nPower: \`on\` → \`off\``,
        '· Unless somebody changes it before then.',
      ]);
    }
    fixture.unread = 'the network is down';
    const refused = await fixture.type('server set web on --for 30m');
    expect(refused).toMatchObject({ kind: 'problem', argument: 'for', outcome: 'usage' });
    expect(said(refused)).toEqual([
      'It can’t switch back later: the platform does not show the current state.',
      '· Leave `--for` out.',
    ]);
  });

  it('wants the name typed for what cannot be taken back, unless --force says otherwise', async () => {
    const fixture = await createFixture();
    expect(asked(await fixture.type('backup delete old')).confirmation.typedName).toBe('old');
    expect(asked(await fixture.type('backup delete old --force')).confirmation).not.toHaveProperty('typedName');
    expect(asked(await fixture.type('server set web on')).confirmation).not.toHaveProperty('typedName');
  });

  it('says who has to approve it, and whether the glass can be broken', async () => {
    const fixture = await createFixture();
    const billing = asked(await fixture.type('server set billing on'));
    expect(billing.approval).toEqual({ words: 'one approval: <@UBEN> or <@UCYD>', breakGlass: true });
    expect(billing.confirmation).toMatchObject({
      state: 'drafted',
      approval: { count: 1, lifetime: 60 * MINUTE },
      preview: { names: { server: [['billing', '3']], region: [['asia']], power: [['on']], for: [] } },
    });
    const archive = asked(await fixture.type('server set archive on'));
    expect(archive.approval).toEqual({ words: '2 approvals: <@UBEN> and <@UCYD>', breakGlass: false });
  });

  it('does not say that nothing was done where the process that had shown its preview died', async () => {
    const fixture = await createFixture();
    const again = beginInteraction('command', { isAgain: true });
    const answer = await during(again, () => fixture.type('server set billing off'));
    expect(said(answer)).toEqual([
      'Power is now `off` for `billing`.',
      '· Edgewise was restarted in between, and looked again.',
    ]);
  });

  it('has nothing to ask where it is so already: nothing is stored, and it is remembered', async () => {
    const fixture = await createFixture();
    const answer = await fixture.type('server set billing off --for 30m');
    expect(answer.kind).toBe('unchanged');
    expect(said(answer)).toEqual(['Power is already `off` for `billing`.']);
    expect((await fixture.store.database.execute('SELECT * FROM confirmations')).rows).toEqual([]);
    expect(await fixture.audit()).toMatchObject([
      { operation: 'server set', target: 'billing', outcome: 'unchanged', given: { server: '3', power: 'off' } },
    ]);
    expect((await fixture.type('server set mail off', DAN)).kind).toBe('problem');
    fixture.unread = 'it is not shown';
    expect((await fixture.type('server set web off')).kind).toBe('question');
  });

  it('says of what is so already that it is put back, and when', async () => {
    const fixture = await createFixture();
    await fixture.do('server set web on --for 30m');
    const [, until] = said(await fixture.type('server set web on', BEN));
    expect(until).toMatch(/^⏳ Temporary: switches back <!date\^/u);
  });

  it('opens the form for what is missing', async () => {
    const fixture = await createFixture();
    expect(await fixture.type('server set')).toEqual({ kind: 'form', missing: ['server', 'power'] });
  });
});

describe('Asking in vain', () => {
  it('is refused with the rule and whom to ask, before anything is looked up, and remembered', async () => {
    const fixture = await createFixture();
    const answer = await fixture.type('alarm test 3', DAN);
    expect(answer).toMatchObject({
      kind: 'problem',
      outcome: 'forbidden',
      summary: 'You may not run alarm test: only the roles admins, operators may.',
    });
    expect(said(answer)).toEqual([
      'You may not run alarm test: only the roles admins, operators may.',
      '· Ask <@UADM>, <@UADA>, <@UBEN>, <@UCYD>.',
    ]);
    expect(await fixture.audit()).toMatchObject([
      {
        actor: 'UDAN',
        channel: 'C0OPS',
        operation: 'alarm test',
        target: '',
        given: { times: '3' },
        outcome: 'forbidden',
        detail: 'You may not run alarm test: only the roles admins, operators may.',
      },
    ]);
  });

  it('is refused on a target that the rule does not mean, and says of it what was typed', async () => {
    const fixture = await createFixture();
    for (const server of ['mail', '2']) {
      const answer = await fixture.type(`server set ${server} on`, DAN);
      expect(said(answer)[0]).toBe(
        `You may not run server set on ${server}: the role guest may run server set only where server is web (the policy line 9).`,
      );
    }
    expect((await fixture.audit()).map(({ target }) => target)).toEqual(['mail', 'mail']);
    expect(await fixture.type('server set 1 on', DAN)).toMatchObject({ kind: 'question' });
  });

  it('names the argument at fault, and is not remembered', async () => {
    const fixture = await createFixture();
    const answer = await fixture.type('server set spare on');
    expect(answer).toMatchObject({
      kind: 'problem',
      outcome: 'usage',
      argument: 'server',
      summary: 'There is no server “spare”.',
    });
    expect(said(answer)).toEqual(['There is no server “spare”.', '· `/edge server list` shows them.']);
    expect(await fixture.audit()).toEqual([]);
    expect(fixture.logged).toMatchObject([
      { level: 20, msg: 'not done', operation: 'server set', outcome: 'usage', problem: 'There is no server “spare”.' },
    ]);
  });

  it('keeps the argument that a look-up itself names', async () => {
    const fixture = await createFixture();
    const kind = fixture.operations[0]!.args.power!;
    kind.resolve = () => {
      throw new UsageError('Not while it is busy.', { argument: 'load' });
    };
    expect(await fixture.type('server set web on')).toMatchObject({
      argument: 'load',
      summary: 'Not while it is busy.',
    });
    kind.resolve = () => {
      throw new UsageError('Not now.');
    };
    const answer = await fixture.type('server set web on');
    expect(answer).toMatchObject({ argument: 'power' });
    expect(said(answer)).toEqual(['Not now.']);
    kind.resolve = () => {
      throw new ForbiddenError('Never.', 'because');
    };
    const never = await fixture.type('server set web on');
    expect(never).toMatchObject({ outcome: 'forbidden' });
    expect(never).not.toHaveProperty('argument');
  });

  it('gives a reference for what nobody expected, which is in the log and in the audit', async () => {
    const fixture = await createFixture();
    fixture.beforeRun = () => {
      throw new Error('a bug');
    };
    const answer = await fixture.type('server list');
    const [, hint = ''] = said(answer);
    const reference = /`([0-9a-f]{8})`/.exec(hint)?.[1];
    expect(answer).toMatchObject({ outcome: 'error', summary: `unexpected error ${reference}` });
    expect(fixture.logged).toMatchObject([
      { level: 50, msg: 'unexpected error', reference, operation: 'server list', err: { message: 'a bug' } },
    ]);
    expect(await fixture.audit()).toMatchObject([
      { outcome: 'error', reference, detail: `unexpected error ${reference}` },
    ]);
  });

  it('ends with words even when the store fails too', async () => {
    const fixture = await createFixture();
    fixture.storeFails = () => true;
    const answer = await fixture.type('alarm test 3', DAN);
    expect(answer).toMatchObject({ kind: 'problem', outcome: 'error', summary: 'the store failed' });
    expect(said(answer)[0]).toBe('Edgewise cannot reach its own store.');
    expect(fixture.logged.at(-1)).toMatchObject({
      level: 50,
      msg: 'the store failed while a problem was reported',
      err: { message: 'the store is gone' },
    });
  });
});

describe('The preview for the view in which the name is typed', () => {
  it('is read again, and only for the one who asked', async () => {
    const fixture = await createFixture();
    const timeout = vi.spyOn(globalThis, 'setTimeout');
    const { id } = asked(await fixture.type('server set web on')).confirmation;
    fixture.servers.set('web', 'idle');
    expect(shown((await previewAgain(fixture.changes, id, ADA))!)).toEqual([
      '`server set` on `web`?',
      'Power: `idle` → `on`',
    ]);
    expect(fixture.lookups.at(-1)).toEqual({ fresh: true, given: { server: '1', power: 'on' } });
    expect(fixture.contexts.at(-1)).toMatchObject({ place: { channelId: 'C0OPS' }, actor: ADA });
    expect(timeout.mock.calls.map(([, ms]) => ms)).toContain(10 * MINUTE);
    expect(await previewAgain(fixture.changes, id, BEN)).toBeUndefined();
    expect(await previewAgain(fixture.changes, 'unknown', ADA)).toBeUndefined();
    fixture.operations.splice(0, 1);
    expect(await previewAgain(fixture.changes, id, ADA)).toBeUndefined();
  });

  it('is for those who decide too, as the one who asked would see it, while it waits for them', async () => {
    const fixture = await createFixture();
    const { id } = asked(await fixture.type('server set archive on')).confirmation;
    expect(await previewAgain(fixture.changes, id, BEN)).toBeUndefined();
    await requestApproval(fixture.changes, id, ADA, 'so that I see');
    expect(shown((await previewAgain(fixture.changes, id, BEN))!)).toEqual([
      '`server set` on `archive`?',
      'Power: `off` → `on`',
      `*Why:* so that I see (<@${ADA.id}>)`,
    ]);
    expect(fixture.contexts.at(-1)!.actor).toEqual(ADA);
    await previewAgain(fixture.changes, id, { ...ADA, kind: 'guest' });
    expect(fixture.contexts.at(-1)!.actor).toEqual({ ...ADA, kind: 'guest' });
    expect(await previewAgain(fixture.changes, id, DAN)).toBeUndefined();
    for (const approver of [BEN, CYD]) await vote(fixture.changes, id, approver, 'approved', '');
    expect(await previewAgain(fixture.changes, id, BEN)).toBeUndefined();
  });

  it('is found by the id of the confirmation, with its operation', async () => {
    const fixture = await createFixture();
    const { confirmation } = asked(await fixture.type('server set web on'));
    const operation = fixture.operations[0];
    expect(await findConfirmation(fixture.changes, confirmation.id)).toEqual({ confirmation, operation });
    expect(await findConfirmation(fixture.changes, 'unknown')).toBeUndefined();
    fixture.operations.splice(0, 1);
    expect(await findConfirmation(fixture.changes, confirmation.id)).toBeUndefined();
  });
});

describe('Suggestions', () => {
  const OPTIONS = [
    { label: 'Web', value: '1', names: { server: [['web', '1']], region: [['europe']] } },
    { label: 'Mail', value: '2', names: { server: [['mail', '2']], region: [['europe']] } },
    { label: 'Any', value: 'any' },
  ];
  const suggested = async (fixture: Awaited<ReturnType<typeof createFixture>>, argument: string, actor = ADA) => {
    const operation = fixture.operations.find(({ name }) => name === 'server set')!;
    const reader = { locale: 'en', timezone: 'UTC', now: fixture.now() };
    return suggest(fixture.changes, { operation, given: { power: 'on' }, actor, place: PLACE, reader }, argument, 'ha');
  };

  it('are those that the person may choose', async () => {
    const fixture = await createFixture();
    const queries: unknown[] = [];
    fixture.suggests = async (query, { given, fresh }) => {
      queries.push({ query, given, fresh });
      return OPTIONS;
    };
    expect(await suggested(fixture, 'server')).toEqual(OPTIONS);
    expect(await suggested(fixture, 'server', DAN)).toEqual([OPTIONS[0], OPTIONS[2]]);
    expect(queries[0]).toEqual({ query: 'ha', given: { power: 'on' }, fresh: false });
  });

  it('are none for who may not run it and where there are none, and what was typed when they cannot be had', async () => {
    const fixture = await createFixture();
    fixture.suggests = async () => OPTIONS;
    expect(await suggested(fixture, 'server', { ...FOREIGN_ADA, kind: 'stranger' })).toEqual([]);
    expect(await suggested(fixture, 'power')).toEqual([]);
    expect(await suggested(fixture, 'nothing')).toEqual([]);
    fixture.suggests = async () => {
      throw new Error('no list');
    };
    expect(await suggested(fixture, 'server')).toEqual([{ label: 'Use “ha”', value: 'ha' }]);
    expect(fixture.logged).toMatchObject([
      { level: 40, msg: 'no suggestions', operation: 'server set', argument: 'server', err: { message: 'no list' } },
    ]);
  });

  it('are what was typed when they take longer than two seconds', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const fixture = await createFixture();
    fixture.suggests = () => new Promise(() => undefined);
    const waiting = suggested(fixture, 'server');
    expect(timeout.mock.calls).toEqual([[2_000]]);
    limit.abort();
    expect(await waiting).toEqual([{ label: 'Use “ha”', value: 'ha' }]);
  });
});
