import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import * as z from 'zod';
import { UsageError } from '../errors.ts';
import { createRoutes, networkTrouble } from '../network.ts';
import { type Observe, timed, UNOBSERVED } from '../observe.ts';
import { backoff, retry } from '../retry.ts';
import type { Secret } from '../secret.ts';
import { within } from '../time.ts';
import {
  beginningOf,
  counted,
  decoded,
  fileOf,
  type Headers,
  isHtml,
  isSuccess,
  NOT_JSON,
  parseJson,
  readBody,
  TooLarge,
} from './bodies.ts';
import {
  type FailedRequest,
  NotSentError,
  PlatformConnectionError,
  PlatformError,
  PlatformFailure,
  PlatformShapeError,
} from './errors.ts';
import type { LogLimiter } from './rate-limit.ts';
import { NotRecords, sliceRecords, type WantedRecords } from './record-slicer.ts';
import { isComplaint, keysAndValues, refusalOf, retryAfterOf } from './refusal.ts';
import type { Call, CallOptions, Fence, ReadRecords, Service, Transport } from './transport.ts';

/** In milliseconds, for one attempt. */
export const DEFAULT_TIMEOUT = 20_000;

/** A JWT replaces the key only at its own service. */
interface Credentials {
  accessKey: Secret;
  /** The whole `Authorization` header. */
  originLogsJwt?: Secret | undefined;
  /** Sent as `Bearer`. */
  loggingJwt?: Secret | undefined;
}

/** One header, never two (docs/platform.md, Authentication). Those that have no key of their own take the account’s. */
function authenticationOf(
  { accessKey, originLogsJwt, loggingJwt }: Credentials,
  { service, database }: Call,
): [name: string, value: string] {
  if (database !== undefined) return ['Authorization', `Bearer ${database.token.reveal()}`];
  if (service === 'originLogs' && originLogsJwt) return ['Authorization', originLogsJwt.reveal()];
  if (service === 'logging' && loggingJwt) return ['Authorization', `Bearer ${loggingJwt.reveal()}`];
  return ['AccessKey', accessKey.reveal()];
}

const SERVICE_NAMES: Record<Service, string> = {
  management: 'the platform',
  shield: 'the platform (shield)',
  statistics: 'the platform (statistics)',
  originLogs: 'the origin error log service',
  logging: 'the access log service',
  databaseControl: 'the database service',
  sql: 'the database',
};

/** Addresses may have a path. */
export interface TransportOptions extends Credentials {
  apiUrl: string;
  originLogsUrl?: string | undefined;
  loggingUrl?: string | undefined;
  /** `{apiUrl}/database` by default. */
  databaseApiUrl?: string | undefined;
  /** Milliseconds for one attempt; 20,000 by default. */
  timeout?: number | undefined;
  observe?: Observe | undefined;
  limiter: LogLimiter;
  /** Retries of a read; 2 by default. */
  retries?: number | undefined;
  /** In milliseconds, doubled each time; 250 by default. */
  retryDelay?: number | undefined;
}

/** One pool per origin, and timeouts on everything. */
interface Wire extends TransportOptions {
  agent: Dispatcher;
  bases: Readonly<Record<Exclude<Service, 'sql'>, string | undefined>>;
  timeout: number;
  observe: Observe;
  retries: number;
  retryDelay: number;
}

/** The caller has to end `deadline` once the body is read or given up. */
interface Opened {
  status: number;
  headers: Headers;
  response: Dispatcher.ResponseData;
  deadline: Deadline;
}

/** Without `text`: the body broke off, or was too large. */
interface Answer {
  status: number;
  headers: Headers;
  text: string | undefined;
  broken?: unknown;
}

/** RFC 6761. Not every resolver implements it. */
const lookupWithLocalhost: LookupFunction = (hostname, options, callback) =>
  lookup(hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, options, callback);

