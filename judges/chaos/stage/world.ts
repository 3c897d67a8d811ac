/** Everything at once: stand-ins, the store, replicas that are ready, a door to them, and people. */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createBalancer, createSockets, type Door } from './door.ts';
import { createLedger } from './ledger.ts';
import { type PlatformStand, startPlatform } from './platform.ts';
import {
  build,
  isOk,
  prepareBot,
  type Running,
  type Standby,
  type StoreServer,
  scopesOfManifest,
  startStore,
  until,
} from './processes.ts';
import { dice } from './record.ts';
import { startSlack } from './slack.ts';
import type { Manners, Talk } from './talk.ts';

interface WorldSettings {
  folder: string;
  seed: number;
  replicas: number;
  store: 'postgres' | 'embedded';
  standby?: Standby;
  isSocket: boolean;
  hostnames: number;
  manners: Manners;
  patience: number;
  balancer: Parameters<typeof createBalancer>[1];
  /** How many people there are, readers and operators alike (60 operators and 120 readers), and channels (12). */
  crowd?: { operators: number; readers: number; channels: number };
  environment?: Record<string, string>;
}

export interface World {
  talk: Talk;
  bots: Running[];
  postgres: StoreServer | undefined;
  platform: PlatformStand;
  slack: Talk['slack'];
  /** Milliseconds from each first start to ready. */
  startTimes: number[];
  /** Milliseconds of processor time that each of them took until then, which the machine's load does not change. */
  startWork: number[];
  /** How busy the machine and the judge itself were, for whoever reads the times. */
  busy(): string;
  close(): Promise<void>;
}

const named = (letter: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${letter}${String(n).padStart(6, '0')}`);

/** The processor time of a process so far, in milliseconds: `utime` and `stime` of `/proc/<pid>/stat`, of 10 ms each. */
export function workOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export async function startWorld(settings: WorldSettings): Promise<World> {
  const { folder, seed, isSocket } = settings;
  await build();
  const { crowd = { operators: 60, readers: 120, channels: 12 } } = settings;
  const roll = dice(seed + 1);
  const slack = await startSlack(roll, scopesOfManifest());
  const platform = await startPlatform(roll, Math.max(1, Math.ceil(settings.hostnames / 40)));
  const operators = named('U0OP', crowd.operators);
  const postgres = settings.store === 'postgres' ? await startStore(settings.standby) : undefined;
  const bots: Running[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e'].slice(0, settings.replicas))
    bots.push(
      await prepareBot({
        name,
        folder,
        slackUrl: slack.url,
        platformUrl: platform.url,
        storeUrl: postgres === undefined ? `file:${folder}/edgewise.db` : postgres.url,
        isSocket,
        environment: { EDGEWISE_ADMINS: operators.join(','), ...settings.environment },
      }),
    );
  const sockets = isSocket ? createSockets(bots, slack.server) : undefined;
  if (sockets !== undefined) slack.setSockets(sockets.urlFor);
  const startTimes: number[] = [];
  const startWork: number[] = [];
  for (const bot of bots) {
    const at = Date.now();
    bot.start();
    await until(`${bot.name} is ready (${folder})`, 30_000, () => isOk(bot.port, '/health/ready'));
    startTimes.push(Date.now() - at);
    startWork.push(workOf(bot.pid));
  }
  const door: Door = sockets ?? createBalancer(bots, settings.balancer);
  await until('the door is open', 10_000, () => new Set(door.open()).size === bots.length);
  const ledger = createLedger();
  slack.onShown(ledger.take);
  const talk: Talk = {
    door,
    slack,
    ledger,
    roll,
    manners: settings.manners,
    patience: settings.patience,
    hostnames: [...platform.hostnames],
    operators,
    readers: named('U0RD', crowd.readers),
    channels: named('C0TEAM', crowd.channels),
    variables: 0,
  };
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return {
    talk,
    bots,
    postgres,
    platform,
    slack,
    startTimes,
    startWork,
    busy: () =>
      `the machine: load ${loadavg()
        .map((load) => load.toFixed(1))
        .join(
          ', ',
        )}; the judge's own event loop p99 ${(delay.percentile(99) / 1e6).toFixed(0)} ms, most ${(delay.max / 1e6).toFixed(0)} ms`,
    close: async () => {
      for (const one of [...bots, ...(postgres === undefined ? [] : [postgres])]) {
        one.signal('SIGCONT');
        one.signal('SIGKILL');
        await one.ended();
      }
      await postgres?.close();
      await door.close();
      await Promise.all([slack.close(), platform.close()]);
    },
  };
}
