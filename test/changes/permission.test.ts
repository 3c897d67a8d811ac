import { describe, expect, it } from 'vitest';
import { namesOfGiven, valuesOf } from '../../src/changes/resolve.ts';
import { UsageError } from '../../src/errors.ts';
import type { Actor } from '../../src/operations/context.ts';
import type { PolicyView } from '../../src/operations/policy-view.ts';
import { ADA, BEN, createHouse, DAN, type House, PLACE, said } from './house.ts';

const ROLES = 'roles:\n  everybody:\n    allow:\n      - effect: read\n';
const EVE: Actor = { id: 'UEVE', teamId: 'T1', kind: 'member' };

/** What the policy shows to somebody, as `help` and `can-i` read it. */
async function viewOf(house: House, actor: Actor): Promise<PolicyView> {
  await house.type('lamp list', actor);
  return house.contexts.at(-1)!.policy;
}
const lastHint = async (house: House, actor: Actor, channelId = PLACE.channelId) =>
  said(await house.type('bell ring 3', actor, { place: { channelId } }))[1];

describe('A refusal', () => {
  it('names five to ask at most', async () => {
    const house = await createHouse();
    house.ruledBy(
      `${ROLES}  ringers:\n    people: [UONE, UTWO, UTHREE, UFOUR, UFIVE, USIX]\n    allow: ["bell ring"]\n`,
    );
    expect(await lastHint(house, EVE)).toBe('· Ask <@UADM>, <@UONE>, <@UTWO>, <@UTHREE>, <@UFOUR>.');
  });

  it('names five places at most where only the place is wrong', async () => {
    const house = await createHouse();
    const places = ['C0A', 'C0B', 'C0C', 'C0D', 'C0E', 'C0F'].map((id) => `  ${id}:\n    allow: ["*"]\n`).join('');
    house.ruledBy(
      `${ROLES}  ringers:\n    people: [UEVE]\n    allow: ["bell ring"]\nchannels:\n${places}  other:\n    allow: [status]\n`,
    );
    expect(await lastHint(house, EVE)).toBe('· You may in <#C0A>, <#C0B>, <#C0C>, <#C0D>, <#C0E>.');
  });

  it('says how to begin where nobody is listed, and that the policy can be changed where it is', async () => {
    const house = await createHouse();
    house.ruledBy(`${ROLES}  admins:\n    allow: [status]\n`);
    const alone: Actor = { ...EVE, id: 'UADM' };
    expect(await lastHint(house, alone)).toBe('· Whoever runs Edgewise can change the policy.');
    house.ruledBy(ROLES, []);
    expect(await lastHint(house, EVE)).toBe(
      '· Nobody is listed yet. Whoever runs Edgewise sets `EDGEWISE_ADMINS=UEVE` and starts it again.',
    );
  });

  it('asks guests and strangers to ask nobody', async () => {
    const house = await createHouse();
    for (const kind of ['guest', 'stranger'] as const) {
      expect(said(await house.type('bell ring 3', { ...EVE, kind }))).toHaveLength(1);
    }
  });
});

