import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { UsageError } from '../errors.ts';
import { certificateTrouble, createRoutes } from '../network.ts';
import { type Observe, secondsSince, timed, UNOBSERVED } from '../observe.ts';
import type { Secret } from '../secret.ts';
import type { Headers } from './bodies.ts';
import { type FailedRequest, NotSentError, PlatformConnectionError, PlatformShapeError } from './errors.ts';
import type { LogLimiter } from './rate-limit.ts';
import { retryAfterOf } from './refusal.ts';
import type { Call, CallOptions, Fence, Service } from './transport.ts';

/** One attempt of one request has this long, in milliseconds. */
export const DEFAULT_TIMEOUT = 20_000;

/** The secrets that requests are made with. A JWT stands in for the key at its own service only. */
interface Credentials {
  accessKey: Secret;
  /** The whole `Authorization` value. */
  originLogsJwt?: Secret | undefined;
  /** Sent as `Bearer`, for v1 and v2 of the access log. */
  loggingJwt?: Secret | undefined;
}

const accountKey = ({ accessKey }: Credentials): [name: string, value: string] => ['AccessKey', accessKey.reveal()];

/** One header per service, never two (docs/platform.md, Authentication). Databases have their own, from their token. */
const AUTHENTICATION: Record<Exclude<Service, 'sql'>, (credentials: Credentials) => [name: string, value: string]> = {
  management: accountKey,
  // Of shield, statistics and the control plane no table tells: they take the account's key.
  shield: accountKey,
  statistics: accountKey,
  databaseControl: accountKey,
  originLogs: (credentials) =>
    credentials.originLogsJwt ? ['Authorization', credentials.originLogsJwt.reveal()] : accountKey(credentials),
  logging: (credentials) =>
    credentials.loggingJwt ? ['Authorization', `Bearer ${credentials.loggingJwt.reveal()}`] : accountKey(credentials),
};

/** The services as people call them, in errors. */
const SERVICE_NAMES: Record<Service, string> = {
  management: 'the platform',
  shield: 'the platform (shield)',
  statistics: 'the platform (statistics)',
  originLogs: 'the origin error log service',
  logging: 'the access log service',
  databaseControl: 'the database service',
  sql: 'the database',
};

/** The addresses (which may have a path) and credentials of the platform, and how long to wait for it. */
export interface SenderOptions extends Credentials {
  /** The management API. */
  apiUrl: string;
  originLogsUrl?: string | undefined;
  loggingUrl?: string | undefined;
  /** The database control plane; `{apiUrl}/database` when not given. */
  databaseApiUrl?: string | undefined;
  /** Milliseconds for one attempt of one request; 20,000 when not given. */
  timeout?: number | undefined;
  userAgent?: string | undefined;
  /** Told of each request. */
  observe?: Observe | undefined;
  limiter: LogLimiter;
}

/** Requests are sent with these: one pool per origin, one authentication header, a timeout on everything. */
export interface Sender {
  agent: Dispatcher;
  bases: Readonly<Record<Exclude<Service, 'sql'>, string | undefined>>;
  credentials: Credentials;
  limiter: LogLimiter;
  /** Milliseconds for one attempt. */
  timeout: number;
  userAgent: string;
  observe: Observe;
}

/** An answer whose head has arrived. Its deadline must be ended once the body is read, or given up. */
export interface Opened {
  status: number;
  headers: Headers;
  response: Dispatcher.ResponseData;
  deadline: Deadline;
}

/** Names under `.localhost` mean this machine (RFC 6761), which not every resolver knows. */
const lookupWithLocalhost: LookupFunction = (hostname, options, callback) =>
  lookup(hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, options, callback);

/** Opens no connection yet. */
export function createSender(options: SenderOptions): Sender {
  const { apiUrl, originLogsUrl, loggingUrl, databaseApiUrl, timeout = DEFAULT_TIMEOUT } = options;
  // Half the time, so that a failure to connect is known to be one.
  const connect = { timeout: Math.ceil(timeout / 2), lookup: lookupWithLocalhost };
  return {
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
    credentials: options,
    limiter: options.limiter,
    timeout,
    userAgent: options.userAgent ?? 'edgewise',
    observe: options.observe ?? UNOBSERVED,
  };
}

/** A call that changes nothing. */
const isRead = (call: Call): boolean => call.method === 'GET';

/** The time was up, by our clock or undici's; trying again would only double the wait. */
export const isLate = (error: unknown): boolean =>
  error instanceof TimeIsUp || (error instanceof Error && 'code' in error && String(error.code).includes('TIMEOUT'));

/** The secrets that must not come back in a message about the call. */
export function secretsOf({ credentials }: Sender, { database }: Call): Secret[] {
  const { accessKey, originLogsJwt, loggingJwt } = credentials;
  return [accessKey, originLogsJwt, loggingJwt, database?.token].filter((one) => one !== undefined);
}

/** The call as failures name it. */
export const failedRequest = (sender: Sender, call: Call): FailedRequest => ({
  service: call.service,
  method: call.method,
  path: addressOf(sender, call).path,
});

/** Sends once, with a deadline of its own, counted by the logging limit where that applies. */
export async function open(sender: Sender, call: Call, given: CallOptions, encoding?: string): Promise<Opened> {
  given.signal?.throwIfAborted();
  const address = addressOf(sender, call);
  const { limitedZone } = call;
  const send = () => observed(sender, call, given, () => sendOnce(sender, call, address, given, encoding));
  if (limitedZone === undefined) return send();
  const since = performance.now();
  const opened = await sender.limiter.run(limitedZone, given, () => {
    sender.observe.saw('limiter', { limiter: 'logging' }, secondsSince(since));
    return send();
  });
  if (opened.status === 429) {
    const seconds = retryAfterOf(opened.headers);
    await sender.limiter.refused(limitedZone, seconds === undefined ? undefined : seconds * 1000);
  }
  return opened;
}

