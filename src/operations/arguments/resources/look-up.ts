import { LIMITS, shorten } from '../../../blocks/limits.ts';
import { plainName } from '../../../blocks/mrkdwn.ts';
import { passes, UsageError } from '../../../errors.ts';
import { nearest } from '../../../nearest.ts';
import { toType } from '../../../own-name.ts';
import { type Names, UNKNOWN } from '../../../policy/names.ts';
import type { Catalogue, Listing } from '../../catalogue.ts';
import type { ResolveContext } from '../../context.ts';
import type { ArgumentKind, Option } from '../../operation.ts';
import { WORD } from '../plain.ts';

export interface Entry<T> {
  id: string;
  name?: string | undefined;
  /** Other exact words for it, such as a zone’s hostnames. */
  also?: readonly string[];
  description?: string | undefined;
  /** What a policy calls it, by subject. */
  names?: Names;
  /** Made by the platform itself: suggested after equal matches. */
  isSystem?: boolean | undefined;
  thing: T;
}

/** Ignores case, and sorts `zone-2` before `zone-10`. Made once, because that is slower than a sort. */
export const byName: (a: string, b: string) => number = new Intl.Collator('en', { numeric: true }).compare;

/** The platform uses both spellings. */
export type Named = { Id: number; Name?: string | undefined } | { id: string; name?: string | undefined };

const idOf = (thing: Named) => ('Id' in thing ? String(thing.Id) : thing.id);
const nameOf = (thing: Named) => ('Id' in thing ? thing.Name : thing.name) || undefined;

/** `shop (1001)`, or the id alone. */
export function nameWithId(thing: Named): string {
  const [id, name = id] = [idOf(thing), nameOf(thing)];
  return name === id ? id : `${plainName(name)} (${id})`;
}

/** Its name if a person can type that, else its id. */
export function typeable(thing: Named): string {
  const name = nameOf(thing);
  // Nobody types a longer name.
  return name !== undefined && name.length <= 100 && name === plainName(name) ? name : idOf(thing);
}

/** What a policy calls it. A name that looks like an id counts as unknown. */
export function wordsFor(thing: Named): string[] {
  const name = nameOf(thing);
  return [idOf(thing), name === undefined || /^\d+$/.test(name) ? UNKNOWN : name];
}

export interface Nouns {
  one: string;
  subject: string;
  command: string;
}

/** A kind of named thing. `ids`: the form of opaque ids; without it ids are numbers. */
export interface Kind<T extends Named> extends Nouns {
  label: string;
  hint: string;
  ids?: RegExp;
  list(catalogue: Catalogue): (options?: { fresh?: boolean }) => Promise<Listing<T>>;
  description?(thing: T): string | undefined;
  also?(thing: T): readonly string[];
  words?(thing: T, settings: Settings): readonly string[];
  /** Normalises a policy’s word. Throws UsageError if it cannot be a name. */
  policyWord?(word: string): string;
}

export type Settings = Pick<ResolveContext, 'configuredDatabase'>;

/** What a look-up in a list needs. */
export type Lists = Settings & Pick<ResolveContext, 'catalogue' | 'may'> & { fresh?: boolean };

export const entryOf = <T extends Named>(kind: Kind<T>, thing: T, settings: Settings): Entry<T> => ({
  id: idOf(thing),
  name: nameOf(thing),
  also: kind.also?.(thing) ?? [],
  description: kind.description?.(thing),
  names: { [kind.subject]: [kind.words?.(thing, settings) ?? wordsFor(thing)] },
  thing,
});

/** The thing does not exist, or the person has no right to it: both read alike. `names` is what was typed. */
export class NotFoundError extends UsageError {
  readonly names: Names;

  constructor(
    message: string,
    { names, ...more }: { names: Names; hint?: string; argument?: string; instead?: readonly string[] },
  ) {
    super(message, more);
    this.names = names;
  }
}

