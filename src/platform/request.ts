import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { UsageError } from '../errors.ts';
import { AUTHENTICATION, databaseAuthorization, SERVICE_NAMES, type Service } from './authentication.ts';
import { fileOf, isHtml, joined, NOT_JSON, parseJson, readBody, TooLarge } from './bodies.ts';
import { createDeadline, TimeIsUp } from './deadline.ts';
import { isHiddenFailure, parseRetryAfter, plainMessage, readComplaint } from './error-bodies.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from './errors.ts';
import type { LogLimiter } from './rate-limit.ts';
import { keysAndValues, redact } from './redaction.ts';
import type { Secret } from './secret.ts';
import type { Done } from './shapes.ts';
import type { Call, CallOptions, Transport } from './transport.ts';

/** A JSON answer that is larger than this is not read: it would hold the main thread. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** An error's body is read this far. */
const MAX_ERROR_BYTES = 256 * 1024;

const DEFAULT_TIMEOUT = 20_000;
const CONNECTIONS_PER_ORIGIN = 16;

/** What a read is tried again after; all of them say that the platform may do better in a moment. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** A read waits this long (s) at the most because a `Retry-After` asks for it; beyond, the person is told. */
const LONGEST_RETRY_AFTER = 10;

/** Errors after which it is certain that nothing was sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** What the transport needs of `PlatformOptions`, and the limiter. */
export interface TransportOptions {
  apiUrl: string;
  originLogsUrl?: string | undefined;
  loggingUrl?: string | undefined;
  databaseApiUrl?: string | undefined;
  accessKey: Secret;
  originLogsJwt?: Secret | undefined;
  loggingJwt?: Secret | undefined;
  timeout?: number | undefined;
  retries?: number | undefined;
  retryDelay?: number | undefined;
  userAgent?: string | undefined;
  limiter: LogLimiter;
}

/** An answer whose head has arrived; `text` is absent when the body broke off or was too large. */
interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string | undefined;
  /** Why there is no text. */
  broken?: unknown;
}

/** Names under `.localhost` mean this machine (RFC 6761), which not every resolver knows. */
const lookupWithLocalhost: LookupFunction = (hostname, options, callback) =>
  lookup(hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, options, callback);

const isSuccess = (status: number) => status >= 200 && status < 300;
const isRead = (call: Call) => call.method === 'GET';

const NONE: ReadonlySet<string> = new Set();
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function requireDatabase(call: Call): NonNullable<Call['database']> {
  if (!call.database) throw new UsageError('A database is needed for an SQL statement.');
  return call.database;
}

function whereOf(error: z.ZodError): string {
  const [first] = error.issues;
  const path = first?.path.map(String).join('.');
  return path ? `It has no usable “${path}”.` : 'It has another shape than expected.';
}

