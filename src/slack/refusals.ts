import { webApi } from '@slack/bolt';
import { errorsOf, type Meaning, meaningOf } from './errors.ts';

/** An error of Slack's, understood. */
export interface Refusal {
  /** Slack's word for it, such as `not_in_channel`. */
  code: string;
  meaning: Meaning;
  /** In seconds, where Slack said so. */
  retryAfter?: number | undefined;
}

/** The response URL said no. */
export class ResponseUrlError extends Error {
  override name = 'ResponseUrlError';
  /** What it said, cut. */
  readonly answer: string;

  constructor(status: number, answer: string) {
    super(`Slack answered ${status} to a response URL`);
    this.answer = answer;
  }
}

/** Slack’s word for why it refused a call, such as `channel_not_found`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined;
}

/** The meaning of what a call of Slack's threw. Undefined: it is no error of Slack's. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof webApi.WebAPIRateLimitedError)
    return { code: 'ratelimited', meaning: meaningOf('ratelimited'), retryAfter: error.retryAfter };
  if (error instanceof webApi.WebAPIRequestError)
    return { code: 'request_timeout', meaning: meaningOf('request_timeout') };
  if (error instanceof webApi.WebAPIHTTPError)
    return error.statusCode < 500
      ? undefined
      : { code: 'service_unavailable', meaning: meaningOf('service_unavailable') };
  if (error instanceof ResponseUrlError) {
    const code = Object.keys(errorsOf('response_url')).find((known) => new RegExp(`\\b${known}\\b`).test(error.answer));
    return code === undefined ? undefined : { code, meaning: meaningOf(code, 'response_url') };
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
  needs: scope,
  why: `the app lacks the scope ${scope}`,
});

/** The same error, and the method that it is of. */
export function withMethod(error: unknown, method: string): unknown {
  return error instanceof Error ? Object.assign(error, { method }) : error;
}
