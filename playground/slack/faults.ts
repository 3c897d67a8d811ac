/**
 * Slack's bad days, on demand. One fault is `<subject>=<outcome>[-after][*TIMES]`, or of the connections of Socket Mode
 * `socket=<outcome>[:CONNECTIONS][@SECONDS][*N]`.
 *
 * | subject | means |
 * |---|---|
 * | `chat.update`, `views.open` … | a method that the emulator has |
 * | `any` | every method |
 * | `response_url` | the addresses that come with commands and presses |
 * | `download` | the addresses of files; `200` and `302` are the sign-in page, and the way there |
 * | `socket` | connections of Socket Mode, at once or every so many seconds |
 *
 * | outcome | what happens |
 * |---|---|
 * | `msg_too_long`, `ratelimited` … | an error that Slack documents for the method, or for every method, in a body with status 200 |
 * | `429[:SECONDS]` | the status, with `Retry-After` (1) |
 * | `500`, `503` … | the status, and nothing that could be read |
 * | `drop` | the connection is cut |
 * | `hang[:SECONDS]` | it takes so long (10), and is answered as usual |
 * | `warning`, `refresh_requested`, `link_disabled`, `too_many_websockets` | Slack ends the oldest connection for this reason (`:2` the two oldest, `link_disabled` all); of `apps.connections.open`: the new one, instead of a hello |
 * | `silence`, `app_rate_limited` | of `socket` only: nothing is answered any more on all connections, pings neither; too many events |
 *
 * With `-after` the call is carried out first. `*3` ends a fault after three calls, `*20s` after twenty seconds, and `*30%` lets
 * it meet three calls of ten, evenly. Examples: `chat.update=msg_too_long*3`, `any=503*20s`, `chat.postMessage=drop-after*1`,
 * `socket=refresh_requested@30`.
 */

import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionFault, Fault, Slack } from './slack.ts';
import { disconnectSocket, openSockets, sayLimited, silenceSocket } from './socket-mode.ts';
import { COMMON, DOCUMENTED, DOCUMENTED_FOR_OTHERS, RESPONSE_URL, SEEN } from './web-api/documented-errors.ts';

const REASONS = ['warning', 'refresh_requested', 'link_disabled', 'too_many_websockets'] as const;
const HAPPENINGS = [...REASONS, 'drop', 'silence', 'app_rate_limited'] as const;
const RETRY_AFTER_S = 1;
const HANG_S = 10;

/** Switches a fault on, and returns what switches it off. Throws a RangeError with a sentence about what is wrong with it. */
export function addFault(slack: Slack, text: string): () => void {
  const match = /^([\w.]+)=([a-z_]+|\d{3})(?::(\d{1,4}))?(-after)?(?:@(\d{1,5}))?(?:\*(\d{1,6})(%|s)?)?$/.exec(
    text.trim(),
  );
  if (!match) {
    throw new RangeError(`“${text}” is not subject=outcome, such as chat.update=msg_too_long*3 or socket=drop@30.`);
  }
  const [, subject = '', outcome = '', value, after, every, times, unit] = match;
  if (subject === 'socket') {
    if (slack.options.deliverTo !== 'socket') throw new RangeError('socket is for Socket Mode (--socket).');
    if (after !== undefined || unit !== undefined) {
      throw new RangeError(`“${text}”: socket takes an outcome, :CONNECTIONS, @SECONDS and *N.`);
    }
    const happening = happeningOf(outcome, value === undefined ? undefined : Number(value));
    return addHappening(slack, happening, Number(every ?? 0), times === undefined ? undefined : Number(times));
  }
  if (every !== undefined) throw new RangeError(`“${text}”: only socket takes @SECONDS.`);
  const fault: Fault = {
    subject,
    outcome: outcomeOf(subject, outcome, value === undefined ? undefined : Number(value)),
    isAfter: after !== undefined,
    met: 0,
    ...(times !== undefined && unit === undefined ? { left: Number(times) } : {}),
    ...(times !== undefined && unit === '%' ? { percent: Number(times) } : {}),
    ...(times !== undefined && unit === 's' ? { until: Date.now() + Number(times) * 1000 } : {}),
  };
  slack.faults.push(fault);
  return () => {
    slack.faults = slack.faults.filter((other) => other !== fault);
  };
}

function outcomeOf(subject: string, outcome: string, value: number | undefined): ConnectionFault {
  const errors = errorsOf(subject);
  const isValued = outcome === '429' || outcome === 'hang';
  if (value !== undefined && !isValued)
    throw new RangeError(`“${outcome}” takes no “:${value}”: only 429 and hang do.`);
  if (outcome === '429') return { status: 429, retryAfter: value ?? RETRY_AFTER_S, error: 'ratelimited' };
  if (/^[45]\d\d$/.test(outcome) || (subject === 'download' && /^[23]/.test(outcome)))
    return { status: Number(outcome) };
  if (outcome === 'drop') return { drop: true };
  if (outcome === 'hang') return { hang: (value ?? HANG_S) * 1000 };
  const reason = REASONS.find((each) => each === outcome);
  if (reason !== undefined && subject === 'apps.connections.open') return { goodbye: reason };
  if (errors.includes(outcome)) return subject === 'response_url' ? refusalThere(outcome) : { error: outcome };
  throw new RangeError(
    `Slack documents no error “${outcome}” for ${subject}, but ${errors.join(', ')}. Besides: 429, 503, drop, hang.`,
  );
}

