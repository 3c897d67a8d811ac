/** `npm run check -- chaos [--minutes 10] [--seconds N] [--seed N] [--rate N] [--socket] [--asynchronous]`: see README.md. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createStriker, type Striker } from './faults.ts';
import { causeOf, type Evidence, judge, slotsOf, table, type Verdict, wordings } from './judge.ts';
import { type Deed, deed, plan } from './plan.ts';
import { historyOf } from './stage/ledger.ts';
import { dice } from './stage/record.ts';
import * as talk from './stage/talk.ts';
import { startWorld, type World } from './stage/world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '6' },
    every: { type: 'string', default: '9' },
    drain: { type: 'string', default: '90' },
    slots: { type: 'string', default: '300' },
    socket: { type: 'boolean', default: false },
    asynchronous: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Whether somebody still waits who was acknowledged. */
const isOpen = (world: World): boolean =>
  world.talk.ledger.all.some(({ ackedAt, answeredAt }) => ackedAt !== undefined && answeredAt === undefined);

async function begin(world: World, one: Deed): Promise<void> {
  if (one.do === 'read') return talk.read(world.talk, one.text);
  if (one.do === 'say') return talk.say(world.talk, one.kind, one.text);
  if (one.do === 'home') return talk.home(world.talk);
  if (one.do === 'form') return talk.form(world.talk);
  return talk.change(world.talk, one.way, one.end);
}

/** People at `rate` interactions a second and the plan's faults, for `length` milliseconds; then peace until all are answered. */
async function run(world: World, striker: Striker, length: number, slots: Evidence['slots']): Promise<void> {
  const seed = Number(values.seed);
  const roll = dice(seed + 7);
  const faults = plan(seed, length, Number(values.every) * 1000);
  const start = Date.now();
  const timers = faults.map((fault) => setTimeout(() => striker.strike(fault), fault.at));
  const under = new Set<Promise<void>>();
  while (Date.now() - start < length) {
    const done = begin(world, deed(roll)).finally(() => under.delete(done));
    under.add(done);
    await wait((-Math.log(1 - roll()) * 1000 * 2.2) / Number(values.rate));
  }
  timers.forEach(clearTimeout);
  await striker.mend();
  const peace = Date.now();
  const limit = Number(values.drain) * 1000;
  const rest = Math.min(15_000, limit);
  while (Date.now() - peace < rest || (Date.now() - peace < limit && (under.size > 0 || isOpen(world))))
    await wait(200);
  // A slot that a dead process had claimed comes when its claim is over.
  const isMissing = () => slotsOf({ shown: world.slack.shown, slots }).missedSlots.length > 0;
  while (Date.now() - peace < Number(values.slots) * 1000 && isMissing()) await wait(500);
}

