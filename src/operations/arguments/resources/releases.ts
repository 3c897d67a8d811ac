import { shorten } from '../../../blocks/limits.ts';
import { UsageError } from '../../../errors.ts';
import { toType } from '../../../own-name.ts';
import { PlatformFailure } from '../../../platform/errors.ts';
import { publishedAt, type Release } from '../../../platform/resources/edge-scripts.ts';
import type { ArgumentKind, Option } from '../../argument.ts';
import type { ResolveContext } from '../../context.ts';
import { reasonOf, tried } from '../../unreadable.ts';
import { resolveScript } from './kinds.ts';
import { clipped, wordsFor } from './look-up.ts';

/** `unread`: why the script’s releases are not known. */
export interface ReleaseRef {
  uuid: string;
  release?: Release | undefined;
  running?: Release | undefined;
  unread?: string | undefined;
}

/** `4f2a91c0`: enough to tell it from the others. */
export const shortRelease = (uuid: string): string => (uuid.length > 12 ? uuid.slice(0, 8) : uuid);

/** `4f2a91c0 (fix the basket)` */
export const releaseName = ({ Uuid, Note }: Pick<Release, 'Uuid' | 'Note'>): string =>
  Note ? `${shortRelease(Uuid)} (${shorten(Note.replace(/\s+/g, ' '), 60)})` : shortRelease(Uuid);

export const isRunning = ({ Status }: Release): boolean => Status === 1;

/** What ran before the one that runs. */
export function releaseBefore(releases: readonly Release[]): Release | undefined {
  const at = releases.findIndex(isRunning);
  return at < 0 ? undefined : releases.slice(at + 1).find((one) => !isRunning(one));
}

const PREVIOUS = 'previous';

/** `scriptIn`: the argument of the same operation that names the script. */
export function release({ scriptIn }: { scriptIn: string }): ArgumentKind<ReleaseRef> {
  /** Of a script that the person may see. */
  const listOf = async (context: ResolveContext): Promise<Release[]> => {
    const script = await resolveScript(context.given[scriptIn] ?? '', context);
    if (!context.may({ script: [wordsFor(script)] })) return [];
    return context.platform.edgeScripts.releases(script.Id, { signal: context.signal });
  };
  return {
    label: 'Release',
    hint: 'Its id, the beginning of it, or “previous”',
    shape: 'word',
    required: true,
    field: { type: 'suggest', placeholder: 'Id, or previous' },
    fromMessage: 'identifier',
    check(text) {
      if (!/^[A-Za-z0-9-]{4,64}$/.test(text.trim()))
        throw new UsageError(`“${shorten(text, 80)}” cannot be a release.`, {
          hint: `Give its id, the beginning of it, or \`previous\`. ${toType('script releases <script>')} lists them.`,
        });
    },
    async resolve(text = '', context) {
      const typed = text.trim().toLowerCase();
      const read = await tried(listOf(context));
      if ('failure' in read) {
        const unread = reasonOf(read.failure);
        if (/^[0-9a-f-]{36}$/.test(typed)) return { uuid: typed, unread };
        throw new UsageError(`The release cannot be looked up: ${unread}.`, { hint: 'Give its whole id.' });
      }
      const releases = read.value;
      const running = releases.find(isRunning);
      const found =
        typed === PREVIOUS
          ? [releaseBefore(releases)].flatMap((one) => one ?? [])
          : releases.filter(({ Uuid }) => Uuid.toLowerCase().startsWith(typed));
      const [first] = found;
      const what = typed === PREVIOUS ? 'no release before the one that runs' : `no release “${text.trim()}”`;
      if (first === undefined)
        throw new UsageError(`There is ${what}.`, { hint: `${toType('script releases <script>')} lists them.` });
      if (found.length > 1)
        throw new UsageError(`“${text.trim()}” begins ${found.length} releases.`, {
          hint: 'Give more of the id.',
          instead: found.slice(0, 3).map(({ Uuid }) => Uuid),
        });
      return { uuid: first.Uuid, release: first, running };
    },
    textOf: ({ uuid }) => uuid,
    async suggest(query, context) {
      const typed = query.trim().toLowerCase();
      // Without a script, or its releases, there is nothing to suggest.
      const releases = await listOf(context).catch((error: unknown) => {
        if (error instanceof UsageError || error instanceof PlatformFailure) return [];
        throw error;
      });
      return releases
        .filter((one) => releaseName(one).toLowerCase().includes(typed))
        .slice(0, 50)
        .map((one): Option => {
          const made = publishedAt(one)?.toISOString().slice(0, 16).replace('T', ' ');
          const description = [isRunning(one) && 'it runs', made && `${made} UTC`].filter(Boolean).join(', ');
          return { label: clipped(releaseName(one)), value: one.Uuid, description };
        });
    },
  };
}
