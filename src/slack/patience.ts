import { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { networkTrouble } from '../network.ts';
import { backoff, retry } from '../retry.ts';
import { StartError } from '../start-error.ts';
import { MINUTE, unlessAborted } from '../time.ts';
import { refusalOf, sentence } from './refusals.ts';

/** In milliseconds. */
export interface Pauses {
  /** Doubled after each further failure. */
  first: number;
  most: number;
  /** If only a person can change the answer. */
  slowly: number;
}

/** Far below Slack’s limit of 50 calls a minute. */
export const PAUSES: Pauses = { first: 500, most: 10_000, slowly: MINUTE };

/** In milliseconds. */
const MOST_ASKED = 10 * MINUTE;

/** Slack refuses until somebody changes the setting that the message names. */
export class SlackRefusedError extends StartError {
  override name = 'SlackRefusedError';

  constructor(message: string, options?: ErrorOptions) {
    super('refused', message, options);
  }
}

/** Where the app’s settings show each token. */
export const TOKENS = {
  SLACK_BOT_TOKEN: 'OAuth & Permissions',
  SLACK_APP_TOKEN: 'Basic Information → App-Level Tokens, with the scope connections:write',
};

export type TokenName = keyof typeof TOKENS;

export function finalOf(error: unknown, token: TokenName): SlackRefusedError | undefined {
  if (error instanceof SlackRefusedError) return error;
  const { code, meaning } = refusalOf(error) ?? {};
  const remedy = meaning === undefined || meaning.kind === 'mistake' ? undefined : meaning.remedy;
  if (code === undefined || remedy === undefined) return undefined;
  // An app-level token needs one scope, which the manifest cannot name.
  const lacksScope = token === 'SLACK_APP_TOKEN' && ['missing_scope', 'no_permission'].includes(code);
  const next = lacksScope ? 'make another one' : remedy;
  return new SlackRefusedError(
    `Slack refuses ${token} (${code}). ${sentence(next)} It is in the app’s settings under ${TOKENS[token]}.`,
    { cause: error },
  );
}

/** In milliseconds; 0 if Slack does not say. */
export function askedPause(error: unknown): number {
  if (error instanceof webApi.WebAPIRateLimitedError) return Math.min(MOST_ASKED, error.retryAfter * 1000);
  const header = error instanceof webApi.WebAPIHTTPError ? error.headers['retry-after'] : undefined;
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) ? Math.min(MOST_ASKED, seconds * 1000) : 0;
}

export function reasonOf(error: unknown): string {
  if (error instanceof webApi.WebAPIPlatformError) return error.data.error;
  if (error instanceof webApi.WebAPIRateLimitedError) return `429, wait ${error.retryAfter} s`;
  if (error instanceof webApi.WebAPIHTTPError)
    return error.statusMessage === PAGE ? 'a web page came, and no answer' : `HTTP ${error.statusCode}`;
  const trouble = networkTrouble(error, 'Slack');
  if (trouble !== undefined) return `${trouble.is}. ${trouble.mend}`;
  const thrown = error instanceof webApi.WebAPIRequestError ? error.original : error;
  // `fetch failed` says nothing. Its cause has the words of the network.
  const { cause } = thrown instanceof Error ? thrown : {};
  if (cause instanceof Error) return wordsOf(cause);
  return thrown instanceof Error ? wordsOf(thrown) : String(thrown);
}

/** The status text of a page, such as a proxy’s. */
export const PAGE = 'A page';

/** If several addresses were tried, the error has a code and no message; OpenSSL’s messages have several lines. */
function wordsOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error.name === 'SyntaxError') return 'what answers there is not Slack';
  // Some errors of Slack's client have a number.
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  return (code.startsWith('ERR_SSL') ? code : error.message) || code || error.name;
}

export interface Waiting {
  what: string;
  tried: string;
  pauses: Pauses;
  log: Logger;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Ends the waiting at once, and its reason is thrown. */
  signal: AbortSignal;
}

interface Absence {
  reason: string;
  pause?: number;
}

/** Logs and pauses after each failure. `absenceOf` throws final errors. */
export async function untilAnswered<T>(
  call: () => Promise<T>,
  absenceOf: (error: unknown) => Absence,
  { what, tried, pauses, log, wait, signal }: Waiting,
): Promise<T> {
  const once = async () => {
    signal.throwIfAborted();
    return unlessAborted(call(), signal);
  };
  return retry(
    once,
    (pause) => wait(pause, signal),
    (error, failures) => {
      signal.throwIfAborted();
      const { reason, pause: asked = 0 } = absenceOf(error);
      const pause = Math.max(backoff(failures, pauses), asked);
      logRetry(log, { what, tried, reason, pause });
      return pause;
    },
  );
}

export function untilSlackAnswers<T>(
  call: () => Promise<T>,
  { method, token, ...waiting }: Omit<Waiting, 'what' | 'tried'> & { method: string; token: TokenName },
): Promise<T> {
  const absenceOf = (error: unknown): Absence => {
    const final = error instanceof StartError ? error : finalOf(error, token);
    if (final !== undefined) throw final;
    return { reason: reasonOf(error), pause: askedPause(error) };
  };
  return untilAnswered(call, absenceOf, { ...waiting, what: 'Slack', tried: method });
}

export function logRetry(
  log: Logger,
  { what = 'Slack', tried, reason, pause }: { what?: string; tried: string; reason: string; pause: number },
): void {
  const seconds = Math.max(0.1, Math.round(pause / 100) / 10);
  log.warn({ tried, reason, againInSeconds: seconds }, `${what} could not be reached: it is tried again`);
}