function print(world: World, striker: Striker, verdict: Verdict, folder: string): void {
  const { ledger, slack } = world.talk;
  const lives = [...world.bots, world.postgres!, { name: 'faults', life: striker.life }];
  const lines = lives.flatMap(({ name, life }) =>
    life.map(({ at, what }) => `${new Date(at).toISOString().slice(11, 23)} ${name}: ${what}`),
  );
  writeFileSync(join(folder, 'life.txt'), lines.sort().join('\n'));
  writeFileSync(join(folder, 'wordings.txt'), wordings(ledger.all).join('\n'));
  writeFileSync(join(folder, 'shown.txt'), slack.shown.map((one) => JSON.stringify(one)).join('\n'));
  writeFileSync(join(folder, 'history.txt'), ledger.all.map((one) => historyOf(one, [])).join('\n\n'));
  for (const one of verdict.silent) console.log(`\nSILENT ${historyOf(one, lives)}`);
  for (const one of verdict.storeless) console.log(`\nSILENT, STORE AWAY ${historyOf(one, lives)}`);
  for (const { interaction, text, why } of verdict.falsehoods)
    console.log(`\nFALSE (${why}): ${text.slice(0, 200)}\n${historyOf(interaction, lives)}`);
  for (const one of verdict.doubled) console.log(`\nDOUBLED ${one}`);
  for (const one of verdict.missedSlots) console.log(`\nSLOT MISSED ${one}`);
  for (const one of verdict.doubledSlots) console.log(`\nSLOT DOUBLED ${one}`);
  console.log(`\n${table(ledger.all, verdict)}`);
  const causes = new Map<string, number>();
  for (const one of verdict.silent) {
    const cause = `${one.kind}: ${causeOf(one, lives)}`;
    causes.set(cause, (causes.get(cause) ?? 0) + 1);
  }
  for (const [cause, count] of [...causes].sort()) console.log(`silent ${count} × ${cause}`);
  const { lateness } = slotsOf({ shown: slack.shown, slots: { subscriptions: [], from: 0, to: 0 } });
  const struck = (what: RegExp) => lives.flatMap(({ life }) => life).filter((one) => what.test(one.what)).length;
  console.log(
    `\nfaults: ${struck(/^SIGKILL/)} kill -9 and ${struck(/^SIGTERM/)} SIGTERM (PostgreSQL's too), ${struck(/^SIGSTOP/)} SIGSTOP, ${struck(/^cuts/)} times all connections to PostgreSQL cut, ${struck(/^standby promoted/)} promotions, ${struck(/^platform begins/)} of the platform, ${struck(/^slack begins/)} of Slack, ${struck(/left out/)} left out`,
  );
  console.log(
    `changes at the platform: ${world.platform.changes.length}; calls of Slack: ${slack.calls.length}; slots posted: ${lateness.length}, latest ${Math.round(Math.max(0, ...lateness) / 1000)} s after its time`,
  );
  console.log(
    `doubled ${verdict.doubled.length}, slots missed ${verdict.missedSlots.length}, slots doubled ${verdict.doubledSlots.length}, silent ${verdict.silent.length} (and ${verdict.withinGrace.length} within 20 ms, ${verdict.storeless.length} without a store), falsehoods ${verdict.falsehoods.length}`,
  );
  console.log(world.busy());
  console.log(`seed ${values.seed}; everything is in ${folder}`);
}

async function main(): Promise<number> {
  const length = values.seconds === undefined ? Number(values.minutes) * 60_000 : Number(values.seconds) * 1000;
  const seed = Number(values.seed);
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-chaos-'));
  const world = await startWorld({
    folder,
    seed,
    replicas: 3,
    store: 'postgres',
    standby: values.asynchronous ? 'asynchronous' : 'synchronous',
    isSocket: values.socket,
    hostnames: Math.ceil(length / 1000) * 4,
    manners: { again: 0.15, late: 0.15, hasty: 0.1 },
    patience: 45_000,
    balancer: { every: 1_000, failures: 2, retriesRefused: true, failsOpen: true },
    // Every minute a report is due.
    environment: { REPORT_CHANNEL: 'C0REPORT01', DAILY_STATISTICS_CRON: '* * * * *', ERROR_SUMMARY_CRON: '0 0 1 1 *' },
  });
  const striker = createStriker({ ...world, postgres: world.postgres! });
  world.talk.onAck = striker.acked;
  const from = Date.now();
  try {
    const slots = { subscriptions: ['1'], from, to: from + length - 5_000 };
    await run(world, striker, length, slots);
    const verdict = judge({
      interactions: world.talk.ledger.all,
      changes: world.platform.changes,
      shown: world.talk.slack.shown,
      kills: world.bots.flatMap(({ life }) => killsOf(life)),
      storeAway: striker.storeAway,
      slots,
    });
    print(world, striker, verdict, folder);
    const { doubled, missedSlots, doubledSlots, silent, falsehoods } = verdict;
    return [doubled, missedSlots, doubledSlots, silent, falsehoods].every(({ length: count }) => count === 0) ? 0 : 1;
  } finally {
    await world.close();
  }
}

/** Which process was killed, and when. */
function killsOf(life: readonly { at: number; what: string }[]): { pid: number; at: number }[] {
  let pid = 0;
  return life.flatMap(({ at, what }) => {
    pid = Number(/pid (\d+)/.exec(what)?.[1] ?? pid);
    return what === 'SIGKILL' ? [{ pid, at }] : [];
  });
}

process.exit(await main());
