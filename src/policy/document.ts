import type { z } from 'zod';
import { nearest } from '../nearest.ts';
import { slash } from '../own-name.ts';
import { type Pattern, parsePattern, spellingsOf } from '../pattern.ts';
import { type Complaint, FileError, type LinedFile, readYaml } from './lines.ts';
import type { Command } from './names.ts';
import { DIRECT, OTHER, policySchema, type WrittenPolicy, type WrittenScope } from './schema.ts';

/** The role of EDGEWISE_ADMINS. */
export const ADMINS = 'admins';
/** All members, no guests. */
export const EVERYBODY = 'everybody';

/** Some commands on some targets. */
export interface Scope {
  commands: ReadonlySet<string>;
  /** By subject; empty: any target. */
  where: ReadonlyMap<string, readonly Pattern[]>;
  /** As written: `ssl *, certificate *` */
  what: string;
  /** `zone is shop-*`; empty: any target. */
  targets: string;
  /** `policy.yml line 12` */
  source: string;
}

export interface Role {
  name: string;
  people: readonly string[];
  groups: readonly string[];
  /** Guests can have it too. */
  guests: boolean;
  allow: readonly Scope[];
}

/** What a place allows: a channel by id or `#name`, direct messages, or all other places. */
export interface Gate {
  place: string;
  allow: readonly Scope[];
}

export interface ApprovalEntry {
  scope: Scope;
  approvers: { people: readonly string[]; groups: readonly string[]; roles: readonly string[] };
  count: number;
  /** Milliseconds, for giving and using it. */
  expires: number;
  reason: 'required' | 'optional';
  breakGlass?: { channel: string };
}

export interface PolicyDocument {
  source: string;
  roles: readonly Role[];
  gates: readonly Gate[];
  approvals: readonly ApprovalEntry[];
  /** Commands for every member everywhere. */
  open: ReadonlySet<string>;
}

export interface PolicyText {
  /** YAML; without it the built-in policy. */
  text?: string | undefined;
  /** Named in messages. */
  file?: string;
  commands: readonly Command[];
  /** Slack user ids. */
  admins: readonly string[];
}

/** A role `admins` or `everybody` in the file replaces the built-in one. Throws FileError with the line of every mistake. */
export function parsePolicy({ text = '', file = 'the policy', commands, admins }: PolicyText): PolicyDocument {
  const builtIn = read(BUILT_IN, undefined, commands, admins);
  const written = read(text, file, commands, admins);
  const replaced = new Set(written.roles.map(({ name }) => name));
  const roles = [...builtIn.roles.filter(({ name }) => !replaced.has(name)), ...written.roles];
  const open = commands.filter(({ permission }) => permission === 'every member').map(({ name }) => name);
  return { ...written, source: file, roles, open: new Set(open) };
}

/** The people, groups and channels that it names. */
export function referencesOf({ roles, gates, approvals }: PolicyDocument) {
  const holders = [...roles, ...approvals.map(({ approvers }) => approvers)];
  const channels = [
    ...gates.map(({ place }) => place),
    ...approvals.flatMap(({ breakGlass }) => breakGlass?.channel ?? []),
  ];
  return {
    people: [...new Set(holders.flatMap(({ people }) => people))],
    groups: [...new Set(holders.flatMap(({ groups }) => groups))],
    channels: [...new Set(channels)].filter((name) => name !== DIRECT && name !== OTHER),
  };
}

interface Reading {
  yaml: LinedFile;
  file: string | undefined;
  commands: readonly Command[];
  complaints: Complaint[];
}

function read(
  text: string,
  file: string | undefined,
  commands: readonly Command[],
  admins: readonly string[],
): Omit<PolicyDocument, 'source' | 'open'> {
  const yaml = readYaml(text);
  const parsed = policySchema.safeParse(yaml.value ?? {});
  if (!parsed.success) throw new FileError(parsed.error.issues.flatMap((issue) => complaintsOf(issue, yaml)));
  const reading: Reading = { yaml, file, commands, complaints: [] };
  const roles = Object.entries(parsed.data.roles).map(([name, role]) => roleOf(reading, name, role, admins));
  const known = new Set([ADMINS, EVERYBODY, ...roles.map(({ name }) => name)]);
  const document = {
    roles,
    gates: Object.entries(parsed.data.channels).map(([place, { allow }]) => ({
      place,
      allow: allow.map((scope, at) => scopeOf(reading, scope, ['channels', place, 'allow', at])),
    })),
    approvals: parsed.data.approval.map((entry, at) => approvalOf(reading, entry, ['approval', at], known)),
  };
  if (reading.complaints.length > 0) throw new FileError(reading.complaints);
  return document;
}

type Path = readonly PropertyKey[];

function complain({ yaml, complaints }: Reading, path: Path, message: string): void {
  complaints.push({ line: yaml.lineOf(path), message });
}

