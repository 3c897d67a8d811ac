import { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { MINUTE } from '../time.ts';
import { refusalOf } from './refusals.ts';

/** How long to wait before Slack is tried again, in milliseconds. */
export interface Pauses {
  /** After the first failure; each further one doubles it. */
  first: number;
  most: number;
  /** Where only a person can change the answer. */
  slowly: number;
}

/** Short enough that nobody waits for the bot once Slack is back, and far below the 50 calls a minute that Slack allows. */
export const PAUSES: Pauses = { first: 500, most: 10_000, slowly: MINUTE };

/** Slack's own wishes are followed up to here, in milliseconds. */
const MOST_ASKED = 10 * MINUTE;

/** Slack's answer is final until somebody changes a setting: the message says which. */
export class SlackRefusedError extends Error {
  override name = 'SlackRefusedError';
}

/** The two tokens, and where in the app's settings each comes from. */
const TOKENS = {
  SLACK_BOT_TOKEN: 'OAuth & Permissions',
  SLACK_APP_TOKEN: 'Basic Information → App-Level Tokens, scope connections:write',
};

/** Which token a call was made with. */
export type TokenName = keyof typeof TOKENS;

/** One sentence for whoever runs the bot when Slack's answer is final. Undefined: it is worth trying again. */
export function finalOf(error: unknown, token: TokenName): SlackRefusedError | undefined {
  if (error instanceof SlackRefusedError) return error;
  const { code, meaning } = refusalOf(error) ?? {};
  const remedy = meaning === undefined || meaning.kind === 'mistake' ? undefined : meaning.remedy;
  if (remedy === undefined) return undefined;
  return new SlackRefusedError(
    `Slack refuses ${token} (${code}): ${remedy}. It stands in the app’s settings under ${TOKENS[token]}.`,
    { cause: error },
  );
}

/** A pause that grows with the failures in a row, up to its bound; jittered, so that replicas do not come back together. */
export function pauseAfter(failures: number, { first, most }: Pauses): number {
  return jittered(Math.min(most, first * 2 ** Math.min(failures - 1, 30)));
}

/** Between half of it and all of it. */
export function jittered(pause: number): number {
  return pause * (0.5 + Math.random() / 2);
}

/** How long Slack asks to be left alone, in milliseconds; 0 when it does not say. */
export function askedPause(error: unknown): number {
  if (error instanceof webApi.WebAPIRateLimitedError) return Math.min(MOST_ASKED, error.retryAfter * 1000);
  const header = error instanceof webApi.WebAPIHTTPError ? error.headers['retry-after'] : undefined;
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) ? Math.min(MOST_ASKED, seconds * 1000) : 0;
}

/** In a few words why a call or a connection failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof webApi.WebAPIPlatformError) return error.data.error;
  if (error instanceof webApi.WebAPIRateLimitedError) return `429, wait ${error.retryAfter} s`;
  if (error instanceof webApi.WebAPIHTTPError) return `HTTP ${error.statusCode}`;
  const thrown = error instanceof webApi.WebAPIRequestError ? error.original : error;
  // `fetch failed` says nothing: the network's own words are behind it.
  const { cause } = thrown instanceof Error ? thrown : {};
  if (cause instanceof Error) return wordsOf(cause);
  return thrown instanceof Error ? wordsOf(thrown) : String(thrown);
}

/** Where several addresses were tried, there is a code and no message. */
function wordsOf(error: Error): string {
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

interface Asking {
  /** The Web API's method that is called. */
  method: string;
  token: TokenName;
  pauses: Pauses;
  log: Logger;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Ends the waiting: what it throws is thrown. */
  signal: AbortSignal;
}

/** Calls until Slack answers, however long it is away. Throws SlackRefusedError when the answer is final. */
export async function untilSlackAnswers<T>(
  call: () => Promise<T>,
  { method, token, pauses, log, wait, signal }: Asking,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      const refusal = finalOf(error, token);
      if (refusal !== undefined) throw refusal;
      const pause = Math.max(pauseAfter(failures, pauses), askedPause(error));
      logRetry(log, { tried: method, reason: reasonOf(error), pause });
      await wait(pause, signal);
    }
  }
}

/** The one line about a failure that passes. */
export function logRetry(
  log: Logger,
  { tried, reason, pause }: { tried: string; reason: string; pause: number },
): void {
  const seconds = Math.max(0.1, Math.round(pause / 100) / 10);
  log.warn({ tried, reason, againInSeconds: seconds }, 'Slack could not be reached: it is tried again');
}
