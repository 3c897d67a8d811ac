import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { UNKNOWN_NAME } from '../../src/operations/arguments/resources/look-up.ts';
import { operations } from '../../src/operations/index.ts';
import { commandOf } from '../../src/operations/subjects.ts';
import { createFixedDirectory } from '../../src/policy/directory.ts';
import { parsePolicy, referencesOf } from '../../src/policy/document.ts';
import { UNKNOWN } from '../../src/policy/names.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { createOracle, type Question, type World } from './oracle.ts';

const COMMANDS = operations.map(commandOf);
const EXAMPLE = readFileSync(new URL('../../docs/policy.example.yml', import.meta.url), 'utf8');

const KINDS = ['member', 'guest', 'stranger'] as const;
/** Names and ids of things that the policies here speak of, and of others; null: the command names none. */
const THINGS: Record<string, (readonly string[] | null)[]> = {
  zone: [['1001', 'shop-assets'], ['1002', 'shop-checkout'], ['1003', 'blog'], null],
  state: [['on'], ['off']],
  script: [
    ['501', 'router'],
    ['502', 'checkout'],
    ['503', 'checkout-old'],
  ],
  database: [
    ['db_1', 'orders'],
    ['db_2', 'customers-eu'],
    ['db_3', 'stock'],
  ],
  app: [['a1', 'mailer']],
};

/** What policies made at random are made of. */
const CHANGES = [
  { effect: ['write', 'destructive'] },
  { effect: 'write', except: 'ssl *' },
  { operations: 'ssl *', where: { zone: ['shop-*', '1003'], state: 'off' } },
  { operations: ['app delete', 'bot set'] },
  { operations: '*', where: { zone: '*o*' } },
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

/** Every combination of the things that a command can be about. */
function targetsOf(subjects: readonly string[]): Question['target'][] {
  return subjects.reduce<Question['target'][]>(
    (targets, subject) =>
      targets.flatMap((target) => (THINGS[subject] ?? [['x']]).map((words) => ({ ...target, [subject]: words }))),
    [{}],
  );
}

/** Asserts every cell of the table that a policy makes. Answers with how many there were, by answer. */
function assertTable(text: string, world: World, commands = COMMANDS): Record<string, number> {
  const document = parsePolicy({ text, file: 'policy.yml', commands: COMMANDS, admins: world.admins });
  const answerOf = createOracle(text, world);
  const policy = createPolicy(document, createFixedDirectory(world));
  const named = referencesOf(document);
  const ids = new Set([...named.people, ...Object.values(world.groups).flat(), ...world.admins, 'U0NOBODY']);
  const people = [...ids].flatMap((id) => KINDS.map((kind) => ({ id, kind })));
  const channels = [
    ...new Set([...Object.values(world.channels), ...named.channels, 'C0UNNAMED', 'D0DIRECT', 'U0HOME']),
  ];
  const cells: Record<string, number> = {};
  const wrong: string[] = [];
  for (const person of people) {
    for (const channel of channels.filter((name) => !name.startsWith('#'))) {
      for (const command of commands) {
        const place = { channelId: channel };
        const tentative = policy.decide(command, person, place).allowed;
        for (const target of targetsOf(command.subjects)) {
          const wanted = answerOf({ person, channel, command, target });
          const names = Object.fromEntries(
            Object.entries(target).map(([subject, words]) => [subject, words === null ? [] : [words]]),
          );
          const decision = policy.decide(command, person, place, names);
          const came = !decision.allowed ? 'denied' : (decision.approval?.count ?? 'allowed');
          cells[came] = (cells[came] ?? 0) + 1;
          const isRight =
            came === wanted && !decision.tentative && decision.rule !== '' && (tentative || !decision.allowed);
          if (!isRight)
            wrong.push(
              `${person.kind} ${person.id} in ${channel}: ${command.name} ${JSON.stringify(target)}: ${came}, not ${wanted} (${decision.rule})`,
            );
        }
      }
    }
  }
  expect(wrong.slice(0, 10), `${wrong.length} cells; ${text}`).toEqual([]);
  return cells;
}

const WORLD: World = {
  admins: ['U0ADA000001'],
  groups: {
    '@shop-team': ['U0CLEO00003'],
    S0ONCALL001: ['U0DORA00004', 'U0GUS000003'],
    '@data': ['U0FAY000005', 'U0CLEO00003'],
    '@leads': ['U0ADA000001', 'U0DORA00004'],
  },
  channels: {
    '#ops': 'C0OPS000001',
    '#shop': 'C0SHOP00004',
    '#random': 'C0RANDOM003',
    '#incidents': 'C0INC000006',
    '#quiet': 'C0QUIET0007',
  },
};

describe('The table of person × channel × command × target', () => {
  it('of the example is what an independent reading of the file says, in every cell', () => {
    const cells = assertTable(EXAMPLE, WORLD);
    expect(cells.allowed).toBeGreaterThan(1_000);
    expect(cells.denied).toBeGreaterThan(1_000);
    expect(cells[1]).toBeGreaterThan(0);
    expect(cells[2]).toBeGreaterThan(0);
  });

  it('of the example holds while Slack knows none of its groups and channels, and after everybody left', () => {
    const without = assertTable(EXAMPLE, { ...WORLD, groups: {}, channels: {} });
    const emptied = Object.fromEntries(Object.keys(WORLD.groups).map((group) => [group, []]));
    assertTable(EXAMPLE, { ...WORLD, groups: emptied });
    expect(without.denied).toBeGreaterThan(1_000);
  });

  it('of the built-in policy holds', () => {
    const cells = assertTable('', WORLD);
    expect(cells[1]).toBeUndefined();
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
            .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: 1, max: 3 }))
            .map(([entry, count]) => ({ ...entry, approvers: { people: ['U0ADA000001'] }, count })),
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

describe('A name that cannot be read', () => {
  it('is the same word for the look-ups and the policy', () => {
    expect(UNKNOWN_NAME).toBe(UNKNOWN);
  });
});