/** A pattern that matches nothing is a mistake. */
function commandsOf(reading: Reading, patterns: readonly string[], path: Path): Set<string> {
  const names = reading.commands.map(({ name }) => name);
  return new Set(
    patterns.flatMap((text, at) => {
      const pattern = parsePattern(text);
      const meant = names.filter((name) => pattern.matches(name));
      if (meant.length === 0) {
        const suggested = suggestion(text, names, `${slash('help')} lists them all.`);
        complain(reading, [...path, at], `there is no command “${text}”.${suggested}`);
      }
      return meant;
    }),
  );
}

function scopeOf(reading: Reading, written: WrittenScope, path: Path): Scope {
  const { operations, effect, except = [], where = {} } = written;
  const listed = operations === undefined ? undefined : commandsOf(reading, operations, [...path, 'operations']);
  const left = commandsOf(reading, except, [...path, 'except']);
  const covered = reading.commands.filter(
    (command) =>
      (listed?.has(command.name) ?? true) && (effect?.includes(command.effect) ?? true) && !left.has(command.name),
  );
  if (covered.length === 0 && (listed === undefined || listed.size > 0)) complain(reading, path, 'no command is left.');
  const patternsOf = (texts: readonly string[]) => texts.flatMap(spellingsOf).map(parsePattern);
  const patterns = new Map(Object.entries(where).map(([subject, texts]) => [subject, patternsOf(texts)]));
  for (const [subject, words] of Object.entries(where))
    checkSubject(reading, { subject, words, covered, operations }, [...path, 'where', subject]);
  // For commands without the subject the predicate is never true.
  const meant = covered.filter((command) => [...patterns.keys()].every((key) => command.subjects.includes(key)));
  return {
    commands: new Set(meant.map(({ name }) => name)),
    where: patterns,
    what: whatOf(written),
    targets: Object.entries(where)
      .map(([subject, texts]) => `${subject} is ${texts.join(' or ')}`)
      .join(' and '),
    source: reading.file === undefined ? 'built in' : `${reading.file} line ${reading.yaml.lineOf(path)}`,
  };
}

interface Predicate {
  subject: string;
  words: readonly string[];
  covered: readonly Command[];
  operations: readonly string[] | undefined;
}

/** Checks the subject and its values. */
function checkSubject(reading: Reading, { subject, words, covered, operations }: Predicate, path: Path): void {
  const subjects = [...new Set(reading.commands.flatMap((command) => command.subjects))];
  if (!subjects.includes(subject)) {
    complain(reading, path, `no command has “${subject}”.${suggestion(subject, subjects, '')}`);
    return;
  }
  /** A pattern is fine if it fits some of its commands. */
  const wrongOf = (all: readonly Command[], isWrong: (command: Command) => boolean) => {
    const wrong = all.filter(isWrong);
    return wrong.length === all.length ? wrong : wrong.filter(({ name }) => operations?.includes(name));
  };
  const lacking = wrongOf(covered, (command) => !command.subjects.includes(subject));
  if (lacking.length > 0) {
    const names = lacking.map(({ name }) => name).join(', ');
    complain(reading, path, `${names} ${lacking.length === 1 ? 'has' : 'have'} no “${subject}”.`);
  }
  const able = covered.filter((command) => command.subjects.includes(subject));
  for (const [at, word] of words.entries()) {
    const refusalBy = (command: Command) => command.refuses?.(subject, word, reading.yaml.isText([...path, at]));
    const [wrong] = wrongOf(able, (command) => refusalBy(command) !== undefined);
    if (wrong !== undefined)
      complain(reading, [...path, at], `“${word}” is not a value of “${subject}”: ${refusalBy(wrong)}.`);
  }
}

/** If a change could lack the subject, it would need no approval. */
function checkAlways(reading: Reading, subject: string, changes: readonly Command[], path: Path): void {
  const without = changes.filter(({ always }) => !always.includes(subject)).map(({ name }) => name);
  if (without.length === 0) return;
  const advice = `leave it out of \`where\`, so that every ${without.join(' and every ')} needs the approval.`;
  complain(reading, path, `${without.join(', ')} can be run without “${subject}”: ${advice}`);
}

function roleOf(
  reading: Reading,
  name: string,
  { people, groups, guests, allow }: WrittenPolicy['roles'][string],
  admins: readonly string[],
): Role {
  const path = ['roles', name];
  const isNamed = people !== undefined || groups !== undefined;
  if (name === EVERYBODY && (isNamed || guests)) {
    complain(reading, path, `everybody is every member of the workspace: it has neither people nor groups nor guests.`);
  }
  if (name !== EVERYBODY && name !== ADMINS && !isNamed)
    complain(reading, path, `the role ${name} has neither people nor groups.`);
  return {
    name,
    people: name === ADMINS && !isNamed ? admins : (people ?? []),
    groups: groups ?? [],
    guests,
    allow: allow.map((entry, at) => scopeOf(reading, entry, [...path, 'allow', at])),
  };
}

