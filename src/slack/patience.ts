import { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { certificateTrouble } from '../network.ts';
import { backoff, retry } from '../retry.ts';
import { StartError } from '../start-error.ts';
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
export class SlackRefusedError extends StartError {
  override name = 'SlackRefusedError';

  constructor(message: string, options?: ErrorOptions) {
    super('refused', message, options);
  }
}

/** The two tokens, and where in the app's settings each comes from. */
export const TOKENS = {
  SLACK_BOT_TOKEN: 'OAuth & Permissions',
  SLACK_APP_TOKEN: 'Basic Information → App-Level Tokens, with the scope connections:write',
};
/** A token of the app has one scope that counts, and the manifest none of it. */
const LACKS_SCOPE: ReadonlySet<string> = new Set(['missing_scope', 'no_permission']);

/** Which token a call was made with. */
export type TokenName = keyof typeof TOKENS;

/** One sentence for whoever runs the bot when Slack's answer is final. Undefined: it is worth trying again. */
export function finalOf(error: unknown, token: TokenName): SlackRefusedError | undefined {
  if (error instanceof SlackRefusedError) return error;
  const { code, meaning } = refusalOf(error) ?? {};
  const remedy = meaning === undefined || meaning.kind === 'mistake' ? undefined : meaning.remedy;
  if (code === undefined || remedy === undefined) return undefined;
  const next = token === 'SLACK_APP_TOKEN' && LACKS_SCOPE.has(code) ? 'make another one' : remedy;
  return new SlackRefusedError(
    `Slack refuses ${token} (${code}). ${next.charAt(0).toUpperCase()}${next.slice(1)}. It stands in the app’s settings under ${TOKENS[token]}.`,
    { cause: error },
  );
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
  const certificate = certificateTrouble(error);
  if (certificate !== undefined) return `its certificate ${certificate.is}. ${certificate.mend}`;
  const thrown = error instanceof webApi.WebAPIRequestError ? error.original : error;
  // `fetch failed` says nothing: the network's own words are behind it.
  const { cause } = thrown instanceof Error ? thrown : {};
  if (cause instanceof Error) return wordsOf(cause);
  return thrown instanceof Error ? wordsOf(thrown) : String(thrown);
}

/** Where several addresses were tried, there is a code and no message. */
function wordsOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'no answer in time';
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

/** Something that may be away, and how long and with which words it is waited for. */
export interface Waiting {
  /** The one that is called, as the log says it. */
  what: string;
  /** The call. */
  tried: string;
  pauses: Pauses;
  log: Logger;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Ends the waiting at once, whatever is under way: its reason is thrown. */
  signal: AbortSignal;
}

/** Why a call may be answered later: in a few words, and how long to wait at least, in milliseconds. */
interface Absence {
  reason: string;
  pause?: number;
}

/** Calls until there is an answer, with a line and a pause after each failure. `absenceOf` throws what is final. */
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

/** The same, or the signal's reason at once: nobody waits for what hangs. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

interface Asking extends Omit<Waiting, 'what' | 'tried'> {
  /** The Web API's method that is called. */
  method: string;
  token: TokenName;
}

/** Calls until Slack answers, however long it is away. Throws SlackRefusedError when the answer is final. */
export function untilSlackAnswers<T>(call: () => Promise<T>, { method, token, ...waiting }: Asking): Promise<T> {
  const absenceOf = (error: unknown): Absence => {
    const final = error instanceof StartError ? error : finalOf(error, token);
    if (final !== undefined) throw final;
    return { reason: reasonOf(error), pause: askedPause(error) };
  };
  return untilAnswered(call, absenceOf, { ...waiting, what: 'Slack', tried: method });
}

/** The one line about a failure that passes. */
export function logRetry(
  log: Logger,
  { what = 'Slack', tried, reason, pause }: { what?: string; tried: string; reason: string; pause: number },
): void {
  const seconds = Math.max(0.1, Math.round(pause / 100) / 10);
  log.warn({ tried, reason, againInSeconds: seconds }, `${what} could not be reached: it is tried again`);
}
