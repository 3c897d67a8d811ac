import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What one request to the database is made of. */
export interface Job {
  stream: string;
  /** Whether the stream is to be opened. */
  isNew: boolean;
  readOnly: boolean;
  requests: unknown[];
}

/** What became of it. */
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

/** What the process says. */
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

/** A process that is started when it is needed, killed when one request blocks it for `limitMs`, and then replaced. */
export function createDatabaseChild(file: string, limitMs: number): DatabaseChild {
  const pending = new Map<number, Pending>();
  let child: ChildProcess | undefined;
  let running: number | undefined;
  let killed = false;
  let heard = 0;
  let nextId = 1;
  let watch: NodeJS.Timeout | undefined;

  function started(): ChildProcess {
    if (child) {
      return child;
    }
    const process = fork(PROGRAM, [file, String(TRANSACTION_MS)], { execArgv: [], serialization: 'json' });
    child = process;
    // Until it has said that it is ready, its start is not counted.
    heard = Number.POSITIVE_INFINITY;
    process.on('message', (reply: Reply) => hear(reply));
    process.on('exit', () => {
      if (child === process) {
        child = undefined;
        afterExit();
      }
    });
    return process;
  }

  function hear(reply: Reply): void {
    heard = performance.now();
    if (reply.running !== undefined) {
      running = reply.running;
    }
    const waiting = reply.id === undefined ? undefined : pending.get(reply.id);
    if (!waiting) {
      return;
    }
    if (reply.started) {
      waiting.started = true;
      return;
    }
    pending.delete(waiting.id);
    rest();
    waiting.resolve(outcomeOf(reply));
  }

  function afterExit(): void {
    const culprit = killed ? running : undefined;
    killed = false;
    running = undefined;
    for (const waiting of [...pending.values()]) {
      if (waiting.id === culprit || waiting.started || !waiting.job.isNew) {
        pending.delete(waiting.id);
        waiting.resolve({ kind: waiting.id === culprit ? 'stopped' : 'lost' });
      } else {
        // Nothing of it ran: the next process gets it.
        post(waiting);
      }
    }
    rest();
  }

  function post({ id, job }: Pending): void {
    const process = started();
    process.send({ id, ...job });
  }

  function look(): void {
    if (performance.now() - heard > limitMs) {
      heard = Number.POSITIVE_INFINITY;
      killed = true;
      child?.kill('SIGKILL');
    } else {
      child?.send({ ping: 1 });
    }
  }

  function rest(): void {
    if (pending.size === 0) {
      clearInterval(watch);
      watch = undefined;
    }
  }

  return {
    run: (job) =>
      new Promise((resolve) => {
        const waiting: Pending = { id: nextId++, job, started: false, resolve };
        if (pending.size === 0 && child) {
          heard = performance.now();
        }
        pending.set(waiting.id, waiting);
        watch ??= setInterval(look, Math.max(20, limitMs / 10));
        post(waiting);
      }),
    closeStream(stream) {
      child?.send({ close: stream });
    },
    close: () =>
      new Promise((resolve) => {
        clearInterval(watch);
        for (const waiting of pending.values()) {
          waiting.resolve({ kind: 'lost' });
        }
        pending.clear();
        if (child) {
          child.once('exit', () => resolve());
          child.kill('SIGKILL');
        } else {
          resolve();
        }
      }),
  };
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
