import { readFileSync } from 'node:fs';
import { checkSync } from 'recheck';
import { analyse } from 'scslre';
import { eachPiece, lineAt, type Piece, read } from './source.ts';

/** A regular expression of the source. */
export interface FoundPattern {
  /** `src/logs/record.ts:67`. */
  where: string;
  source: string;
  flags: string;
}

/** `/a+/gi`: what a verdict is about. */
export const written = ({ source, flags }: Omit<FoundPattern, 'where'>): string => `/${source}/${flags}`;

/** Hundreds of bounded repetitions in a pattern: recheck comes to no end. */
const ENDLESS = /^src\/secret-shapes\.ts:/;

/** Whether recheck says nothing of use; judges/hostile/doubling.test.ts tries all patterns, and these too. */
export const isOnlyTried = (one: FoundPattern): boolean => ENDLESS.test(one.where);

/** The file of verdicts
: patterns that recheck takes long for and found to be linear. */
const KEPT = new URL('../../judges/patterns/linear.json', import.meta.url);

export const keptPath = KEPT.pathname;

/** Those that need not be judged once more in a test. */
export const keptVerdicts = (): Set<string> => new Set(JSON.parse(readFileSync(KEPT, 'utf8')) as string[]);

/**
 * Every regular expression of a file. One that is put together with `new RegExp` has to stand in a declaration of the file that
 * needs nothing else, so that it is the same always; `madeLater` tells of those that do not.
 */
export function patternsIn(file: string, madeLater: (where: string) => void): FoundPattern[] {
  const text = read(file);
  const found: FoundPattern[] = [];
  eachPiece(text, (piece, within) => {
    const where = `${file}:${lineAt(text, piece.start)}`;
    const { regex, callee } = piece as Piece & { regex?: { pattern: string; flags: string }; callee?: Piece };
    if (regex) found.push({ where, source: regex.pattern, flags: regex.flags });
    if (callee?.name !== 'RegExp') return;
    const { init } = (within.find(({ type }) => type === 'VariableDeclarator') ?? {}) as { init?: Piece };
    const made = init === undefined ? undefined : comesTo(text.slice(init.start, init.end));
    if (made instanceof RegExp) found.push({ where, source: made.source, flags: made.flags });
    else madeLater(where);
  });
  return found;
}

/** What an expression comes to by itself; undefined when it needs anything else. */
function comesTo(expression: string): unknown {
  try {
    return new Function(`return ${expression}`)();
  } catch {
    // It needs what is not there: so it is made later.
    return undefined;
  }
}

/** What scslre has against a pattern: a repetition within another one, beside a like one, or one that each place begins anew. */
export function nestingIn({ source, flags }: FoundPattern): string[] {
  return analyse({ source, flags }).reports.map(
    ({ type, exponential }) => `${exponential ? 'exponential ' : ''}${type}`,
  );
}

/** A busy machine is no reason to call anything slow: what is read is counted. */
const WITHOUT_A_CLOCK = { attackTimeout: null, incubationTimeout: null };

/** What recheck makes of a pattern: undefined where every text takes time in proportion to its length. After `timeout` ms it is not known. */
export function slownessOf({ source, flags }: FoundPattern, timeout: number | null = null): string | undefined {
  const { status, ...rest } = checkSync(source, flags, { ...WITHOUT_A_CLOCK, timeout });
  if (status === 'safe') return undefined;
  if (!('attack' in rest) || rest.attack === undefined) return 'nobody knows';
  return `${rest.complexity.summary}: ${rest.attack.pattern}`;
}
