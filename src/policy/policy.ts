import { type Pattern, spellingsOf } from '../pattern.ts';
import {
  ADMINS,
  type ApprovalEntry,
  EVERYBODY,
  type Gate,
  type PolicyDocument,
  type Role,
  type Scope,
} from './document.ts';
import { type Directory, isChannelId, type Names, UNKNOWN } from './names.ts';
import { DIRECT, OTHER } from './schema.ts';

export interface PolicyActor {
  id: string;
  kind: 'member' | 'guest' | 'stranger';
}

/** Ids of direct messages begin with D. The Home tab has the id of its person. */
export interface PolicyPlace {
  channelId: string;
  /** Whether other organisations are in it. A text: Slack does not say, for that reason. */
  external: boolean | string;
}

export interface ApprovalRule {
  /** May include the requester, whom `mayApprove` refuses. */
  approvers: readonly string[];
  /** Approvers who may be guests. */
  guests: readonly string[];
  anybody: boolean;
  count: number;
  /** In milliseconds, both for giving the approval and for using it. */
  expires: number;
  reason: 'required' | 'optional';
  /** `id` is undefined while the channel cannot be found. */
  breakGlass?: { channel: string; id: string | undefined };
  /** With the line of the policy file. */
  rule: string;
  /** `@leads, the role admins, 1 named person` */
  who: string;
  /** `one approval from @leads` */
  words: string;
}

export interface Decision {
  allowed: boolean;
  /** `the role shop may ssl * where zone is shop-* (policy.yml line 12)` */
  rule: string;
  /** People who may. Empty if only the place is the obstacle. */
  whom: readonly string[];
  /** Places where the asker may: channel ids, `direct`, `other`. */
  where: readonly string[];
  /** True if the decision depends on an unknown target. */
  tentative: boolean;
  approval?: ApprovalRule;
}

interface CommandName {
  name: string;
}

/** A person and a place both need the right. Without a rule there is none. */
export interface Policy {
  admins: readonly string[];
  /** The file, or `built in`. */
  source: string;
  /** Final with the target’s names. Without them it allows what some target could allow, as `tentative`. */
  decide(command: CommandName, actor: PolicyActor, place: PolicyPlace, names?: Names): Decision;
  /** The first entry that certainly fits, combined with earlier ones that might fit. */
  approvalFor(command: CommandName, names?: Names): ApprovalRule | undefined;
}

/**
 * How certainly an entry applies, the most certain first.
 * `later`: a name is missing. `perhaps`: a name is unreadable, or only some things fit.
 */
const FITS = ['yes', 'later', 'perhaps'] as const;

type Fit = (typeof FITS)[number];

interface Found {
  scope: Scope;
  fit: Fit;
}

/** Whether this person may approve it. If not, `rule` says why. */
export function mayApprove(
  approval: ApprovalRule,
  approver: PolicyActor,
  requester: { id: string },
): { allowed: boolean; rule: string } {
  const refused = (rule: string) => ({ allowed: false, rule });
  if (approver.kind === 'stranger') return refused('people of other workspaces cannot approve');
  if (approver.id === requester.id) return refused('nobody approves their own request');
  if (approver.kind === 'guest' && !approval.guests.includes(approver.id))
    return refused('guests approve only where the policy names them, or a role for guests');
  if (approval.approvers.includes(approver.id)) return { allowed: true, rule: approval.rule };
  if (approval.anybody) return { allowed: true, rule: approval.rule };
  return refused(`it needs ${approval.words} (${approval.rule})`);
}

/** The person as of a few minutes ago. Undefined: Slack does not say. */
export type Described<T extends PolicyActor = PolicyActor> = (id: string) => Promise<T | undefined>;

