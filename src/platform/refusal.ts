import type { Secret } from '../secret.ts';
import type { Service } from './authentication.ts';
import { type Headers, isHtml, joined } from './bodies.ts';
import { parseRetryAfter, plainMessage, readComplaint } from './error-bodies.ts';
import { PlatformError } from './errors.ts';
import { redact } from './redaction.ts';

/** People read this much of each thing that a refusal says, in characters. */
const LONGEST_SHOWN = 1000;

/** The codes of the access log service, for answers without a message (docs/platform.md, Access log errors). */
export const LOG_ERROR_CONDITIONS: Readonly<Record<string, string>> = {
  invalid_request: 'One or more query parameters failed validation.',
  unauthorized: 'No credentials were provided.',
  forbidden: 'The credentials are invalid, or the pull zone is suspended or disabled.',
  logging_disabled: 'Logging is not enabled for the pull zone.',
  rate_limited: 'The rate limit of the pull zone is exceeded.',
  internal_error: 'The service met an unexpected error.',
};

/** A status of 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Seconds of the `Retry-After` header. */
export const retryAfterOf = (headers: Headers): number | undefined =>
  parseRetryAfter(joined(headers['retry-after']), Date.now());

/** The request that was refused, the answer's head, and its body: parsed, a text, or nothing. */
export interface Refused {
  service: Service;
  method: string;
  path: string;
  status: number;
  headers: Headers;
  text: string | undefined;
  body: unknown;
}

/** The error that a refusal is, with all that the platform said and none of the secrets. */
export function refusalOf(refused: Refused, secrets: readonly Secret[]): PlatformError {
  const { service, method, path, status: httpStatus, headers } = refused;
  const { message, status, ...said } = readComplaint(refused.body);
  const clean = (text: string) => redact(text, secrets).slice(0, LONGEST_SHOWN);
  const cleanOrNone = (text: string | undefined) => (text === undefined ? undefined : clean(text));
  const condition = service === 'logging' && said.key !== undefined ? LOG_ERROR_CONDITIONS[said.key] : undefined;
  return new PlatformError(clean(message ?? condition ?? plainMessage(httpStatus, isHtml(refused))), {
    status: isSuccess(httpStatus) && status !== undefined && status >= 400 ? status : httpStatus,
    httpStatus,
    service,
    method,
    path,
    key: cleanOrNone(said.key),
    field: cleanOrNone(said.field),
    title: cleanOrNone(said.title),
    detail: cleanOrNone(said.detail),
    instance: cleanOrNone(said.instance),
    id: cleanOrNone(said.id),
    errors: said.errors?.map(({ message: text, field }) => ({
      message: clean(text),
      ...(field === undefined ? {} : { field: clean(field) }),
    })),
    details: said.details?.map(clean),
    retryAfter: retryAfterOf(headers),
    requestId: joined(headers['cdn-requestid']),
  });
}
