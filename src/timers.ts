import type { Logger } from 'pino';
import { logged } from './errors.ts';
import { LOOK_EVERY, type Runner } from './jobs.ts';
import { type HeadWriting, publishHead } from './slack/audit-head.ts';
import { stopPressed } from './slack/progress.ts';
import type { Bot } from './slack/services.ts';
import { BEAT_EVERY } from './store/jobs.ts';
import { HOUR } from './time.ts';

/** Ends what has expired, and does what is due, until the returned function is called. */
export function startTimers(
  services: Bot & Pick<HeadWriting, 'poster' | 'auditChannel'> & { runner: Runner; expired: Alone },
): () => void {
  const { store, runner, expired, log } = services;
  const beaten = alone(() => store.jobs.beat(), log, 'it could not be said that this process lives');
  const looked = () => {
    void runner.tick();
    if (!store.jobs.isShared) return;
    Promise.all([store.channelMoves.read(), stopPressed(services)]).catch(
      logged(log, 'error', 'what other processes have noted could not be read'),
    );
  };
  store.database.onTold(looked);
  let headDay = '';
  const headed = async () => {
    const day = services.now().toISOString().slice(0, 10);
    if (day === headDay) return;
    await publishHead(services).then(
      () => {
        headDay = day;
      },
      logged(log, 'error', 'the head of the audit could not be posted'),
    );
  };
  const timers = [
    setInterval(headed, HOUR),
    setInterval(expired, 15_000),
    setInterval(looked, LOOK_EVERY),
    ...(store.jobs.isShared ? [setInterval(beaten, BEAT_EVERY)] : []),
  ];
  // The start does not wait for slow platforms. The head is posted after the start has undone what was due.
  void expired().then(runner.tick).then(runner.idle).then(headed);
  return () => timers.forEach(clearInterval);
}

/** Never runs twice at once. An error becomes a line of the log. */
export function alone(work: () => Promise<void>, log: Logger, failed: string): Alone {
  let going: Promise<void> | undefined;
  let isEnding = false;
  const begin = () => {
    if (!isEnding)
      going ??= work()
        .catch((error: unknown) => log.error({ err: error }, failed))
        .finally(() => {
          going = undefined;
        });
    return going ?? Promise.resolve();
  };
  const end = () => {
    isEnding = true;
    return begin();
  };
  return Object.assign(begin, { end });
}

/** `end` waits for the work under way, and lets nothing begin again. */
export interface Alone {
  (): Promise<void>;
  end(): Promise<void>;
}
