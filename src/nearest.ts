import { distance } from 'fastest-levenshtein';

/** The word that is the fewest changed letters away from what was typed, in any case; at most `reach` of them. */
export function nearest(typed: string, words: readonly string[], reach: (best: string) => number): string | undefined {
  const [best] = words
    .map((word) => ({ word, steps: distance(typed.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps);
  return best !== undefined && best.steps <= reach(best.word) ? best.word : undefined;
}