/** Retries reads; sends writes once. */
export function createTransport(options: TransportOptions): Transport {
  const { apiUrl, originLogsUrl, loggingUrl, databaseApiUrl, timeout = DEFAULT_TIMEOUT } = options;
  // Shorter than the whole, so that a failed connect is recognised as one.
  const connect = { timeout: Math.ceil(timeout / 2), lookup: lookupWithLocalhost };
  const wire: Wire = {
    ...options,
    agent: createRoutes({
      connections: 16,
      connect,
      requestTls: connect,
      proxyTls: connect,
      headersTimeout: timeout,
      bodyTimeout: timeout,
    }),
    bases: {
      management: apiUrl,
      shield: apiUrl,
      statistics: apiUrl,
      originLogs: originLogsUrl,
      logging: loggingUrl,
      // Source: docs/platform.md, Services.
      databaseControl: databaseApiUrl ?? `${apiUrl.replace(/(?<!\/)\/+$/, '')}/database`,
    },
    timeout,
    observe: options.observe ?? UNOBSERVED,
    retries: options.retries ?? 2,
    retryDelay: options.retryDelay ?? 250,
  };
  return {
    read: (call, schema, given = {}) =>
      repeat(wire, call, given, async () => fitting(wire, call, schema, await answered(wire, call, given))),
    async write(call, schema, given = {}) {
      const body = await answered(wire, call, given);
      if (body === undefined || body === null) return { extra: {} };
      const answer = fitting(wire, call, schema, body);
      const known = new Set(Object.keys(answer ?? {}));
      return { answer, extra: call.open ? keysAndValues(body, known, secretsOf(wire, call)) : {} };
    },
    post: (call, given = {}) => answered(wire, call, given),
    stream: (call, given = {}) => stream(wire, call, given),
    readRecords: (call, wanted, given = {}) => repeat(wire, call, given, () => readRecords(wire, call, wanted, given)),
    async close() {
      // Requests under way had time to finish.
      if (!(await within(wire.timeout, wire.agent.close()))) await wire.agent.destroy();
    },
  };
}

/** Accepts only a complete answer that is neither a web page nor an error. */
async function answered(wire: Wire, call: Call, given: CallOptions): Promise<unknown> {
  const answer = await readAnswer(await open(wire, call, given));
  const { text = '' } = answer;
  const body = parseJson(text);
  if (!isSuccess(answer.status) || isComplaint(body)) throw refusal(wire, call, answer, body);
  if (answer.broken instanceof TooLarge)
    throw shapeError(wire, call, 'gave an answer that is too large for the bot to read');
  if (answer.broken !== undefined) throw lostAnswer(wire, call, answer.broken, given.signal);
  given.onBody?.(text.length);
  if (body === NOT_JSON) {
    throw shapeError(wire, call, isHtml(answer) ? A_PAGE : NO_JSON);
  }
  return body;
}

const A_PAGE = 'answered with a web page, not the API';
const NO_JSON = 'gave an answer that is not the expected JSON, or is incomplete';

function fitting<T>(wire: Wire, call: Call, schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw shapeError(wire, call, whereOf(parsed.error));
  return parsed.data;
}

async function stream(wire: Wire, call: Call, given: CallOptions): Promise<Readable> {
  const { response, body, deadline } = await repeat(wire, call, given, () => openFile(wire, call, given, 'gzip'));
  const file = fileOf(
    body,
    (error) => {
      const reason = lostAnswer(wire, call, deadline.reasonFor(error), given.signal);
      return reason instanceof Error ? reason : error;
    },
    () => deadline.end(),
  );
  deadline.stopClock(() => file.writableNeedDrain);
  response.body.on('data', (chunk: Buffer) => deadline.came(chunk.length));
  return file;
}

async function readRecords<T, R>(
  wire: Wire,
  call: Call,
  wanted: WantedRecords<T> & { rest: z.ZodType<R> },
  given: CallOptions,
): Promise<ReadRecords<T, R>> {
  const { body, deadline } = await openFile(wire, call, given);
  try {
    deadline.stopClock();
    const came = (bytes: number) => {
      deadline.came(bytes);
      given.onBody?.(bytes);
    };
    const { records, rest, isCut } = await sliceRecords(counted(body, came), wanted);
    const isWhole = typeof rest === 'object';
    if (!isWhole && !isCut) throw new NotRecords('The answer is not all there.');
    return { records, isCut, rest: isWhole ? wanted.rest.parse(rest) : undefined };
  } catch (error) {
    if (error instanceof z.ZodError) throw shapeError(wire, call, whereOf(error));
    if (error instanceof SyntaxError || error instanceof NotRecords) throw shapeError(wire, call, NO_JSON);
    throw lostAnswer(wire, call, deadline.reasonFor(error), given.signal);
  } finally {
    deadline.end();
    body.on('error', () => undefined).destroy();
  }
}

/** Only for reads. */
function repeat<T>(wire: Wire, call: Call, given: CallOptions, once: () => Promise<T>): Promise<T> {
  const wait = (pause: number) =>
    delay(pause, undefined, given.signal ? { signal: given.signal } : {}).catch(() => {
      throw given.signal?.reason;
    });
  return retry(once, wait, (failure, repetition) => pauseAfter(wire, failure, repetition, call, given));
}

