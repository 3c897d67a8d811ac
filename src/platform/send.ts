import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { UsageError } from '../errors.ts';
import { createRoutes, networkTrouble } from '../network.ts';
import { type Observe, timed, UNOBSERVED } from '../observe.ts';
import type { Secret } from '../secret.ts';
import type { Headers } from './bodies.ts';
import { type FailedRequest, NotSentError, PlatformConnectionError, PlatformShapeError } from './errors.ts';
import type { LogLimiter } from './rate-limit.ts';
import { retryAfterOf } from './refusal.ts';
import type { Call, CallOptions, Fence, Service } from './transport.ts';

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
export interface SenderOptions extends Credentials {
  apiUrl: string;
  originLogsUrl?: string | undefined;
  loggingUrl?: string | undefined;
  /** `{apiUrl}/database` by default. */
  databaseApiUrl?: string | undefined;
  /** Milliseconds for one attempt; 20,000 by default. */
  timeout?: number | undefined;
  observe?: Observe | undefined;
  limiter: LogLimiter;
}

/** One pool per origin, and timeouts on everything. */
export interface Sender {
  agent: Dispatcher;
  bases: Readonly<Record<Exclude<Service, 'sql'>, string | undefined>>;
  credentials: Credentials;
  limiter: LogLimiter;
  timeout: number;
  observe: Observe;
}

/** The caller has to end `deadline` once the body is read or given up. */
export interface Opened {
  status: number;
  headers: Headers;
  response: Dispatcher.ResponseData;
  deadline: Deadline;
}

/** RFC 6761. Not every resolver implements it. */
const lookupWithLocalhost: LookupFunction = (hostname, options, callback) =>
  lookup(hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, options, callback);

export function createSender(options: SenderOptions): Sender {
  const { apiUrl, originLogsUrl, loggingUrl, databaseApiUrl, timeout = DEFAULT_TIMEOUT } = options;
  // Shorter than the whole, so that a failed connect is recognised as one.
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
    observe: options.observe ?? UNOBSERVED,
  };
}

const isRead = (call: Call): boolean => call.method === 'GET';

/** The request timed out, by the bot’s clock or undici’s. Not retried, because that would double the wait. */
export const isLate = (error: unknown): boolean =>
  error instanceof TimeIsUp || (error instanceof Error && 'code' in error && String(error.code).includes('TIMEOUT'));

/** Secrets that must not appear in messages. */
export function secretsOf({ credentials }: Sender, { database }: Call): Secret[] {
  const { accessKey, originLogsJwt, loggingJwt } = credentials;
  return [accessKey, originLogsJwt, loggingJwt, database?.token].filter((one) => one !== undefined);
}

export const failedRequest = (sender: Sender, call: Call): FailedRequest => ({
  service: call.service,
  method: call.method,
  path: addressOf(sender, call).path,
});

/** Sends with a deadline, and within the rate limit of logs if that applies. */
export async function open(sender: Sender, call: Call, given: CallOptions, encoding?: string): Promise<Opened> {
  given.signal?.throwIfAborted();
  const address = addressOf(sender, call);
  const { limitedZone } = call;
  const failure = (error: unknown): string => {
    if (given.signal?.aborted === true) return 'given up';
    if (error instanceof NotSentError) return 'not sent';
    return error instanceof Error && isLate(error.cause) ? 'timeout' : 'no answer';
  };
  const once = () => sendOnce(sender, call, address, given, encoding);
  // By endpoint, because paths contain ids and queries contain typed text.
  const send = () =>
    timed(sender.observe, 'platform', once, (ended) => ({
      endpoint: call.endpoint,
      outcome: 'result' in ended ? String(ended.result.status) : failure(ended.error),
    }));
  if (limitedZone === undefined) return send();
  const opened = await sender.limiter.run(limitedZone, given, send);
  if (opened.status === 429) {
    const seconds = retryAfterOf(opened.headers);
    await sender.limiter.refused(limitedZone, seconds === undefined ? undefined : seconds * 1000);
  }
  return opened;
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

function headersOf({ credentials }: Sender, call: Call, encoding: string | undefined): Record<string, string> {
  const [name, value] = authenticationOf(credentials, call);
  return {
    accept: 'application/json',
    'user-agent': 'edgewise',
    [name]: value,
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(encoding === undefined ? {} : { accept: '*/*', 'accept-encoding': encoding }),
  };
}

/** If the caller gives up a read, that is not a failure. A write that was sent may have been applied. */
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
  const given = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // undici’s word for every refusal of a proxy.
  const code = given === 'UND_ERR_ABORTED' ? undefined : given;
  const who = SERVICE_NAMES[call.service];
  const trouble = networkTrouble(error, who);
  const what = isSent
    ? isLate(error)
      ? `${who} did not answer within ${sender.timeout / 1000} s`
      : `the connection to ${who} was lost`
    : (trouble?.is ?? `no connection to ${who} could be made`);
  return new PlatformConnectionError(code === undefined ? what : `${what} (${code})`, {
    applied: isRead(call) || !isSent ? 'no' : 'maybe',
    ...failedRequest(sender, call),
    cause: error,
  });
}

/** `what` completes the sentence. */
export const shapeError = (sender: Sender, call: Call, what: string): PlatformShapeError =>
  new PlatformShapeError(`${SERVICE_NAMES[call.service]} ${what}`, failedRequest(sender, call));

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
