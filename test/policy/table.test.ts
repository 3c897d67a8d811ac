import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parsePolicy } from '../../src/policy/document.ts';
import { createFixedDirectory } from '../../src/policy/names.ts';
import { type ApprovalRule, createPolicy, mayApprove } from '../../src/policy/policy.ts';
import { COMMANDS, EXAMPLE, peopleOf, placesOf, targetsOf, WORLD } from './dimensions.ts';
import { createOracle, type Person, type Terms, type World } from './oracle.ts';

/** What policies made at random are made of. */
const CHANGES = [
  { effect: ['write', 'destructive'] },
  { effect: 'write', except: 'ssl *' },
  { operations: 'ssl *', where: { zone: ['shop-*', '1003'], state: 'off' } },
  { operations: ['app delete', 'bot set'] },
  { operations: '*', where: { zone: '*o*' } },
];
const TERMS = [
  {},
  { count: 2, expires: '30m', reason: 'required' },
  { count: 3, expires: '2d', breakGlass: { channel: '#ops' } },
  { expires: '90m', breakGlass: { channel: '#lost' } },
  { breakGlass: { channel: 'C0QUIET0007' } },
];
const APPROVERS = [
  { people: ['U0ADA000001', 'U0GUS000003'] },
  { groups: ['@data', 'S0ONCALL001'] },
  { groups: 'leads', people: 'U0BEN000002' },
  { roles: 'admins' },
  { roles: ['a', 'everybody'] },
  { roles: 'a', groups: '@lost' },
];
const PERMISSIONS = [
  '*',
  'zone *',
  '* list',
  'ssl force',
  { effect: 'read' },
  { effect: ['read', 'write'], except: ['key list', '* show'] },
  { operations: '*', effect: 'destructive' },
  { operations: ['zone *', 'ssl *'], except: 'zone list' },
  { operations: 'zone show', where: { zone: 'SHOP-assets' } },
  { effect: 'read', where: { zone: ['1003', 'shop-*'] } },
  ...CHANGES,
];

/** How an approval that is asked for differs from what the oracle says of it, for whoever might give it; empty: in nothing. */
function differences(rule: ApprovalRule, terms: Terms, requester: Person, people: readonly Person[]): string[] {
  const { count, expires, reason, breakGlass } = rule;
  const came = { count, expires, reason, glass: breakGlass?.id ?? null };
  const wanted = { count: terms.count, expires: terms.expires, reason: terms.reason, glass: terms.glass };
  return [
    ...(JSON.stringify(came) === JSON.stringify(wanted)
      ? []
      : [`${JSON.stringify(came)}, not ${JSON.stringify(wanted)}`]),
    ...people
      .filter((approver) => mayApprove(rule, approver, requester).allowed !== terms.mayApprove(approver))
      .map(
        ({ kind, id }) =>
          `the ${kind} ${id} ${mayApprove(rule, { id, kind }, requester).allowed ? 'may' : 'may not'} approve`,
      ),
  ];
}