/** In milliseconds. `undefined`: no retry. */
function pauseAfter(
  { retries, retryDelay }: Wire,
  failure: unknown,
  repetition: number,
  call: Call,
  given: CallOptions,
): number | undefined {
  if (repetition > retries) return undefined;
  const pause = backoff(repetition, { first: retryDelay, most: 10_000 });
  if (failure instanceof PlatformConnectionError) return isLate(failure.cause) ? undefined : pause;
  // Only these may pass in a moment.
  if (!(failure instanceof PlatformError) || ![429, 502, 503, 504].includes(failure.httpStatus)) return undefined;
  const { httpStatus, retryAfter } = failure;
  // The bot stays below the limit, so somebody else exceeds it. Background work waits a window, people are told.
  if (httpStatus === 429 && call.limitedZone !== undefined && retryAfter === undefined) {
    return given.priority === 'background' ? 0 : undefined;
  }
  if (retryAfter === undefined) return pause;
  // If it takes longer than ten seconds, the person is told.
  return retryAfter <= 10 ? Math.max(retryAfter * 1000, pause) : undefined;
}

async function readAnswer({ status, headers, response, deadline }: Opened): Promise<Answer> {
  try {
    // Larger answers would block the main thread. Errors are shorter.
    const text = await readBody(response, isSuccess(status) ? 16 * 1024 * 1024 : 256 * 1024);
    return { status, headers, text };
  } catch (error) {
    return { status, headers, text: undefined, broken: deadline.reasonFor(error) };
  } finally {
    deadline.end();
  }
}

/** Limited in time until it begins, then in pace. */
async function openFile(
  wire: Wire,
  call: Call,
  given: CallOptions,
  encoding?: string,
): Promise<Opened & { body: Readable }> {
  const opened = await open(wire, call, given, encoding);
  if (!isSuccess(opened.status)) {
    const answer = await readAnswer(opened);
    throw refusal(wire, call, answer, parseJson(answer.text));
  }
  const body = decoded(opened.response);
  try {
    const answer = { ...opened, text: await beginningOf(body) };
    const beginning = parseJson(answer.text);
    if (isComplaint(beginning)) throw refusal(wire, call, answer, beginning);
    if (isHtml(answer) && !/^\s*[[{]/.test(answer.text)) throw shapeError(wire, call, A_PAGE);
    return { ...opened, body };
  } catch (error) {
    opened.deadline.end();
    body.on('error', () => undefined).destroy();
    throw error instanceof PlatformFailure
      ? error
      : lostAnswer(wire, call, opened.deadline.reasonFor(error), given.signal);
  }
}

function refusal(wire: Wire, call: Call, answer: Answer, body: unknown): PlatformError {
  const { status, headers, text } = answer;
  const readable = body !== NOT_JSON ? body : isHtml(answer) ? undefined : text;
  const request = { ...failedRequest(wire, call), service: call.service };
  return refusalOf({ ...request, status, headers, text, body: readable }, secretsOf(wire, call));
}

function whereOf(error: z.ZodError): string {
  const [first] = error.issues;
  const path = first?.path.map(String).join('.');
  return path ? `gave an answer without a usable “${path}”` : 'gave an answer of another shape than expected';
}

/** The request timed out, by the bot’s clock or undici’s. Not retried, because that would double the wait. */
const isLate = (error: unknown): boolean =>
  error instanceof TimeIsUp || (error instanceof Error && 'code' in error && String(error.code).includes('TIMEOUT'));

/** Secrets that must not appear in messages. */
function secretsOf({ accessKey, originLogsJwt, loggingJwt }: Wire, { database }: Call): Secret[] {
  return [accessKey, originLogsJwt, loggingJwt, database?.token].filter((one) => one !== undefined);
}

const failedRequest = (wire: Wire, call: Call): FailedRequest => ({
  service: call.service,
  method: call.method,
  path: addressOf(wire, call).path,
});

/** Sends with a deadline, and within the rate limit of logs if that applies. */
async function open(wire: Wire, call: Call, given: CallOptions, encoding?: string): Promise<Opened> {
  given.signal?.throwIfAborted();
  const address = addressOf(wire, call);
  const { limitedZone } = call;
  const failure = (error: unknown): string => {
    if (given.signal?.aborted === true) return 'given up';
    if (error instanceof NotSentError) return 'not sent';
    return error instanceof Error && isLate(error.cause) ? 'timeout' : 'no answer';
  };
  const once = () => sendOnce(wire, call, address, given, encoding);
  // By endpoint, because paths contain ids and queries contain typed text.
  const send = () =>
    timed(wire.observe, 'platform', once, (ended) => ({
      endpoint: call.endpoint,
      outcome: 'result' in ended ? String(ended.result.status) : failure(ended.error),
    }));
  if (limitedZone === undefined) return send();
  const opened = await wire.limiter.run(limitedZone, given, send);
  if (opened.status === 429) {
    const seconds = retryAfterOf(opened.headers);
    await wire.limiter.refused(limitedZone, seconds === undefined ? undefined : seconds * 1000);
  }
  return opened;
}

async function sendOnce(
  wire: Wire,
  call: Call,
  { origin, path }: { origin: string; path: string },
  { signal, fence }: CallOptions,
  encoding: string | undefined,
): Promise<Opened> {
  const deadline = createDeadline(wire.timeout, signal);
  let isSent = false;
  const leaves = () => {
    isSent = fence?.() ?? true;
    return isSent;
  };
  try {
    const response = await fenced(wire.agent, leaves).request({
      origin,
      path: `${path}${queryOf(call)}`,
      method: call.method,
      headers: headersOf(wire, call, encoding),
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: deadline.signal,
    });
    return { status: response.statusCode, headers: response.headers, response, deadline };
  } catch (error) {
    deadline.end();
    if (error === CLOSED)
      throw new NotSentError('Edgewise was held up.', { ...failedRequest(wire, call), applied: 'no' });
    throw lostAnswer(wire, call, deadline.reasonFor(error), signal, isSent);
  }
}

const CLOSED = new Error('the fence is closed');

/** undici calls `onRequestStart` in the step that writes, so nothing comes in between. */
function fenced(agent: Dispatcher, fence: Fence): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) =>
      fence() ? start?.(controller, context) : controller.abort(CLOSED);
    return dispatch(options, handler);
  });
}