/** Response URLs refuse by a status, as incoming webhooks do. */
function refusalThere(error: string): ConnectionFault {
  const forbidden = ['action_prohibited', 'posting_to_general_channel_denied', 'team_disabled'];
  if (forbidden.includes(error)) return { status: 403, error };
  if (error === 'channel_is_archived') return { status: 410, error };
  return { status: /^(invalid|no_text|too_many)/.test(error) ? 400 : 404, error };
}

/** The errors that Slack documents for a subject, its own first. */
function errorsOf(subject: string): string[] {
  if (subject === 'any') return [...COMMON];
  if (subject === 'download') return [];
  if (subject === 'response_url') return [...RESPONSE_URL];
  const own = DOCUMENTED[subject] ?? DOCUMENTED_FOR_OTHERS[subject];
  if (own) return [...new Set([...own, ...(SEEN[subject] ?? []), ...COMMON])];
  const methods = Object.keys({ ...DOCUMENTED, ...DOCUMENTED_FOR_OTHERS }).sort();
  throw new RangeError(
    `The emulator has no method “${subject}”, but ${methods.join(', ')}; or any, response_url, download, socket.`,
  );
}

/** Switches all of them off. */
export function clearFaults(slack: Slack): void {
  slack.faults = [];
  for (const timer of slack.sockets.timers) clearInterval(timer);
  slack.sockets.timers.clear();
}

/** The fault of a call, counted down; `isAfter` when the call is carried out all the same. */
export function takeFault(slack: Slack, subject: string): Pick<Fault, 'outcome' | 'isAfter'> | undefined {
  const { sockets } = slack;
  const first = subject === 'apps.connections.open' ? sockets.faults[0] : undefined;
  const now = Date.now();
  slack.faults = slack.faults.filter((fault) => fault.left !== 0 && (fault.until ?? now) >= now);
  if (sockets.away !== undefined && subject !== 'response_url') {
    if (!('goodbye' in sockets.away)) return { outcome: sockets.away, isAfter: false };
    if (subject === 'apps.connections.open') return { outcome: sockets.away, isAfter: false };
  }
  if (first !== undefined) {
    sockets.faults.shift();
    return { outcome: first, isAfter: false };
  }
  return slack.faults.find((fault) => isMetBy(fault, subject));
}

function isMetBy(fault: Fault, subject: string): boolean {
  if (fault.subject !== subject && (fault.subject !== 'any' || subject === 'response_url')) return false;
  const { percent = 100 } = fault;
  fault.met += 1;
  const isMet = Math.floor((fault.met * percent) / 100) > Math.floor(((fault.met - 1) * percent) / 100);
  if (isMet && fault.left !== undefined) fault.left -= 1;
  return isMet;
}

/** Answers a call as the fault has it. False when it is answered as usual, perhaps only after a while. */
export async function fail(slack: Slack, fault: ConnectionFault, response: ServerResponse): Promise<boolean> {
  if ('goodbye' in fault) return false;
  slack.sockets.failed += 1;
  if ('hang' in fault) {
    await pause(fault.hang, undefined, { ref: false });
    return false;
  }
  if ('drop' in fault) {
    response.socket?.destroy();
    return true;
  }
  const { error } = fault;
  response.writeHead('status' in fault ? fault.status : 200, {
    'content-type': error === undefined ? 'text/html' : 'application/json; charset=utf-8',
    ...('status' in fault && fault.retryAfter !== undefined ? { 'retry-after': String(fault.retryAfter) } : {}),
  });
  const page = '<html><body>Slack is having trouble.</body></html>';
  response.end(error === undefined ? page : JSON.stringify({ ok: false, error }));
  return true;
}

interface Happening {
  name: (typeof HAPPENINGS)[number];
  /** How many connections it concerns, the oldest first; all when absent. */
  count: number | undefined;
}

function happeningOf(outcome: string, count: number | undefined): Happening {
  const name = HAPPENINGS.find((each) => each === outcome);
  if (name === undefined) {
    throw new RangeError(`A socket has no outcome “${outcome}”, but ${HAPPENINGS.join(', ')}.`);
  }
  const isOfOne = name === 'warning' || name === 'refresh_requested' || name === 'too_many_websockets';
  return { name, count: count ?? (isOfOne ? 1 : undefined) };
}

/** Lets something happen to the connections now, or every so many seconds. */
function addHappening(slack: Slack, happening: Happening, seconds: number, times: number | undefined): () => void {
  if (seconds === 0) {
    happen(slack, happening);
    return () => undefined;
  }
  let left = times ?? Number.POSITIVE_INFINITY;
  const stop = (): void => {
    clearInterval(timer);
    slack.sockets.timers.delete(timer);
  };
  const timer = setInterval(() => {
    happen(slack, happening);
    left -= 1;
    if (left <= 0) stop();
  }, seconds * 1000);
  timer.unref();
  slack.sockets.timers.add(timer);
  return stop;
}

function happen(slack: Slack, { name, count }: Happening): void {
  // Without a connection there is nobody to be told.
  if (name === 'app_rate_limited') return void sayLimited(slack).catch(() => undefined);
  for (const socket of openSockets(slack.sockets).slice(0, count)) {
    if (name === 'drop') socket.terminate();
    else if (name === 'silence') silenceSocket(slack, socket);
    else disconnectSocket(slack, socket, name);
  }
}
