import { UsageError } from '../../errors.ts';
import { toType } from '../../own-name.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import type { AuditQuery } from '../../store/audit-entry.ts';
import { moment } from '../arguments/dates.ts';
import { flag, flagged, text } from '../arguments/plain.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { zonesWith } from '../arguments/resources/zones.ts';
import type { Context } from '../context.ts';
import { flagsOf } from '../grammar.ts';
import type { ValuesOf } from '../operation.ts';

export const filterArguments = {
  actor: flagged(text('Person', { hint: 'A name in Slack, a user id, or a mention', maxLength: 100 }), {
    fromMessage: 'person',
  }),
  command: flagged(text('Command', { hint: 'Such as `ssl force`, or `ssl` for all of them', maxLength: 100 }), {
    fromMessage: 'command',
  }),
  target: flagged(
    text('Target', { hint: 'A zone, or a part of the name of a hostname, app or database', maxLength: 200 }),
    { fromMessage: 'thing' },
  ),
  day: flagged(moment('Day', { fromMessage: 'day' })),
  since: flagged(moment('Since', { fromMessage: 'since' })),
  until: flagged(moment('Until', { fromMessage: 'until' })),
  changes: flag('Only changes', { hint: 'What was done, or may have been: who changed it' }),
};

type Typed = ValuesOf<typeof filterArguments>;

/** A zone is meant with its hostnames, a hostname with what was done to its zone. Throws UsageError for a person or a command that is not in the audit. */
export async function filterOf(
  { actor, command, target, since, until, day: one, changes }: Typed,
  context: Pick<Context, 'audit' | 'catalogue' | 'names' | 'policy'>,
): Promise<Omit<AuditQuery, 'limit' | 'before'> & { zone?: PullZone | undefined }> {
  const { items } = target === undefined ? { items: [] } : await context.catalogue.zones();
  const lower = (target ?? '').toLowerCase();
  const named = items.find(({ Id, Name = '' }) => [String(Id), Name.toLowerCase()].includes(lower));
  const zone = named ?? zonesWith(items, lower, true)[0];
  return {
    actor: actor === undefined ? undefined : await personOf(actor, context),
    operation: command === undefined ? undefined : await commandOf(command, context),
    target: named === undefined ? target : `(${named.Id})`,
    targets: [zone && nameWithId(zone), named && target, ...(named?.Hostnames ?? []).map(({ Value }) => Value)].flatMap(
      (one) => one?.toLowerCase() ?? [],
    ),
    zone,
    since: (one ?? since)?.instant,
    until: (one ?? until)?.end,
    changes: changes
      ? context.policy
          .operations()
          .filter(({ effect }) => effect !== 'read')
          .map(({ name }) => name)
      : undefined,
  };
}

/** A whole name or its noun. Throws UsageError if neither the bot nor the audit knows it. */
async function commandOf(typed: string, { audit, policy }: Pick<Context, 'audit' | 'policy'>): Promise<string> {
  const wanted = typed
    .trim()
    .toLowerCase()
    .replace(/^\/[\w-]+\s+/, '')
    .replace(/(?<!\s)\s+\*$/, '')
    .replace(/\s+/g, ' ');
  const isKnown = policy.operations().some(({ name }) => name === wanted || name.startsWith(`${wanted} `));
  if (isKnown || (await audit.list({ operation: wanted, limit: 1 })).length > 0) return wanted;
  throw new UsageError(`No command “${typed}” is in the audit.`, {
    hint: `Write one such as \`ssl force\`, or \`ssl\` for all of them; ${toType('help')} lists them.`,
    argument: 'command',
  });
}

/** All ids of that person: by mention, or by name among those in the audit. */
async function personOf(typed: string, { audit, names }: Pick<Context, 'audit' | 'names'>): Promise<readonly string[]> {
  const mentioned = /^<@([UW][A-Z0-9]+)(?:\|[^>]*)?>$/.exec(typed)?.[1];
  if (mentioned !== undefined) return (await names.person(mentioned))?.ids ?? [mentioned];
  const wanted = typed.replace(/^@/, '').trim().toLowerCase();
  const ids = await audit.actors();
  const known = await Promise.all(
    ids.map(async (id) => {
      const { name, handle, ids: theirs = [id] } = (await names.person(id)) ?? {};
      return { id, theirs, words: [...theirs, name, handle] };
    }),
  );
  const found = known.filter(({ words }) => words.some((word) => word?.toLowerCase() === wanted));
  const [first] = found;
  if (first !== undefined && found.every(({ id }) => first.theirs.includes(id))) return first.theirs;
  throw new UsageError(
    found.length === 0
      ? `Nobody called “${typed}” is in the audit.`
      : `There are several called “${typed}”: ${found.map(({ id }) => id).join(', ')}.`,
    { hint: `${toType('audit list')} shows who is. A Slack user id says exactly who is meant.`, argument: 'actor' },
  );
}

export const filterLine = (given: Typed): string => flagsOf(filterArguments, given);

/** The same in words: `changes of ssl force on shop by ada`. */
export function filterWords({ actor, command, target, changes, day, since, until }: Typed): string {
  const { textOf } = filterArguments.day;
  const words = [
    command && `of ${command.replace(/^\/[\w-]+\s+/, '')}`,
    target && `on ${target}`,
    actor && `by ${actor}`,
    since && `since ${textOf(since)}`,
    until && `until ${textOf(until)}`,
    day && `on ${textOf(day)}`,
  ].filter(Boolean);
  return words.length === 0 && !changes ? 'everything' : [changes ? 'changes' : 'all', ...words].join(' ');
}
