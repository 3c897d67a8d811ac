/** Random policies, people, places, targets and spellings, from a seed. */
import { commandOf } from '../../src/changes/permission.ts';
import { operations } from '../../src/operations/index.ts';
import { commandNamed, type ListedCommand, listed } from './commands.ts';
import { type Ask, mistakesOf, type Person, type Place, type Surroundings, speaksOf, type Thing } from './model.ts';
import { type Chance, createChance } from './random.ts';
import { CAPITALS, FOLDED, PLAIN, PUNY, respell, type Trait, wordFor } from './spellings.ts';
import type { WrittenApproval, WrittenEntry, WrittenFile, WrittenRole } from './written.ts';

/** One policy in one workspace, and many questions to it. */
export interface Scenario {
  file: WrittenFile;
  around: Surroundings;
  questions: Question[];
}

/** Somebody asks for something somewhere, and somebody would approve it. */
export interface Question {
  person: Person;
  place: Place;
  ask: Ask;
  voter: Person;
}

/** Everybody who asks, approves and holds roles. */
export const PEOPLE: readonly Person[] = [
  { id: 'U0ADA000001', kind: 'member' },
  { id: 'U0BEN000002', kind: 'member' },
  { id: 'U0CLEO00003', kind: 'member' },
  { id: 'U0DORA00004', kind: 'member' },
  { id: 'U0GUS000005', kind: 'guest' },
  { id: 'U0GIA000006', kind: 'guest' },
  { id: 'U0EVE000007', kind: 'external' },
  { id: 'U0OUT000008', kind: 'member', deactivated: true },
  { id: 'U0BOT000009', kind: 'bot' },
  { id: 'U0WHO000010', kind: 'unclear' },
];
const GROUPS = ['@leads', '@shop', 'S0ONCALL001', '@lost'];
const ROLES = ['shop', 'oncall', 'data', 'everybody', 'admins'];
const CHANNELS: Record<string, string> = { '#ops': 'C0OPS000001', '#shop': 'C0SHOP00004' };
const PLACES = ['C0OPS000001', 'C0SHOP00004', 'C0RANDOM003', 'C0ELSEWHERE', 'G0PRIVATE01', 'D0DIRECT001'];
const GATES = ['#ops', '#shop', 'C0RANDOM003', 'G0PRIVATE01', 'direct', 'other'];
/** Traits that are mostly about hostnames. */
const HOSTNAMES: readonly Trait[] = ['punycode', 'folded', 'capitals', 'decomposed', 'dots'];
const TARGETS = ['zone', 'zones', 'hostname', 'script', 'app', 'database', 'state'];

/** The few commands and things of one scenario, so that its questions are about what its policy speaks of. */
interface Vocabulary {
  traits: readonly Trait[];
  /** Predicates are about things that lines can name, and nothing else. */
  lines: boolean;
  /** Nearly every entry hangs on what the arguments mean. */
  sharp: boolean;
  commands: readonly ListedCommand[];
  thingsOf(subject: string): readonly Thing[];
}

/** All things of each argument that has things; all else are words. */
function thingsFor(subject: string, traits: readonly Trait[]): readonly Thing[] {
  const { zones, hostnames, ...named } = PLAIN;
  const puny = traits.includes('punycode') || traits.includes('decomposed');
  if (subject === 'zone' || subject === 'zones') return traits.includes('folded') ? [...zones, ...FOLDED.zones] : zones;
  if (subject === 'hostname') {
    const more = [...(puny ? PUNY : []), ...(traits.includes('folded') ? FOLDED.hostnames : [])];
    if (traits.includes('capitals')) more.push(...CAPITALS);
    return more.length > 0 ? [...more, ...hostnames.slice(0, 2)] : hostnames;
  }
  const own = (named as Record<string, readonly Thing[]>)[subject];
  return own ?? ['on', 'off', 'seo', 'block', '1h', 'true'].map((word) => [word]);
}

