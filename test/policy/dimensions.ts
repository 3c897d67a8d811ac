/** What the tables are made of: everybody, everywhere, every command, everything that a policy here speaks of, and others. */
import { readFileSync } from 'node:fs';
import { commandOf } from '../../src/changes/permission.ts';
import { operations } from '../../src/operations/index.ts';
import { type PolicyDocument, referencesOf } from '../../src/policy/document.ts';
import type { Person, Question, World } from './oracle.ts';

export const COMMANDS = operations.map(commandOf);
export const EXAMPLE = readFileSync(new URL('../../docs/policy.example.yml', import.meta.url), 'utf8');

const KINDS = ['member', 'guest', 'stranger'] as const;
/** Names and ids of things that the policies here speak of, and of others; null: the command names none. */
const THINGS: Record<string, (readonly string[] | null)[]> = {
  zone: [['1001', 'shop-assets'], ['1002', 'shop-images'], ['1003', 'blog'], null],
  state: [['on'], ['off']],
  script: [
    ['41311', 'image-resizer'],
    ['502', 'ab-testing'],
    ['503', 'ab-testing-old'],
  ],
  database: [
    ['db_1', 'shop'],
    ['db_2', 'events-eu'],
    ['db_3', 'stock'],
  ],
  app: [['a1', 'mailer']],
};

/** Every combination of the things that a command can be about. */
export function targetsOf(subjects: readonly string[]): Question['target'][] {
  return subjects.reduce<Question['target'][]>(
    (targets, subject) =>
      targets.flatMap((target) => (THINGS[subject] ?? [['x']]).map((words) => ({ ...target, [subject]: words }))),
    [{}],
  );
}

/** A workspace in which everything that the example names is there. */
export const WORLD: World = {
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

/** Everybody whom a policy names or Slack has in its groups, and somebody else: each as a member, a guest and a stranger. */
export function peopleOf(document: PolicyDocument, world: World): Person[] {
  const ids = new Set([
    ...referencesOf(document).people,
    ...Object.values(world.groups).flat(),
    ...world.admins,
    'U0NOBODY',
  ]);
  return [...ids].flatMap((id) => KINDS.map((kind) => ({ id, kind })));
}

/** Every channel that a policy names or Slack has, one that nobody names, a direct message and the Home tab. */
export function placesOf(document: PolicyDocument, world: World): string[] {
  const ids = [...Object.values(world.channels), ...referencesOf(document).channels];
  return [...new Set([...ids, 'C0UNNAMED', 'D0DIRECT', 'U0HOME'])].filter((name) => !name.startsWith('#'));
}
