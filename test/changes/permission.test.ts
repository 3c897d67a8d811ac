import { describe, expect, it } from 'vitest';
import { namesOfGiven, valuesOf } from '../../src/changes/context.ts';
import { UsageError } from '../../src/errors.ts';
import type { Actor, PolicyView } from '../../src/operations/context.ts';
import { ADA, BEN, createFixture, DAN, type Fixture, PLACE, said } from './fixture.ts';

const ROLES = 'roles:\n  everybody:\n    allow:\n      - effect: read\n';
const EVE: Actor = { id: 'UEVE', teamId: 'T1', kind: 'member' };

/** What the policy shows to somebody, as `help` and `can-i` read it. */
async function viewOf(fixture: Fixture, actor: Actor): Promise<PolicyView> {
  await fixture.type('server list', actor);
  return fixture.contexts.at(-1)!.policy;
}
const lastHint = async (fixture: Fixture, actor: Actor, channelId = PLACE.channelId) =>
  said(await fixture.type('alarm test 3', actor, { place: { channelId, external: false } }))[1];

describe('A refusal', () => {
  it('names five to ask at most', async () => {
    const fixture = await createFixture();
    fixture.ruledBy(
      `${ROLES}  testers:\n    people: [UONE, UTWO, UTHREE, UFOUR, UFIVE, USIX]\n    allow: ["alarm test"]\n`,
    );
    expect(await lastHint(fixture, EVE)).toBe('· Ask <@UADM>, <@UONE>, <@UTWO>, <@UTHREE>, <@UFOUR>.');
  });

  it('names five places at most where only the place is wrong', async () => {
    const fixture = await createFixture();
    const places = ['C0A', 'C0B', 'C0C', 'C0D', 'C0E', 'C0F'].map((id) => `  ${id}:\n    allow: ["*"]\n`).join('');
    fixture.ruledBy(
      `${ROLES}  testers:\n    people: [UEVE]\n    allow: ["alarm test"]\nchannels:\n${places}  other:\n    allow: [status]\n`,
    );
    expect(await lastHint(fixture, EVE)).toBe('· You may in <#C0A>, <#C0B>, <#C0C>, <#C0D>, <#C0E>.');
  });

  it('says how to begin where nobody is listed, and that the policy can be changed where it is', async () => {
    const fixture = await createFixture();
    fixture.ruledBy(`${ROLES}  admins:\n    allow: [status]\n`);
    const alone: Actor = { ...EVE, id: 'UADM' };
    expect(await lastHint(fixture, alone)).toBe('· Whoever runs Edgewise can change the policy.');
    fixture.ruledBy(ROLES, []);
    expect(await lastHint(fixture, EVE)).toBe(
      '· No admins are set yet. Ask whoever runs Edgewise to set `EDGEWISE_ADMINS=UEVE` and restart it.',
    );
  });

  it('asks guests and strangers to ask nobody', async () => {
    const fixture = await createFixture();
    for (const kind of ['guest', 'stranger'] as const) {
      expect(said(await fixture.type('alarm test 3', { ...EVE, kind }))).toHaveLength(1);
    }
  });
});

