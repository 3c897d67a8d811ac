import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** One request to the database. */
export interface Job {
  stream: string;
  /** True when the stream is to be opened. */
  isNew: boolean;
  readOnly: boolean;
  requests: unknown[];
}

/** The end of a request. */
export type JobOutcome =
  | { kind: 'done'; results: unknown[]; open: boolean; wrote: boolean }
  /** A write with a token that may only read. */
  | { kind: 'blocked'; wrote: boolean }
  /** The stream is not known (any more). */
  | { kind: 'missing' }
  /** It ran longer than the time limit, and the process was killed. */
  | { kind: 'stopped' }
  /** The process went away while the request was under way. */
  | { kind: 'lost' };

/** A database in a process of its own. */
export interface DatabaseChild {
  run(job: Job): Promise<JobOutcome>;
  closeStream(stream: string): void;
  close(): Promise<void>;
}

/** A message from the process. */
interface Reply {
  ready?: boolean;
  running?: number;
  pong?: number;
  id?: number;
  started?: boolean;
  missing?: boolean;
  blocked?: boolean;
  failed?: string;
  results?: unknown[];
  open?: boolean;
  wrote?: boolean;
}

interface Pending {
  id: number;
  job: Job;
  started: boolean;
  resolve(outcome: JobOutcome): void;
}

const PROGRAM = fileURLToPath(new URL('./database-process.mjs', import.meta.url));

/** How long a transaction may stay open. */
const TRANSACTION_MS = 5_000;

/** A process and the requests that it was given. */
interface Child {
  file: string;
  limitMs: number;
  process: ChildProcess | undefined;
  pending: Map<number, Pending>;
  nextId: number;
  /** The request that runs, as far as the process said. */
  running: number | undefined;
  wasKilled: boolean;
  /** When the process last said something; infinite until it has said that it is ready. */
  heard: number;
  watch: NodeJS.Timeout | undefined;
}

/** A process that is started when it is needed, killed when one request blocks it for `limitMs`, and then replaced. */
export function createDatabaseChild(file: string, limitMs: number): DatabaseChild {
  const child: Child = {
    file,
    limitMs,
    process: undefined,
    pending: new Map(),
    nextId: 1,
    running: undefined,
    wasKilled: false,
    heard: 0,
    watch: undefined,
  };
  return {
    run: (job) => run(child, job),
    closeStream(stream) {
      child.process?.send({ close: stream });
    },
    close: () => close(child),
  };
}

function run(child: Child, job: Job): Promise<JobOutcome> {
  return new Promise((resolve) => {
    const { pending } = child;
    const waiting: Pending = { id: child.nextId++, job, started: false, resolve };
    if (pending.size === 0 && child.process) {
      child.heard = performance.now();
    }
    pending.set(waiting.id, waiting);
    child.watch ??= setInterval(() => look(child), Math.max(20, child.limitMs / 10));
    post(child, waiting);
  });
}

function close(child: Child): Promise<void> {
  return new Promise((resolve) => {
    clearInterval(child.watch);
    for (const waiting of child.pending.values()) {
      waiting.resolve({ kind: 'lost' });
    }
    child.pending.clear();
    if (child.process) {
      child.process.once('exit', () => resolve());
      child.process.kill('SIGKILL');
    } else {
      resolve();
    }
  });
}

function post(child: Child, { id, job }: Pending): void {
  child.process ??= start(child);
  child.process.send({ id, ...job });
}

function start(child: Child): ChildProcess {
  const started = fork(PROGRAM, [child.file, String(TRANSACTION_MS)], { execArgv: [], serialization: 'json' });
  // Until it has said that it is ready, its start is not counted.
  child.heard = Number.POSITIVE_INFINITY;
  started.on('message', (reply: Reply) => hear(child, reply));
  started.on('exit', () => {
    if (child.process === started) {
      child.process = undefined;
      afterExit(child);
    }
  });
  return started;
}

function hear(child: Child, reply: Reply): void {
  child.heard = performance.now();
  if (reply.running !== undefined) {
    child.running = reply.running;
  }
  const waiting = reply.id === undefined ? undefined : child.pending.get(reply.id);
  if (!waiting) {
    return;
  }
  if (reply.started) {
    waiting.started = true;
    return;
  }
  child.pending.delete(waiting.id);
  rest(child);
  waiting.resolve(outcomeOf(reply));
}

function afterExit(child: Child): void {
  const culprit = child.wasKilled ? child.running : undefined;
  child.wasKilled = false;
  child.running = undefined;
  for (const waiting of [...child.pending.values()]) {
    if (waiting.id === culprit || waiting.started || !waiting.job.isNew) {
      child.pending.delete(waiting.id);
      waiting.resolve({ kind: waiting.id === culprit ? 'stopped' : 'lost' });
    } else {
      // Nothing of it ran: the next process gets it.
      post(child, waiting);
    }
  }
  rest(child);
}

/** Kills the process when it was silent for too long; else asks it to say something. */
function look(child: Child): void {
  if (performance.now() - child.heard > child.limitMs) {
    child.heard = Number.POSITIVE_INFINITY;
    child.wasKilled = true;
    child.process?.kill('SIGKILL');
  } else {
    child.process?.send({ ping: 1 });
  }
}

/** Stops looking when nothing is under way. */
function rest(child: Child): void {
  if (child.pending.size === 0) {
    clearInterval(child.watch);
    child.watch = undefined;
  }
}

function outcomeOf(reply: Reply): JobOutcome {
  if (reply.missing) {
    return { kind: 'missing' };
  }
  if (reply.blocked) {
    return { kind: 'blocked', wrote: reply.wrote ?? false };
  }
  if (reply.failed !== undefined || !reply.results) {
    return { kind: 'lost' };
  }
  return { kind: 'done', results: reply.results, open: reply.open ?? false, wrote: reply.wrote ?? false };
}
