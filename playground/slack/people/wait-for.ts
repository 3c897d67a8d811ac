/** Waiting for something to come about: looks again at each change, and gives up at a deadline with words. */

import type { Core } from '../core.ts';

/** How long the vocabulary waits unless told otherwise, in milliseconds of real time. */
const PATIENCE_MS = 5_000;

/** Resolves with what `look` finds, now or after a change; rejects with `complaint()` when the time is over. */
export function until<T>(core: Core, look: () => T | undefined, complaint: () => string): Promise<T> {
  const found = look();
  if (found !== undefined) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      const problems = core.problems.length > 0 ? `\nproblems: ${core.problems.slice(-5).join('\n  ')}` : '';
      reject(new Error(`${complaint()}${problems}`));
    }, core.options.patience ?? PATIENCE_MS);
    const stop = core.on(() => {
      const later = look();
      if (later === undefined) return;
      clearTimeout(timer);
      stop();
      resolve(later);
    });
  });
}

/** Whether a text is or has what is looked for. A string must be contained. */
export function matches(text: string, pattern: RegExp | string): boolean {
  return typeof pattern === 'string'
    ? text.includes(pattern)
    : new RegExp(pattern.source, pattern.flags.replace('g', '')).test(text);
}