describe('What the policy shows of itself', () => {
  it('is what somebody may run, in the order of the commands', async () => {
    const fixture = await createFixture();
    const dan = await viewOf(fixture, DAN);
    const may = dan.operations().filter(({ allowed }) => allowed);
    expect(may.map(({ name }) => name)).toEqual(['server set', 'server list', 'server look', 'status']);
    expect(dan.operations().map(({ name }) => name)).toEqual(fixture.operations.map(({ name }) => name));
  });

  it('is whether a command line may be run, by which rule, and who approves', async () => {
    const fixture = await createFixture();
    const ada = await viewOf(fixture, ADA);
    expect(await ada.check('/edge server set archive on')).toEqual({
      operation: 'server set',
      allowed: true,
      rule: 'the role operators may run everything (the policy line 5)',
      tentative: false,
      whom: [],
      where: [],
      approval: '2 approvals: <@UBEN> and <@UCYD>',
      hint: undefined,
    });
    const ben = await viewOf(fixture, BEN);
    expect(await ben.check('  server set 4 on  ')).toMatchObject({
      approval:
        '2 approvals from 2 named people (besides you there is only <@UCYD>: too few). Whoever runs Edgewise can change the policy',
    });
    expect(await ben.check('server set web on')).toMatchObject({ allowed: true, approval: undefined });
  });

  it('is whom to ask, where somebody may not', async () => {
    const fixture = await createFixture();
    const dan = await viewOf(fixture, DAN);
    expect(await dan.check('/EDGE   server set mail on')).toMatchObject({
      allowed: false,
      rule: 'the role guest may run server set only where server is web (the policy line 9)',
      hint: 'Ask <@UADM>, <@UADA>, <@UBEN>, <@UCYD>.',
      approval: undefined,
    });
    expect(await dan.check('server set web on')).toMatchObject({ allowed: true, tentative: false });
  });

  it('depends on what is not given yet', async () => {
    const fixture = await createFixture();
    expect(await (await viewOf(fixture, DAN)).check('server set')).toMatchObject({ allowed: true, tentative: true });
    expect(fixture.lookups.length).toBe(0);
  });

  it('says when there are too few to approve, and names five at most', async () => {
    const fixture = await createFixture();
    const rule = (people: string) =>
      `${ROLES}  operators:\n    people: [UADA]\n    allow: ["*"]\napproval:\n  - operations: alarm test\n    approvers: { people: [${people}] }\n`;
    fixture.ruledBy(rule('UADA'));
    expect(await (await viewOf(fixture, ADA)).check('alarm test 3')).toMatchObject({
      approval:
        'one approval from 1 named person (besides you there is nobody: too few). Whoever runs Edgewise can change the policy',
    });
    fixture.ruledBy(rule('UONE, UTWO, UTHREE, UFOUR, UFIVE, USIX'));
    expect(await (await viewOf(fixture, ADA)).check('alarm test 3')).toMatchObject({
      approval: 'one approval from 6 named people (<@UONE>, <@UTWO>, <@UTHREE>, <@UFOUR>, <@UFIVE>)',
    });
  });

  it('counts an approver whom Slack knows by another id', async () => {
    const fixture = await createFixture({ described: async (id) => ({ id: `W${id}`, teamId: 'T1', kind: 'member' }) });
    expect(await (await viewOf(fixture, ADA)).check('server set archive on')).toMatchObject({
      approval: '2 approvals: <@UBEN> and <@UCYD>',
    });
  });

  it('complains about what is no command, or no whole one', async () => {
    const fixture = await createFixture();
    const ada = await viewOf(fixture, ADA);
    await expect(ada.check('server sit web on')).rejects.toThrow('There is no command “server sit”.');
    await expect(ada.check('server set web sideways')).rejects.toThrow(UsageError);
    await expect(ada.check('server set spare on')).rejects.toThrow('There is no server “spare”.');
  });

  it('takes a noun alone for no command', async () => {
    const fixture = await createFixture();
    fixture.operations.push({
      ...fixture.operations.find(({ name }) => name === 'server list')!,
      name: 'help',
      permission: 'every member',
      alsoTyped: 'as nothing or a noun',
      args: { topic: { ...fixture.operations.find(({ name }) => name === 'server list')!.args.region! } },
      target: () => 'help',
    });
    fixture.ruledBy('roles: {}');
    const ada = await viewOf(fixture, ADA);
    await expect(ada.check('server')).rejects.toMatchObject({
      message: '“server” is not a complete command.',
      hint: '`/edge help server` lists those that begin with it.',
    });
    expect(await ada.check('HELP server')).toMatchObject({ operation: 'help', allowed: true });
    expect(await ada.check('')).toMatchObject({ operation: 'help' });
  });
});

describe('The arguments that can be known already', () => {
  it('are those that were given, and those that were left out and may be; no file is fetched', async () => {
    const fixture = await createFixture();
    await fixture.type('server list');
    const context = { ...fixture.contexts[0]!, given: {}, fresh: false, may: () => true };
    const set = fixture.operations[0]!;
    expect(await valuesOf(set, {}, context)).toEqual({ for: undefined });
    expect(await valuesOf(set, { power: 'on', for: '30m' }, context)).toEqual({ power: 'on', for: 1_800_000 });
    const given = { server: 'web' };
    expect(await namesOfGiven(set, given, context)).toEqual({
      server: [['web', '1']],
      region: [['europe']],
      for: [],
    });
    expect(fixture.lookups).toEqual([{ fresh: false, given }]);
    const file = { ...set.args.power!, field: { type: 'file' as const, maxBytes: 1 }, required: false };
    expect(await valuesOf({ ...set, args: { file } }, { file: 'F1' }, context)).toEqual({});
    expect(await valuesOf({ ...set, args: { file: { ...file, resolve: () => 'none' } } }, {}, context)).toEqual({
      file: 'none',
    });
  });
});
