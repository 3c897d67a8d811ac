import type { Logger } from 'pino';
import { apart } from './interaction.ts';
import type { Job, Jobs } from './store/jobs.ts';
import { MINUTE } from './time.ts';

/** Jobs that one process has under way. */
const AT_ONCE = 200;
/** It is looked so soon again where there were too many, or the store did not say, in milliseconds. */
const AGAIN = 2_000;

/** How often it is looked what other processes have left or noted, where nobody tells of it, in milliseconds. */
export const LOOK_EVERY = 30_000;

/** Does a job. Returns in how many milliseconds it is due again; undefined: it is done. */
export type DoJob = (job: Job) => Promise<number | undefined>;

/** Does what is due. It knows no kind of job. */
export interface Runner {
  /** Begins what is due, or was left by a dead process. Never rejects. */
  tick(): Promise<void>;
  /** Resolves when what is under way now has ended. */
  idle(): Promise<void>;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** What is done with each kind of job, in groups: each begins after those of the groups before it that are under way. */
export type Kinds = readonly Readonly<Record<string, DoJob>>[];

/** A runner of these kinds of jobs. */
export function createRunner(jobs: Jobs, groups: Kinds, log: Logger): Runner {
  const kinds = new Map(
    groups.flatMap((group, rank) => Object.entries(group).map(([kind, work]) => [kind, { work, rank }])),
  );
  const names = [...kinds.keys()];
  const rankOf = ({ kind }: Job) => kinds.get(kind)?.rank ?? 0;
  /** With the rank of each. */
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
      // Another replica was quicker: what is next is asked for in a moment.
      if (due.length === 0) wakeIn(100);
      else isWanted = true;
      for (const job of due.toSorted((one, other) => rankOf(one) - rankOf(other))) begin(job);
    }
  }

  const runner: Runner = {
    tick() {
      isWanted = true;
      // Whoever wakes it, it is done for nobody in particular.
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
    idle: () => ended(Number.POSITIVE_INFINITY),
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
