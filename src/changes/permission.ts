import { ForbiddenError, UsageError } from '../errors.ts';
import { NotFoundError } from '../operations/arguments/resources/look-up.ts';
import type { Actor, Place, SeenPlace } from '../operations/context.ts';
import { flagNameOf, givenAs } from '../operations/grammar.ts';
import type { AnyOperation, ArgumentKind } from '../operations/operation.ts';
import type { ChannelRef } from '../operations/reports-view.ts';
import { parsePattern, spellingsOf } from '../pattern.ts';
import type { Command, Names } from '../policy/names.ts';
import { type ApprovalRule, ableToApprove, approvalsFrom, type Decision, type Policy } from '../policy/policy.ts';
import { DIRECT, OTHER } from '../policy/schema.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Services } from './services.ts';

/** The most people or channels that a refusal names. */
const MOST = 5;

/** What a policy’s `where` can name: the things that the arguments name, else the arguments. */
export function subjectsOf({ args }: Pick<AnyOperation, 'args'>): string[] {
  return [...new Set(Object.entries(args).flatMap(([key, kind]) => subjectsIn(key, kind)))];
}

const subjectsIn = (key: string, kind: ArgumentKind<unknown>): readonly string[] =>
  kind.names === undefined ? [flagNameOf(key)] : Object.keys(kind.names.of);

/** What the policy needs to know of an operation. */
export function commandOf(operation: AnyOperation): Command {
  const { name, effect, permission, args } = operation;
  const required = Object.entries(args).filter(([, kind]) => kind.required || kind.everywhere === true);
  const always = required.flatMap(([key, kind]) => subjectsIn(key, kind));
  const refuses = (subject: string, word: string, isText: boolean) => {
    const kinds = Object.entries(args).filter(([key, kind]) => subjectsIn(key, kind).includes(subject));
    const found = kinds.map(([, kind]) => refusalOfWord(kind, subject, word, isText));
    return found.includes(undefined) ? undefined : found[0];
  };
  return { name, effect, subjects: subjectsOf(operation), always, permission, refuses };
}

/** Why a word of the policy cannot be a value of this kind. Undefined: it can, or only a look-up would tell. */
function refusalOfWord(
  { names, field, normal, check }: ArgumentKind<unknown>,
  subject: string,
  word: string,
  isText: boolean,
): string | undefined {
  const isMeant = (text: string) => spellingsOf(word).some((spelling) => parsePattern(spelling).matches(text));
  if (names === undefined && (field.type === 'select' || field.type === 'checkbox')) {
    const values = field.type === 'checkbox' ? ['true'] : field.options.map(({ value }) => value);
    return values.some(isMeant) ? undefined : values.join(', ');
  }
  const ownWord = () => {
    if (word.includes('*')) return word;
    check(word, new Date());
    return normal?.(word) ?? word;
  };
  try {
    const text = names?.of[subject]?.(word) ?? ownWord();
    if (!isMeant(text)) return `write ${text}`;
    return isText ? undefined : 'YAML may take it for something else than text, so put it in quotes';
  } catch (error) {
    if (error instanceof UsageError) return error.message.replace(/\.$/, '');
    throw error;
  }
}

/** The things that the resolved arguments name. Subjects of arguments that are missing in `values` are left out, as unknown. */
export function namesOf(operation: Pick<AnyOperation, 'args'>, values: Readonly<Record<string, unknown>>): Names {
  const names = new Map<string, (readonly string[])[]>(subjectsOf(operation).map((subject) => [subject, []]));
  for (const [key, kind] of Object.entries(operation.args)) {
    if (!Object.hasOwn(values, key)) {
      for (const subject of subjectsIn(key, kind)) names.delete(subject);
      continue;
    }
    const value = values[key];
    if (value === undefined) continue;
    const text = kind.textOf(value);
    const named = kind.names?.read(value) ?? (text === undefined ? {} : { [flagNameOf(key)]: [[text]] });
    for (const [subject, things] of Object.entries(named)) names.get(subject)?.push(...things);
  }
  return Object.fromEntries(names);
}

/**
 * Throws ForbiddenError. Without `values` it passes whatever is allowed on some target: call it again with them.
 * `typed` is what the refusal calls the target, whose name the person may not know.
 */
export function authorize(
  { policy }: Services,
  operation: AnyOperation,
  actor: Actor,
  place: SeenPlace,
  values?: Readonly<Record<string, unknown>>,
  typed?: string,
  does = runs(operation, typed),
): Decision {
  const decision = decisionOn(policy, operation, actor, place, values);
  if (decision.allowed) return decision;
  throw refusalOf(decision, does, actor, hintOf(decision, actor, policy.admins));
}

const runs = ({ name }: AnyOperation, typed?: string): string =>
  `run ${name}${typed === undefined ? '' : ` on ${typed}`}`;

function refusalOf(decision: Decision, does: string, actor: Actor, hint: string | undefined): ForbiddenError {
  const { rule } = decision;
  return new ForbiddenError(`You may not ${does}: ${rule}.`, rule, hint, whomToAsk(decision, actor));
}

