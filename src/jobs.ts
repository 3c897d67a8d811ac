import type { Logger } from 'pino';
import { apart } from './interaction.ts';
import type { Job, Jobs } from './store/jobs.ts';
import { MINUTE } from './time.ts';

/** Jobs that one process has under way. */
const AT_ONCE = 200;

/** Does a job. Returns in how many milliseconds it is due again; undefined: it is done. */
export type DoJob = (job: Job) => Promise<number | undefined>;

/** Does what is due. It knows no kind of job. */
export interface Runner {
  /** Begins what is due, or was left by a dead process. Never rejects. */
  tick(): Promise<void>;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** A runner of these kinds of jobs. */
export function createRunner(jobs: Jobs, kinds: Readonly<Record<string, DoJob>>, log: Logger): Runner {
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;

  async function run(job: Job): Promise<void> {
    const { key, kind, epoch } = job;
    try {
      const delay = await kinds[kind]?.(job);
      if (delay === undefined) jobs.finish(job);
      else await jobs.release(job, delay);
    } catch (error) {
      log.error({ err: error, key, epoch }, 'a job could not be done: it is tried again in a minute');
      await jobs.release(job, MINUTE).catch(() => undefined);
    }
  }

  async function look(): Promise<void> {
    while (isWanted && !isStopped && running.size < AT_ONCE) {
      isWanted = false;
      for (const job of await jobs.claim(AT_ONCE - running.size)) {
        isWanted = true;
        const doing = run(job).finally(() => running.delete(doing));
        running.add(doing);
      }
    }
  }

  const runner: Runner = {
    tick() {
      isWanted = true;
      // Whoever wakes it, it is done for nobody in particular.
      looking ??= apart(look)
        .catch((error: unknown) => log.error({ err: error }, 'what is due could not be looked for'))
        .finally(() => {
          looking = undefined;
        });
      return looking;
    },
    async stop() {
      isStopped = true;
      await looking;
      await Promise.all(running);
    },
  };
  jobs.onDue(() => void runner.tick());
  return runner;
}