/** Adds the argument to a refusal that names none. `inText` makes its text from the name that was meant. */
export async function atArgument<T>(
  argument: string | undefined,
  work: () => Promise<T> | T,
  inText: (meant: string) => string = (meant) => meant,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError) || error.argument !== undefined) throw error;
    const { message, hint } = error;
    const more = {
      ...(hint === undefined ? {} : { hint }),
      ...(argument === undefined ? {} : { argument }),
      instead: error.instead.map(inText),
    };
    throw error instanceof NotFoundError
      ? new NotFoundError(message, { ...more, names: error.names })
      : new UsageError(message, more);
  }
}

export function theirs<T>(
  items: readonly T[],
  namesFor: (item: T) => Names | undefined,
  { may }: Pick<ResolveContext, 'may'>,
): T[] {
  return items.filter((item) => may(namesFor(item) ?? {}));
}

/** Undefined: it can only be a name. Throws UsageError for a number that cannot be an id. */
export function parseNumericId(text: string, noun: string): number | undefined {
  const typed = text.trim();
  if (!/^[+\-−]?\d+([.,]\d*)?$/.test(typed)) return undefined;
  const id = Number(typed);
  // JSON rounds larger numbers to other ids.
  if (/^[1-9]\d*$/.test(typed) && id <= Number.MAX_SAFE_INTEGER) return id;
  throw new UsageError(
    `${typed} cannot be the id of a ${noun}: ids are whole numbers from 1 to ${Number.MAX_SAFE_INTEGER}.`,
  );
}