/** Whom a member can ask to run it for them. Undefined: nobody, or they may run it elsewhere themselves. */
export const whomToAsk = ({ allowed, whom, where }: Decision, actor: Actor): string | undefined =>
  !allowed && actor.kind === 'member' && where.length === 0 ? whom.find((id) => id !== actor.id) : undefined;

/** A missing thing is refused like one without a right to it, so that nobody learns which things exist. */
export function asTheyRead(
  { policy }: Services,
  operation: AnyOperation,
  { actor, place }: { actor: Actor; place: SeenPlace },
  error: unknown,
  typed?: string,
): unknown {
  if (!(error instanceof NotFoundError)) return error;
  const decision = policy.decide(operation, actor, place, error.names);
  if (decision.allowed) return error;
  const hint = [error.hint?.replace(/[^.?!]$/, '$&.'), hintOf(decision, actor, policy.admins)]
    .filter(Boolean)
    .join(' ');
  return refusalOf(decision, runs(operation, typed), actor, hint === '' ? undefined : hint);
}

/** Decides for the place of asking, and also for the channel that gets the result, if that is another. */
export function decisionOn(
  policy: Policy,
  operation: AnyOperation,
  actor: Actor,
  place: SeenPlace,
  values?: Readonly<Record<string, unknown>>,
): Decision {
  const names = values === undefined ? {} : namesOf(operation, values);
  const here = policy.decide(operation, actor, place, names);
  const target = values && (givenAs(operation, 'comes to', values) as ChannelRef | undefined);
  if (!here.allowed || target === undefined || target.id === place.channelId) return here;
  const there = policy.decide(operation, actor, { channelId: target.id, external: target.external }, names);
  return there.allowed ? here : there;
}

/** The person and the place, as Slack describes them now. Throws UsageError. */
export async function asTheyAre(
  { actorNow, seePlace }: Services,
  { actor, place }: { actor: Actor; place: Place },
): Promise<{ actor: Actor; place: SeenPlace }> {
  const [whoNow, whereNow] = await Promise.all([actorNow(actor), seePlace(place, { fresh: true })]);
  return { actor: whoNow, place: whereNow };
}

/** A person’s answer or change that a channel reads. */
export interface Spoken {
  actor: Pick<Actor, 'id' | 'teamId'>;
  place: Place;
  operation: string;
  names?: Names | undefined;
}

/** A change, as others read it. */
export const spokenOf = ({ actor, team, channel, thread, operation, preview }: Confirmation): Spoken => ({
  ...{ actor: { id: actor, teamId: team }, place: { channelId: channel, threadTs: thread } },
  ...{ operation, names: preview.names },
});

/**
 * Why a person may no longer have this with the readers of a channel; undefined: they may.
 * Throws UsageError if Slack does not answer.
 */
export async function refusalNow(
  services: Services,
  { actor: { id, teamId }, place, operation, names }: Spoken,
  channelId = place.channelId,
): Promise<string | undefined> {
  const readers = { actor: { id, teamId, kind: 'member' as const }, place: { channelId } };
  const { actor, place: read } = await asTheyAre(services, readers);
  const seen = { channelId: place.channelId, external: read.external };
  const { allowed, rule } = services.policy.decide({ name: operation }, actor, seen, names);
  return allowed ? undefined : rule;
}

/** By the present policy. */
export function approvalRuleOf({ policy }: Services, { operation, preview }: Confirmation): ApprovalRule | undefined {
  return policy.approvalFor({ name: operation }, preview.names);
}

/** Who can approve, except the requester. If they are too few, the words say so, and what helps. Contains mentions. */
export async function approvalWords({ described }: Services, rule: ApprovalRule, actor: Actor): Promise<string> {
  const { words, anybody, count, breakGlass } = rule;
  const others = await ableToApprove(rule, actor, described, Math.max(count, MOST));
  const named = others.slice(0, MOST);
  if (!anybody && others.length < count) {
    const left = `${breakGlass?.id === undefined ? 'Whoever' : 'You can break glass, and whoever'} runs Edgewise can change the policy`;
    return `${words} (besides you ${named.length === 0 ? 'there is nobody' : `there ${named.length === 1 ? 'is' : 'are'} only ${mentions(named)}`}: too few). ${left}`;
  }
  if (named.length === 0) return words;
  return named.length < MOST ? approvalsFrom(count, named) : `${words} (${mentions(named)})`;
}

const mentions = (ids: readonly string[]): string => ids.map((id) => `<@${id}>`).join(', ');

/** Whom to ask, where to go, or which setting to set. */
export function hintOf({ whom, where }: Decision, actor: Actor, admins: readonly string[]): string | undefined {
  if (actor.kind !== 'member') return undefined;
  if (where.length > 0) return `You may in ${where.slice(0, MOST).map(placeWords).join(', ')}.`;
  if (whom.length > 0) return `Ask ${mentions(whom.slice(0, MOST))}.`;
  return admins.length === 0
    ? `No admins are set yet. Ask whoever runs Edgewise to set \`EDGEWISE_ADMINS=${actor.id}\` and restart it.`
    : `Whoever runs Edgewise can change the policy.`;
}

const placeWords = (place: string): string =>
  place === DIRECT
    ? 'a direct message to me'
    : place === OTHER
      ? 'a channel that the policy does not name'
      : `<#${place}>`;