/** Some of each; a trait that is about hostnames, lists or flags brings the commands that have them. */
function vocabularyFor(traits: readonly Trait[], lines: boolean, chance: Chance): Vocabulary {
  const targeted = listed.filter((one) => one.arguments.some(({ name }) => TARGETS.includes(name)));
  const changes = targeted.filter(({ effect }) => effect !== 'read');
  const sharp = chance.once(2);
  const commands = sharp
    ? chance.some(changes, 1, 2)
    : [...chance.some(targeted, 2, 3), ...chance.some(changes, 1, 2), ...chance.some(listed, 1, 1)];
  if (traits.includes('lists')) commands.push(commandNamed('report subscribe'), commandNamed('report run'));
  if (traits.some((one) => HOSTNAMES.includes(one)))
    commands.push(commandNamed('ssl force'), commandNamed('certificate request'));
  if (traits.includes('optional')) commands.push(commandNamed('token create'), commandNamed('variable add'));
  const chosen = new Map<string, readonly Thing[]>();
  for (const subject of commands.flatMap((one) => one.arguments.map(({ name }) => name))) {
    if (!chosen.has(subject)) chosen.set(subject, chance.some(thingsFor(subject, traits), 2, 3));
  }
  return { traits, lines, sharp, commands, thingsOf: (subject) => chosen.get(subject) as readonly Thing[] };
}

function patternOf(command: ListedCommand, chance: Chance): string {
  const [noun = '', verb] = command.name.split(' ');
  const patterns = [command.name, command.name, '*'];
  return chance.one(verb === undefined ? patterns : [...patterns, `${noun} *`, `* ${verb}`]);
}

/** What an argument can never be stops the start: `test/policy/document.test.ts` has that. */
const isValue = ({ name }: ListedCommand, subject: string, word: string): boolean =>
  operations
    .filter((one) => one.name === name)
    .every((one) => commandOf(one).refuses?.(subject, word, true) === undefined);

function entryAbout(
  command: ListedCommand,
  { traits, lines, sharp, thingsOf }: Vocabulary,
  chance: Chance,
): WrittenEntry {
  const named = command.arguments.map(({ name }) => name);
  const subjects = lines ? named.filter((one) => TARGETS.includes(one)) : named;
  const entry: WrittenEntry = {};
  if (chance.below(4) > 0)
    entry.operations = chance.once(2) ? patternOf(command, chance) : [patternOf(command, chance)];
  if (entry.operations === undefined || chance.once(3)) {
    entry.effect = chance.once(2) ? command.effect : [command.effect, chance.one(['read', 'write'])];
  }
  if (chance.once(6)) {
    const left = listed.filter((one) => one.name !== command.name && speaksOf(entry, one));
    if (left.length > 0) entry.except = chance.one(left).name;
  }
  if (subjects.length > 0 && chance.below(sharp ? 10 : 3) > 0) {
    const where: Record<string, string | string[]> = {};
    const targets = subjects.filter((one) => TARGETS.includes(one));
    for (const subject of chance.some(
      targets.length > 0 && !chance.once(sharp ? 10 : 4) ? targets : subjects,
      1,
      sharp && !chance.once(4) ? 1 : 2,
    )) {
      const things = thingsOf(subject);
      const drawn = Array.from({ length: 1 + chance.below(2) }, () => wordFor(chance.one(things), traits, chance));
      const words = drawn.filter((word) => isValue(command, subject, word));
      if (words.length > 0) where[subject] = words.length === 1 && chance.once(2) ? (words[0] as string) : words;
    }
    entry.where = where;
  }
  return entry;
}

function entryFor(vocabulary: Vocabulary, chance: Chance): string | WrittenEntry {
  const command = chance.one(vocabulary.commands);
  return chance.once(vocabulary.sharp ? 12 : 5) ? patternOf(command, chance) : entryAbout(command, vocabulary, chance);
}

function approvalEntry(vocabulary: Vocabulary, chance: Chance): WrittenApproval {
  for (;;) {
    const command = chance.one(vocabulary.commands.filter(({ effect }) => effect !== 'read'));
    const roles = chance.some(['shop', 'oncall', 'admins', 'everybody'], 0, 2);
    const entry: WrittenApproval = {
      ...entryAbout(command, vocabulary, chance),
      approvers: { people: chance.some(PEOPLE, 1, 2).map(({ id }) => id) },
      ...(chance.once(3) ? { count: 1 + chance.below(3) } : {}),
      ...(chance.once(3) ? { expires: chance.one(['30m', '2h', '1d']) } : {}),
      ...(chance.once(4) ? { reason: 'required' as const } : {}),
      ...(chance.once(4)
        ? { breakGlass: { channel: chance.one(['#ops', 'C0OPS000001', '#lost', 'C0RANDOM003']) } }
        : {}),
    };
    if (chance.once(2)) entry.approvers = { groups: chance.some(GROUPS, 1, 2), ...(roles.length > 0 ? { roles } : {}) };
    else if (roles.length > 0) entry.approvers = { ...entry.approvers, roles };
    if (vocabulary.traits.includes('optional') || mistakesOf({ approval: [entry] }).length === 0) return entry;
  }
}

