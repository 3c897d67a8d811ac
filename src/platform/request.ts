import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { AUTHENTICATION, databaseAuthorization, SERVICE_NAMES, type Service } from './authentication.ts';
import { counted, decoded, fileOf, type Headers, isHtml, NOT_JSON, parseJson, readBody, TooLarge } from './bodies.ts';
import { createDeadline, type Deadline, TimeIsUp } from './deadline.ts';
import { isHiddenFailure } from './error-bodies.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from './errors.ts';
import type { LogLimiter } from './rate-limit.ts';
import { NotRecords, sliceRecords } from './record-slicer.ts';
import { keysAndValues, redact } from './redaction.ts';
import { isSuccess, refusalOf, retryAfterOf } from './refusal.ts';
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

/** An answer whose head has arrived. Its deadline must be ended once the body is read, or given up. */
interface Opened {
  status: number;
  headers: Headers;
  response: Dispatcher.ResponseData;
  deadline: Deadline;
}

/** An answer that has arrived; `text` is absent when the body broke off or was too large. */
interface Answer {
  status: number;
  headers: Headers;
  text: string | undefined;
  /** Why there is no text. */
  broken?: unknown;
}

/** Names under `.localhost` mean this machine (RFC 6761), which not every resolver knows. */
const lookupWithLocalhost: LookupFunction = (hostname, options, callback) =>
  lookup(hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, options, callback);

/** The time was up, by our clock or undici's; trying again would only double the wait. */
const isLate = (error: unknown) =>
  error instanceof TimeIsUp || (error instanceof Error && 'code' in error && String(error.code).includes('TIMEOUT'));

const isRead = (call: Call) => call.method === 'GET';

const NONE: ReadonlySet<string> = new Set();

function requireDatabase(call: Call): NonNullable<Call['database']> {
  if (!call.database) throw new UsageError('A database is needed for an SQL statement.');
  return call.database;
}

