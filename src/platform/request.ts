import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { backoff, retry } from '../retry.ts';
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
import { PlatformConnectionError, PlatformError, PlatformFailure } from './errors.ts';
import { NotRecords, sliceRecords, type WantedRecords } from './record-slicer.ts';
import { isComplaint, keysAndValues, refusalOf } from './refusal.ts';
import {
  createSender,
  failedRequest,
  isLate,
  lostAnswer,
  type Opened,
  open,
  type Sender,
  type SenderOptions,
  secretsOf,
  shapeError,
} from './send.ts';
import type { Call, CallOptions, ReadRecords, Transport } from './transport.ts';

export interface TransportOptions extends SenderOptions {
  /** Retries of a read; 2 by default. */
  retries?: number | undefined;
  /** In milliseconds, doubled each time; 250 by default. */
  retryDelay?: number | undefined;
}

interface Wire extends Sender {
  retries: number;
  retryDelay: number;
}

/** Without `text`: the body broke off, or was too large. */
interface Answer {
  status: number;
  headers: Headers;
  text: string | undefined;
  broken?: unknown;
}

/** Retries reads; sends writes once. */
export function createTransport(options: TransportOptions): Transport {
  const { retries = 2, retryDelay = 250 } = options;
  const wire: Wire = { ...createSender(options), retries, retryDelay };
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
