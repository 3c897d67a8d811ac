/** Waits that look again at each change, and give up at a deadline with words. */

import { listen } from '../changes.ts';
import type { Slack } from '../slack.ts';

/** How long a person waits unless told otherwise, in milliseconds of real time. */
const PATIENCE_MS = 5_000;

/** Resolves with the first thing that `look` finds, now or after a change; rejects with `complaint()` when time is over. */
export function waitFor<T>(slack: Slack, look: () => T | undefined, complaint: () => string): Promise<T> {
  const found = look();
  if (found !== undefined) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      const problems = slack.problems.length > 0 ? `\nproblems: ${slack.problems.slice(-5).join('\n  ')}` : '';
      reject(new Error(`${complaint()}${problems}`));
    }, slack.options.patience ?? PATIENCE_MS);
    const stop = listen(slack, () => {
      const later = look();
      if (later === undefined) return;
      clearTimeout(timer);
      stop();
      resolve(later);
    });
  });
}

/** Finds a pattern in a text. A string must be contained. */
export function matches(text: string, pattern: RegExp | string): boolean {
  return typeof pattern === 'string'
    ? text.includes(pattern)
    : new RegExp(pattern.source, pattern.flags.replace('g', '')).test(text);
}
