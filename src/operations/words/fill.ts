import { passes } from '../../errors.ts';
import { flagNameOf } from '../grammar.ts';
import type { AnyOperation, ArgumentKind, MessagePart } from '../operation.ts';
import { choicesOf, cuesOf, NEGATIONS, stemOf, wordsIn } from './lexicon.ts';
import { type Phrase, sequenceIn, type Word } from './phrase.ts';

/** `used`: the places of the words that the arguments took. */
export interface Filling {
  given: Record<string, string>;
  used: Set<number>;
  /** A value was given in words, not as a name or number. */
  isChosen: boolean;
  /** A word has a form that few commands take: address, status, country. */
  isTelling: boolean;
  /** Several values for one argument: two zones, *on and off*. Without a label: of a zone, its hostnames. */
  tooMany?: { key: string; label?: string; values: readonly string[] };
}

interface Found {
  text: string;
  at: readonly number[];
}

/** Takes each argument by the first way that finds it. */
export function fill({ args, name, effect }: AnyOperation, phrase: Phrase, now: Date): Filling {
  const { words, sql, things } = phrase;
  const filling: Filling = { given: {}, used: new Set(), isChosen: false, isTelling: false };
  const { given, used } = filling;
  const isFree = (at: number) => words[at] !== undefined && !used.has(at);
  const takes = (kind: ArgumentKind<unknown>, text: string) => passes(() => kind.check(text, now));
  const verb = stemOf(name.split(' ')[1] ?? name);
  // Forms that any command may take.
  const isCommon = /^(?:host|file|day|since|until|duration|lifetime|schedule|due|channel|thing|number|command)$/;
  const takesDay = Object.values(args).some(({ fromMessage }) => fromMessage === 'day');

  const partOf = (part: MessagePart | undefined, { parts }: Word, at: number): string | undefined => {
    if (part === undefined) return undefined;
    // A page was named, not its whole host.
    if (part === 'host' && parts.path !== undefined && effect !== 'read') return undefined;
    // One day is both ends of its range.
    return isFree(at) || (part === 'until' && parts.day !== undefined && !takesDay) ? parts[part] : undefined;
  };

  /** By name or by form. */
  const byForm = (key: string, kind: ArgumentKind<unknown>): Found[] => {
    const { fromMessage: part, names } = kind;
    if (part === 'schedule') return bySchedule(kind);
    const subject = Object.keys(names?.of ?? {})[0] ?? flagNameOf(key).replace('subscription', 'report');
    const found = words.flatMap((word, at): Found[] => {
      const named =
        subject === 'report' ? reportCalled(word, things.report) : word.names.get(subject.replace(/s$/, ''));
      if (named !== undefined) return isFree(at) ? [{ text: named, at: [at] }] : [];
      const text = partOf(part, word, at);
      return text !== undefined && takes(kind, text) ? [{ text, at: [at] }] : [];
    });
    const isSeveral = subject.endsWith('s') || part === 'status';
    if (!isSeveral || found.length < 2) return found;
    return [{ text: found.map(({ text }) => text).join(','), at: found.flatMap(({ at }) => at) }];
  };

  /** The longest run of words that it takes, at most eight. */
  const bySchedule = (kind: ArgumentKind<unknown>): Found[] => {
    for (let length = Math.min(8, words.length); length > 0; length -= 1)
      for (let start = 0; start + length <= words.length; start += 1) {
        const at = Array.from({ length }, (_, index) => start + index);
        const text = at.map((one) => words[one]!.text).join(' ');
        if (at.every(isFree) && takes(kind, text)) return [{ text, at }];
      }
    return [];
  };

  /** By the words of its values, the longest first. */
  const byChoice = (kind: ArgumentKind<unknown>): Found[] => {
    const isVerb = (wanted: readonly string[]) => wanted.length === 1 && stemOf(wanted[0]!) === verb;
    const ways = choicesOf(kind)
      .flatMap(({ value, texts }) => texts.map((text) => ({ value, wanted: wordsIn(text) })))
      .sort((a, b) => b.wanted.length - a.wanted.length || Number(isVerb(a.wanted)) - Number(isVerb(b.wanted)));
    const taken = new Set(used);
    const found = new Map<string, number[]>();
    for (const { value, wanted } of ways) {
      const at = sequenceIn(words, wanted, taken);
      if (at === undefined || at.some((one) => words[one]!.isThing)) continue;
      // *https on for shop* switches; *https on shop* does not.
      const next = words[at[0]! + 1];
      const isSwitch =
        value === 'off' ||
        next === undefined ||
        /^(?:for|and|or)$/.test(next.word) ||
        next.parts.duration !== undefined;
      if (at.length === 1 && words[at[0]!]!.isFiller && !(kind.required && isSwitch)) continue;
      // *Force https off*: the command's own verb counts least.
      if (isVerb(wanted) && found.size > 0 && !found.has(value)) continue;
      for (const one of at) taken.add(one);
      found.set(value, [...(found.get(value) ?? []), ...at]);
    }
    return [...found].map(([text, at]) => ({ text, at }));
  };

  const bySwitch = (key: string, kind: ArgumentKind<unknown>): Found[] => {
    const said = (at: readonly number[] | undefined): at is readonly number[] =>
      at !== undefined && (at.length > 1 || !words[at[0]!]!.isFiller) && !NEGATIONS.has(words[at[0]! - 1]?.word ?? '');
    const at = cuesOf(key, kind)
      .map((cue) => sequenceIn(words, wordsIn(cue), used))
      .find(said);
    return at === undefined ? [] : [{ text: 'true', at }];
  };

  const byCue = (key: string, kind: ArgumentKind<unknown>): Found[] => {
    const isNumber = kind.field.type === 'number';
    for (const cue of isNumber ? cuesOf(key, kind) : (kind.also ?? [])) {
      const at = sequenceIn(words, wordsIn(cue), undefined);
      if (at === undefined) continue;
      const isWeak = at.every((one) => words[one]!.isFiller);
      // *Grep shop for coupon*: a word that nothing else knows.
      const isOdd = ({ isThing, names, parts }: Word) => isThing && names.size === 0 && Object.keys(parts).length === 0;
      const textIn = (word: Word) => (isNumber ? word.parts.number : !isWeak || isOdd(word) ? word.text : undefined);
      const beside = [at.at(-1)! + 1, ...(isNumber ? [at[0]! - 1] : [])].find(
        (one) => isFree(one) && !words[one]!.isFiller && textIn(words[one]!) !== undefined,
      );
      const text = beside === undefined ? undefined : textIn(words[beside]!);
      if (text !== undefined && takes(kind, text)) return [{ text, at: [...at, beside!] }];
    }
    return [];
  };

  const take = (key: string, { label }: ArgumentKind<unknown>, all: readonly Found[]) => {
    if (all.length === 0) return;
    given[key] = all[0]!.text;
    for (const { at } of all) for (const one of at) used.add(one);
    const values = [...new Set(all.map(({ text }) => text))];
    if (values.length > 1) filling.tooMany ??= { key, label, values };
  };

  for (const [key, kind] of Object.entries(args)) {
    const part = kind.fromMessage;
    // Only the flag itself spares typing the name.
    if (kind.role === 'confirm without typing' || part === 'command') continue;
    if (part === 'SQL') {
      if (sql !== undefined && takes(kind, sql)) given[key] = sql;
      continue;
    }
    const formed = byForm(key, kind);
    const chosen = formed.length > 0 ? [] : byChoice(kind);
    const bySaying = kind.shape === 'switch' ? bySwitch : byCue;
    const said = formed.length > 0 || chosen.length > 0 ? [] : bySaying(key, kind);
    take(key, kind, [...formed, ...chosen, ...said]);
    const isSwitched = said.length > 0 && kind.shape === 'switch';
    const isOwn = formed.length > 0 && (part === 'value' || part === 'schedule');
    filling.isChosen ||= chosen.length > 0 || isSwitched || isOwn;
    filling.isTelling ||= formed.length > 0 && part !== undefined && !isCommon.test(part);
  }
  // A number alone is an id.
  const idless = Object.entries(args).filter(
    ([key, kind]) => kind.required && given[key] === undefined && kind.field.type === 'suggest',
  );
  for (const [key, kind] of idless) {
    const numbers = words.flatMap(({ parts: { number } }, at) =>
      number === undefined ? [] : [{ text: number, at: [at] }],
    );
    take(
      key,
      kind,
      numbers.filter(({ text, at }) => at.every(isFree) && takes(kind, text)),
    );
  }
  addHosts(args, phrase, filling, now);
  return filling;
}

/** *Force https on for shop*, *purge /app.js on shop*: of which of its hostnames? */
function addHosts(args: AnyOperation['args'], { words, hosts }: Phrase, filling: Filling, now: Date): void {
  const path = words.findIndex(({ parts }) => parts.path !== undefined);
  const address = (host: string) => `https://${host}${words[path]!.parts.path}`;
  for (const [key, { required, fromMessage: part, check }] of Object.entries(args)) {
    if (!required || filling.given[key] !== undefined || !(part === 'host' || (part === 'address' && path >= 0)))
      continue;
    const values = hosts.map(part === 'host' ? String : address).filter((text) => passes(() => check(text, now)));
    if (values.length === 0) continue;
    filling.given = { [key]: values[0]!, ...filling.given };
    filling.tooMany ??= { key, values };
    for (const [at, { names }] of words.entries()) if (names.has('zone') || at === path) filling.used.add(at);
  }
}

/** *The errors report*: one word of its name suffices. */
function reportCalled({ names, stem, isFiller }: Word, all: readonly string[] = []): string | undefined {
  const called = all.filter((name) => name.split('-').some((part) => part.startsWith(stem)));
  return names.get('report') ?? (called.length === 1 && stem.length > 3 && !isFiller ? called[0] : undefined);
}
