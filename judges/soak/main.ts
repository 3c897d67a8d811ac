/** `npm run check -- soak [--rate 20] [--minutes 10] [--store embedded|postgres] [--starts 5]`: see README.md. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deed } from '../chaos/plan.ts';
import { metricsOf } from '../chaos/stage/processes.ts';
import { dice, quantile } from '../chaos/stage/record.ts';
import * as talk from '../chaos/stage/talk.ts';
import { startWorld, type World, workOf } from '../chaos/stage/world.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '10' },
    store: { type: 'string', default: 'embedded' },
    starts: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const MB = 1024 * 1024;

/** One look at the bot from outside; sizes in MB, times in milliseconds. */
interface Sample {
  at: number;
  heap: number;
  resident: number;
  lagP99: number;
  lagMost: number;
  store: number;
}

function residentOf(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1] ?? 0) / 1024;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('.log') || name.includes('store.postgres'))
    .reduce((sum, name) => {
      try {
        const one = statSync(join(folder, name));
        return sum + (one.isFile() ? one.size : 0);
      } catch {
        // It was there a moment ago.
        return sum;
      }
    }, 0);
}

async function look(world: World, folder: string): Promise<Sample> {
  const bot = world.bots[0]!;
  const metrics = await metricsOf(bot.port);
  const gauge = (name: string) =>
    Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)`, 'm').exec(metrics)?.[1] ?? Number.NaN);
  return {
    at: Date.now(),
    heap: gauge('nodejs_heap_size_used_bytes') / MB,
    resident: residentOf(bot.pid),
    lagP99: gauge('nodejs_eventloop_lag_p99_seconds') * 1000,
    lagMost: gauge('nodejs_eventloop_lag_max_seconds') * 1000,
    store: sizeOf(folder) / MB,
  };
}

const world = (folder: string, store: 'embedded' | 'postgres', hostnames: number) =>
  startWorld({
    folder,
    seed: Number(values.seed),
    replicas: 1,
    store,
    isSocket: false,
    hostnames,
    manners: { again: 0, late: 0, hasty: 0 },
    patience: 30_000,
    balancer: { every: 5_000, failures: 2, retriesRefused: false, failsOpen: false },
    crowd: { operators: 150, readers: 300, channels: 40 },
  });

/** How long a Node takes that does nothing, in milliseconds: machines differ, and this one from hour to hour. */
function emptyStart(): number {
  const begun = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - begun;
}

/** Starts to ready and idle memory, for both kinds of store. */
async function starts(): Promise<void> {
  for (const store of ['embedded', 'postgres'] as const) {
    const ready: number[] = [];
    const idle: number[] = [];
    const work: number[] = [];
    const empty: number[] = [];
    for (let count = 0; count < Number(values.starts); count += 1) {
      const one = await world(mkdtempSync(join(tmpdir(), 'edgewise-start-')), store, 40);
      // V8 gives back what the start took some ten seconds after it.
      await wait(25_000);
      ready.push(...one.startTimes);
      empty.push(emptyStart());
      work.push(...one.startWork);
      idle.push(residentOf(one.bots[0]!.pid));
      await one.close();
    }
    const list = (numbers: readonly number[]) => numbers.map((number) => Math.round(number)).join(', ');
    console.log(
      `${store}: ready after ${Math.round(quantile(ready, 0.5))} ms (${list(ready)}; target 700), ${Math.round(quantile(work, 0.5))} ms of them at work; an empty Node ${Math.round(quantile(empty, 0.5))} ms; idle ${Math.round(quantile(idle, 0.5))} MB (${list(idle)}; target 80)`,
    );
  }
}

/** People at the rate, and a look every five seconds. */
async function run(one: World, folder: string, length: number): Promise<Sample[]> {
  const roll = dice(Number(values.seed) + 7);
  const rate = Number(values.rate);
  const under = new Set<Promise<void>>();
  const { all } = one.talk.ledger;
  const samples: Sample[] = [];
  const looks = setInterval(() => void look(one, folder).then((sample) => samples.push(sample)), 5_000);
  const start = Date.now();
  while (Date.now() - start < length) {
    for (let due = ((Date.now() - start) * rate) / 1000 - all.length; due > 0; due -= 2) {
      const next = deed(roll);
      const done = (
        next.do === 'read'
          ? talk.read(one.talk, next.text)
          : next.do === 'say'
            ? talk.say(one.talk, next.kind, next.text)
            : next.do === 'home'
              ? talk.home(one.talk)
              : next.do === 'form'
                ? talk.form(one.talk)
                : talk.change(one.talk, next.way, next.end)
      ).finally(() => under.delete(done));
      under.add(done);
    }
    await wait(25);
  }
  clearInterval(looks);
  await Promise.race([Promise.all(under), wait(35_000)]);
  return samples;
}

/** The least heap of each minute, by the minute. */
function heapFloor(samples: readonly Sample[]): number {
  const minutes = new Map<number, number>();
  for (const { at, heap } of samples) {
    const minute = Math.floor(at / 60_000);
    minutes.set(minute, Math.min(minutes.get(minute) ?? Infinity, heap));
  }
  return quantile([...minutes.values()], 0.5);
}

function report(one: World, samples: readonly Sample[], start: number, length: number, work: number): number {
  const { all } = one.talk.ledger;
  const quarters = [0, 1, 2, 3].map((quarter) => {
    const within = (at: number) => Math.min(3, Math.floor(((at - start) / length) * 4)) === quarter;
    const looks = samples.filter(({ at }) => within(at));
    const acks = all
      .flatMap(({ deliveries }) => deliveries)
      .flatMap(({ at, ackAt }) => (ackAt === undefined || !within(at) ? [] : [ackAt - at]));
    return {
      heap: heapFloor(looks),
      resident: quantile(
        looks.map(({ resident }) => resident),
        0.5,
      ),
      lagP99: quantile(
        looks.map(({ lagP99 }) => lagP99),
        0.5,
      ),
      lagMost: Math.max(...looks.map(({ lagMost }) => lagMost)),
      store: looks.at(-1)?.store ?? 0,
      p50: quantile(acks, 0.5),
      p99: quantile(acks, 0.99),
    };
  });
  for (const [index, { heap, resident, lagP99, lagMost, store, p50, p99 }] of quarters.entries())
    console.log(
      `quarter ${index + 1}: heap ${heap.toFixed(1)} MB, resident ${resident.toFixed(0)} MB, event loop p99 ${lagP99.toFixed(1)} ms, most ${lagMost.toFixed(0)} ms, store ${store.toFixed(2)} MB, acknowledgements p50 ${p50} ms, p99 ${p99} ms`,
    );
  const unacked = all.filter(({ deliveries, ackedAt }) => deliveries.length > 0 && ackedAt === undefined).length;
  const silent = all.filter(({ ackedAt, answeredAt }) => ackedAt !== undefined && answeredAt === undefined);
  for (const { kind, what, deliveries } of silent.slice(0, 20))
    console.log(`SILENT ${kind} ${what} at ${new Date(deliveries[0]!.at).toISOString()}`);
  const [first, second, , last] = quarters as [
    (typeof quarters)[0],
    (typeof quarters)[0],
    (typeof quarters)[0],
    (typeof quarters)[0],
  ];
  console.log(
    `${all.length} interactions (${((all.length / length) * 1000).toFixed(1)} a second), ${unacked} not acknowledged, ${silent.length} silent; since the second quarter heap ${(last.heap - second.heap).toFixed(1)} MB, resident ${(last.resident - second.resident).toFixed(0)} MB; store ${((last.store - first.store) / 0.75 / (all.length / 1000)).toFixed(2)} MB per thousand interactions`,
  );
  const answers = all.flatMap(({ ackedAt, answeredAt }) =>
    ackedAt === undefined || answeredAt === undefined ? [] : [answeredAt - ackedAt],
  );
  console.log(
    `answers p50 ${quantile(answers, 0.5)} ms, p99 ${quantile(answers, 0.99)} ms; ${one.talk.operators.length} of 150 operators and ${one.talk.readers.length} of 300 readers were free at the end; ${(work / all.length).toFixed(1)} ms of processor time an interaction`,
  );
  console.log(one.busy());
  const isLevel = last.heap <= second.heap + 10 && last.resident <= second.resident + 20;
  const isQuick = last.p99 <= Math.max(20, first.p99 * 2);
  return isLevel && isQuick && unacked === 0 && silent.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  if (Number(values.starts) > 0) await starts();
  const length = Number(values.minutes) * 60_000;
  if (length === 0) return 0;
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-soak-'));
  const store = values.store === 'postgres' ? 'postgres' : 'embedded';
  const hostnames = Math.min(8_000, Math.ceil((length / 1000) * Number(values.rate) * 0.2));
  const one = await world(folder, store, hostnames);
  try {
    const start = Date.now();
    const before = workOf(one.bots[0]!.pid);
    const samples = await run(one, folder, length);
    const work = workOf(one.bots[0]!.pid) - before;
    console.log(`store ${store}, ${values.rate} a second for ${values.minutes} minutes`);
    return report(one, samples, start, length, work);
  } finally {
    await one.close();
  }
}

process.exit(await main());
