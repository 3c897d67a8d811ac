import type { Logger } from 'pino';
import type { Scheduler } from './delivery/scheduler.ts';
import type { Reader } from './operations/context.ts';
import type { Poster } from './reports/post.ts';
import { publishHead } from './slack/audit-head.ts';
import { beginRound, lookForDeparted } from './slack/departures.ts';
import { refreshHomes } from './slack/home/home.ts';
import type { Slack } from './slack/in/listeners.ts';
import { recoverAll } from './slack/recover.ts';
import type { SlackServices } from './slack/services.ts';
import { forgetOld, type Kept } from './store/forget.ts';
import { BEAT_EVERY } from './store/processes.ts';
import type { OpenStore } from './store/store.ts';
import { HOUR, MINUTE } from './time.ts';

/** How often what a process that died had begun is looked for, in milliseconds. */
const RECOVER_EVERY = 15_000;
const FORGET_EVERY = HOUR;

interface TimedServices extends SlackServices {
  store: OpenStore;
  poster: Poster;
  slack: Pick<Slack, 'takeOver'>;
  scheduler: Pick<Scheduler, 'tick'>;
  auditChannel?: string | undefined;
  kept: Kept;
  /** In whose language and time zone a recovered outcome is told. */
  reader(): Reader;
}

/** The timers, while they run. */
export interface Timers {
  /** Begins nothing that others have left, and resolves when what was begun is over. */
  endRecovery(): Promise<void>;
  stop(): Promise<void>;
}

/** Recovers (now and from then on), looks whether people have left and forgets old rows. Returns what stops it all. */
export async function startTimers(services: TimedServices): Promise<Timers> {
  const { store, reader, log } = services;
  const ended = alone(() => recoverAll(services, reader()), log, 'what was begun could not be ended');
  const taken = alone(() => services.slack.takeOver(), log, 'what was acknowledged could not be gone on with');
  // Changes first: a press that is done again is told how its change stands.
  let isEnding = false;
  let recovering = Promise.resolve();
  const recovered = () => {
    if (!isEnding) recovering = ended().then(taken);
    return recovering;
  };
  const beaten = alone(() => store.processes.beat(), log, 'it could not be said that this process lives');
  const looked = alone(
    async () => {
      if (await store.processes.haveLeft()) await Promise.all([recovered(), services.scheduler.tick()]);
    },
    log,
    'whether a process has died could not be looked up',
  );
  const moved = alone(() => store.channelMoves.read(), log, 'which channels have other ids could not be read');
  const refreshed = alone(() => refreshHomes(services), log, 'the Home tabs could not be brought up to date');
  const forgotten = () =>
    forgetOld(store, services.kept).catch((error: unknown) =>
      log.error({ err: error }, 'old rows could not be removed'),
    );
  const summarised = (all?: 'all') =>
    store.audit
      .summarise(all)
      .catch((error: unknown) => log.error({ err: error }, 'how many refusals there were could not be written down'));
  const round = beginRound();
  const departed = () =>
    lookForDeparted(services, round, performance.now()).catch((error: unknown) =>
      log.error({ err: error }, 'whether somebody has left could not be looked up'),
    );
  let headDay = '';
  const headed = async () => {
    const day = services.now().toISOString().slice(0, 10);
    if (day === headDay) return;
    headDay = day;
    await publishHead(services).catch((error: unknown) =>
      log.error({ err: error }, 'the head of the audit could not be posted'),
    );
  };
  const timers = [
    setInterval(headed, FORGET_EVERY),
    setInterval(() => summarised(), RECOVER_EVERY),
    setInterval(departed, RECOVER_EVERY),
    setInterval(recovered, RECOVER_EVERY),
    ...(store.processes.isShared
      ? [setInterval(beaten, BEAT_EVERY), setInterval(looked, 2_000), setInterval(moved, 2_000)]
      : []),
    setInterval(forgotten, FORGET_EVERY),
    setInterval(refreshed, MINUTE),
  ];
  // The platform and Slack may take their time here, and hold up no start.
  void recovered().then(headed);
  return {
    async endRecovery() {
      isEnding = true;
      await recovering;
    },
    async stop() {
      timers.forEach(clearInterval);
      await summarised('all');
    },
  };
}

/** Work that one timer begins while the last one's goes on is not begun twice; an error is one line of the log. */
function alone(work: () => Promise<void>, log: Logger, failed: string): () => Promise<void> {
  let going: Promise<void> | undefined;
  return () => {
    going ??= work()
      .catch((error: unknown) => log.error({ err: error }, failed))
      .finally(() => {
        going = undefined;
      });
    return going;
  };
}
