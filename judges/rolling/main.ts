/** `npm run check -- rolling [--count 10000] [--rate 50] [--mode http|socket|long]`: see README.md. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Deed, deed } from '../chaos/plan.ts';
import { historyOf, type Interaction, KINDS } from '../chaos/stage/ledger.ts';
import { isOk, type Running, until } from '../chaos/stage/processes.ts';
import { dice, pick, quantile } from '../chaos/stage/record.ts';
import * as talk from '../chaos/stage/talk.ts';
import { startWorld, type World } from '../chaos/stage/world.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '50' },
    mode: { type: 'string', default: 'http' },
    seed: { type: 'string', default: '1' },
    drain: { type: 'string', default: '60' },
  },
});
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const time = (at: number) => new Date(at).toISOString().slice(11, 23);

/** One stop and start of a replica. */
interface Replacement {
  name: string;
  exit: string;
  /** From SIGTERM to the end, and from the start to ready, in milliseconds. */
  stop: number;
  ready: number;
}

/** What is asked for at this rate is short: half reads, half everything else. */
function begin(world: World, roll: () => number): Promise<void> {
  const one: Deed =
    roll() < 0.4
      ? { do: 'read', text: pick(roll, ['zone show zone-03', 'app list', 'help', 'stats show zone-02']) }
      : deed(roll);
  if (one.do === 'read') return talk.read(world.talk, one.text);
  if (one.do === 'say') return talk.say(world.talk, one.kind, one.text);
  if (one.do === 'home') return talk.home(world.talk);
  if (one.do === 'form') return talk.form(world.talk);
  return talk.change(world.talk, one.way, one.end);
}

/** Until so many interactions were begun; what is under way at the end is waited for. */
async function load(world: World, count: number, isOver: () => boolean): Promise<void> {
  const roll = dice(Number(values.seed) + 7);
  const under = new Set<Promise<void>>();
  const { all } = world.talk.ledger;
  const start = Date.now();
  const rate = Number(values.rate);
  // As many as are due by now, so that a slow answer slows nobody else down; then on until the last replica is there.
  while (all.length < count || !isOver()) {
    for (let due = ((Date.now() - start) * rate) / 1000 - all.length; due > 0; due -= 1.6) {
      const done = begin(world, roll).finally(() => under.delete(done));
      under.add(done);
    }
    await wait(20);
  }
  await Promise.race([Promise.all(under), wait(Number(values.drain) * 1000)]);
}

/** Each replica is told to stop, waited for, started again, and in rotation before the next one's turn. */
async function replaceAll(world: World, isLong: boolean): Promise<Replacement[]> {
  const done: Replacement[] = [];
  await wait(8_000);
  for (const bot of world.bots) {
    if (isLong) await beginLong(world);
    const at = Date.now();
    bot.signal('SIGTERM');
    const exit = await Promise.race([bot.ended(), wait(120_000).then(() => 'still there after 120 s')]);
    const stop = Date.now() - at;
    if (bot.isAlive) bot.signal('SIGKILL');
    await bot.ended();
    const ready = await start(bot);
    done.push({ name: bot.name, exit, stop, ready });
    await until('in rotation', 60_000, () => world.talk.door.open().includes(bot.name));
    await wait(5_000);
  }
  return done;
}

async function start(bot: Running): Promise<number> {
  const at = Date.now();
  bot.start();
  await until(`${bot.name} is ready`, 60_000, () => isOk(bot.port, '/health/ready'));
  return Date.now() - at;
}

/** A log that takes 25 s to come is summed up on each replica, and the next two posts hang. */
async function beginLong(world: World): Promise<void> {
  for (const _ of world.bots) void talk.read(world.talk, 'log summary zone-07 --date yesterday', 'operators');
  world.slack.faults.add({ kind: 'hang', of: 'chat.postMessage', share: 1, times: 2 });
  await wait(1_500);
}

