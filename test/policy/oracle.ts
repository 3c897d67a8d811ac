import { parse } from 'yaml';

/**
 * What a policy file says, read a second time and in another way: plain loops over the plain file, no tables made
 * beforehand, no regular expressions. It shares no code with src/policy. Every name of the target has to be given.
 */

interface Entry {
  operations?: string | string[];
  effect?: string | string[];
  except?: string | string[];
  where?: Record<string, Scalar | Scalar[]>;
}
type Scalar = string | number | boolean;
type Permission = string | Entry;

interface File {
  roles?: Record<
    string,
    { people?: string | string[]; groups?: string | string[]; guests?: boolean; allow: Permission[] }
  >;
  channels?: Record<string, { allow: Permission[] }>;
  approval?: (Entry & {
    approvers: { people?: string | string[]; groups?: string | string[]; roles?: string | string[] };
    count?: number;
    expires?: string;
    reason?: string;
    breakGlass?: { channel: string };
  })[];
}

export interface Person {
  id: string;
  kind: 'member' | 'guest' | 'stranger';
}

/** One question: who, where, which command, on what. */
export interface Question {
  person: Person;
  channel: string;
  command: { name: string; effect: string; subjects: readonly string[] };
  /** Subject → the words for the one thing that is meant; null: nothing is meant. */
  target: Record<string, readonly string[] | null>;
}

/** What Slack has. */
export interface World {
  admins: readonly string[];
  groups: Record<string, readonly string[]>;
  channels: Record<string, string>;
}

const listOf = <T>(value: T | T[] | undefined): T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** `*` by trying every length; the longest words here are short. */
function fits(pattern: string, word: string): boolean {
  if (pattern === '') return word === '';
  if (pattern[0] !== '*') return word !== '' && pattern[0] === word[0] && fits(pattern.slice(1), word.slice(1));
  for (let skipped = 0; skipped <= word.length; skipped += 1)
    if (fits(pattern.slice(1), word.slice(skipped))) return true;
  return false;
}

const fitsAny = (patterns: Scalar[], word: string) =>
  patterns.some((pattern) => fits(String(pattern).toLowerCase(), word.toLowerCase()));

function speaksOf(permission: Permission, { command, target }: Question): boolean {
  const entry: Entry = typeof permission === 'string' ? { operations: permission } : permission;
  if (entry.operations !== undefined && !fitsAny(listOf(entry.operations), command.name)) return false;
  if (entry.effect !== undefined && !listOf(entry.effect).includes(command.effect)) return false;
  if (fitsAny(listOf(entry.except), command.name)) return false;
  for (const [subject, patterns] of Object.entries(entry.where ?? {})) {
    const words = command.subjects.includes(subject) ? target[subject] : null;
    if (!words?.some((word) => fitsAny(listOf(patterns), word))) return false;
  }
  return true;
}

/** What an approval has to be. */
export interface Terms {
  count: number;
  /** How long it can be given, and then used, in milliseconds. */
  expires: number;
  reason: string;
  /** Where going without is announced; null: nobody may, or the channel is not there. */
  glass: string | null;
  mayApprove(approver: Person): boolean;
}

/** Denied, allowed, or allowed once others have approved it. */
export type OracleAnswer = 'denied' | 'allowed' | Terms;

export function createOracle(text: string): (question: Question, world: World) => OracleAnswer {
  const file = (parse(text) ?? {}) as File;
  return (question, world) => answerOf(file, world, question);
}

/** Who is in a group; nobody when there is no such group. */
function membersOf(world: World, written: string | string[] | undefined): string[] {
  return listOf(written).flatMap((group) => [
    ...(world.groups[group.startsWith('@') || /^S[A-Z0-9]{5}/.test(group) ? group : `@${group}`] ?? []),
  ]);
}

/** Who has a role by name, but for `everybody`. */
function holdersOf(file: File, world: World, name: string): string[] {
  const role = file.roles?.[name];
  if (name === 'admins' && role?.people === undefined && role?.groups === undefined) return [...world.admins];
  return [...listOf(role?.people), ...membersOf(world, role?.groups)];
}

function termsOf(file: File, world: World, requester: Person, entry: NonNullable<File['approval']>[number]): Terms {
  const { approvers, count = 1, expires = '1h', reason = 'optional', breakGlass } = entry;
  const unit = expires.endsWith('m') ? 60_000 : expires.endsWith('h') ? 3_600_000 : 86_400_000;
  const channel = breakGlass?.channel;
  return {
    count,
    expires: Number.parseInt(expires, 10) * unit,
    reason,
    glass: channel === undefined ? null : channel.startsWith('#') ? (world.channels[channel] ?? null) : channel,
    mayApprove({ id, kind }) {
      if (kind === 'stranger' || id === requester.id) return false;
      for (const name of listOf(approvers.roles)) {
        if (name === 'everybody' ? kind === 'member' : holdersOf(file, world, name).includes(id)) {
          if (kind === 'member' || file.roles?.[name]?.guests === true) return true;
        }
      }
      if (listOf(approvers.people).includes(id)) return true;
      return kind === 'member' && membersOf(world, approvers.groups).includes(id);
    },
  };
}

function answerOf(file: File, world: World, question: Question): OracleAnswer {
  const { person, channel, command } = question;
  if (person.kind === 'stranger') return 'denied';
  if (person.kind === 'member' && (command.name === 'help' || command.name === 'can-i')) return 'allowed';

  const everybody = file.roles?.everybody ?? {
    allow: [
      { effect: 'read', except: ['key list', 'database query', 'log download', 'audit *', 'changes *', 'balance *'] },
    ],
  };
  const admins = file.roles?.admins ?? { allow: ['*'] };
  let hasRight = person.kind === 'member' && everybody.allow.some((entry) => speaksOf(entry, question));
  for (const [name, role] of Object.entries({ ...file.roles, admins })) {
    if (name === 'everybody') continue;
    const ids = new Set(holdersOf(file, world, name));
    if (person.kind === 'guest' && role.guests !== true) continue;
    if (ids.has(person.id) && role.allow.some((entry) => speaksOf(entry, question))) hasRight = true;
  }
  if (!hasRight) return 'denied';

  const places = Object.entries(file.channels ?? {});
  const isChannel = channel.startsWith('C') || channel.startsWith('G');
  const named = (name: string) => places.filter(([place]) => place === name);
  let gates = places.filter(
    ([place]) => place === channel || (place.startsWith('#') && world.channels[place] === channel),
  );
  if (!isChannel) gates = named('direct').length > 0 ? named('direct') : named('other');
  else {
    if (gates.length === 0) gates = named('other');
    // A place that Slack does not name may be any that cannot be found, also one that the file names by its id.
    const isKnown = Object.values(world.channels).includes(channel);
    const lost = places.filter(([place]) => place.startsWith('#') && world.channels[place] === undefined);
    if (!isKnown) gates = [...gates, ...lost];
  }
  for (const [, { allow }] of gates) if (!allow.some((entry) => speaksOf(entry, question))) return 'denied';

  if (command.effect !== 'read')
    for (const entry of file.approval ?? []) if (speaksOf(entry, question)) return termsOf(file, world, person, entry);
  return 'allowed';
}
