/** Changes of the workspace and those who listen to them, the record of what left the bot, and whether it is busy. */

import type { Change, Outgoing, Slack } from './slack.ts';

/** Calls `listener` at every change until the returned function is called. */
export function listen(slack: Slack, listener: (change: Change) => void): () => void {
  slack.listeners.add(listener);
  return () => slack.listeners.delete(listener);
}

/** Tells every listener of a change. */
export function emit(slack: Slack, change: Change): void {
  for (const listener of [...slack.listeners]) listener(change);
}

/** Keeps what left the bot; `error` is Slack's refusal of it. */
export function record(slack: Slack, method: string, body: unknown, error?: string): void {
  const outgoing: Outgoing = { method, body, at: slack.now(), ...(error === undefined ? {} : { error }) };
  slack.outgoing.push(outgoing);
  emit(slack, { type: 'outgoing', outgoing });
}

/** Keeps what the bot did and Slack would refuse or ignore. */
export function addProblem(slack: Slack, text: string): void {
  slack.problems.push(text);
  emit(slack, { type: 'problem', text });
}

/** Counts `work` as under way until it settles. */
export async function whileBusy<T>(slack: Slack, work: () => Promise<T>): Promise<T> {
  slack.counts.underWay += 1;
  try {
    return await work();
  } finally {
    slack.counts.underWay -= 1;
    if (slack.counts.underWay === 0) emit(slack, { type: 'idle' });
  }
}

/** How long nothing must happen for the bot to count as idle, in milliseconds. */
const QUIET_MS = 60;

/** Resolves when every delivery is acked, no call of the bot is under way, and nothing more came for a moment. */
export async function untilIdle(slack: Slack): Promise<void> {
  for (;;) {
    await untilNotBusy(slack);
    await slack.options.whenBotIsIdle?.();
    if (await staysQuiet(slack)) return;
  }
}

function untilNotBusy(slack: Slack): Promise<void> {
  if (slack.counts.underWay === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = listen(slack, (change) => {
      if (change.type !== 'idle') return;
      stop();
      resolve();
    });
  });
}

/** Sees that nothing happens for a moment: the bot's own work between two calls cannot be seen from here. */
function staysQuiet(slack: Slack): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isQuiet: boolean): void => {
      clearTimeout(timer);
      stop();
      resolve(isQuiet);
    };
    const timer = setTimeout(() => end(slack.counts.underWay === 0), QUIET_MS);
    const stop = listen(slack, () => end(false));
  });
}