function report(world: World, replacements: readonly Replacement[], folder: string): number {
  const { all } = world.talk.ledger;
  const lives = [...world.bots, world.postgres!];
  const isTimed = (one: Interaction) => one.deliveries.length > 0;
  const unacked = all.filter((one) => isTimed(one) && one.deliveries[0]!.status !== 200);
  const unheard = unacked.filter(({ answeredAt }) => answeredAt === undefined);
  const silent = all.filter(({ ackedAt, answeredAt }) => ackedAt !== undefined && answeredAt === undefined);
  const acks = all
    .flatMap(({ deliveries }) => deliveries)
    .flatMap(({ at, ackAt }) => (ackAt === undefined ? [] : [ackAt - at]));
  const late = acks.filter((ack) => ack > 1_000).length;
  for (const one of unacked) console.log(`\nNOT ACKNOWLEDGED ${historyOf(one, lives)}`);
  for (const one of silent) console.log(`\nSILENT ${historyOf(one, lives)}`);
  const long = all.filter(({ what }) => what.includes('log summary'));
  for (const one of long) console.log(`\nLONG ${historyOf(one, lives)}`);
  console.log('');
  for (const { name, exit, stop, ready } of replacements)
    console.log(`${name}: exit ${exit} after ${stop} ms; ready ${ready} ms after its start`);
  for (const kind of KINDS) {
    const of = (list: readonly Interaction[]) => list.filter((one) => one.kind === kind).length;
    console.log(`${kind.padEnd(8)} ${of(all)} sent, ${of(unacked)} not acknowledged, ${of(silent)} silent`);
  }
  const seconds = ((all.at(-1)?.at ?? 0) - (all[0]?.at ?? 0)) / 1000;
  console.log(
    `${all.length} in ${Math.round(seconds)} s (${(all.length / seconds).toFixed(1)} a second), ${replacements.length} replicas replaced, mode ${values.mode}`,
  );
  console.log(
    `lost: ${unacked.length} not acknowledged (${unacked.length - unheard.length} of them answered all the same), ${silent.length} silent; acknowledgements p50 ${quantile(acks, 0.5)}, p99 ${quantile(acks, 0.99)}, most ${Math.max(...acks)} ms, ${late} over 1 s`,
  );
  writeFileSync(
    join(folder, 'life.txt'),
    lives
      .flatMap(({ name, life }) => life.map(({ at, what }) => `${time(at)} ${name}: ${what}`))
      .sort()
      .join('\n'),
  );
  writeFileSync(join(folder, 'history.txt'), all.map((one) => historyOf(one, [])).join('\n\n'));
  console.log(world.busy());
  console.log(`everything is in ${folder}`);
  const isClean = replacements.every(({ exit }) => exit === '0');
  // Over Socket Mode nothing may be acknowledged behind a close frame.
  const lost = values.mode === 'socket' ? unheard : unacked;
  return lost.length === 0 && silent.length === 0 && late === 0 && isClean ? 0 : 1;
}

async function main(): Promise<number> {
  const count = Number(values.count);
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-rolling-'));
  const isLong = values.mode === 'long';
  const world = await startWorld({
    folder,
    seed: Number(values.seed),
    replicas: 3,
    store: 'postgres',
    isSocket: values.mode === 'socket',
    hostnames: Math.ceil(count / 4),
    manners: { again: 0, late: 0, hasty: 0 },
    patience: 60_000,
    balancer: { every: 5_000, failures: 2, retriesRefused: false, failsOpen: false },
    crowd: { operators: 300, readers: 500, channels: 60 },
  });
  if (isLong) world.platform.setLogTime(25_000);
  try {
    let isOver = false;
    const replacing = replaceAll(world, isLong).finally(() => {
      isOver = true;
    });
    const [replacements] = await Promise.all([replacing, load(world, count, () => isOver)]);
    return report(world, replacements, folder);
  } finally {
    await world.close();
  }
}

process.exit(await main());
