import { ForbiddenError, UsageError } from '../../errors.ts';
import { parseFilterTerm } from '../../logs/record-filter.ts';
import { toType } from '../../own-name.ts';
import { isMeant } from '../../pattern.ts';
import { isChannelId, UNKNOWN } from '../../policy/names.ts';
import type { ResolveContext } from '../context.ts';
import { flagNameOf } from '../grammar.ts';
import type { ArgumentKind } from '../operation.ts';
import type { ChannelRef, ListedSubscription, ReportListing } from '../reports-view.ts';
import { containing, parsed, text, WORD } from './plain.ts';
import { wordsFor } from './resources/look-up.ts';
import { zoneWord } from './resources/zones.ts';

export function reportName(): ArgumentKind<ReportListing> {
  return {
    ...WORD,
    label: 'Report',
    hint: 'Such as daily-statistics or error-summary',
    field: { type: 'suggest', placeholder: 'daily-statistics' },
    check(typed) {
      if (!/^[a-z][a-z-]{0,60}$/i.test(typed.trim()))
        throw new UsageError(`“${typed}” cannot be the name of a report.`);
    },
    resolve(typed = '', { reports, policy }) {
      const all = reports.all();
      const found = all.find(({ name }) => name === typed.trim().toLowerCase());
      const lacking = found?.needs?.find((one) => !policy.may(one, {}));
      if (lacking !== undefined)
        throw new ForbiddenError(`The report ${found?.name} is for people who may run ${lacking}.`, 'needs a command');
      if (found !== undefined) return found;
      throw new UsageError(`There is no report “${typed.trim()}”.`, {
        hint: `There are ${all.map(({ name }) => `\`${name}\``).join(' and ')}.`,
      });
    },
    textOf: ({ name }) => name,
    suggest: async (query, { reports }) =>
      containing(
        query,
        reports.all().map(({ name, summary }) => ({ label: name, value: name, description: summary })),
      ),
  };
}

/** All subscriptions if the person may list them, else their own. */
export async function subscriptionsFor({
  reports,
  policy,
  actor,
}: Pick<ResolveContext, 'reports' | 'policy' | 'actor'>): Promise<ListedSubscription[]> {
  const all = await reports.subscriptions();
  const own = ({ owner, team }: ListedSubscription) => owner === actor.id && team === actor.teamId;
  return policy.may('report list', {}) ? all : all.filter(own);
}

/** `3`, `#3`, or a report that has one subscription → the subscription. Throws UsageError. */
export async function subscriptionNumbered(typed: string, context: ResolveContext): Promise<ListedSubscription> {
  const wanted = typed.trim().toLowerCase();
  const id = Number(wanted.replace('#', ''));
  const all = await subscriptionsFor(context);
  const called = all.filter(({ report }) => report === wanted);
  const found = called.length === 1 ? called[0] : all.find((one) => one.id === id);
  if (found !== undefined) return found;
  const listed = called.slice(0, 10).map((one) => `${one.id} in ${one.channelName}`);
  if (listed.length > 0) throw new UsageError(`Say which ${wanted}.`, { hint: `There are ${listed.join(', ')}.` });
  throw new UsageError(`There is no subscription ${wanted}.`, { hint: `${toType('report list')} shows them all.` });
}

export function subscription(): ArgumentKind<ListedSubscription> {
  return {
    ...WORD,
    label: 'Subscription',
    hint: 'Its number in report list, or its report if that has one subscription',
    field: { type: 'suggest', placeholder: 'Number or report' },
    check(typed) {
      if (!/^(#?\d{1,9}|[a-z][a-z-]{0,60})$/i.test(typed.trim()))
        throw new UsageError(`“${typed}” is neither a subscription’s number nor a report.`, {
          hint: `${toType('report list')} shows them with their numbers.`,
        });
    },
    resolve: (typed = '', context) => subscriptionNumbered(typed, context),
    textOf: ({ id }) => String(id),
    called: ({ id, report, channelName }) => `${report} in ${channelName} (subscription ${id})`,
    normal: (typed) => (/\d/.test(typed) ? String(Number(typed.replace('#', ''))) : typed.toLowerCase()),
    async suggest(query, context) {
      const all = (await subscriptionsFor(context)).map(({ id, report, channelName, schedule }) => ({
        label: `${id}: ${report} in ${channelName}`,
        value: String(id),
        description: schedule,
      }));
      return containing(query, all);
    },
  };
}

/** A channel: `#ops`, a mention, an id or `here`. */
export function channel(): ArgumentKind<ChannelRef> {
  return {
    label: 'Channel',
    hint: 'Here when it is left out',
    shape: 'flag',
    required: true,
    field: { type: 'channel' },
    fromMessage: 'channel',
    role: 'comes to',
    check(typed) {
      if (!/^(#[^\s,<>]{1,80}|<#[CGD][A-Z0-9]+(\|[^>]*)?>|[CGD][A-Z0-9]{6,}|[\p{L}\p{N}_-]{1,80})$/u.test(typed.trim()))
        throw new UsageError(`“${typed}” is not a channel. Write one such as #ops.`);
    },
    async resolve(typed = '', { reports, fresh }) {
      const found = await reports.channel(typed.trim(), { fresh });
      if (found !== undefined) return found;
      throw new UsageError(`There is no channel ${typed.trim()} that I can see.`, {
        hint: 'Invite me there with `/invite`, or type the command in that channel.',
      });
    },
    textOf: ({ id }) => id,
    names: {
      of: { channel: (word) => (isChannelId(word) ? word : word.replace(/^[^#*]/, '#$&')) },
      read: ({ id, name }: ChannelRef) => ({ channel: [[id, name === id ? UNKNOWN : name]] }),
    },
  };
}

function several(
  label: string,
  options: { hint: string; placeholder: string; one?: (text: string) => void },
): ArgumentKind<readonly string[]> {
  const { one, ...rest } = options;
  const partsOf = (typed: string) => typed.split(',').flatMap((part) => part.trim() || []);
  return {
    ...text(label, { ...rest, maxLength: 1000 }),
    shape: 'flag',
    required: false,
    check(typed) {
      const parts = partsOf(typed);
      if (parts.length > 50) throw new UsageError(`${label}: at most 50, not ${parts.length}.`);
      for (const part of parts) one?.(part);
    },
    resolve: (typed) => {
      const parts = partsOf(typed ?? '');
      return parts.length === 1 && parts[0]?.toLowerCase() === 'all' ? [] : parts;
    },
    textOf: (value) => (value.length === 0 ? undefined : value.join(',')),
  };
}

/** Zones as typed, and the zones that this means now. */
export interface MeantZones {
  texts: readonly string[];
  things: readonly (readonly string[])[];
}

/** The policy decides on each zone that is meant. */
export function zonePatterns(): ArgumentKind<MeantZones> {
  const kind = several('Zones', {
    hint: 'Names, ids or patterns separated by commas, such as shop-*,docs; by default all',
    placeholder: 'shop-*',
  });
  return {
    ...kind,
    async resolve(typed, context) {
      const texts = await kind.resolve(typed, context);
      const { items, missing, partial } = await context.catalogue.zones({ fresh: context.fresh });
      const meant = (texts.length === 0 ? ['*'] : texts).flatMap((text) => {
        const zones = items.filter(({ Id, Name }) => isMeant([text], String(Id), Name)).map(wordsFor);
        // If a text means nothing, or something that the person may not see, the policy decides on the typed text.
        return zones.length > 0 && zones.every((words) => context.may({ zones: [words] })) ? zones : [[text, UNKNOWN]];
      });
      return { texts, things: missing === undefined && partial !== true ? meant : [...meant, [UNKNOWN]] };
    },
    textOf: ({ texts }) => kind.textOf(texts),
    names: { of: { zones: zoneWord }, read: ({ things }: MeantZones) => ({ zones: things }) },
  };
}

/** `status:5xx,path:/api/*`: conditions for records. */
export const filterTerms = (label: string, hint: string) =>
  several(label, { hint, placeholder: 'status:5xx, path:/api/*', one: (term) => void parseFilterTerm(term) });

/** `minErrors=50,mostChanges=3`: the report’s own thresholds. */
export function thresholds(): ArgumentKind<Readonly<Record<string, number>>> {
  const parse = (typed: string) =>
    Object.fromEntries(
      typed
        .split(',')
        .filter((part) => part.trim() !== '')
        .map((part): [string, number] => {
          const found = /^\s*([a-z][a-z-]*)\s*=\s*(\d{1,9}(?:\.\d{1,3})?)\s*$/i.exec(part);
          if (found === null)
            throw new UsageError(`“${part.trim()}” is not a threshold. Write one such as min-errors=50.`);
          return [found[1]!.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()), Number(found[2])];
        }),
    );
  return {
    ...text('Thresholds', {
      hint: 'Numbers of the report, such as min-errors=50',
      placeholder: 'min-errors=50',
      maxLength: 500,
    }),
    ...parsed(
      parse,
      (value) =>
        Object.entries(value)
          .map(([name, number]) => `${flagNameOf(name)}=${number}`)
          .join(',') || undefined,
    ),
    shape: 'flag',
    required: false,
  };
}
