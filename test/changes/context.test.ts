import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { ask } from '../../src/changes/ask.ts';
import type { Services } from '../../src/changes/services.ts';
import { forced } from '../support/forced.ts';
import { ADA, asked, BEN, createFixture, type Fixture, MINUTE, PLACE, said } from './fixture.ts';

/** What a command that only reads is given. */
async function contextIn(fixture: Fixture) {
  await fixture.type('server list');
  return fixture.contexts.at(-1)!;
}

describe('What a command is given', () => {
  it('is what waits for an approval, in the words of the policy as it is now', async () => {
    const fixture = await createFixture();
    const { id } = asked(await fixture.type('server set archive on')).confirmation;
    await requestApproval(fixture.changes, id, ADA, 'so that I see');
    await vote(fixture.changes, id, BEN, 'approved', '');
    const { approvals } = await contextIn(fixture);
    const waiting = {
      id,
      title: expect.objectContaining({ plain: expect.stringContaining('archive') }),
      actor: 'UADA',
      approvedBy: ['UBEN'],
      reason: 'so that I see',
      askedAt: fixture.now(),
      until: new Date(fixture.now().getTime() + 30 * MINUTE),
    };
    expect(await approvals.waiting()).toEqual([{ ...waiting, needs: '2 approvals from 2 named people' }]);
    fixture.ruledBy('roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\n');
    await forced(fixture.store.database, 'UPDATE confirmations SET reason = NULL');
    expect(await approvals.waiting()).toEqual([{ ...waiting, reason: '', needs: 'no approval any more' }]);
  });

  it('is a summary of logs that says how many bytes it has read, and of records nothing', async () => {
    const told: unknown[] = [];
    const summariseLog = (async (_: unknown, format: string, how: { progress?: (read: number) => void }) => {
      how.progress?.(format === 'v1' ? 7 : 8);
      return format;
    }) as unknown as Services['summariseLog'];
    const fixture = await createFixture({ summariseLog });
    const operation = fixture.operations.find(({ name }) => name === 'server list')!;
    operation.run = async (_, context) => [
      await context.summariseLog(Readable.from([]), 'v1'),
      await context.summariseLog(Readable.from([]), 'v2' as never),
    ];
    const reader = { locale: 'en', timezone: 'UTC', now: fixture.now() };
    const progress = (...how: unknown[]) => void told.push(how);
    const request = { operation, given: {}, actor: ADA, place: PLACE, reader };
    expect(said(await ask(fixture.changes, request, { progress }))).toEqual(['v1, v2 (UTC)']);
    expect(told).toEqual([[7, undefined, 'bytes']]);
  });

  it('is a reading of documents that ends with the command', async () => {
    const outlineDefinition = (async (...given: unknown[]) => given) as unknown as Services['outlineDefinition'];
    const fixture = await createFixture({ outlineDefinition });
    const context = await contextIn(fixture);
    expect(await context.outlineDefinition('text')).toEqual(['text', context.signal]);
  });

  it('is what somebody may do, looked up as it was a moment ago, with everything that a look-up may use', async () => {
    const fixture = await createFixture();
    const { policy } = await contextIn(fixture);
    expect(await policy.check('server look web')).toMatchObject({ operation: 'server look', allowed: true });
    expect(fixture.lookups).toEqual([expect.objectContaining({ fresh: false })]);
    const server = fixture.operations.find(({ name }) => name === 'server look')!.args.server!;
    let given: object = {};
    fixture.operations.find(({ name }) => name === 'server look')!.args.server = {
      ...server,
      resolve(typed, context) {
        given = context;
        return server.resolve(typed, context);
      },
    };
    await policy.check('server look web');
    const { platform, now, actor } = fixture.contexts.at(-1)!;
    expect(given).toMatchObject({ platform, now, actor, fresh: false });
  });

  it('is a reader of no place in particular where nobody reads it at once', async () => {
    const fixture = await createFixture();
    fixture.afterRun = () => {
      throw new Error('nobody expected this');
    };
    expect((await fixture.do('server set web on')).kind).toBe('unknown');
    expect(fixture.contexts.at(-1)!.reader).toEqual({ locale: 'en-US', timezone: 'UTC', now: fixture.now() });
  });

  it('is what the operator has set, and nothing in its place', async () => {
    const set = {
      environmentFile: {
        path: '.env',
        check: () => undefined,
        save: async () => ({ wroteUrl: false, isOtherUrl: false }),
      },
      configuredDatabase: { url: 'libsql://db.example', token: undefined as never },
    };
    expect(await contextIn(await createFixture(set))).toMatchObject(set);
    const without = await contextIn(await createFixture());
    for (const name of Object.keys(set)) expect(without).not.toHaveProperty(name);
  });
});

describe('A longer look before deciding', () => {
  it('adds its details to those of the preview, and nothing where there are none', async () => {
    const fixture = await createFixture();
    const operation = fixture.operations[0]!;
    const preview = (details?: string) => async () => ({
      before: { power: 'off' },
      after: { power: 'on' },
      ...(details === undefined ? {} : { details: message(details) }),
    });
    operation.preview = preview('First.');
    fixture.preflight = { details: message('Second.') };
    expect(said(await fixture.type('server set web on')).slice(2)).toEqual(['First.', 'Second.']);
    fixture.preflight = {};
    expect(said(await fixture.type('server set web on')).slice(2)).toEqual(['First.']);
    operation.preview = preview();
    expect(said(await fixture.type('server set web on')).slice(2)).toEqual([]);
  });
});