/** Sends the platform's requests: one pool per origin, one authentication header, a timeout on everything. */
export function createTransport(options: TransportOptions): Transport {
  const { limiter, timeout = DEFAULT_TIMEOUT, retries = 2, retryDelay = 250, userAgent = 'edgewise' } = options;
  const bases: Record<Exclude<Service, 'sql'>, string | undefined> = {
    management: options.apiUrl,
    shield: options.apiUrl,
    statistics: options.apiUrl,
    originLogs: options.originLogsUrl,
    logging: options.loggingUrl,
    // Source: platform.md 11.
    databaseControl: options.databaseApiUrl ?? `${options.apiUrl.replace(/\/+$/, '')}/database`,
  };
  const ownSecrets = [options.accessKey, options.originLogsJwt, options.loggingJwt].filter((one) => one !== undefined);
  const agent = new Agent({
    connections: CONNECTIONS_PER_ORIGIN,
    // Half the time for the connection, so that a failure to connect is known to be one, and nothing was sent.
    connect: { timeout: Math.ceil(timeout / 2), lookup: lookupWithLocalhost },
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });

  const secretsOf = (call: Call) => (call.database ? [...ownSecrets, call.database.token] : ownSecrets);

  function addressOf(call: Call): { origin: string; path: string } {
    const base = call.database?.address ?? (call.service === 'sql' ? undefined : bases[call.service]);
    if (base === undefined) {
      throw new UsageError(`No address of ${SERVICE_NAMES[call.service]} is set.`, {
        hint: 'Set PLATFORM_ORIGIN_LOGS_URL and PLATFORM_LOGGING_URL.',
      });
    }
    const url = new URL(base);
    return { origin: url.origin, path: `${url.pathname.replace(/\/+$/, '')}${call.path}` };
  }

  function queryOf(call: Call): string {
    const given = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined);
    return given.length === 0
      ? ''
      : `?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`;
  }

  function headersOf(call: Call, encoding: string | undefined): Record<string, string> {
    const [name, value] =
      call.service === 'sql' || call.database
        ? databaseAuthorization(requireDatabase(call).token)
        : AUTHENTICATION[call.service](options);
    return {
      accept: 'application/json',
      'user-agent': userAgent,
      [name]: value,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(encoding === undefined ? {} : { accept: '*/*', 'accept-encoding': encoding }),
    };
  }

  const about = (call: Call) => ({ service: call.service, method: call.method, path: addressOf(call).path });

  function connectionError(call: Call, error: unknown): PlatformConnectionError {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const wasSent = !NOT_SENT.has(code);
    const who = SERVICE_NAMES[call.service];
    const isLate = error instanceof TimeIsUp || code.includes('TIMEOUT');
    const what = isLate ? `${who} did not answer in time` : `no answer came from ${who}`;
    const applied = isRead(call) || !wasSent ? 'no' : 'maybe';
    const consequence = isRead(call)
      ? ''
      : applied === 'no'
        ? ' The request was not sent.'
        : ' Whether it was done is not known.';
    return new PlatformConnectionError(`${capital(what)}${code ? ` (${code})` : ''}.${consequence}`, {
      applied,
      ...about(call),
      cause: error,
    });
  }

  /** Sends once. The caller must end the deadline when the body has been read. */
  async function dispatch(call: Call, signal: AbortSignal, encoding?: string): Promise<Dispatcher.ResponseData> {
    const { origin, path } = addressOf(call);
    return agent.request({
      origin,
      path: `${path}${queryOf(call)}`,
      method: call.method,
      headers: headersOf(call, encoding),
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal,
    });
  }

  /** One attempt with its own deadline, counted by the logging limit where that applies. */
  async function attempt(call: Call, { signal, priority }: CallOptions): Promise<Answer> {
    signal?.throwIfAborted();
    const send = async (): Promise<Answer> => {
      const deadline = createDeadline(timeout, signal);
      try {
        const response = await dispatch(call, deadline.signal);
        const { statusCode: status, headers } = response;
        try {
          const text = await readBody(response, isSuccess(status) ? MAX_BODY_BYTES : MAX_ERROR_BYTES);
          return { status, headers, text };
        } catch (error) {
          return { status, headers, text: undefined, broken: deadline.reasonFor(error) };
        }
      } catch (error) {
        const reason = deadline.reasonFor(error);
        if (isRead(call) && signal?.aborted) throw reason;
        throw connectionError(call, reason);
      } finally {
        deadline.end();
      }
    };
    if (call.limitedZone === undefined) return send();
    const answer = await limiter.run(call.limitedZone, { signal, priority }, send);
    if (answer.status === 429) await tellLimiter(call.limitedZone, answer.headers);
    return answer;
  }

  async function tellLimiter(zone: number, headers: Answer['headers']): Promise<void> {
    const seconds = retryAfterOf(headers);
    await limiter.refused(zone, seconds === undefined ? undefined : seconds * 1000);
  }

  const retryAfterOf = (headers: Answer['headers']) => parseRetryAfter(joined(headers['retry-after']), Date.now());

  /** How long (ms) to wait before reading again; `undefined` when that would not help or take too long. */
  function pauseBefore(repetition: number, call: Call, priority: CallOptions['priority'], refused?: Answer) {
    if (repetition > retries) return undefined;
    const backoff = retryDelay * 2 ** (repetition - 1) * (0.5 + Math.random() / 2);
    if (!refused) return backoff;
    if (!PASSING_STATUSES.has(refused.status)) return undefined;
    const seconds = retryAfterOf(refused.headers);
    // The limiter keeps below the logging limit, so somebody else is over it: a scan can wait a window, a person is told.
    if (refused.status === 429 && call.limitedZone !== undefined && seconds === undefined) {
      return priority === 'background' ? 0 : undefined;
    }
    if (seconds === undefined) return backoff;
    return seconds <= LONGEST_RETRY_AFTER ? Math.max(seconds * 1000, backoff) : undefined;
  }

  /** Repeats one attempt while that can help; only for reads. */
  async function repeat<T extends { status: number; headers: Answer['headers'] }>(
    call: Call,
    given: CallOptions,
    once: () => Promise<T>,
    discard: (answer: T) => void = () => undefined,
  ): Promise<T> {
    for (let repetition = 1; ; repetition += 1) {
      let answer: T | undefined;
      let failure: unknown;
      try {
        answer = await once();
      } catch (error) {
        failure = error;
      }
      const isNetwork = failure instanceof PlatformConnectionError && !(failure.cause instanceof TimeIsUp);
      if (failure !== undefined && !isNetwork) throw failure;
      if (answer && isSuccess(answer.status)) return answer;
      const pause = pauseBefore(
        repetition,
        call,
        given.priority,
        answer && { status: answer.status, headers: answer.headers, text: undefined },
      );
      if (pause === undefined) {
        if (answer) return answer;
        throw failure;
      }
      if (answer) discard(answer);
      await delay(pause, undefined, given.signal ? { signal: given.signal } : {});
    }
  }

  async function readOnce(call: Call, given: CallOptions): Promise<Answer> {
    const answer = await attempt(call, given);
    if (answer.text !== undefined || !isSuccess(answer.status)) return answer;
    if (given.signal?.aborted) throw given.signal.reason;
    if (answer.broken instanceof TooLarge) throw shapeError(call, 'It is larger than the bot reads.', 'no');
    throw connectionError(call, answer.broken);
  }

  function shapeError(call: Call, reason: string, applied: 'no' | 'yes'): PlatformShapeError {
    return new PlatformShapeError(`The answer of ${SERVICE_NAMES[call.service]} could not be understood. ${reason}`, {
      applied,
      ...about(call),
    });
  }

  function refusal(call: Call, answer: Answer, body: unknown): PlatformError {
    const { message, status, ...said } = readComplaint(body);
    const clean = (text: string) => redact(text, secretsOf(call));
    const cleanOrNone = (text: string | undefined) => (text === undefined ? undefined : clean(text));
    const classified = isSuccess(answer.status) && status !== undefined && status >= 400 ? status : answer.status;
    return new PlatformError(
      message === undefined
        ? `${capital(SERVICE_NAMES[call.service])} refused. ${plainMessage(answer.status, isHtml(answer))}`
        : clean(message),
      {
        status: classified,
        httpStatus: answer.status,
        ...about(call),
        key: cleanOrNone(said.key),
        field: cleanOrNone(said.field),
        title: cleanOrNone(said.title),
        detail: cleanOrNone(said.detail),
        instance: cleanOrNone(said.instance),
        id: cleanOrNone(said.id),
        errors: said.errors?.map((one) => ({ ...one, message: clean(one.message) })),
        details: said.details?.map(clean),
        retryAfter: retryAfterOf(answer.headers),
        requestId: joined(answer.headers['cdn-requestid']),
      },
    );
  }

  /** Throws for everything but a success; also for a failure that shield hides in a success. */
  function parsedBody(call: Call, answer: Answer): unknown {
    const body = parseJson(answer.text);
    if (!isSuccess(answer.status)) {
      const isReadable = body !== NOT_JSON ? body : isHtml(answer) ? undefined : answer.text;
      throw refusal(call, answer, isReadable);
    }
    if (call.service === 'shield' && isHiddenFailure(body)) throw refusal(call, answer, body);
    return body;
  }

  return {
    async read(call, schema, given = {}) {
      const answer = await repeat(call, given, () => readOnce(call, given));
      const body = parsedBody(call, answer);
      if (body === NOT_JSON) {
        throw shapeError(call, isHtml(answer) ? 'It is a web page.' : 'It is not JSON, or broke off.', 'no');
      }
      const parsed = schema.safeParse(body);
      if (!parsed.success) throw shapeError(call, whereOf(parsed.error), 'no');
      return parsed.data;
    },

    async write<T>(call: Call, schema: z.ZodType<T>, given: CallOptions = {}): Promise<Done<T>> {
      const answer = await attempt(call, given);
      const body = parsedBody(call, answer);
      if (answer.text === undefined || body === NOT_JSON) {
        const text = answer.text === undefined ? 'The answer broke off.' : isHtml(answer) ? 'A web page.' : answer.text;
        return { extra: keysAndValues(text, NONE, secretsOf(call)) };
      }
      const parsed = schema.safeParse(body);
      if (!parsed.success || body === undefined) return { extra: keysAndValues(body, NONE, secretsOf(call)) };
      const known = new Set(Object.keys(parsed.data ?? {}));
      return { answer: parsed.data, extra: call.open ? keysAndValues(body, known, secretsOf(call)) : {} };
    },

    async post(call, given = {}) {
      const answer = await attempt(call, given);
      const body = parsedBody(call, answer);
      if (answer.text === undefined) {
        if (answer.broken instanceof TooLarge) throw shapeError(call, 'It is larger than the bot reads.', 'yes');
        throw connectionError(call, answer.broken);
      }
      return body === NOT_JSON ? redact(answer.text, secretsOf(call)) : body;
    },

    async stream(call, given = {}) {
      const once = async () => {
        given.signal?.throwIfAborted();
        const open = async () => {
          const deadline = createDeadline(timeout, given.signal);
          try {
            const response = await dispatch(call, deadline.signal, 'gzip');
            return { status: response.statusCode, headers: response.headers, response, deadline };
          } catch (error) {
            const reason = deadline.reasonFor(error);
            deadline.end();
            if (given.signal?.aborted) throw reason;
            throw connectionError(call, reason);
          }
        };
        if (call.limitedZone === undefined) return open();
        const opened = await limiter.run(call.limitedZone, given, open);
        if (opened.status === 429) await tellLimiter(call.limitedZone, opened.headers);
        return opened;
      };
      const opened = await repeat(call, given, once, ({ response, deadline }) => {
        deadline.end();
        response.body.on('error', () => undefined).destroy();
      });
      const { response, status, headers, deadline } = opened;
      if (isSuccess(status)) {
        deadline.stopClock();
        return fileOf(
          response,
          (error) => {
            const reason = deadline.reasonFor(error);
            return given.signal?.aborted && reason instanceof Error ? reason : connectionError(call, reason);
          },
          () => deadline.end(),
        );
      }
      const text = await readBody(response, MAX_ERROR_BYTES).catch(() => undefined);
      deadline.end();
      const body = parseJson(text);
      throw refusal(
        call,
        { status, headers, text },
        body === NOT_JSON ? (isHtml({ headers, text }) ? undefined : text) : body,
      );
    },

    async close() {
      await agent.close();
    },
  };
}
