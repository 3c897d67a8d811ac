/** Who may do what, where, and with whose approval: docs/policy.md and its stricter rules, as plainly as they can be written. */
import { commandNamed, type ListedCommand, listed } from './commands.ts';
import { isCommand, isSpelled } from './spelling.ts';
import { listOf, type WrittenApproval, type WrittenEntry, type WrittenFile, type WrittenRole } from './written.ts';

/** Somebody, as Slack tells of them. */
export interface Person {
  id: string;
  kind: 'member' | 'guest' | 'external' | 'bot' | 'unclear';
  deactivated?: boolean;
}

/** A place. `external`: people of other workspaces are in it (Slack Connect), or may be: then it is why nobody can say. */
export interface Place {
  id: string;
  external?: boolean | string;
}

/** All that stands outside of the file. A group or channel that is not listed cannot be found. */
export interface Surroundings {
  admins: readonly string[];
  groups: Readonly<Record<string, readonly string[]>>;
  /** Ids of channels by `#name`. */
  channels: Readonly<Record<string, string>>;
  /** Channels of which Slack has told the bot the name. */
  known: readonly string[];
}

/** A thing: its id, its name and all else that it is called; `?` is a name that could not be read. */
export type Thing = readonly string[];

/** A command and the things that its arguments mean. No list: not known yet. An empty one: the argument was left out. */
export interface Ask {
  command: string;
  things: Readonly<Record<string, readonly Thing[]>>;
}

/** What one entry of `approval:` asks for. */
export interface EntryApproval {
  /** Which one, from 0. */
  entry: number;
  approvers: readonly string[];
  guests: readonly string[];
  anybody: boolean;
  count: number;
  minutes: number;
  reason: 'required' | 'optional';
  breakGlass: string | undefined;
  /** The id of that channel, or its name while it cannot be found. */
  glassAt: string | undefined;
}

/** The approval that a change needs: one entry, or several that count together, by people whom each of them names. */
export interface NeededApproval {
  each: readonly EntryApproval[];
  count: number;
  minutes: number;
  reason: 'required' | 'optional';
  breakGlass: string | undefined;
}

/** What comes of it. */
export interface Verdict {
  allowed: boolean;
  /** It hangs on what is not known yet. */
  tentative: boolean;
  refused?: 'person' | 'role' | 'place' | 'external';
  approval?: NeededApproval;
}

/** `unread`: nobody can say, because a name could not be read. `early`: nobody can say yet. */
type Fit = 'no' | 'unread' | 'early' | 'yes';

const READ_BY_ALL: WrittenRole = {
  allow: [
    { effect: 'read', except: ['key list', 'database query', 'log download', 'audit *', 'changes *', 'balance *'] },
  ],
};

/** The roles of the file, and the two that are there without being written. */
export function rolesOf(file: WrittenFile): Record<string, WrittenRole> {
  return { admins: { allow: ['*'] }, everybody: READ_BY_ALL, ...file.roles };
}

/** Its people, those of its groups, and the admins where it is theirs. Of `everybody` nobody is listed. */
export function holdersOf(name: string, role: WrittenRole, around: Surroundings): string[] {
  const holders = [...(role.people ?? [])];
  for (const group of role.groups ?? []) holders.push(...(around.groups[group] ?? []));
  if (name === 'admins') holders.push(...around.admins);
  return holders;
}

function standing(person: Person): 'member' | 'guest' | 'stranger' {
  if (person.deactivated) return 'stranger';
  return person.kind === 'member' || person.kind === 'guest' ? person.kind : 'stranger';
}

function holds(person: Person, name: string, role: WrittenRole, around: Surroundings): boolean {
  const is = standing(person);
  if (is === 'stranger') return false;
  if (is === 'guest' && role.guests !== true) return false;
  if (is === 'member' && name === 'everybody') return true;
  return holdersOf(name, role, around).includes(person.id);
}

/** The entry speaks of the command, on some target. */
export function speaksOf(entry: string | WrittenEntry, command: ListedCommand): boolean {
  const { operations, effect, except } = typeof entry === 'string' ? { operations: entry } : entry;
  if (operations !== undefined && !listOf(operations).some((one) => isCommand(one, command.name))) return false;
  if (effect !== undefined && !listOf(effect).includes(command.effect)) return false;
  return !listOf(except).some((one) => isCommand(one, command.name));
}

/** A thing is called so. A name that could not be read meets only what every name meets. */
function meets(words: readonly string[], thing: Thing): Fit {
  for (const word of words) {
    for (const name of thing) if (name !== '?' && isSpelled(word, name)) return 'yes';
    if (/^\*+$/.test(word)) return 'yes';
  }
  return thing.includes('?') ? 'unread' : 'no';
}

