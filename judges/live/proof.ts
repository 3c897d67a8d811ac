import type { AnyBlock } from '@slack/types';
import type { Logger } from 'pino';
import { unescaped } from '../../src/blocks/mrkdwn.ts';
import type { Config, slackSettings } from '../../src/config.ts';
import type { Clients } from '../../src/slack/clients.ts';
import type { Origin } from '../../src/slack/services.ts';

/** The workspace that is looked at. */
export interface Live {
  config: Config;
  settings: ReturnType<typeof slackSettings>;
  client: Clients['interactive'];
  background: Clients['background'];
  channel: string;
  channelName: string;
  /** The message in whose thread everything stands. */
  root: string;
  signal: AbortSignal;
  /** Tells whoever sits at the terminal. */
  say(line: string): void;
  wait(milliseconds: number): Promise<void>;
  /** How long somebody has to type a command, in milliseconds. */
  patience: number;
  log: Logger;
  /** Calls again when Slack says that it was too soon. */
  call<T>(call: () => Promise<T>): Promise<T>;
  /** Each thing that was made, and how it is deleted; the oldest first. */
  undo: [what: string, take: () => Promise<unknown>][];
  /** The command that somebody typed; undefined while nobody has. */
  heard: { line: string; origin: Origin } | undefined;
}

/** One thing that Slack has to do. `otherwise` says what to choose when it does something else. */
export interface Proof {
  what: string;
  /** Resolves with what Slack did, in a few words. Throws Otherwise, Skipped or what Slack said. */
  prove(live: Live): Promise<string>;
  otherwise: string;
}

/** Slack did something else. */
export class Otherwise extends Error {
  override name = 'Otherwise';
}

/** It could not be looked at, and that is nobody’s fault. */
export class Skipped extends Error {
  override name = 'Skipped';
}

/** Posts in the thread, and remembers to delete it. Returns the message as Slack gives it back. */
export async function postAndRead(
  { client, channel, root, call, undo }: Live,
  said: { text: string; blocks: AnyBlock[] },
): Promise<{ ts?: string; blocks?: unknown }> {
  const { ts = '' } = await call(() =>
    client.chat.postMessage({ channel, thread_ts: root, ...said, unfurl_links: false }),
  );
  undo.push(['a message in the thread', () => client.chat.delete({ channel, ts })]);
  const { messages = [] } = await call(() =>
    client.conversations.replies({ channel, ts: root, oldest: ts, inclusive: true, limit: 10 }),
  );
  const found = messages.find((one) => one.ts === ts);
  if (found === undefined) throw new Otherwise('Slack took it, and does not give it back.');
  return found;
}

/**
 * The first place where what came back is not what was sent, in words; undefined: all of it is there. Slack may add fields, and
 * writes `&`, `<` and `>` as entities.
 */
export function differenceIn(sent: unknown, came: unknown, path = ''): string | undefined {
  if (typeof sent === 'object' && sent !== null) {
    const other = typeof came === 'object' && came !== null ? (came as Record<string, unknown>) : {};
    for (const [key, value] of Object.entries(sent)) {
      const difference = differenceIn(value, other[key], `${path}/${key}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  const same = sent === came || (typeof came === 'string' && sent === unescaped(came));
  return same ? undefined : `${path.slice(1)}: ${JSON.stringify(sent)} came back as ${JSON.stringify(came)}`;
}