function approvalOf(
  reading: Reading,
  written: WrittenPolicy['approval'][number],
  path: Path,
  known: ReadonlySet<string>,
): ApprovalEntry {
  const { approvers, count, expires, reason, breakGlass } = written;
  const { people, groups, roles } = approvers;
  const scope = scopeOf(reading, written, path);
  const changes = reading.commands.filter(({ name, effect }) => scope.commands.has(name) && effect !== 'read');
  if (scope.commands.size > 0 && changes.length === 0) complain(reading, path, 'only changes can need an approval.');
  for (const subject of scope.where.keys()) checkAlways(reading, subject, changes, [...path, 'where', subject]);
  if (people === undefined && groups === undefined && roles === undefined) {
    complain(reading, [...path, 'approvers'], 'approvers has neither people, groups nor roles.');
  }
  for (const [at, name] of (roles ?? []).entries()) {
    if (known.has(name)) continue;
    const suggested = suggestion(name, [...known], '');
    complain(reading, [...path, 'approvers', 'roles', at], `there is no role “${name}”.${suggested}`);
  }
  return {
    scope: { ...scope, commands: new Set(changes.map(({ name }) => name)) },
    approvers: { people: people ?? [], groups: groups ?? [], roles: roles ?? [] },
    count,
    expires,
    reason,
    ...(breakGlass === undefined ? {} : { breakGlass }),
  };
}

/** `ssl *, certificate *`, or `commands that read except key list` */
function whatOf({ operations, effect, except }: WrittenScope): string {
  const ways = { read: 'read', write: 'change something', destructive: 'can’t be undone' };
  const kinds = effect?.map((one) => `commands that ${ways[one]}`).join(' and ');
  const listed = operations?.includes('*') ? 'everything' : operations?.join(', ');
  const what = kinds === undefined ? listed : listed === undefined ? kinds : `${listed} (${kinds})`;
  return `${what}${except === undefined ? '' : ` except ${except.join(', ')}`}`;
}

function suggestion(typed: string, words: readonly string[], otherwise: string): string {
  const near = nearest(typed, words, () => Math.max(2, Math.floor(typed.length / 3)));
  return near !== undefined ? ` Did you mean “${near}”?` : otherwise === '' ? '' : ` ${otherwise}`;
}

/** By line. */
export function complaintsOf(issue: z.core.$ZodIssue, yaml: LinedFile): Complaint[] {
  const path = issue.path;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      line: yaml.lineOf([...path, key]),
      message: `“${key}” is not known ${path.length === 0 ? 'here' : `in ${pathInWords(path)}`}.`,
    }));
  }
  if (issue.code === 'invalid_key') {
    // Only roles and channels have names of their own.
    const [, name] = path;
    return issue.issues.map(({ message }) => ({ line: yaml.lineOf(path), message: `“${String(name)}” ${message}.` }));
  }
  const what = path.length === 0 ? 'the file' : pathInWords(path);
  const kinds = { object: 'names with values', array: 'a list', tuple: 'a list', string: 'text' };
  const kind = issue.code === 'invalid_type' && Object.entries(kinds).find(([name]) => name === issue.expected)?.[1];
  const wrong = kind && issue.message.startsWith('Invalid input') ? `has to be ${kind}` : issue.message;
  const message = valueAt(yaml.value, path) === undefined ? 'is missing' : wrong;
  return [{ line: yaml.lineOf(path), message: `${what} ${message}.` }];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : inner),
    value,
  );
}

/** `roles › shop › allow`. The line number shows the item. */
function pathInWords(path: Path): string {
  return path.filter((step) => typeof step !== 'number').join(' › ');
}

/** For `status` and `npm run doctor`. */
export function stateOf(document: PolicyDocument, problems: readonly string[]): { ok: boolean; detail: string } {
  const { source, roles, gates, approvals } = document;
  const admins = roles.filter(({ name }) => name === ADMINS).flatMap(({ people }) => people);
  const able = roles.filter(({ people, groups, allow }) => allow.length > 0 && people.length + groups.length > 0);
  const nobody = able.length === 0 ? ['nobody may change anything: set EDGEWISE_ADMINS'] : [];
  const complaints = [...nobody, ...problems];
  const counted = [
    `${source}: ${counting(roles.length, 'role')}`,
    counting(gates.length, 'place'),
    counting(approvals.length, 'approval rule'),
    counting(admins.length, 'admin'),
  ].join(', ');
  return { ok: complaints.length === 0, detail: [counted, ...complaints].join('; ') };
}

function counting(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Members read all but secrets, customers' data, whole logs and the audit; admins do everything. */
const BUILT_IN = `
roles:
  admins:
    allow: ['*']
  everybody:
    allow:
      - effect: read
        except: [key list, database query, log download, audit *, changes *, balance *]
`;
