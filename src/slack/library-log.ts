import { inspect } from 'node:util';
import { LogLevel, type Logger as SlackLogger } from '@slack/bolt';
import type { Logger } from 'pino';

/** So much of one thing that Slack's libraries say, in characters. */
const LONGEST = 1_000;

/**
 * What Slack's own libraries say goes into the bot's log, where it is one line of JSON and freed of secrets; by themselves they
 * write to the console. Without a log they are silent.
 */
export function createLibraryLog(log?: Logger): SlackLogger {
  const said = (parts: unknown[]): { said: string } => ({
    said: parts
      .map((part) =>
        typeof part === 'string' ? part : inspect(part, { depth: 2, breakLength: Number.POSITIVE_INFINITY }),
      )
      .join(' ')
      .slice(0, LONGEST),
  });
  return {
    debug: () => undefined,
    info: (...parts) => log?.debug(said(parts), 'Slack’s library'),
    warn: (...parts) => log?.warn(said(parts), 'Slack’s library'),
    error: (...parts) => log?.error(said(parts), 'Slack’s library'),
    setLevel: () => undefined,
    setName: () => undefined,
    // Below this they need not make words.
    getLevel: () => LogLevel.INFO,
  };
}
