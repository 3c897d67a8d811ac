import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { HIDDEN, type Secret } from '../../secret.ts';
import { hideShapes } from '../../secret-shapes.ts';

export const ROTATE = 'Whoever can read Slack’s history may have it now: make a new one and revoke this one.';

/** In characters. Shorter secrets are not hidden: their text is too common. */
const SHORTEST = 8;

const NUL = '\0';

export interface SecretFilter {
  learn(secret: Secret): void;
  hide(text: string): string;
  /** Hides in every string and key. PostgreSQL refuses NUL, so each becomes `␀`. */
  hideIn<T>(value: T): T;
  /** Hides the secrets of the settings only: one view has to show a new token. */
  hideSettingsIn<T>(value: T): T;
}

export const holdsSecret = ({ hide }: SecretFilter, text: string): boolean => hide(text) !== text;

export function createSecretFilter(known: readonly Secret[]): SecretFilter {
  const values = new Set(known.map((secret) => secret.reveal()).filter((value) => value.length >= SHORTEST));
  const own = patternOf(values);
  const learnt = createKnownValues();
  for (const value of values) if (learnt.learn(value, true)) values.delete(value);
  let pattern = patternOf(values);
  const odd = values.size;
  const filter: SecretFilter = {
    learn(secret) {
      const value = secret.reveal();
      if (value.length < SHORTEST || values.has(value) || learnt.learn(value)) return;
      // Each such value slows every search, so only a hundred are kept.
      if (values.size >= odd + 100) values.delete([...values][odd] ?? '');
      values.add(value.slice(0, 1_000));
      pattern = patternOf(values);
    },
    hide(text) {
      const known = pattern === undefined ? text : text.replace(pattern, withoutSecret);
      return hideShapes(learnt.hide(known, '[secret]'));
    },
    hideIn<T>(value: T): T {
      // Secrets are rare, and one search through all strings together is cheap.
      const texts: string[] = [];
      const isFlat = collect(value, texts, 0);
      const all = texts.join('\n');
      if (isFlat && !all.includes(NUL) && filter.hide(all) === all) return value;
      return hidden(value, (text) => filter.hide(text.replaceAll(NUL, '␀')), 0) as T;
    },
    hideSettingsIn: <T>(value: T): T =>
      hidden(value, (text) => (own === undefined ? text : text.replace(own, withoutSecret)), 0) as T,
  };
  return filter;
}

/** A code that begins or ends within the secret keeps its backtick. */
const withoutSecret = (found: string): string => (found.split('`').length % 2 === 0 ? '[secret]`' : '[secret]');

function patternOf(values: ReadonlySet<string>): RegExp | undefined {
  if (values.size === 0) return undefined;
  const alternatives = [...values]
    .sort((a, b) => b.length - a.length)
    // Backticks may stand between the words of a secret.
    .map((value) => [...value].map(writtenOf).join('`?'));
  return new RegExp(alternatives.join('|'), 'g');
}

/** All ways to write a character: in JSON (also nested), addresses and mrkdwn. */
function writtenOf(character: string): string {
  const inJson = JSON.stringify(character).slice(1, -1);
  // encodeURIComponent throws for half a surrogate pair.
  const inAddress = /^[\ud800-\udfff]$/.test(character) ? character : encodeURIComponent(character);
  const inMrkdwn: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': 'ˋ' };
  const ways = new Set([character, inAddress, inMrkdwn[character] ?? character].map(quotedForPattern));
  if (character === '"') ways.add('""');
  if (inJson !== character) ways.add(`\\\\{1,16}${quotedForPattern(inJson.slice(1))}`);
  return ways.size === 1 ? quotedForPattern(character) : `(?:${[...ways].join('|')})`;
}

const quotedForPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** More levels than Slack accepts or the log writes. */
const DEEPEST = 20;

/** False: some strings lie too deep to be collected. */
function collect(value: unknown, texts: string[], depth: number): boolean {
  if (typeof value === 'string') {
    texts.push(value);
    return true;
  }
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return true;
  if (depth > DEEPEST) return false;
  if (Array.isArray(value)) return value.every((item) => collect(item, texts, depth + 1));
  return Object.entries(value).every(([key, item]) => {
    texts.push(key);
    return collect(item, texts, depth + 1);
  });
}

function hidden(value: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  if (depth > DEEPEST) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => hidden(item, hide, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key), hidden(item, hide, depth + 1)]));
}

/** A value is looked up by this many first characters. */
const BEGINNING = 8;

