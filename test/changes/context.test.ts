import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { ask } from '../../src/changes/ask.ts';
import type { ChangeServices } from '../../src/changes/services.ts';
import { forced } from '../support/forced.ts';
import { ADA, asked, BEN, createHouse, type House, MINUTE, PLACE, said } from './house.ts';

/** What a command that only reads is given. */
async function contextIn(house: House) {
  await house.type('lamp list');
  return house.contexts.at(-1)!;
}

describe('What a command is given', () => {
  it('is what waits for an approval, in the words of the policy as it is now', async () => {
    const house = await createHouse();
    const { id } = asked(await house.type('lamp set attic on')).confirmation;
    await requestApproval(house.changes, id, ADA, 'so that I see');
    await vote(house.changes, id, BEN, 'approved', '');
    const { approvals } = await contextIn(house);
    const waiting = {
      operation: 'lamp set',
      target: 'attic',
      actor: 'UADA',
      approvedBy: ['UBEN'],
      reason: 'so that I see',
      askedAt: house.now(),
      until: new Date(house.now().getTime() + 30 * MINUTE),
    };
    expect(await approvals.waiting()).toEqual([{ ...waiting, needs: '2 of 2 named people' }]);
    house.ruledBy('roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\n');
    await forced(house.store.database, 'UPDATE confirmations SET reason = NULL');
    expect(await approvals.waiting()).toEqual([{ ...waiting, reason: '', needs: 'nobody any more' }]);
  });

  it('is a summary of logs that says how many bytes it has read, and of records nothing', async () => {
    const told: unknown[] = [];
    const summariseLog = (async (_: unknown, format: string, how: { progress?: (read: number) => void }) => {
      how.progress?.(format === 'v1' ? 7 : 8);
      return format;
    }) as unknown as ChangeServices['summariseLog'];
    const house = await createHouse({ summariseLog });
    const operation = house.operations.find(({ name }) => name === 'lamp list')!;
    operation.run = async (_, context) => [
      await context.summariseLog(Readable.from([]), 'v1'),
      await context.summariseLog(Readable.from([]), 'v2' as never),
    ];
    const reader = { locale: 'en', timezone: 'UTC', now: house.now() };
    const progress = (...how: unknown[]) => void told.push(how);
    const request = { operation, given: {}, actor: ADA, place: PLACE, reader };
    expect(said(await ask(house.changes, request, { progress }))).toEqual(['v1, v2 (UTC)']);
    expect(told).toEqual([[7, undefined, 'bytes']]);
  });

  it('is a reading of documents that ends with the command', async () => {
    const outlineDefinition = (async (...given: unknown[]) => given) as unknown as ChangeServices['outlineDefinition'];
    const house = await createHouse({ outlineDefinition });
    const context = await contextIn(house);
    expect(await context.outlineDefinition('text', [])).toEqual(['text', [], context.signal]);
  });

  it('is what somebody may do, looked up as it was a moment ago, with everything that a look-up may use', async () => {
    const house = await createHouse();
    const { policy } = await contextIn(house);
    expect(await policy.check('lamp look hall')).toMatchObject({ operation: 'lamp look', allowed: true });
    expect(house.lookups).toEqual([expect.objectContaining({ fresh: false })]);
    const lamp = house.operations.find(({ name }) => name === 'lamp look')!.args.lamp!;
    let given: object = {};
    house.operations.find(({ name }) => name === 'lamp look')!.args.lamp = {
      ...lamp,
      resolve(typed, context) {
        given = context;
        return lamp.resolve(typed, context);
      },
    };
    await policy.check('lamp look hall');
    const { platform, now, actor } = house.contexts.at(-1)!;
    expect(given).toMatchObject({ platform, now, actor, fresh: false });
  });

  it('is a reader of no place in particular where nobody reads it at once', async () => {
    const house = await createHouse();
    house.afterRun = () => {
      throw new Error('nobody expected this');
    };
    expect((await house.do('lamp set hall on')).kind).toBe('unknown');
    expect(house.contexts.at(-1)!.reader).toEqual({ locale: 'en-US', timezone: 'UTC', now: house.now() });
  });

  it('is what the operator has set, and nothing in its place', async () => {
    const set = {
      environmentFile: { path: '.env', save: async () => ({ wroteUrl: false, isOtherUrl: false }) },
      configuredDatabase: { url: 'libsql://db.example', token: undefined as never },
      ownDatabaseHost: 'db.example',
    };
    expect(await contextIn(await createHouse(set))).toMatchObject(set);
    const without = await contextIn(await createHouse());
    for (const name of Object.keys(set)) expect(without).not.toHaveProperty(name);
  });
});

describe('A longer look before deciding', () => {
  it('adds its details to those of the preview, and nothing where there are none', async () => {
    const house = await createHouse();
    const operation = house.operations[0]!;
    const preview = (details?: string) => async () => ({
      before: { power: 'off' },
      after: { power: 'on' },
      ...(details === undefined ? {} : { details: message(details) }),
    });
    operation.preview = preview('First.');
    house.preflight = { details: message('Second.') };
    expect(said(await house.type('lamp set hall on')).slice(2)).toEqual(['First.', 'Second.']);
    house.preflight = {};
    expect(said(await house.type('lamp set hall on')).slice(2)).toEqual(['First.']);
    operation.preview = preview();
    expect(said(await house.type('lamp set hall on')).slice(2)).toEqual([]);
  });
});
