import { distance } from 'fastest-levenshtein';

const lettersOf = (word: string) => [...word].sort().join('');

/** How many letters differ. Two that are swapped are one mistake. */
export function mistakes(typed: string, word: string): number {
  const steps = distance(typed, word);
  return steps === 2 && lettersOf(typed) === lettersOf(word) ? 1 : steps;
}

/** The word with the fewest mistakes, at most `reach`. Case does not count. */
export function nearest(
  typed: string,
  words: readonly string[],
  reach: (best: string) => number,
  /** Whether the word at this place counts. */
  counts: (at: number) => boolean = () => true,
): string | undefined {
  const wanted = typed.toLowerCase();
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [at, word] of words.entries()) {
    const plain = word.toLowerCase();
    if (Math.abs(plain.length - wanted.length) >= fewest) continue;
    const made = mistakes(wanted, plain);
    if (made < fewest && counts(at)) [best, fewest] = [word, made];
  }
  return best !== undefined && fewest <= reach(best) ? best : undefined;
}
