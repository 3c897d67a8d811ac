import { commandButton } from '../../../blocks/buttons.ts';
import { bytes } from '../../../blocks/format.ts';
import { shorten } from '../../../blocks/limits.ts';
import { join, moment, mrkdwn, type Words } from '../../../blocks/mrkdwn.ts';
import { insteadOf, UsageError } from '../../../errors.ts';
import { toType } from '../../../own-name.ts';
import { publishedAt, type Release } from '../../../platform/resources/edge-scripts.ts';
import type { Listing } from '../../catalogue.ts';
import type { ResolveContext } from '../../context.ts';
import type { ArgumentKind, Option } from '../../operation.ts';
import { containing, text } from '../plain.ts';
import { resolveScript } from './kinds.ts';
import { clipped, namesUnknown, wordsFor } from './look-up.ts';

/** `unread`: why the script’s releases are not known. */
export interface ReleaseRef {
  uuid: string;
  release?: Release | undefined;
  running?: Release | undefined;
  unread?: string | undefined;
}

/** `4f2a91c0`: enough to tell it from the others. */
export const shortRelease = (uuid: unknown): string => String(uuid).slice(0, 8);

/** What others wrote must not look like what stands beside it. */
const apart = (text: string): string => (/[(),"“”]/.test(text) ? `“${text}”` : text);

/** `4f2a91c0 (fix the basket)` */
export const releaseName = ({ Uuid, Note }: Pick<Release, 'Uuid' | 'Note'>): string =>
  Note ? `${shortRelease(Uuid)} (${apart(shorten(Note.replace(/\s+/g, ' '), 60))})` : shortRelease(Uuid);

export const isRunning = ({ Status }: Release): boolean => Status === 1;

/** What ran before the one that runs. */
export function releaseBefore(releases: readonly Release[]): Release | undefined {
  const at = releases.findIndex(isRunning);
  return at < 0 ? undefined : releases.slice(at + 1).find((one) => !isRunning(one));
}

/** `4f2a91c0 (fix the basket), published Nov 20 7:32 PM, by Ada, 12 kB` */
export function releaseInWords(one: Release): Words {
  const at = publishedAt(one);
  const facts = [
    at && mrkdwn`published ${moment(at)}`,
    one.Author && `by ${apart(one.Author)}`,
    one.size && bytes(one.size),
  ];
  return join([releaseName(one), ...facts.flatMap((fact) => fact || [])], ', ');
}

/** To publish a release again. */
export const backTo = ({ Uuid }: Release, script: { Id: number }) =>
  commandButton(`Back to ${shortRelease(Uuid)}`, `script publish ${script.Id} ${Uuid}`);

export const BEFORE: Option = {
  label: 'The one before',
  value: 'previous',
  also: ['roll back', 'rollback', 'go back', 'revert', 'bring back', 'release before', 'version before'],
};

/** `scriptIn`: the argument of the same operation that names the script. */
export function release({ scriptIn }: { scriptIn: string }): ArgumentKind<ReleaseRef> {
  /** The releases of the script, if the person may see it. */
  const listed = async (context: ResolveContext): Promise<Listing<Release>> => {
    const script = await resolveScript(context.given[scriptIn] ?? '', context);
    return context.may({ script: [wordsFor(script)] }) ? context.catalogue.releases(script.Id, context) : { items: [] };
  };
  return {
    ...text('Release', {
      hint: 'Its id, the beginning of it, or “previous”',
      pattern: /^[A-Za-z0-9-]{4,64}$/,
      wrong: 'That cannot be a release. Give its id, the beginning of it, or “previous”.',
    }),
    field: { type: 'suggest', placeholder: 'Id, or previous', options: [BEFORE] },
    fromMessage: 'identifier',
    async resolve(given = '', context) {
      const typed = given.trim().toLowerCase();
      const { items, missing: unread } = await listed(context);
      if (unread !== undefined && /^[0-9a-f-]{36}$/.test(typed)) return { uuid: typed, unread };
      if (unread !== undefined) throw namesUnknown(given, unread, 'release', 'Give its full id.');
      const before = typed === 'previous' ? releaseBefore(items)?.Uuid.toLowerCase() : typed;
      const found = items.filter(({ Uuid }) => before !== undefined && Uuid.toLowerCase().startsWith(before));
      if (found.length !== 1)
        throw new UsageError(`There is ${found.length === 0 ? 'no' : 'more than one'} release “${given.trim()}”.`, {
          hint: `${toType('script releases <script>')} lists them.`,
          instead: found.slice(0, 3).map(({ Uuid }) => Uuid),
        });
      return { uuid: found[0]!.Uuid, release: found[0], running: items.find(isRunning) };
    },
    textOf: ({ uuid }) => uuid,
    async suggest(query, context) {
      // Without a script there is nothing to suggest.
      const none: Listing<Release> = { items: [] };
      const { items } = await listed(context).catch(insteadOf((error) => error instanceof UsageError, none));
      const options = items.map((one): Option => {
        const made = publishedAt(one)?.toISOString().slice(0, 16).replace('T', ' ');
        const description = [isRunning(one) && 'it runs', made && `${made} UTC`].filter(Boolean).join(', ');
        return { label: clipped(releaseName(one)), value: one.Uuid, description };
      });
      return containing(query, options);
    },
  };
}