/** Asserts every cell of the table that a policy makes. Answers with how many there were, by answer. */
function assertTable(text: string, world: World, commands = COMMANDS): Record<string, number> {
  const document = parsePolicy({ text, file: 'policy.yml', commands: COMMANDS, admins: world.admins });
  const answerOf = createOracle(text);
  const policy = createPolicy(document, createFixedDirectory(world));
  const people = peopleOf(document, world);
  const cells: Record<string, number> = {};
  const count = (what: string, more = 1) => {
    cells[what] = (cells[what] ?? 0) + more;
  };
  const wrong: string[] = [];
  for (const person of people) {
    for (const channel of placesOf(document, world)) {
      for (const command of commands) {
        const place = { channelId: channel, external: false };
        const tentative = policy.decide(command, person, place).allowed;
        for (const target of targetsOf(command.subjects)) {
          const answer = answerOf({ person, channel, command, target }, world);
          const names = Object.fromEntries(
            Object.entries(target).map(([subject, words]) => [subject, words === null ? [] : [words]]),
          );
          const { allowed, approval, rule, ...decision } = policy.decide(command, person, place, names);
          const wanted = typeof answer === 'string' ? answer : 'approval';
          const came = !allowed ? 'denied' : approval === undefined ? 'allowed' : 'approval';
          count(came);
          const problems =
            typeof answer === 'string' || approval === undefined ? [] : differences(approval, answer, person, people);
          if (approval !== undefined) count('approvers', people.length);
          if (came !== wanted) problems.push(`${came}, not ${wanted}`);
          if (decision.tentative || rule === '' || (allowed && !tentative)) problems.push('is not certain of it');
          if (problems.length > 0)
            wrong.push(
              `${person.kind} ${person.id} in ${channel}: ${command.name} ${JSON.stringify(target)}: ${problems.join('; ')} (${rule})`,
            );
        }
      }
    }
  }
  expect(wrong.slice(0, 10), `${wrong.length} cells; ${text}`).toEqual([]);
  return cells;
}

describe('The table of person × channel × operation × target × approver', () => {
  it('of the example is what an independent reading of the file says, in every cell', () => {
    const cells = assertTable(EXAMPLE, WORLD);
    expect(cells.allowed).toBeGreaterThan(1_000);
    expect(cells.denied).toBeGreaterThan(1_000);
    expect(cells.approvers).toBeGreaterThan(1_000);
  });

  it('of the example holds while Slack knows none of its groups and channels, and after everybody left', () => {
    const without = assertTable(EXAMPLE, { ...WORLD, groups: {}, channels: {} });
    const emptied = Object.fromEntries(Object.keys(WORLD.groups).map((group) => [group, []]));
    assertTable(EXAMPLE, { ...WORLD, groups: emptied });
    expect(without.denied).toBeGreaterThan(1_000);
  });

  it('of the built-in policy holds', () => {
    const cells = assertTable('', WORLD);
    expect(cells.approval).toBeUndefined();
    assertTable('', { admins: [], groups: {}, channels: {} });
  });

  it('of any policy holds', () => {
    const some = <T>(...values: T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
    const allow = fc.array(fc.constantFrom(...PERMISSIONS), { maxLength: 3 });
    const role = fc.record(
      {
        people: some('U0ADA000001', 'U0BEN000002', 'U0GUS000003'),
        groups: some('@data', 'leads', 'S0ONCALL001', '@lost'),
        guests: fc.boolean(),
        allow,
      },
      { requiredKeys: ['people', 'allow'] },
    );
    const policies = fc.record(
      {
        roles: fc.record({ admins: role, everybody: fc.record({ allow }), a: role, b: role }, { requiredKeys: ['a'] }),
        channels: fc.record(
          Object.fromEntries(
            ['#ops', '#lost', 'C0QUIET0007', 'direct', 'other'].map((place) => [place, fc.record({ allow })]),
          ),
          { requiredKeys: [] },
        ),
        approval: fc.array(
          fc
            .tuple(fc.constantFrom(...CHANGES), fc.constantFrom(...TERMS), fc.constantFrom(...APPROVERS))
            .map(([entry, terms, approvers]) => ({ ...entry, ...terms, approvers })),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: ['roles'] },
    );
    const few = COMMANDS.filter(({ name }) =>
      ['help', 'key list', 'zone list', 'zone show', 'ssl force', 'app delete', 'bot set'].includes(name),
    );
    const world: World = {
      admins: ['U0ADA000001'],
      groups: { '@data': ['U0BEN000002'], '@leads': ['U0ADA000001'], S0ONCALL001: ['U0GUS000003'] },
      channels: { '#ops': 'C0OPS000001' },
    };
    fc.assert(
      fc.property(policies, (written) => void assertTable(stringify(written), world, few)),
      { numRuns: 20, seed: 20261121 },
    );
  });
});