/** The entry is about this command with these things, one of each argument. */
function fits(entry: string | WrittenEntry, { command, things }: Ask): Fit {
  const known = commandNamed(command);
  if (!speaksOf(entry, known)) return 'no';
  const where = typeof entry === 'string' ? {} : (entry.where ?? {});
  let fit: Fit = 'yes';
  for (const [subject, words] of Object.entries(where)) {
    if (!known.arguments.some(({ name }) => name === subject)) return 'no';
    const meant = things[subject];
    if (meant === undefined) {
      if (fit === 'yes') fit = 'early';
      continue;
    }
    if (meant[0] === undefined) return 'no';
    const one = meets(listOf(words), meant[0]);
    if (one === 'no') return 'no';
    if (one === 'unread') fit = 'unread';
  }
  return fit;
}

/** A list is judged element by element: the same command once for each of the things. */
function oneByOne(ask: Ask): Ask[] {
  let asks: Ask[] = [ask];
  for (const [subject, things] of Object.entries(ask.things)) {
    if (things.length < 2) continue;
    asks = asks.flatMap((one) => things.map((thing) => ({ ...one, things: { ...one.things, [subject]: [thing] } })));
  }
  return asks;
}

/** One entry at least gives the right; for a name that could not be read none does. */
function gives(entries: readonly (string | WrittenEntry)[], ask: Ask): 'no' | 'early' | 'yes' {
  const fit = entries.map((entry) => fits(entry, ask));
  if (fit.includes('yes')) return 'yes';
  return fit.includes('early') ? 'early' : 'no';
}

/** The lists of `allow:` that a place has to be in, all of them; none: it is as open as the roles are. */
export function gatesOf(file: WrittenFile, place: Place, around: Surroundings): (readonly (string | WrittenEntry)[])[] {
  const channels = file.channels ?? {};
  const direct = place.id.startsWith('D') || place.id.startsWith('U') || place.id.startsWith('W');
  const certain: (readonly (string | WrittenEntry)[])[] = [];
  const possible: (readonly (string | WrittenEntry)[])[] = [];
  for (const [name, { allow }] of Object.entries(channels)) {
    if (name === 'other') continue;
    if (name === 'direct') {
      if (direct) certain.push(allow);
      continue;
    }
    const id = name.startsWith('#') ? around.channels[name] : name;
    if (id === place.id) certain.push(allow);
    if (id === undefined && !direct && !around.known.includes(place.id)) possible.push(allow);
  }
  if (certain.length === 0 && channels.other !== undefined) certain.push(channels.other.allow);
  return [...certain, ...possible];
}

/** The best of the rights that this person has by these roles. */
function rightBy(names: readonly string[], file: WrittenFile, around: Surroundings, person: Person, ask: Ask) {
  let right: 'no' | 'early' | 'yes' = 'no';
  for (const name of names) {
    const role = rolesOf(file)[name] as WrittenRole;
    if (!holds(person, name, role, around)) continue;
    const given = gives(role.allow, ask);
    if (given === 'yes' || (given === 'early' && right === 'no')) right = given;
  }
  return right;
}

function judgeOne(file: WrittenFile, around: Surroundings, person: Person, place: Place, ask: Ask): Verdict {
  if (standing(person) === 'stranger') return { allowed: false, tentative: false, refused: 'person' };
  if (standing(person) === 'member' && ['help', 'can-i'].includes(ask.command))
    return { allowed: true, tentative: false };
  const names = Object.keys(rolesOf(file));
  const right = rightBy(names, file, around, person, ask);
  if (right === 'no') return { allowed: false, tentative: false, refused: 'role' };
  let tentative = right === 'early';
  for (const allow of gatesOf(file, place, around)) {
    const given = gives(allow, ask);
    if (given === 'no') return { allowed: false, tentative: false, refused: 'place' };
    if (given === 'early') tentative = true;
  }
  if (!place.external) return { allowed: true, tentative };
  // Where people of other workspaces read along, nothing is done that this person could do as an admin only.
  const plain = names.filter((name) => name !== 'admins');
  const own = rightBy(plain, file, around, person, ask);
  if (own === 'no') return { allowed: false, tentative: false, refused: 'external' };
  return { allowed: true, tentative: tentative || own === 'early' };
}

function minutesOf(text: string): number {
  const unit: Record<string, number> = { m: 1, h: 60, d: 24 * 60 };
  return Number(text.slice(0, -1)) * (unit[text.slice(-1)] ?? Number.NaN);
}

