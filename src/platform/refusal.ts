import { STATUS_CODES } from 'node:http';
import { HIDDEN, SECRET_FIELD, type Secret } from '../secret.ts';
import { hideShapes } from '../secret-shapes.ts';
import { type Headers, isHtml, isSuccess, joined } from './bodies.ts';
import { type FieldComplaint, PlatformError, type PlatformErrorFields } from './errors.ts';
import { LONGEST_TEXT } from './shapes.ts';
import type { Service } from './transport.ts';

/** Seconds. */
export const retryAfterOf = (headers: Headers): number | undefined =>
  parseRetryAfter(joined(headers['retry-after']), Date.now());

/** `body`: the parsed body, its text, or nothing. */
interface Refused {
  service: Service;
  method: string;
  path: string;
  status: number;
  headers: Headers;
  text: string | undefined;
  body: unknown;
}

/** All that the platform said, without secrets. */
export function refusalOf(refused: Refused, secrets: readonly Secret[]): PlatformError {
  const { service, method, path, status: httpStatus, headers } = refused;
  const { message, status, ...said } = readComplaint(refused.body);
  const clean = (text: string) => redact(text, secrets).slice(0, 1000);
  const { key, errors, details = [], ...texts } = said;
  const cleaned = Object.fromEntries(
    Object.entries({ key, ...texts }).map(([name, text]) => [name, text === undefined ? undefined : clean(text)]),
  );
  const [address] = joined(headers.location)?.split(/[?#]/, 1) ?? [];
  const isMoved = httpStatus >= 300 && httpStatus < 400 && address;
  const leads = isMoved ? [`It redirects to ${address.replace(/\/\/[^/]*@/, '//')}`] : [];
  const name = STATUS_CODES[httpStatus] ? ` (${STATUS_CODES[httpStatus]})` : '';
  const plain = `It answered ${httpStatus}${name}${isHtml(refused) ? ' with a web page' : ''}.`;
  return new PlatformError(clean(message ?? plain), {
    status: isSuccess(httpStatus) && status !== undefined && status >= 400 ? status : httpStatus,
    httpStatus,
    service,
    method,
    path,
    ...cleaned,
    errors: errors?.map(({ message: text, field }) => ({
      message: clean(text),
      ...(field === undefined ? {} : { field: clean(field) }),
    })),
    details: [...details, ...leads].map(clean),
    retryAfter: retryAfterOf(headers),
    requestId: joined(headers['cdn-requestid']),
  });
}

/** What an error body says, whatever its shape (docs/platform.md, Error bodies). */
type Complaint = Pick<
  PlatformErrorFields,
  'key' | 'field' | 'title' | 'detail' | 'instance' | 'id' | 'errors' | 'details'
> & {
  message?: string | undefined;
  /** The status that the body gives. */
  status?: number | undefined;
};

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  return value.trim().slice(0, LONGEST_TEXT) || undefined;
};

/** A key may be written in any case, and with underscores. */
const at = (fields: Fields, key: string): unknown =>
  Object.entries(fields).find(([name]) => name.toLowerCase().replaceAll('_', '') === key)?.[1];

/** The text of the first key that has one. */
const pick = (fields: Fields, ...keys: string[]): string | undefined =>
  keys.map((key) => textOf(at(fields, key))).find((text) => text !== undefined);

const MESSAGES =
  'message msg errormessage errordescription errmsg exceptionmessage exception reason detail title'.split(' ');

const statusIn = (fields: Fields): number | undefined => {
  const status = Number(at(fields, 'statuscode') ?? at(fields, 'status'));
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined;
};

/** Takes objects, texts, or lists of texts by field. */
function complaintsIn(value: unknown): FieldComplaint[] {
  if (Array.isArray(value)) {
    return value.flatMap((one): FieldComplaint[] => {
      if (!isFields(one)) return complaintOf(textOf(one), undefined);
      return complaintOf(pick(one, 'message', 'detail', 'error'), pick(one, 'field'));
    });
  }
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([field, messages]) =>
    (Array.isArray(messages) ? messages : [messages]).flatMap((one) => complaintOf(textOf(one), field)),
  );
}

const complaintOf = (message: string | undefined, field: string | undefined): FieldComplaint[] =>
  message === undefined ? [] : [field === undefined ? { message } : { message, field }];

const detailsIn = (value: unknown): string[] => {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).flatMap(
    (one) => textOf(one) ?? JSON.stringify(one)?.slice(0, LONGEST_TEXT) ?? [],
  );
};