describe('What the policy shows of itself', () => {
  it('is what somebody may run, in the order of the commands', async () => {
    const house = await createHouse();
    const dan = await viewOf(house, DAN);
    const may = dan.operations().filter(({ allowed }) => allowed);
    expect(may.map(({ name }) => name)).toEqual(['lamp set', 'lamp list', 'lamp look', 'status']);
    expect(dan.operations().map(({ name }) => name)).toEqual(house.operations.map(({ name }) => name));
  });

  it('is whether a command line may be run, by which rule, and who approves', async () => {
    const house = await createHouse();
    const ada = await viewOf(house, ADA);
    expect(await ada.check('/edge lamp set attic on')).toEqual({
      operation: 'lamp set',
      allowed: true,
      rule: 'the role family may run everything (the policy line 5)',
      tentative: false,
      whom: [],
      where: [],
      approval: '2 of 2 named people (<@UBEN>, <@UCYD>)',
      hint: undefined,
    });
    const ben = await viewOf(house, BEN);
    expect(await ben.check('  lamp set 4 on  ')).toMatchObject({
      approval: '2 of 2 named people (besides you there is only <@UCYD>: too few)',
    });
    expect(await ben.check('lamp set hall on')).toMatchObject({ allowed: true, approval: undefined });
  });

  it('is whom to ask, where somebody may not', async () => {
    const house = await createHouse();
    const dan = await viewOf(house, DAN);
    expect(await dan.check('/EDGE   lamp set kitchen on')).toMatchObject({
      allowed: false,
      rule: 'the role guest may run lamp set only where lamp is hall (the policy line 9)',
      hint: 'Ask <@UADM>, <@UADA>, <@UBEN>, <@UCYD>.',
      approval: undefined,
    });
    expect(await dan.check('lamp set hall on')).toMatchObject({ allowed: true, tentative: false });
  });

  it('depends on what is not given yet', async () => {
    const house = await createHouse();
    expect(await (await viewOf(house, DAN)).check('lamp set')).toMatchObject({ allowed: true, tentative: true });
    expect(house.lookups.length).toBe(0);
  });

  it('says when there are too few to approve, and names five at most', async () => {
    const house = await createHouse();
    const rule = (people: string) =>
      `${ROLES}  family:\n    people: [UADA]\n    allow: ["*"]\napproval:\n  - operations: bell ring\n    approvers: { people: [${people}] }\n`;
    house.ruledBy(rule('UADA'));
    expect(await (await viewOf(house, ADA)).check('bell ring 3')).toMatchObject({
      approval: '1 of 1 named person (besides you there is nobody: too few)',
    });
    house.ruledBy(rule('UONE, UTWO, UTHREE, UFOUR, UFIVE, USIX'));
    expect(await (await viewOf(house, ADA)).check('bell ring 3')).toMatchObject({
      approval: '1 of 6 named people (<@UONE>, <@UTWO>, <@UTHREE>, <@UFOUR>, <@UFIVE>)',
    });
  });

  it('complains about what is no command, or no whole one', async () => {
    const house = await createHouse();
    const ada = await viewOf(house, ADA);
    await expect(ada.check('lamp sit hall on')).rejects.toThrow('There is no command “lamp sit”.');
    await expect(ada.check('lamp set hall sideways')).rejects.toThrow(UsageError);
    await expect(ada.check('lamp set garage on')).rejects.toThrow('There is no lamp “garage”.');
  });

  it('takes a noun alone for no command', async () => {
    const house = await createHouse();
    house.operations.push({
      ...house.operations.find(({ name }) => name === 'lamp list')!,
      name: 'help',
      permission: 'every member',
      alsoTyped: 'as nothing or a noun',
      args: { topic: { ...house.operations.find(({ name }) => name === 'lamp list')!.args.room! } },
      target: () => 'help',
    });
    house.ruledBy('roles: {}');
    const ada = await viewOf(house, ADA);
    await expect(ada.check('lamp')).rejects.toMatchObject({
      message: '“lamp” is not a whole command.',
      hint: '`/edge help lamp` lists those that begin with it.',
    });
    expect(await ada.check('HELP lamp')).toMatchObject({ operation: 'help', allowed: true });
    expect(await ada.check('')).toMatchObject({ operation: 'help' });
  });
});

describe('The arguments that can be known already', () => {
  it('are those that were given, and those that were left out and may be; no file is fetched', async () => {
    const house = await createHouse();
    await house.type('lamp list');
    const context = { ...house.contexts[0]!, given: {}, fresh: false };
    const set = house.operations[0]!;
    expect(await valuesOf(set, {}, context)).toEqual({ for: undefined });
    expect(await valuesOf(set, { power: 'on', for: '30m' }, context)).toEqual({ power: 'on', for: 1_800_000 });
    const given = { lamp: 'hall' };
    expect(await namesOfGiven(set, given, context)).toEqual({
      lamp: [['hall', '1']],
      room: [['downstairs']],
      for: [],
    });
    expect(house.lookups).toEqual([{ fresh: false, given }]);
    const file = { ...set.args.power!, field: { type: 'file' as const, maxBytes: 1 }, required: false };
    expect(await valuesOf({ ...set, args: { file } }, { file: 'F1' }, context)).toEqual({});
    expect(await valuesOf({ ...set, args: { file: { ...file, resolve: () => 'none' } } }, {}, context)).toEqual({
      file: 'none',
    });
  });
});