function addressOf({ bases }: Wire, call: Call): { origin: string; path: string } {
  const base = call.database?.address ?? (call.service === 'sql' ? undefined : bases[call.service]);
  if (base === undefined) {
    throw new UsageError(`No address of ${SERVICE_NAMES[call.service]} is set.`, {
      hint: 'Set PLATFORM_ORIGIN_LOGS_URL and PLATFORM_LOGGING_URL.',
    });
  }
  const url = new URL(base);
  return { origin: url.origin, path: `${url.pathname.replace(/(?<!\/)\/+$/, '')}${call.path}` };
}

function queryOf({ query = {} }: Call): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`;
}

function headersOf(wire: Wire, call: Call, encoding: string | undefined): Record<string, string> {
  const [name, value] = authenticationOf(wire, call);
  return {
    accept: 'application/json',
    'user-agent': 'edgewise',
    [name]: value,
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(encoding === undefined ? {} : { accept: '*/*', 'accept-encoding': encoding }),
  };
}

/** If the caller gives up a read, that is not a failure. A write that was sent may have been applied. */
function lostAnswer(wire: Wire, call: Call, reason: unknown, signal: AbortSignal | undefined, isSent = true): unknown {
  const isRead = call.method === 'GET';
  if (isRead && signal?.aborted) return signal.reason;
  const given =
    reason instanceof Error && 'code' in reason && typeof reason.code === 'string' ? reason.code : undefined;
  // undici’s word for every refusal of a proxy.
  const code = given === 'UND_ERR_ABORTED' ? undefined : given;
  const who = SERVICE_NAMES[call.service];
  const trouble = networkTrouble(reason, who);
  const what = isSent
    ? isLate(reason)
      ? `${who} did not answer within ${wire.timeout / 1000} s`
      : `the connection to ${who} was lost`
    : (trouble?.is ?? `no connection to ${who} could be made`);
  return new PlatformConnectionError(code === undefined ? what : `${what} (${code})`, {
    applied: isRead || !isSent ? 'no' : 'maybe',
    ...failedRequest(wire, call),
    cause: reason,
  });
}

/** `what` completes the sentence. */
const shapeError = (wire: Wire, call: Call, what: string): PlatformShapeError =>
  new PlatformShapeError(`${SERVICE_NAMES[call.service]} ${what}`, failedRequest(wire, call));

class TimeIsUp extends Error {
  override name = 'TimeIsUp';
}

type Deadline = ReturnType<typeof createDeadline>;

/** `end()` releases the caller’s signal. */
function createDeadline(ms: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const giveUp = () => controller.abort(new TimeIsUp('Time ran out.'));
  const timer = setTimeout(giveUp, ms);
  let pace: NodeJS.Timeout | undefined;
  let arrived = 0;
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    /** From then on only the pace is limited. `isHeldUp`: the bot itself pauses reading. */
    stopClock(isHeldUp: () => boolean = () => false) {
      clearTimeout(timer);
      pace = setInterval(() => {
        // Below 1 KiB a second it is given up.
        if (arrived < (1024 * ms) / 1000 && !isHeldUp()) giveUp();
        arrived = 0;
      }, ms);
    },
    came(bytes: number) {
      arrived += bytes;
    },
    end() {
      clearTimeout(timer);
      clearInterval(pace);
      signal?.removeEventListener('abort', onAbort);
    },
    /** The deadline’s own reason, if it ended the request. */
    reasonFor: (error: unknown) => (controller.signal.aborted ? controller.signal.reason : error),
  };
}