function roleFor(name: string, vocabulary: Vocabulary, chance: Chance): WrittenRole {
  const allow = Array.from({ length: 1 + chance.below(3) }, () => entryFor(vocabulary, chance));
  if (name === 'everybody' || name === 'admins') return { allow };
  return {
    people: chance.some(PEOPLE.slice(0, vocabulary.sharp ? 6 : 10), 1, 5).map(({ id }) => id),
    ...(chance.once(2) ? { groups: chance.some(GROUPS, 1, 2) } : {}),
    ...(chance.once(3) ? { guests: true } : {}),
    allow,
  };
}

function fileFor(vocabulary: Vocabulary, chance: Chance): WrittenFile {
  const { traits } = vocabulary;
  const roles: Record<string, WrittenRole> = {};
  for (const name of ['shop', 'oncall']) roles[name] = roleFor(name, vocabulary, chance);
  for (const name of chance.some(ROLES.slice(2), 0, 2)) roles[name] = roleFor(name, vocabulary, chance);
  const channels: Record<string, { allow: (string | WrittenEntry)[] }> = {};
  const gates = [...GATES, ...(traits.includes('lost') ? ['#lost', '#gone'] : [])];
  for (const name of chance.some(traits.includes('twice') ? [...gates, ...Object.values(CHANNELS)] : gates, 0, 4)) {
    const allow = Array.from({ length: 1 + chance.below(2) }, () => entryFor(vocabulary, chance));
    channels[name] = { allow: chance.once(3) ? [...allow, '*'] : allow };
  }
  const approval = Array.from({ length: chance.below(4) }, () => approvalEntry(vocabulary, chance));
  return { roles, channels, approval };
}

function askFor({ traits, commands, thingsOf }: Vocabulary, chance: Chance): Ask {
  const command = chance.one(commands);
  const things: Record<string, Thing[]> = {};
  for (const { name, optional } of command.arguments) {
    if (traits.includes('early') && chance.once(3)) continue;
    const many = name === 'zones' && traits.includes('lists') ? 3 : 1;
    const left = optional && chance.once(TARGETS.includes(name) ? 8 : 2);
    things[name] = left ? [] : chance.some(thingsOf(name), 1, many).map((one) => respell(one, traits, chance));
  }
  return { command: command.name, things };
}

/** The policy of a seed with these traits, and so many questions to it; for `lines` only about what lines can name. */
export function scenarioOf(seed: number, traits: readonly Trait[], size: number, lines = false): Scenario {
  const chance = createChance(seed);
  const groups: Record<string, readonly string[]> = {};
  for (const name of GROUPS.slice(0, 3)) groups[name] = chance.some(PEOPLE, 0, 4).map(({ id }) => id);
  const around: Surroundings = {
    admins: chance.some(PEOPLE, 0, 3).map(({ id }) => id),
    groups,
    channels: CHANNELS,
    known: traits.includes('lost') ? chance.some(PLACES, 0, PLACES.length) : PLACES,
  };
  const vocabulary = vocabularyFor(traits, lines, chance);
  const file = fileFor(vocabulary, chance);
  const questions = Array.from({ length: size }, () => {
    const person = chance.one(chance.once(3) ? PEOPLE : PEOPLE.slice(0, 6));
    const id = chance.once(12) ? person.id : chance.one(PLACES);
    const isOurs = !traits.includes('external') || !/^[CG]/.test(id) || chance.once(2);
    const external = chance.once(3) ? 'Slack does not say it' : true;
    return {
      person,
      place: isOurs ? { id } : { id, external },
      ask: askFor(vocabulary, chance),
      voter: chance.one(PEOPLE),
    };
  });
  return { file, around, questions };
}