function whereOf(error: z.ZodError): string {
  const [first] = error.issues;
  const path = first?.path.map(String).join('.');
  return path ? `has no usable “${path}”` : 'has another shape than expected';
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
    const who = SERVICE_NAMES[call.service];
    const what = isLate(error)
      ? `${who} did not answer within ${timeout / 1000} s`
      : NOT_SENT.has(code)
        ? `no connection to ${who} could be made`
        : `the connection to ${who} broke off`;
    return new PlatformConnectionError(code ? `${what} (${code})` : what, {
      applied: isRead(call) || NOT_SENT.has(code) ? 'no' : 'maybe',
      ...about(call),
      cause: error,
    });
  }

  /** Sends once, with a deadline of its own, counted by the logging limit where that applies. */
  async function open(call: Call, given: CallOptions, encoding?: string): Promise<Opened> {
    const { signal } = given;
    signal?.throwIfAborted();
    const { origin, path } = addressOf(call);
    const send = async (): Promise<Opened> => {
      const deadline = createDeadline(timeout, signal);
      try {
        const response = await agent.request({
          origin,
          path: `${path}${queryOf(call)}`,
          method: call.method,
          headers: headersOf(call, encoding),
          body: call.body === undefined ? null : JSON.stringify(call.body),
          signal: deadline.signal,
        });
        return { status: response.statusCode, headers: response.headers, response, deadline };
      } catch (error) {
        deadline.end();
        throw lostAnswer(call, deadline.reasonFor(error), signal);
      }
    };
    if (call.limitedZone === undefined) return send();
    const opened = await limiter.run(call.limitedZone, given, send);
    if (opened.status === 429) {
      const seconds = retryAfterOf(opened.headers);
      await limiter.refused(call.limitedZone, seconds === undefined ? undefined : seconds * 1000);
    }
    return opened;
  }

  /** A read that its caller gave up is no failure of the platform; a write may have been done all the same. */
  function lostAnswer(call: Call, reason: unknown, signal: AbortSignal | undefined): unknown {
    return isRead(call) && signal?.aborted ? signal.reason : connectionError(call, reason);
  }

  async function readAnswer({ status, headers, response, deadline }: Opened): Promise<Answer> {
    try {
      const text = await readBody(response, isSuccess(status) ? MAX_BODY_BYTES : MAX_ERROR_BYTES);
      return { status, headers, text };
    } catch (error) {
      return { status, headers, text: undefined, broken: deadline.reasonFor(error) };
    } finally {
      deadline.end();
    }
  }

  const attempt = async (call: Call, given: CallOptions) => readAnswer(await open(call, given));

  /** A read whose body is wanted as it comes. The time counts until the head is here; after that, the pace does. */
  async function openFile(call: Call, given: CallOptions, encoding?: string): Promise<Opened> {
    const opened = await open(call, given, encoding);
    if (!isSuccess(opened.status)) {
      const answer = await readAnswer(opened);
      throw refusal(call, answer, parseJson(answer.text));
    }
    return opened;
  }

  /** How long (ms) to wait before reading again; `undefined` when that would not help or take too long. */
  function pauseAfter(failure: unknown, repetition: number, call: Call, given: CallOptions): number | undefined {
    if (repetition > retries) return undefined;
    const backoff = retryDelay * 2 ** (repetition - 1) * (0.5 + Math.random() / 2);
    if (failure instanceof PlatformConnectionError) return isLate(failure.cause) ? undefined : backoff;
    if (!(failure instanceof PlatformError) || !PASSING_STATUSES.has(failure.httpStatus)) return undefined;
    const { httpStatus, retryAfter } = failure;
    // The limiter keeps below the logging limit, so somebody else is over it: a scan can wait a window, a person is told.
    if (httpStatus === 429 && call.limitedZone !== undefined && retryAfter === undefined) {
      return given.priority === 'background' ? 0 : undefined;
    }
    if (retryAfter === undefined) return backoff;
    return retryAfter <= LONGEST_RETRY_AFTER ? Math.max(retryAfter * 1000, backoff) : undefined;
  }

  /** Tries a read again while that can help. Nothing else may come through here. */
  async function repeat<T>(call: Call, given: CallOptions, once: () => Promise<T>): Promise<T> {
    for (let repetition = 1; ; repetition += 1) {
      try {
        return await once();
      } catch (failure) {
        const pause = pauseAfter(failure, repetition, call, given);
        if (pause === undefined) throw failure;
        await delay(pause, undefined, given.signal ? { signal: given.signal } : {}).catch(() => {
          throw given.signal?.reason;
        });
      }
    }
  }

  function shapeError(call: Call, what: string, applied: 'no' | 'yes'): PlatformShapeError {
    return new PlatformShapeError(`the answer of ${SERVICE_NAMES[call.service]} ${what}`, { applied, ...about(call) });
  }

  function refusal(call: Call, answer: Answer, body: unknown): PlatformError {
    const { status, headers, text } = answer;
    const readable = body !== NOT_JSON ? body : isHtml(answer) ? undefined : text;
    return refusalOf({ ...about(call), status, headers, text, body: readable }, secretsOf(call));
  }

  /** Throws for everything but a success; also for a failure that shield hides in a success. */
  function parsedBody(call: Call, answer: Answer): unknown {
    const body = parseJson(answer.text);
    if (!isSuccess(answer.status) || (call.service === 'shield' && isHiddenFailure(body))) {
      throw refusal(call, answer, body);
    }
    return body;
  }

  /** The body of a success that has one; a broken one leaves it open what the platform said. */
  function completeBody(call: Call, answer: Answer, signal: AbortSignal | undefined): unknown {
    const body = parsedBody(call, answer);
    if (answer.text !== undefined) return body;
    if (answer.broken instanceof TooLarge) {
      throw shapeError(call, 'is larger than the bot reads', isRead(call) ? 'no' : 'yes');
    }
    throw lostAnswer(call, answer.broken, signal);
  }

  return {
    async read(call, schema, given = {}) {
      return repeat(call, given, async () => {
        const answer = await attempt(call, given);
        const body = completeBody(call, answer, given.signal);
        given.onBody?.(answer.text?.length ?? 0);
        if (body === NOT_JSON) {
          throw shapeError(call, isHtml(answer) ? 'is a web page, not JSON' : 'is not JSON, or not all of it', 'no');
        }
        const parsed = schema.safeParse(body);
        if (!parsed.success) throw shapeError(call, whereOf(parsed.error), 'no');
        return parsed.data;
      });
    },

    async write<T>(call: Call, schema: z.ZodType<T>, given: CallOptions = {}): Promise<Done<T>> {
      const answer = await attempt(call, given);
      const body = parsedBody(call, answer);
      if (answer.text === undefined || body === NOT_JSON) {
        const text = answer.text === undefined ? 'The answer broke off.' : isHtml(answer) ? 'A web page.' : answer.text;
        return { extra: keysAndValues(text, NONE, secretsOf(call)) };
      }
      const parsed = schema.safeParse(body);
      if (!parsed.success) return { extra: keysAndValues(body, NONE, secretsOf(call)) };
      const known = new Set(Object.keys(parsed.data ?? {}));
      return { answer: parsed.data, extra: call.open ? keysAndValues(body, known, secretsOf(call)) : {} };
    },

    async post(call, given = {}) {
      const answer = await attempt(call, given);
      const body = completeBody(call, answer, given.signal);
      return body === NOT_JSON ? redact(answer.text ?? '', secretsOf(call)) : body;
    },

    async stream(call, given = {}) {
      const { response, deadline } = await repeat(call, given, () => openFile(call, given, 'gzip'));
      const file = fileOf(
        response,
        (error) => {
          const reason = lostAnswer(call, deadline.reasonFor(error), given.signal);
          return reason instanceof Error ? reason : error;
        },
        () => deadline.end(),
      );
      deadline.stopClock(() => file.writableNeedDrain);
      response.body.on('data', (chunk: Buffer) => deadline.came(chunk.length));
      return file;
    },

    async readRecords(call, wanted, given = {}) {
      return repeat(call, given, async () => {
        const { response, deadline } = await openFile(call, given);
        try {
          deadline.stopClock();
          const sliced = await sliceRecords(counted(decoded(response), deadline.came), wanted);
          const isWhole = typeof sliced.rest === 'object' && sliced.rest !== null && wanted.list in sliced.rest;
          if (!isWhole && !sliced.isCut) throw new NotRecords('The answer is not all there.');
          return sliced;
        } catch (error) {
          if (error instanceof z.ZodError) throw shapeError(call, whereOf(error), 'no');
          if (error instanceof SyntaxError || error instanceof NotRecords) {
            throw shapeError(call, 'is not the JSON that was expected, or not all of it', 'no');
          }
          throw lostAnswer(call, deadline.reasonFor(error), given.signal);
        } finally {
          deadline.end();
          response.body.on('error', () => undefined).destroy();
        }
      });
    },

    async close() {
      // Whoever keeps a connection busy for longer than one request may take has had the time.
      const ends = new AbortController();
      const late = delay(timeout, undefined, { signal: ends.signal, ref: false }).then(
        () => agent.destroy(),
        () => undefined,
      );
      await Promise.race([agent.close(), late]);
      ends.abort();
    },
  };
}