/** Listed keys and new tokens. Thousands cost no more than one. Twelve characters identify one that was cut off. */
export interface KnownValues {
  /** False: the value is too short, or its characters may be written in several ways. `forGood`: never forgotten. */
  learn(value: string, forGood?: boolean): boolean;
  hide(text: string, shown: string): string;
}

/** The value as it is, in addresses, and in base 64, whose text depends on where among three bytes the value begins. */
function formsOf(value: string): string[] {
  const packed = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${' '.repeat(before)}${value}`);
    // The first and last characters depend on neighbouring bytes, so they are left out.
    const from = before === 0 ? 0 : before + 1;
    const end = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString('base64').slice(from, end), bytes.toString('base64url').slice(from, end)];
  });
  return [value, encodeURIComponent(value), ...packed];
}

export function createKnownValues(): KnownValues {
  /** Those that may be forgotten. */
  const passing = new Set<string>();
  const byBeginning = new Map<string, Set<string>>();

  function add(value: string, forGood: boolean): void {
    const beginning = value.slice(0, BEGINNING);
    const alike = byBeginning.get(beginning) ?? new Set();
    if (alike.has(value)) return;
    byBeginning.set(beginning, alike.add(value));
    if (!forGood) passing.add(value);
    for (const oldest of passing) {
      // A list has at most a thousand keys, each in eight forms.
      if (passing.size <= 40_000) break;
      forget(oldest);
    }
  }

  function forget(value: string): void {
    passing.delete(value);
    const beginning = value.slice(0, BEGINNING);
    const alike = byBeginning.get(beginning);
    alike?.delete(value);
    if (alike?.size === 0) byBeginning.delete(beginning);
  }

  /** The length of the value that begins at `at`, even if the run ends within it; otherwise 0. */
  function lengthAt(run: string, at: number): number {
    let longest = 0;
    for (const value of byBeginning.get(run.slice(at, at + BEGINNING)) ?? []) {
      const left = run.length - at;
      const isCut = left >= 12 && value.startsWith(run.slice(at));
      if (isCut || run.startsWith(value, at)) longest = Math.max(longest, Math.min(value.length, left));
    }
    return longest;
  }

  function hideIn(run: string, shown: string): string {
    const kept: string[] = [];
    let from = 0;
    for (let at = 0; at + BEGINNING <= run.length; at += 1) {
      const length = lengthAt(run, at);
      if (length === 0) continue;
      kept.push(run.slice(from, at), shown);
      from = at + length;
      at = from - 1;
    }
    return from === 0 ? run : [...kept, run.slice(from)].join('');
  }

  return {
    learn(value, forGood = false) {
      // JSON and mrkdwn do not escape these characters.
      if (!/^[\w.~+/=%-]+$/.test(value) || value.length < BEGINNING) return false;
      // No key is longer than this.
      for (const form of formsOf(value.slice(0, 4_096))) add(form, forGood);
      return true;
    },
    // Runs of at least BEGINNING characters.
    hide: (text, shown) =>
      byBeginning.size === 0 ? text : text.replace(/[\w.~+/=%-]{8,}/g, (run) => hideIn(run, shown)),
  };
}

/** Works piece by piece, so a long file blocks nothing. A piece ends where no secret crosses its end. */
export async function hiddenInBytes({ hide }: SecretFilter, content: Buffer): Promise<Buffer> {
  const coding = isUtf8(content) ? 'utf8' : 'latin1';
  const pieces: Buffer[] = [];
  let open = '';
  for (let from = 0; from < content.length; await setImmediate()) {
    const end = characterEnd(content, from + 128 * 1024);
    const all = hide(open + content.toString(coding, from, end));
    let [next, rest] = [end, end < content.length ? undefined : ''];
    // At least this much of each piece is searched again with the next one.
    for (let behind = 8 * 1024; rest === undefined && behind < end - from; behind *= 2) {
      next = lineEnd(content, from, end - behind);
      rest = hide(content.toString(coding, next, end));
      if (!all.endsWith(rest)) [next, rest] = [end, undefined];
    }
    pieces.push(Buffer.from(all.slice(open === '' ? 0 : HIDDEN.length, all.length - (rest ?? '').length), coding));
    // The rest of a key that is longer than a piece is hidden, too.
    open = rest === undefined ? '-----BEGIN PRIVATE KEY-----' : '';
    from = next;
  }
  return Buffer.concat(pieces);
}

function lineEnd(content: Buffer, from: number, to: number): number {
  const line = content.subarray(from, to).lastIndexOf(0x0a) + 1;
  return line > 0 ? from + line : characterEnd(content, to);
}

function characterEnd(content: Buffer, to: number): number {
  let end = Math.min(to, content.length);
  while (end > to - 4 && ((content[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