/** At most `most` people. Those whom Slack does not describe count as able. */
export async function ableToApprove(
  approval: ApprovalRule,
  requester: { id: string },
  described: Described,
  most: number,
): Promise<string[]> {
  const able: string[] = [];
  for (let at = 0; at < approval.approvers.length && able.length < most; at += most) {
    const asked = approval.approvers.slice(at, at + most).map(async (id) => {
      // The rule’s id, because Slack may answer with another one on Enterprise Grid.
      const approver = { kind: 'member' as const, ...(await described(id)), id };
      return mayApprove(approval, approver, requester).allowed ? [id] : [];
    });
    able.push(...(await Promise.all(asked)).flat());
  }
  return able.slice(0, most);
}

/** For `status` and `npm run doctor`. */
export async function tooFewToApprove(
  document: PolicyDocument,
  directory: Directory,
  described: Described,
): Promise<string[]> {
  const rules = document.approvals.map((entry) => approvalOf({ ...document, directory }, entry));
  const lacks = rules.map(async (rule) => {
    const able = await ableToApprove(rule, { id: '' }, described, rule.count);
    if (rule.anybody || able.length === rule.count) return [];
    const left = rule.breakGlass?.id === undefined ? '' : ', but whoever asks can break glass';
    return [
      `${rule.rule}: ${able.length === 0 ? 'nobody can give it' : `only ${able.length} of ${rule.count} can give it`}${left}`,
    ];
  });
  return (await Promise.all(lacks)).flat();
}

interface Rules extends PolicyDocument {
  directory: Directory;
}

/** Resolves groups and channels for each decision. */
export function createPolicy(document: PolicyDocument, directory: Directory): Policy {
  const rules: Rules = { ...document, directory };
  const scopes = [
    ...[...document.roles, ...document.gates].flatMap(({ allow }) => allow),
    ...document.approvals.map(({ scope }) => scope),
  ];
  const ids = scopes
    .flatMap(({ where }) => where.get('channel') ?? [])
    .map(({ text }) => text)
    .filter(isChannelId);
  /** A channel that got another id still matches the ids in the policy. */
  const everyName = (names: Names = {}): Names =>
    names.channel === undefined
      ? names
      : {
          ...names,
          channel: names.channel.map((own) => [
            ...own,
            ...ids.filter((id) => own.includes(directory.channel(id) ?? id)),
          ]),
        };
  return {
    get admins() {
      return adminsOf(rules);
    },
    source: document.source,
    decide: (command, actor, place, names) => decide(rules, command, actor, place, everyName(names)),
    approvalFor: (command, names) => approvalFor(rules, command, everyName(names)),
  };
}

const membersOf = ({ directory }: Rules, { people, groups }: Pick<Role, 'people' | 'groups'>) =>
  [...people, ...groups.flatMap((group) => directory.group(group) ?? [])].map((id) => directory.person(id));

const rolesNamed = ({ roles }: Rules, names: readonly string[]) => roles.filter(({ name }) => names.includes(name));

const adminsOf = (rules: Rules) => rolesNamed(rules, [ADMINS]).flatMap((role) => membersOf(rules, role));

const rolesThatAllow = ({ roles }: Rules, command: CommandName, names: Names) =>
  roles.filter(({ allow }) => best(allow, command, names).length > 0);

function holds(rules: Rules, role: Role, actor: PolicyActor): boolean {
  if (role.name === EVERYBODY) return actor.kind === 'member';
  return (actor.kind === 'member' || role.guests) && membersOf(rules, role).includes(actor.id);
}

/** The place’s own entries, else `other`. If Slack does not name the place, also those of lost channels. */
function gatesOf({ gates, directory }: Rules, { channelId, external }: PolicyPlace): readonly Gate[] {
  const named = (name: string) => gates.filter(({ place }) => place === name);
  if (channelId === OTHER) return named(OTHER);
  if (!isChannelId(channelId)) return named(DIRECT).length > 0 ? named(DIRECT) : named(OTHER);
  const presentOf = (id: string) => directory.channel(id) ?? id;
  const own = gates.filter(({ place }) => presentOf(place) === presentOf(channelId));
  const isUnnamed = (place: string) =>
    isChannelId(place) ? typeof external === 'string' : place.startsWith('#') && !directory.knows(channelId);
  const lost = gates.filter(({ place }) => directory.channel(place) === undefined && isUnnamed(place));
  return [...(own.length > 0 ? own : named(OTHER)), ...lost.filter((gate) => !own.includes(gate))];
}

