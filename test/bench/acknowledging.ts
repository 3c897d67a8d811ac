import { startChild } from './child.ts';
import { medianOf, percentileOf, type Report, spreadOf } from './figures.ts';
import type { Burst, BurstResult } from './load.ts';
import type { ServerKind, ServerState } from './server.ts';
import { SIGNING_SECRET } from './signing-secret.ts';
import { type SlackStandIn, startSlackStandIn } from './slack-stand-in.ts';

/** How many times as many requests a second as bare Bolt with one listener the bot has to acknowledge. */
const WANTED = 1.5;
const ROUNDS = 5;
/** One request after another shows how long one takes; many at the same time show how many there can be a second. */
const BURSTS: readonly { connections: number; count: number; wanted?: number }[] = [
  { connections: 1, count: 300 },
  { connections: 64, count: 1_000, wanted: WANTED },
];
const KINDS: Record<ServerKind, string> = {
  'bolt-60': 'Bolt, sixty listeners',
  'bolt-1': 'Bolt, one listener',
  http: 'node:http, signature check',
  edgewise: 'Edgewise, everything registered',
};

interface Measured {
  perSecond: number;
  latencies: number[];
  /** Microseconds of the server's processor time, acknowledgement and the work behind it. */
  cpu: number;
  /** Milliseconds from the last acknowledgement until all work was done. */
  drained: number;
  rss: number;
}

/** Who acknowledges how many signed slash commands a second: each server in a process of its own, round by round in turn. */
export async function acknowledging(): Promise<Report> {
  const slack = await startSlackStandIn();
  const load = await startChild<Burst, BurstResult>('./load.ts');
  const servers = await Promise.all(
    (Object.keys(KINDS) as ServerKind[]).map(async (kind) => ({
      kind,
      child: await startChild<object, ServerState>('./server.ts', [kind, String(slack.port)]),
    })),
  );
  const rows: string[][] = [];
  const verdicts: Report['verdicts'] = [];
  try {
    for (const { connections, count, wanted } of BURSTS) {
      const measured = new Map<ServerKind, Measured[]>(servers.map(({ kind }) => [kind, []]));
      for (let round = 0; round <= ROUNDS; round += 1) {
        // Another one begins each time, so that none always runs after the same neighbour.
        const turn = [...servers.slice(round % servers.length), ...servers.slice(0, round % servers.length)];
        for (const { kind, child } of turn) {
          const burst: Burst = {
            port: child.first.port,
            connections,
            count,
            secret: SIGNING_SECRET,
            responseUrl: `http://127.0.0.1:${slack.port}/response`,
            text: 'help',
            name: `${kind}-${connections}-${round}`,
          };
          const result = await measure(burst, kind === 'edgewise' ? slack : undefined, load.ask, child.ask);
          // The first round warms up.
          if (round > 0) measured.get(kind)?.push(result);
        }
      }
      const bolt = measured.get('bolt-1') ?? [];
      const perSecond = (all: readonly Measured[]) => all.map((one) => one.perSecond);
      const ratioOf = (all: readonly Measured[]) => medianOf(perSecond(all)) / medianOf(perSecond(bolt));
      for (const [kind, all] of measured) {
        const latencies = all.flatMap((one) => one.latencies);
        rows.push([
          KINDS[kind],
          String(connections),
          spreadOf(perSecond(all)),
          `${ratioOf(all).toFixed(2)}×`,
          percentileOf(latencies, 0.5).toFixed(2),
          percentileOf(latencies, 0.99).toFixed(2),
          medianOf(all.map((one) => one.cpu / count)).toFixed(0),
          (medianOf(all.map((one) => one.rss)) / 1e6).toFixed(0),
          kind === 'edgewise' ? medianOf(all.map((one) => one.drained)).toFixed(0) : '–',
        ]);
      }
      const ratio = ratioOf(measured.get('edgewise') ?? []);
      if (wanted !== undefined) {
        verdicts.push({
          holds: ratio >= wanted,
          text: `over ${connections} connections Edgewise acknowledges ${ratio.toFixed(2)} times as many requests a second as bare Bolt with one listener (wanted: ${wanted})`,
        });
      }
    }
  } finally {
    await Promise.all([load.end(), ...servers.map(({ child }) => child.end())]);
    slack.close();
  }
  return {
    title: 'Acknowledging signed slash commands',
    columns: [
      'server',
      'conn.',
      'acks/s min/med/max',
      'to Bolt',
      'p50 ms',
      'p99 ms',
      'CPU µs/req',
      'RSS MB',
      'drained ms',
    ],
    rows,
    notes: [
      `${ROUNDS} rounds of ${BURSTS.map(({ connections, count }) => `${count} requests over ${connections}`).join(', and of ')} connection(s), the servers in turn; every request has its own trigger and signature.`,
      'Behind each acknowledgement Edgewise answers `/edge help` (the others do nothing): all those answers were',
      'counted at their response URLs. “drained” is how long that took after the last acknowledgement; CPU includes it.',
      'Work begins when no request has come for a few milliseconds. Over one connection every pause of a busy machine is',
      'such a moment: there the median time tells more than the rate.',
    ],
    verdicts,
  };
}

async function measure(
  burst: Burst,
  slack: SlackStandIn | undefined,
  send: (burst: Burst) => Promise<BurstResult>,
  stateOf: (question: object) => Promise<ServerState>,
): Promise<Measured> {
  const before = await stateOf({});
  const answersBefore = slack?.answers() ?? 0;
  const { elapsed, latencies, statuses } = await send(burst);
  const ackedAt = performance.now();
  if (statuses['200'] !== burst.count)
    throw new Error(`${burst.name}: not all were acknowledged: ${JSON.stringify(statuses)}`);
  await slack?.until(answersBefore + burst.count);
  const drained = performance.now() - ackedAt;
  const after = await stateOf({});
  return {
    perSecond: (burst.count / elapsed) * 1_000,
    latencies,
    cpu: after.cpu - before.cpu,
    drained,
    rss: after.rss,
  };
}