/** `body`: as parsed. */
export function readComplaint(body: unknown): Complaint {
  if (typeof body === 'string') return { message: textOf(body) };
  if (Array.isArray(body)) {
    const errors = complaintsIn(body);
    return { message: errors[0]?.message, errors };
  }
  if (!isFields(body)) return {};
  // Shield and the log service nest the error; the code is sometimes outside.
  const inner = [at(body, 'error'), at(body, 'errorresponse')].find(isFields) ?? {};
  const errors = complaintsIn(at(body, 'errors') ?? at(inner, 'errors'));
  return {
    message: pick(body, ...MESSAGES) ?? pick(inner, ...MESSAGES) ?? pick(body, 'error') ?? errors[0]?.message,
    key: pick(body, 'errorkey', 'code') ?? pick(inner, 'errorkey', 'code'),
    field: pick(body, 'field') ?? pick(inner, 'field'),
    title: pick(body, 'title'),
    detail: pick(body, 'detail'),
    instance: pick(body, 'instance'),
    id: pick(body, 'id'),
    errors,
    details: [...detailsIn(at(body, 'details')), ...detailsIn(at(inner, 'details'))],
    status: statusIn(body) ?? statusIn(inner),
  };
}

/** A body may be a complaint whatever the status. Source: docs/platform.md, A failure inside a success. */
export function isComplaint(body: unknown): boolean {
  if (Array.isArray(body)) return body.length > 0 && body.every(isComplaint);
  if (!isFields(body)) return false;
  const error = at(body, 'error');
  if ([body, error, at(body, 'errorresponse')].some((one) => isFields(one) && isFailure(one))) return true;
  if ((at(body, 'data') ?? undefined) !== undefined) return false;
  const isDone =
    succeeded(isFields(error) ? error : body) === true ||
    /^(ok|success|0|2\d\d)$/i.test(pick(body, 'code', 'status', 'statuscode') ?? '');
  const inner = isFields(error) ? pick(error, ...MESSAGES, 'code') : (textOf(error) ?? (error || undefined));
  const said = [inner, at(body, 'fault'), pick(body, ...MESSAGES, 'code')];
  if (saysNo(body) || complaintsIn(at(body, 'errors')).length > 0) return true;
  return !isDone && said.some((one) => one !== undefined);
}

/** Undefined: it does not say. */
function succeeded(fields: Fields): boolean | undefined {
  if (['failed', 'iserror', 'haserrors'].some((key) => at(fields, key) === true)) return false;
  const said = String(['success', 'ok', 'accepted'].map((key) => at(fields, key) ?? '').find(String)).toLowerCase();
  return said === 'true' || (said === 'false' || said === '0' ? false : undefined);
}

const saysNo = (fields: Fields) => succeeded(fields) === false || (statusIn(fields) ?? 0) >= 400;

/** The fields say that it failed, and why. */
const isFailure = (fields: Fields) =>
  succeeded(fields) !== true &&
  (pick(fields, 'errorkey') !== undefined ||
    (/^(error|fail(ed|ure)?)$/i.test(pick(fields, 'status', 'result') ?? '') && at(fields, 'id') === undefined) ||
    (saysNo(fields) && pick(fields, ...MESSAGES) !== undefined));

/** The seconds to wait, from a number or a date. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000);
  // Nobody waits for more than a day.
  return seconds <= 86_400 ? Math.max(0, seconds) : undefined;
}

/** Hides these secrets, and what looks like a secret. */
export function redact(text: string, secrets: readonly Secret[]): string {
  let clean = text;
  for (const secret of secrets) {
    const value = secret.reveal();
    if (value.length > 0) clean = clean.replaceAll(value, HIDDEN);
  }
  return hideShapes(clean);
}

const LONGEST_VALUE = 500;

const shown = (value: unknown, secrets: readonly Secret[]): string => {
  const whole =
    typeof value === 'string'
      ? value
      : (JSON.stringify(value, (key, inner) => (SECRET_FIELD.test(key) && inner !== null ? HIDDEN : inner)) ?? '');
  const text = redact(whole.slice(0, 20_000), secrets);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
};

/** The fields as text for people, without the `known` keys and without secrets. */
export function keysAndValues(
  body: unknown,
  known: ReadonlySet<string>,
  secrets: readonly Secret[],
): Record<string, string> {
  if (body === undefined || body === null || body === '') return {};
  if (typeof body !== 'object' || Array.isArray(body)) return { body: shown(body, secrets) };
  return Object.fromEntries(
    Object.entries(body)
      .filter(([key]) => !known.has(key))
      .slice(0, 50)
      .map(([key, value]) => [key.slice(0, LONGEST_VALUE), SECRET_FIELD.test(key) ? HIDDEN : shown(value, secrets)]),
  );
}