/** People who may on all of these. The role `everybody` names no one. */
function peopleWhoMay(rules: Rules, command: CommandName, actor: PolicyActor, parts: readonly Names[]): string[] {
  const able = parts.map(
    (names) => new Set(rolesThatAllow(rules, command, names).flatMap((role) => membersOf(rules, role))),
  );
  return [...able[0]!].filter((id) => id !== actor.id && able.every((people) => people.has(id)));
}

/** Channel ids, `direct` and `other`. */
const placesOf = ({ gates, directory }: Rules): string[] =>
  gates.flatMap(({ place }) => (place === DIRECT || place === OTHER ? place : (directory.channel(place) ?? [])));

/** `one approval from @leads`, `2 more approvals: @ben or @cyd` */
export function approvalsFrom(count: number, who: string | readonly string[], more = ''): string {
  const approvals = count === 1 ? `one${more} approval` : `${count}${more} approvals`;
  if (typeof who === 'string') return `${approvals} from ${who}`;
  const names = who.map((id) => `<@${id}>`);
  const last = count < who.length ? ' or ' : ' and ';
  return `${approvals}: ${[names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(last)}`;
}

function approvalOf(rules: Rules, { scope, approvers, breakGlass, ...entry }: ApprovalEntry): ApprovalRule {
  const roles = rolesNamed(rules, approvers.roles);
  const { length } = approvers.people;
  const whose = [
    ...approvers.groups,
    ...approvers.roles.map((name) => (name === EVERYBODY ? 'all members' : `the role ${name}`)),
    ...(length === 0 ? [] : [`${length} named ${length === 1 ? 'person' : 'people'}`]),
  ];
  const who = whose.join(', ');
  const holders = (some: readonly Role[]) => some.flatMap((role) => membersOf(rules, role));
  return {
    ...entry,
    approvers: [...new Set([...membersOf(rules, approvers), ...holders(roles)])],
    guests: [...membersOf(rules, { ...approvers, groups: [] }), ...holders(roles.filter(({ guests }) => guests))],
    anybody: approvers.roles.includes(EVERYBODY),
    ...(breakGlass === undefined
      ? {}
      : { breakGlass: { channel: breakGlass.channel, id: rules.directory.channel(breakGlass.channel) } }),
    rule: `${scopeWords(scope)} needs an approval`,
    who,
    words: approvalsFrom(entry.count, who),
  };
}

function approvalFor(rules: Rules, command: CommandName, names: Names = {}): ApprovalRule | undefined {
  const fits = rules.approvals.map(({ scope }) => fitOf(scope, command, names));
  const certain = fits.indexOf('yes');
  const [first, ...others] = rules.approvals
    .slice(0, certain === -1 ? undefined : certain + 1)
    .filter((_, at) => fits[at] !== undefined)
    .map((entry) => approvalOf(rules, entry));
  return first && others.reduce((all, one) => both(all, one), first);
}

type Glass = ApprovalRule['breakGlass'];

const isSame = (a: NonNullable<Glass>, b: Glass): boolean =>
  a.channel === b?.channel || (a.id !== undefined && a.id === b?.id);

