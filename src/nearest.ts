import { distance } from 'fastest-levenshtein';

/** The word with the fewest changed letters, at most `reach`. Case does not count. */
export function nearest(
  typed: string,
  words: readonly string[],
  reach: (best: string) => number,
  /** Whether the word at this place counts. */
  counts: (at: number) => boolean = () => true,
): string | undefined {
  const wanted = typed.toLowerCase();
  let best: string | undefined;
  let steps = Number.POSITIVE_INFINITY;
  for (const [at, word] of words.entries()) {
    const plain = word.toLowerCase();
    if (Math.abs(plain.length - wanted.length) >= steps) continue;
    const needed = distance(wanted, plain);
    if (needed < steps && counts(at)) [best, steps] = [word, needed];
  }
  return best !== undefined && steps <= reach(best) ? best : undefined;
}
