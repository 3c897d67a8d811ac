import { webApi } from '@slack/bolt';
import { UsageError } from '../errors.ts';
import { type Gone, type Meaning, meaningOf } from './errors.ts';

export interface Refusal {
  code: string;
  meaning: Meaning;
  /** In seconds, if Slack said so. */
  retryAfter?: number | undefined;
}

export class ResponseUrlError extends Error {
  override name = 'ResponseUrlError';
  readonly answer: string;

  constructor(status: number, answer: string) {
    super(`Slack answered ${status} to a response URL`);
    this.answer = answer;
  }
}

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof webApi.WebAPIPlatformError)) return undefined;
  const { error: code, response_metadata } = error.data;
  const isLate = code === 'invalid_arguments' && /trigger_id\W* expired/.test(String(response_metadata?.messages));
  return isLate ? 'expired_trigger_id' : code;
}

const meant = (code: string, method?: string): Refusal => ({ code, meaning: meaningOf(code, method) });

/** Undefined: it is not an error of Slack. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof webApi.WebAPIRateLimitedError) return { ...meant('ratelimited'), retryAfter: error.retryAfter };
  if (error instanceof webApi.WebAPIRequestError) return meant('request_timeout');
  if (error instanceof webApi.WebAPIHTTPError) return error.statusCode < 500 ? undefined : meant('service_unavailable');
  if (error instanceof ResponseUrlError) {
    const meanings = (error.answer.match(/\w+/g) ?? []).map((code) => meant(code, 'response_url'));
    return meanings.find(({ meaning }) => meaning.kind !== 'mistake');
  }
  const code = codeOf(error);
  if (!(error instanceof webApi.WebAPIPlatformError) || code === undefined) return undefined;
  const { needed, response_metadata } = error.data as { needed?: string; response_metadata?: { retryAfter?: number } };
  const meaning = meaningOf(code, (error as { method?: string }).method);
  return {
    code,
    meaning:
      code === 'missing_scope' && needed !== undefined && meaning.kind === 'permission'
        ? lacking(needed, meaning)
        : meaning,
    retryAfter: response_metadata?.retryAfter,
  };
}

const lacking = (scope: string, meaning: Extract<Meaning, { kind: 'permission' }>): Meaning => ({
  ...meaning,
  why: `the app lacks the scope ${scope}`,
});

export function withMethod(error: unknown, method: string): unknown {
  return error instanceof Error ? Object.assign(error, { method }) : error;
}

export const expired = (): unknown =>
  withMethod(new webApi.WebAPIPlatformError({ ok: false, error: 'expired_trigger_id' }), 'views.open');

/** Slack shows a missing thread only by leaving it out of its answer. */
export const threadGone = (): unknown =>
  withMethod(new webApi.WebAPIPlatformError({ ok: false, error: 'thread_not_found' }), 'conversations.replies');

export const meansOf = (error: unknown): Meaning | undefined => refusalOf(error)?.meaning;

/** Slack refused the call as too early, and did nothing. */
export function secondsToWait(error: unknown): number | undefined {
  const refusal = refusalOf(error);
  return refusal?.meaning.kind === 'pass' && refusal.meaning.soon === true ? (refusal.retryAfter ?? 1) : undefined;
}

/** Slack did not answer, or its gateway had no answer. */
export const isUnreached = (error: unknown): boolean =>
  error instanceof webApi.WebAPIRequestError || (error instanceof webApi.WebAPIHTTPError && error.statusCode >= 500);

/** Another conversation may accept the same message. */
export function isOnlyHere(error: unknown): boolean {
  const meaning = meansOf(error);
  return (meaning?.kind === 'gone' || meaning?.kind === 'permission') && meaning.here === true;
}

export function isGone(error: unknown, ...things: readonly Gone[]): boolean {
  const meaning = meansOf(error);
  return meaning?.kind === 'gone' && things.includes(meaning.gone);
}

/** Undefined: the error means nothing to a person. */
export function usageErrorOf(error: unknown): UsageError | undefined {
  const meaning = meansOf(error);
  return meaning === undefined ? undefined : usageErrorFor(meaning);
}

export function lackOf(scope: string): UsageError {
  const meaning = meaningOf('missing_scope');
  return usageErrorFor(meaning.kind === 'permission' ? lacking(scope, meaning) : meaning) ?? new UsageError(scope);
}

function usageErrorFor(meaning: Meaning): UsageError | undefined {
  if (meaning.kind === 'mistake') return undefined;
  return new UsageError(sentence(meaning.why), { hint: sentence(meaning.next) });
}

export const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