/** Combines two rules: only people who can approve by both can. */
function both(a: ApprovalRule, b: ApprovalRule): ApprovalRule {
  const count = Math.max(a.count, b.count);
  const who = `${a.who} who are also of ${b.who}`;
  const may = (rule: ApprovalRule, id: string) => rule.anybody || rule.approvers.includes(id);
  const { breakGlass, ...rest } = a;
  return {
    ...rest,
    approvers: [...new Set([...a.approvers, ...b.approvers])].filter((id) => may(a, id) && may(b, id)),
    guests: a.guests.filter((id) => b.guests.includes(id)),
    anybody: a.anybody && b.anybody,
    count,
    expires: Math.min(a.expires, b.expires),
    reason: b.reason === 'required' ? b.reason : a.reason,
    ...(breakGlass !== undefined && isSame(breakGlass, b.breakGlass) ? { breakGlass } : {}),
    rule: `${a.rule}; ${b.rule}`,
    who,
    words: approvalsFrom(count, who),
  };
}

/** What is missing: a right, or a place without other organisations. */
type Lack = 'right' | 'company';

/** `lacks`: what would be needed. */
type Judged = Pick<Decision, 'allowed' | 'rule' | 'tentative'> & { lacks?: Lack | undefined };

const refused = (rule: string, lacks?: Lack): Judged => ({
  allowed: false,
  rule,
  tentative: false,
  lacks,
});

function decide(
  rules: Rules,
  command: CommandName,
  actor: PolicyActor,
  place: PolicyPlace,
  names: Names = {},
): Decision {
  const parts = eachOf(names);
  const judged = parts.map((one) => judge(rules, command, actor, place, one));
  const refusal = judged.find(({ allowed }) => !allowed);
  if (refusal === undefined) {
    const approval = approvalFor(rules, command, names);
    return {
      allowed: true,
      rule: [...new Set(judged.map(({ rule }) => rule))].join('; '),
      whom: [],
      where: [],
      tentative: judged.some(({ tentative }) => tentative),
      ...(approval === undefined ? {} : { approval }),
    };
  }
  const { lacks, ...no } = refusal;
  const mayIn = (channelId: string) =>
    parts.every((one) => judge(rules, command, actor, { channelId, external: false }, one).allowed);
  const elsewhere = [...new Set([...(lacks === 'company' ? [DIRECT] : []), ...placesOf(rules)])];
  return {
    ...no,
    whom: lacks === 'right' ? peopleWhoMay(rules, command, actor, parts) : [],
    where: elsewhere.filter((id) => id !== place.channelId && mayIn(id)),
  };
}

/** Splits several things, because each is judged by itself. */
function eachOf(names: Names): Names[] {
  return Object.entries(names).reduce<Names[]>(
    (all, [subject, things]) =>
      (things.length < 2 ? [things] : things.map((thing) => [thing])).flatMap((some) =>
        all.map((one) => ({ ...one, [subject]: some })),
      ),
    [{}],
  );
}

function judge(rules: Rules, command: CommandName, actor: PolicyActor, place: PolicyPlace, names: Names): Judged {
  if (actor.kind === 'stranger') return refused('people of other workspaces may not run anything');
  if (rules.open.has(command.name) && actor.kind === 'member')
    return { allowed: true, rule: 'every member may ask what there is', tentative: false };
  const held = rules.roles.filter((role) => holds(rules, role, actor));
  if (held.length === 0) return refused('a guest needs a role with guests: true');

  const all = held.flatMap((role) => best(role.allow, command, names).map((found) => ({ role, ...found })));
  if (all.length === 0) return refused(lackOf(held, rolesThatAllow(rules, command, {}), command), 'right');
  const byRole = place.external === false ? all : all.filter(({ role }) => role.name !== ADMINS);
  const right = byRole.find(({ fit }) => fit === 'yes') ?? byRole[0];
  if (right === undefined) return refused(outsiderWords(place), 'company');
  const here = gatesOf(rules, place);
  const closed = here.find(({ allow }) => best(allow, command, names).length === 0);
  if (closed !== undefined) return refused(closedWords(closed, command));
  const byGate = here.flatMap((gate) => best(gate.allow, command, names).map((found) => ({ gate, ...found })));
  return {
    allowed: true,
    rule: [
      rightWords(right.role, right.scope),
      ...byGate.map(({ gate, scope }) => `${placeWords(gate)} allows ${scopeWords(scope)}`),
    ].join('; '),
    tentative: [right, ...byGate].some(({ fit }) => fit === 'later'),
  };
}