/** Phones turn quotes and hyphens into curly quotes and long dashes. */
export const folded = (text: string): string =>
  text
    .normalize('NFC')
    .trim()
    .replace(/[‘’‚‛′`]/g, "'")
    .replace(/[“”„‟″«»]/g, '"')
    .replace(/[-‐‑‒–—―−]+/g, '-')
    .replaceAll('…', '...')
    .replace(/\s+/g, ' ');

/** The host of a page’s address. Any other text only loses its scheme. */
export const hostOf = (text: string): string => text.replace(/^https?:\/\/(?:([^\s/?#@:]+)(?::\d+)?[/?#].*)?/is, '$1');

const lower = (text: string): string => folded(text).toLowerCase();

/** By id, name or another exact word, never by a part of one. Throws UsageError if several match. */
export function findEntry<T>(text: string, entries: readonly Entry<T>[], nouns: Nouns): Entry<T> | undefined {
  const typed = text.trim();
  const [plain, host] = [lower(typed), lower(hostOf(typed))];
  const same = (word = '') => lower(word) === plain;
  const stages: ((entry: Entry<T>) => boolean | undefined)[] = [
    (entry) => entry.id === typed,
    (entry) => entry.name === typed,
    (entry) => same(entry.name),
    (entry) => entry.also?.some(same),
    (entry) => host !== plain && entry.also?.some((word) => lower(word) === host),
  ];
  for (const matches of stages) {
    const found = entries.filter((entry) => matches(entry) === true);
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      const shown = found.slice(0, 5).map((entry) => nameWithId(entry));
      const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
      throw new UsageError(`“${typed}” matches several ${nouns.one}s: ${shown.join(', ')}${more}.`, {
        hint: `Give the id. ${toType(nouns.command)} lists them.`,
        instead: found.slice(0, MOST_NEAR).map(({ id }) => id),
      });
    }
  }
  return undefined;
}

const MOST_NEAR = 3;

/** Suggests names that contain the text, else the nearest. */
export function unknownEntry<T>(
  text: string,
  entries: readonly Entry<T>[],
  nouns: Nouns,
  { may }: Pick<ResolveContext, 'may'>,
): NotFoundError {
  const typed = text.trim();
  const wordsOf = ({ name, id, also = [] }: Entry<T>) => [name ?? id, ...also];
  // A right on some hostnames names no zone, because that has others too.
  const isTheirs = ({ names }: Entry<T>) => may({ hostname: [], ...names });
  const plain = lower(typed);
  const instead = new Set<string>();
  for (const entry of typed.length > 2 ? entries : []) {
    const part = wordsOf(entry).find((word) => lower(word).includes(plain));
    if (part !== undefined && isTheirs(entry)) instead.add(part);
    if (instead.size === MOST_NEAR) break;
  }
  if (instead.size === 0) {
    const owners = entries.flatMap((entry) => wordsOf(entry).map(() => entry));
    const most = () => Math.max(2, Math.ceil(typed.length / 3));
    const near = nearest(typed, entries.flatMap(wordsOf), most, (at) => isTheirs(owners[at]!));
    if (near !== undefined) instead.add(near);
  }
  const meant = instead.size === 0 ? '' : `Did you mean ${[...instead].join(' or ')}? `;
  return new NotFoundError(`There is no ${nouns.one} “${typed}”.`, {
    names: { [nouns.subject]: [[typed]] },
    instead: [...instead],
    hint: `${meant}${toType(nouns.command)} lists them.`,
  });
}

export const namesUnknown = (
  text: string,
  missing: string,
  one: string,
  hint = `Give the id of the ${one} instead of its name.`,
): UsageError =>
  new UsageError(
    `“${text.trim()}” cannot be looked up: the list of ${one}s is not available (${missing.replace(/\.$/, '')}).`,
    { hint },
  );

/**
 * Reads the list again before it says that a thing is missing.
 * Undefined: the list is incomplete, and the text may be an id. Throws UsageError.
 */
export async function lookUp<T extends Named>(text: string, kind: Kind<T>, context: Lists): Promise<T | undefined> {
  const { fresh = false } = context;
  const isId = kind.ids?.test(text.trim()) === true;
  const { items, missing, partial } = await kind.list(context.catalogue)({ fresh });
  if (missing !== undefined && isId) return undefined;
  if (missing !== undefined) throw namesUnknown(text, missing, kind.one);
  const all = items.map((thing) => entryOf(kind, thing, context));
  const entries = theirs(all, ({ names }) => names, context);
  const found = findEntry(text, entries, kind);
  if (found !== undefined) return found.thing;
  if (!fresh) return lookUp(text, kind, { ...context, fresh: true });
  if (partial && isId) return undefined;
  if (!partial) throw unknownEntry(text, entries, kind, context);
  throw new NotFoundError(`“${text.trim()}” is not among the first ${items.length} ${kind.one}s. There are more.`, {
    names: { [kind.subject]: [[text.trim()]] },
    hint: `Give the id of the ${kind.one} instead of its name.`,
  });
}

/** A numeric id works without any list, and even if no list has it. */
export async function lookUpNumbered<T extends { Id: number; Name?: string | undefined }>(
  text: string,
  kind: Kind<T>,
  context: Lists,
): Promise<T | { Id: number }> {
  const Id = parseNumericId(text, kind.one);
  if (Id === undefined) return (await lookUp(text, kind, context))!;
  const { items } = await kind.list(context.catalogue)({ fresh: context.fresh ?? false });
  const own = theirs(items, (item) => entryOf(kind, item, context).names, context);
  return own.find((item) => item.Id === Id) ?? own.find((item) => item.Name === text.trim()) ?? { Id };
}

export const clipped = (text: string): string => shorten(text, LIMITS.optionText);

/** Lower is better, 0 is best. Undefined: no match. */
function rankOf<T>({ id, name = '', also }: Entry<T>, typed: string): number | undefined {
  if (typed === '') return 0;
  const [plainId, plain] = [id.toLowerCase(), name.toLowerCase()];
  if (plainId === typed || plain === typed) return 0;
  const at = plain.indexOf(typed);
  if (at === 0) return 1;
  if (at > 0) return /[\p{L}\p{N}]/u.test(plain[at - 1]!) ? 3 : 2;
  if (plainId.startsWith(typed)) return 4;
  return also?.some((word) => word.toLowerCase().includes(typed)) ? 5 : undefined;
}

/** Sorting more equal matches, or looking up their rights, would block the main thread. */
const MOST_LOOKED = 2_000;

/** At most as many as a select holds. */
function bestOf<T>(
  entries: readonly Entry<T>[],
  rank: (entry: Entry<T>) => number | undefined,
  { may }: Pick<ResolveContext, 'may'>,
): Entry<T>[] {
  const ranked: Entry<T>[][] = [];
  for (const entry of entries) {
    const fit = rank(entry);
    if (fit === undefined) continue;
    const place = 2 * fit + Number(entry.isSystem ?? false);
    ranked[place] ??= [];
    ranked[place].push(entry);
  }
  const best: Entry<T>[] = [];
  let looked = 0;
  for (const equal of ranked.filter((some) => some !== undefined)) {
    if (equal.length <= MOST_LOOKED) equal.sort((one, other) => byName(one.name ?? one.id, other.name ?? other.id));
    for (const entry of equal) {
      if (best.length === LIMITS.options - 1 || looked === MOST_LOOKED) return best;
      looked += 1;
      if (may(entry.names ?? {})) best.push(entry);
    }
  }
  return best;
}

/** The best matches, and the typed text if it passes `check`, so that ids and unlisted names work too. */
export function suggestEntries<T>(
  query: string,
  entries: readonly Entry<T>[],
  context: Pick<ResolveContext, 'may'>,
  check: (text: string) => void,
): Option[] {
  const typed = lower(query);
  const best = bestOf(entries, (entry) => rankOf(entry, typed), context);
  const ranked = best.map(({ id, name, description, names }): Option => {
    return {
      label: clipped(nameWithId({ id, name })),
      value: id,
      ...(description ? { description: clipped(description) } : {}),
      ...(names === undefined ? {} : { names }),
    };
  });
  const last = typed === '' ? undefined : typedOption(query.trim(), check);
  return last === undefined || ranked.some((option) => option.value === last.value) ? ranked : [...ranked, last];
}

/** Throws UsageError. */
export function checkReference(text: string, { label, one, ids }: Pick<Kind<Named>, 'label' | 'one' | 'ids'>): void {
  const noun = label.toLowerCase();
  if (text.trim() === '') throw new UsageError(`The ${noun} is empty.`, { hint: 'Give its name or its id.' });
  // No name is longer.
  if (hostOf(text).length > 255) throw new UsageError(`The ${noun} is too long for a name or an id.`);
  if (ids === undefined) parseNumericId(text, one);
}

/** A policy’s word for a name or an id. Refuses addresses, `shop (1001)` and patterns of other tools; those things go by id. */
export function nameWord(word: string, check: (text: string) => void): string {
  if (!word.includes('*')) check(word);
  const text = word.replaceAll('*', '-');
  if (text !== plainName(text) || /:\/\/|[?[\]{}|^$\\]|^[\p{QMark}`]|[\p{QMark}`]$/u.test(text))
    throw new UsageError('write its id or its exact name; * is the only wildcard');
  return word;
}

/** Undefined: `check` refuses it. */
export function typedOption(typed: string, check: (text: string) => void): Option | undefined {
  return passes(() => check(typed)) ? { label: clipped(`Use “${typed}”`), value: typed } : undefined;
}

export function nameOrId<R extends Named, T extends Named>(
  kind: Kind<T>,
  own: {
    resolve(text: string, context: ResolveContext): Promise<R>;
    words?(thing: R): readonly string[];
    fromMessage?: 'host';
  },
): ArgumentKind<R> & Required<Pick<ArgumentKind<R>, 'suggest'>> {
  const { label, hint, subject } = kind;
  const check = (text: string) => checkReference(text, kind);
  const words = own.words ?? wordsFor;
  return {
    ...WORD,
    label,
    hint,
    ...(own.fromMessage && { fromMessage: own.fromMessage }),
    field: { type: 'suggest', placeholder: 'Name or id' },
    check,
    resolve: (text, context) => own.resolve(text ?? '', context),
    textOf: idOf,
    called: nameWithId,
    names: {
      of: { [subject]: kind.policyWord ?? ((word) => nameWord(word, check)) },
      read: (thing) => ({ [subject]: [words(thing as R)] }),
    },
    async suggest(query, context) {
      const { items } = await kind.list(context.catalogue)();
      const entries = items.map((thing) => entryOf(kind, thing, context));
      return suggestEntries(query, entries, context, check);
    },
  };
}