/** Tells of a request by its endpoint: its path has ids in it, and its query what somebody looks for. */
function observed(
  { observe }: Sender,
  call: Call,
  { signal }: CallOptions,
  send: () => Promise<Opened>,
): Promise<Opened> {
  const failure = (error: unknown): string => {
    if (signal?.aborted === true) return 'given up';
    if (error instanceof NotSentError) return 'not sent';
    return error instanceof Error && isLate(error.cause) ? 'timeout' : 'no answer';
  };
  return timed(observe, 'platform', send, (ended) => ({
    endpoint: call.endpoint,
    outcome: 'result' in ended ? String(ended.result.status) : failure(ended.error),
  }));
}

async function sendOnce(
  sender: Sender,
  call: Call,
  { origin, path }: { origin: string; path: string },
  { signal, fence }: CallOptions,
  encoding: string | undefined,
): Promise<Opened> {
  const deadline = createDeadline(sender.timeout, signal);
  let isSent = false;
  const leaves = () => {
    isSent = fence?.() ?? true;
    return isSent;
  };
  try {
    const response = await fenced(sender.agent, leaves).request({
      origin,
      path: `${path}${queryOf(call)}`,
      method: call.method,
      headers: headersOf(sender, call, encoding),
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: deadline.signal,
    });
    return { status: response.statusCode, headers: response.headers, response, deadline };
  } catch (error) {
    deadline.end();
    if (error === CLOSED)
      throw new NotSentError('Edgewise was held up.', { ...failedRequest(sender, call), applied: 'no' });
    throw lostAnswer(sender, call, deadline.reasonFor(error), signal, isSent);
  }
}

/** The fence was closed when the request would have left. */
const CLOSED = new Error('the fence is closed');

/** undici calls `onRequestStart` with the connection made, in the same step in which it writes: nothing comes in between. */
function fenced(agent: Dispatcher, fence: Fence): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) =>
      fence() ? start?.(controller, context) : controller.abort(CLOSED);
    return dispatch(options, handler);
  });
}

function addressOf({ bases }: Sender, call: Call): { origin: string; path: string } {
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

function headersOf(
  { credentials, userAgent }: Sender,
  { service, database, body }: Call,
  encoding: string | undefined,
): Record<string, string> {
  if (service === 'sql' && database === undefined) throw new UsageError('A database is needed for an SQL statement.');
  const [name, value] =
    service === 'sql' || database
      ? ['Authorization', `Bearer ${database!.token.reveal()}`]
      : AUTHENTICATION[service](credentials);
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    [name]: value,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(encoding === undefined ? {} : { accept: '*/*', 'accept-encoding': encoding }),
  };
}

/** A read that its caller gave up is no failure of the platform; a write that was sent may have been done all the same. */
export function lostAnswer(
  sender: Sender,
  call: Call,
  reason: unknown,
  signal: AbortSignal | undefined,
  isSent = true,
): unknown {
  return isRead(call) && signal?.aborted ? signal.reason : connectionError(sender, call, reason, isSent);
}

function connectionError(sender: Sender, call: Call, error: unknown, isSent: boolean): PlatformConnectionError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const who = SERVICE_NAMES[call.service];
  const certificate = certificateTrouble(error);
  const what = isSent
    ? isLate(error)
      ? `${who} did not answer within ${sender.timeout / 1000} s`
      : `the connection to ${who} broke off`
    : certificate
      ? `the certificate of ${who} ${certificate.is}`
      : `no connection to ${who} could be made`;
  return new PlatformConnectionError(code === undefined ? what : `${what} (${code})`, {
    applied: isRead(call) || !isSent ? 'no' : 'maybe',
    ...failedRequest(sender, call),
    cause: error,
  });
}

/** An answer that cannot be read; `what` ends the sentence. */
export const shapeError = (sender: Sender, call: Call, what: string): PlatformShapeError =>
  new PlatformShapeError(`${SERVICE_NAMES[call.service]} ${what}`, failedRequest(sender, call));

/** The time of a request was up before its answer came. */
class TimeIsUp extends Error {
  override name = 'TimeIsUp';
}

/** The time that one request has. `end()` must be called, or the caller's signal is held. */
interface Deadline {
  /** Aborts when the time is up, or when the caller's signal says so. */
  signal: AbortSignal;
  /** From now on only the pace counts, and the caller's signal. `isHeldUp`: it is us who do not read on. */
  stopClock(isHeldUp?: () => boolean): void;
  /** So many bytes came. */
  came(bytes: number): void;
  end(): void;
  /** The deadline's own reason, where it ended the request; else the error. */
  reasonFor(error: unknown): unknown;
}

/** Starts the clock. */
function createDeadline(ms: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const giveUp = () => controller.abort(new TimeIsUp('The time is up.'));
  const timer = setTimeout(giveUp, ms);
  let pace: NodeJS.Timeout | undefined;
  let arrived = 0;
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    stopClock(isHeldUp = () => false) {
      clearTimeout(timer);
      pace = setInterval(() => {
        // A body that comes more slowly than this (bytes a second) is as good as none.
        if (arrived < (1024 * ms) / 1000 && !isHeldUp()) giveUp();
        arrived = 0;
      }, ms);
    },
    came(bytes) {
      arrived += bytes;
    },
    end() {
      clearTimeout(timer);
      clearInterval(pace);
      signal?.removeEventListener('abort', onAbort);
    },
    reasonFor: (error) => (controller.signal.aborted ? controller.signal.reason : error),
  };
}