/** The approvers of an entry, listed. */
function approvalOf(file: WrittenFile, around: Surroundings, entry: number): EntryApproval {
  const written = (file.approval ?? [])[entry] as WrittenApproval;
  const { people = [], groups = [], roles = [] } = written.approvers;
  const approvers = [...people];
  const guests = [...people];
  for (const group of groups) approvers.push(...(around.groups[group] ?? []));
  for (const name of roles) {
    const role = rolesOf(file)[name] as WrittenRole;
    approvers.push(...holdersOf(name, role, around));
    if (role.guests === true) guests.push(...holdersOf(name, role, around));
  }
  return {
    entry,
    approvers,
    guests,
    anybody: roles.includes('everybody'),
    count: written.count ?? 1,
    minutes: minutesOf(written.expires ?? '1h'),
    reason: written.reason ?? 'optional',
    breakGlass: written.breakGlass?.channel,
    glassAt: written.breakGlass && (around.channels[written.breakGlass.channel] ?? written.breakGlass.channel),
  };
}

/** Several approvals as one: as many people, as soon, with a reason, if one is so; a way around where all have the same. */
function together(each: readonly EntryApproval[]): NeededApproval {
  const [first] = each;
  return {
    each,
    count: Math.max(...each.map(({ count }) => count)),
    minutes: Math.min(...each.map(({ minutes }) => minutes)),
    reason: each.some(({ reason }) => reason === 'required') ? 'required' : 'optional',
    breakGlass: each.every(({ glassAt }) => glassAt === first?.glassAt) ? first?.breakGlass : undefined,
  };
}

/** All entries that might fit, up to the first that surely does: for every element of every list. */
function approvalFor(file: WrittenFile, around: Surroundings, ask: Ask): NeededApproval | undefined {
  if (commandNamed(ask.command).effect === 'read') return undefined;
  const each: EntryApproval[] = [];
  for (const [index, entry] of (file.approval ?? []).entries()) {
    const fit = oneByOne(ask).map((one) => fits(entry, one));
    if (fit.every((one) => one === 'no')) continue;
    each.push(approvalOf(file, around, index));
    if (fit.every((one) => one === 'yes')) break;
  }
  return each.length === 0 ? undefined : together(each);
}

/** The decision: every element of every list has to be allowed. */
export function judge(file: WrittenFile, around: Surroundings, person: Person, place: Place, ask: Ask): Verdict {
  let tentative = false;
  for (const one of oneByOne(ask)) {
    const verdict = judgeOne(file, around, person, place, one);
    if (!verdict.allowed) return verdict;
    if (verdict.tentative) tentative = true;
  }
  const approval = approvalFor(file, around, ask);
  return { allowed: true, tentative, ...(approval === undefined ? {} : { approval }) };
}

/** An undo needs the approval that its command would need, unless those who approved the change are enough for it. */
export function judgeUndo(
  file: WrittenFile,
  around: Surroundings,
  person: Person,
  place: Place,
  { undo, approvedBy }: { undo: Ask; approvedBy: readonly Person[] },
): Verdict {
  const { approval, ...verdict } = judge(file, around, person, place, undo);
  if (approval === undefined) return verdict;
  const enough = approvedBy.filter((voter) => mayVote(approval, voter, person)).length >= approval.count;
  return enough ? verdict : { ...verdict, approval };
}

/** `--for` asks beforehand for what the change needs and for what putting it back needs. */
export function judgeForAWhile(
  file: WrittenFile,
  around: Surroundings,
  person: Person,
  place: Place,
  { change, undo }: { change: Ask; undo: Ask },
): Verdict {
  const { approval, ...verdict } = judge(file, around, person, place, change);
  const back = approvalFor(file, around, undo);
  const each = [...(approval?.each ?? []), ...(back?.each ?? [])];
  return each.length === 0 ? verdict : { ...verdict, approval: together(each) };
}

/** Somebody can approve: another member whom each entry names, or a guest whom each names as one. */
export function mayVote({ each }: NeededApproval, voter: Person, requester: Person): boolean {
  if (voter.id === requester.id) return false;
  const is = standing(voter);
  if (is === 'stranger') return false;
  return each.every(({ guests, anybody, approvers }) =>
    is === 'guest' ? guests.includes(voter.id) : anybody || approvers.includes(voter.id),
  );
}

/** The mistakes that stop the start: an approval that hangs on an argument that can be left out. */
export function mistakesOf(file: WrittenFile): string[] {
  const mistakes: string[] = [];
  for (const [index, entry] of (file.approval ?? []).entries()) {
    for (const subject of Object.keys(entry.where ?? {})) {
      for (const command of listed) {
        if (command.effect === 'read' || !speaksOf(entry, command)) continue;
        const argument = command.arguments.find(({ name }) => name === subject);
        if (argument?.optional) mistakes.push(`approval ${index}: ${command.name} can be asked for without ${subject}`);
      }
    }
  }
  return mistakes;
}