/** The scope that fits most certainly. Empty: not allowed. */
function best(allow: readonly Scope[], command: CommandName, names: Names): readonly Found[] {
  const found = allow.flatMap((scope) => {
    const fit = fitOf(scope, command, names);
    return fit === undefined || fit === 'perhaps' ? [] : [{ scope, fit }];
  });
  const certain = found.find(({ fit }) => fit === 'yes');
  return certain === undefined ? found.slice(0, 1) : [certain];
}

/** Undefined: it certainly does not fit. */
function fitOf(scope: Scope, command: CommandName, names: Names): Fit | undefined {
  if (!scope.commands.has(command.name)) return undefined;
  const fits = [...scope.where].map(([subject, patterns]) =>
    fitOfThings(patterns, Object.hasOwn(names, subject) ? names[subject] : undefined),
  );
  return fits.includes(undefined) ? undefined : (FITS.findLast((fit) => fits.includes(fit)) ?? 'yes');
}

/** An unreadable name matches only `*`. */
function matchesAny(patterns: readonly Pattern[], name: string): boolean {
  if (name === UNKNOWN) return patterns.some(({ text }) => /^\*+$/.test(text));
  const spellings = spellingsOf(name);
  return patterns.some(({ matches }) => spellings.some(matches));
}

function fitOfThings(patterns: readonly Pattern[], things: Names[string] | undefined): Fit | undefined {
  if (things === undefined) return 'later';
  const isMeant = (thing: readonly string[]) => thing.some((name) => matchesAny(patterns, name));
  const meant = things.filter(isMeant).length;
  if (meant > 0 && meant === things.length) return 'yes';
  return meant > 0 || things.some((thing) => thing.includes(UNKNOWN)) ? 'perhaps' : undefined;
}

/** `ssl * where zone is shop-* (policy.yml line 12)` */
const scopeWords = ({ what, targets, source }: Scope, where: 'where' | 'only where' = 'where') =>
  `${what}${targets === '' ? '' : ` ${where} ${targets}`} (${source})`;

const outsiderWords = ({ external }: PolicyPlace) =>
  typeof external === 'string'
    ? `Slack doesn’t say whether people from other organisations are in this channel, so admin commands are off here (${external})`
    : 'people from other organisations are in this channel, so admin commands are off here';

const rightWords = (role: Role, scope: Scope, where?: 'where' | 'only where') =>
  `${role.name === EVERYBODY ? 'everybody' : `the role ${role.name}`} may run ${scopeWords(scope, where)}`;

function placeWords({ place }: Gate): string {
  if (place === DIRECT) return 'a direct message';
  return place === OTHER
    ? 'a place that the policy does not name'
    : isChannelId(place)
      ? `this channel (${place})`
      : place;
}

/** What the person lacks: a target, a role, or anything at all. */
function lackOf(held: readonly Role[], able: readonly Role[], command: CommandName): string {
  const elsewhere = held.flatMap((role) =>
    role.allow.filter((scope) => scope.commands.has(command.name)).map((scope) => ({ role, scope })),
  );
  if (elsewhere.length > 0) {
    return elsewhere
      .slice(0, 3)
      .map(({ role, scope }) => rightWords(role, scope, 'only where'))
      .join('; ');
  }
  const others = able.map(({ name }) => name);
  if (others.length === 0) return 'no role may';
  return `only the ${others.length === 1 ? 'role' : 'roles'} ${others.join(', ')} may`;
}

function closedWords(gate: Gate, command: CommandName): string {
  const here = gate.allow.filter((scope) => scope.commands.has(command.name));
  const allowed = (here.length > 0 ? here : gate.allow).slice(0, 3).map((scope) => scopeWords(scope));
  return `${placeWords(gate)} allows only ${allowed.length === 0 ? 'questions about the commands' : allowed.join('; ')}`;
}
