import type { Logger } from 'pino';
import { apart } from './interaction.ts';
import type { Job, Jobs } from './store/jobs.ts';
import { MINUTE } from './time.ts';

/** How many jobs one process runs at once. */
const AT_ONCE = 200;
/** In milliseconds, until the next look if too many jobs run or the store does not answer. */
const AGAIN = 2_000;

/** In milliseconds. How often a process looks for work that others left, if nobody tells it. */
export const LOOK_EVERY = 30_000;

/** Does a job. Returns in how many milliseconds it is due again. Undefined: it is done. */
export type DoJob = (job: Job) => Promise<number | undefined>;

/** Runs due jobs. It knows no kind of job. */
export interface Runner {
  /** Starts jobs that are due or that a dead process left. Never rejects. */
  tick(): Promise<void>;
  /** Resolves once no job is running or due. */
  idle(): Promise<void>;
  /** Starts no more jobs, and waits for the running ones. */
  stop(): Promise<void>;
}

/** The function for each kind of job, in groups. A job waits for running jobs of earlier groups. */
export type Kinds = readonly Readonly<Record<string, DoJob>>[];

export function createRunner(jobs: Jobs, groups: Kinds, log: Logger): Runner {
  const kinds = new Map(
    groups.flatMap((group, rank) => Object.entries(group).map(([kind, work]) => [kind, { work, rank }])),
  );
  const names = [...kinds.keys()];
  const rankOf = ({ kind }: Job) => kinds.get(kind)?.rank ?? 0;
  /** Running jobs, with the rank of their group. */
  const running = new Map<Promise<void>, number>();
  const ended = async (before: number) =>
    void (await Promise.all([...running].flatMap(([doing, rank]) => (rank < before ? [doing] : []))));
  let looking: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;
  let alarm: NodeJS.Timeout | undefined;
  let alarmAt = Number.POSITIVE_INFINITY;

  function wakeIn(delay: number): void {
    if (delay <= 0) return void runner.tick();
    const at = performance.now() + delay;
    if (isStopped || delay >= LOOK_EVERY || at >= alarmAt) return;
    clearTimeout(alarm);
    alarmAt = at;
    alarm = setTimeout(() => runner.tick(), delay);
  }

  async function run(job: Job): Promise<void> {
    const { key, epoch } = job;
    let delay: number | undefined = MINUTE;
    try {
      await ended(rankOf(job));
      delay = await kinds.get(job.kind)?.work(job);
    } catch (error) {
      log.error({ err: error, key, epoch }, 'a job could not be done: it is tried again in a minute');
    }
    await jobs.release(job, delay);
  }

  function begin(job: Job): void {
    const doing = run(job).finally(() => running.delete(doing));
    running.set(doing, rankOf(job));
  }

  async function look(): Promise<void> {
    clearTimeout(alarm);
    alarmAt = Number.POSITIVE_INFINITY;
    while (isWanted && !isStopped) {
      isWanted = false;
      if (running.size >= AT_ONCE) return wakeIn(AGAIN);
      const pause = await jobs.dueIn(names);
      if (pause > 0) {
        wakeIn(pause);
        continue;
      }
      const due = await jobs.claim(AT_ONCE - running.size, names);
      // Another replica was quicker. In a moment it is known what is due next.
      if (due.length === 0) wakeIn(100);
      else isWanted = true;
      for (const job of due.toSorted((one, other) => rankOf(one) - rankOf(other))) begin(job);
    }
  }

  const runner: Runner = {
    tick() {
      isWanted = true;
      // Whoever wakes it, its work belongs to no interaction.
      looking ??= apart(look)
        .catch((error: unknown) => {
          log.error({ err: error }, 'what is due could not be looked for');
          wakeIn(AGAIN);
        })
        .finally(() => {
          looking = undefined;
          if (isWanted && !isStopped) void runner.tick();
        });
      return looking;
    },
    async idle() {
      while (looking !== undefined || running.size > 0) await Promise.all([looking, ...running.keys()]);
    },
    async stop() {
      isStopped = true;
      clearTimeout(alarm);
      await looking;
      await runner.idle();
    },
  };
  jobs.onDue(wakeIn);
  return runner;
}
