import { endExpired, recoverChange } from '../../src/slack/recover.ts';
import type { Bot } from '../../src/slack/services.ts';
import { CHANGE, type Confirmation, type Confirmations } from '../../src/store/confirmations.ts';
import type { Job, Jobs } from '../../src/store/jobs.ts';
import { MINUTE } from '../../src/time.ts';

const doing = async (jobs: Jobs, work: (job: Job) => Promise<number | undefined>): Promise<void> => {
  for (const job of await jobs.claim(100, [CHANGE])) await jobs.release(job, await work(job));
};

/** The changes that a dead process has left, as they stand when another one has ended them; nobody is told. */
export async function leftChanges(jobs: Jobs, confirmations: Confirmations): Promise<Confirmation[]> {
  const found: Confirmation[] = [];
  await doing(jobs, async ({ key }) => {
    const one = await confirmations.endLeft(key.slice(CHANGE.length + 1));
    if (one !== undefined) found.push(one);
    return one && MINUTE;
  });
  return found;
}

/** Ends what dead processes have left and what has expired, and says so. */
export async function recoverAll(services: Bot): Promise<void> {
  await doing(services.store.jobs, (job) => recoverChange(services, job));
  await endExpired(services);
}
