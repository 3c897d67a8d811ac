import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { type WebSocket, WebSocketServer } from 'ws';
import { startChild } from './child.ts';
import { percentileOf, type Report } from './figures.ts';
import type { FloodQuestion, FloodState } from './flood-load.ts';
import type { ServerState } from './server.ts';
import { fieldsOf, signedRequest, statusOf, type TypedCommand } from './signed-command.ts';
import { SIGNING_SECRET } from './signing-secret.ts';
import { type SlackStandIn, startSlackStandIn } from './slack-stand-in.ts';

/** How many times as long as without a flood others may wait. */
const WANTED = 3;
/** Commands a second of the one member, and connections of strangers. */
const PER_SECOND = 2_000;
const STRANGERS = 5_000;
/** Others ask for help so many times a second, each of them so seldom that they stay within what one may have. */
const HELPS = 20;
const PEOPLE = 50;
/** Seconds of a first flood, of a process that has just started: its code is not compiled yet. Then what people may have is whole again. */
const COLD = 5;
const REST = 12;
/** How long an answer is waited for, in milliseconds. */
const PATIENCE = 20_000;

/** One `help` of somebody else: when its acknowledgement and its answer came, in milliseconds after it was sent. */
interface Help {
  acknowledged: number;
  answered: number;
  /** 503, a connection that was closed, a sentence that it was not begun. */
  isRefused: boolean;
}

/** A way for commands to reach the bot. The promise is kept when it is acknowledged: with a status. */
interface Way {
  name: string;
  type(command: TypedCommand): Promise<string>;
  /** Whether the member's commands come this way by themselves: else they are sent by Slack. */
  flood(perSecond: number): () => number;
}

/** What others notice while one member types at full speed and strangers fill all connections, over HTTP and Socket Mode. */
export async function flood(seconds: number): Promise<Report> {
  const report: Report = {
    title: `One member with ${PER_SECOND} commands a second, ${STRANGERS} connections of strangers, and others’ help`,
    columns: [
      'over',
      'phase',
      'helps',
      'refused',
      'ack p50 ms',
      'p99',
      'answer p50 ms',
      'p99',
      'bot CPU',
      'RSS MB',
      'member/s',
    ],
    rows: [],
    notes: [
      `Quiet is ${seconds / 2} s before and after, flooded ${seconds} s. Each of ${HELPS} helps a second comes over a connection of its own (HTTP).`,
      `Cold is a flood of ${COLD} s before, ${COLD} s after the start: V8 compiles what it has to do. It is shown, and not judged.`,
      'A third of the strangers says nothing, a third a byte a second, a third withholds the last byte (66 of them of 1 MB);',
      'whoever is closed comes again a second later. The load is a process of its own on the same machine.',
    ],
    verdicts: [],
  };
  for (const mode of ['HTTP', 'Socket Mode'] as const) await measure(mode, seconds, report);
  return report;
}

async function measure(mode: 'HTTP' | 'Socket Mode', seconds: number, report: Report): Promise<void> {
  const slack = await startSlackStandIn();
  const socket = createSocketWay(slack);
  const bot = await startChild<object, ServerState>('./server.ts', [
    'edgewise',
    String(slack.port),
    mode === 'HTTP' ? 'http' : 'socket',
  ]);
  const load = await startChild<FloodQuestion, FloodState>('./flood-load.ts');
  const rank = standBack(load.pid);
  const way = mode === 'HTTP' ? createHttpWay(bot.first.port) : socket;
  const responseUrl = `http://127.0.0.1:${slack.port}/response`;
  try {
    const floodFor = async (name: string, long: number) => {
      const strangers = { port: bot.first.port, secret: SIGNING_SECRET, responseUrl, strangers: STRANGERS };
      await load.ask({ flood: { ...strangers, perSecond: mode === 'HTTP' ? PER_SECOND : 0 } });
      const endFlood = way.flood(PER_SECOND);
      const helps = await ask(way, slack, name, long);
      const came = endFlood();
      const end = await bot.ask({});
      return { helps, came, end, ...(await load.ask({})) };
    };
    await ask(way, slack, 'warm', COLD);
    const cold = await floodFor('cold', COLD);
    await ask(way, slack, 'rest', REST);
    const before = await ask(way, slack, 'before', seconds / 2);
    const start = await bot.ask({});
    const { helps: during, came, end, statuses, open, opened } = await floodFor('flooded', seconds);
    const after = await ask(way, slack, 'after', seconds / 2);
    const quiet = [...before, ...after];
    const acknowledged = mode === 'HTTP' ? (statuses['200'] ?? 0) : came;
    const cpu = `${Math.round((end.cpu - start.cpu) / seconds / 1e4)} %`;
    report.rows.push(
      rowOf(mode, 'cold', cold.helps, ['', (cold.end.rss / 1e6).toFixed(0), '']),
      rowOf(mode, 'quiet', quiet, ['', (start.rss / 1e6).toFixed(0), '']),
      rowOf(mode, 'flooded', during, [cpu, (end.rss / 1e6).toFixed(0), (acknowledged / seconds).toFixed(0)]),
    );
    report.notes.push(
      `${mode}: the load ran ${rank}; ${open} connections of strangers at the end, ${opened} opened; the member: ${JSON.stringify(statuses)}, ${came} over Socket Mode.`,
    );
    report.verdicts.push(...verdictsOf(mode, quiet, during));
  } finally {
    await Promise.all([load.end(), bot.end()]);
    socket.close();
    slack.close();
  }
}

/**
 * Strangers have machines of their own: theirs must not take the processor from the bot. Lets the process run only while nobody
 * else wants to, where the system can (`chrt` of util-linux), and says in words how it runs.
 */
function standBack(pid: number): string {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const { status } = spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)], { stdio: 'ignore' });
  return status === 0 ? 'when the processor was idle' : 'with the least priority';
}

function rowOf(mode: string, phase: string, helps: readonly Help[], rest: string[]): string[] {
  const [acks, answers] = [helps.map((one) => one.acknowledged), helps.map((one) => one.answered)];
  const figures = [acks, answers].flatMap((all) => [0.5, 0.99].map((share) => percentileOf(all, share).toFixed(1)));
  return [mode, phase, String(helps.length), String(refusedOf(helps)), ...figures, ...rest];
}

const refusedOf = (helps: readonly Help[]) => helps.filter(({ isRefused }) => isRefused).length;

function verdictsOf(mode: string, quiet: readonly Help[], flooded: readonly Help[]): Report['verdicts'] {
  const ratios = (['acknowledged', 'answered'] as const).flatMap((what) =>
    [0.5, 0.99].map((share) => {
      const of = (helps: readonly Help[]) =>
        percentileOf(
          helps.map((one) => one[what]),
          share,
        );
      const ratio = of(flooded) / of(quiet);
      return {
        holds: ratio <= WANTED,
        text: `over ${mode} help is ${what} within ${ratio.toFixed(2)} times what it takes without (p${share * 100}; wanted: ${WANTED})`,
      };
    }),
  );
  const refused = refusedOf(flooded);
  return [{ holds: refused === 0, text: `over ${mode} ${refused} of ${flooded.length} helps were refused` }, ...ratios];
}

/** Others ask for help at a steady pace, whether the last ones were answered or not. */
async function ask(way: Way, slack: SlackStandIn, name: string, seconds: number): Promise<Help[]> {
  const asked: Promise<Help>[] = [];
  const began = performance.now();
  for (let index = 0; index < seconds * HELPS; index += 1) {
    const wait = began + (index * 1_000) / HELPS - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    asked.push(help(way, slack, `${name}-${index}`, index));
  }
  return Promise.all(asked);
}

async function help(way: Way, slack: SlackStandIn, name: string, index: number): Promise<Help> {
  const path = `/response/${name}`;
  const responseUrl = `http://127.0.0.1:${slack.port}${path}`;
  const userId = `U0BENCH${String(index % PEOPLE).padStart(4, '0')}`;
  const sentAt = performance.now();
  const status = await way.type({ text: 'help', userId, responseUrl, triggerId: name }).catch(String);
  const acknowledged = performance.now() - sentAt;
  while (status === '200' && slack.heard.get(path) === undefined && performance.now() - sentAt < PATIENCE)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const answer = slack.heard.get(path);
  return {
    acknowledged,
    answered: (answer?.at ?? performance.now()) - sentAt,
    isRefused: answer === undefined || answer.text.includes('not begun'),
  };
}

/** Each command on a connection of its own. */
const createHttpWay = (port: number): Way => ({
  name: 'HTTP',
  type: (command) =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let answer = '';
      socket.on('connect', () => socket.write(signedRequest(command, { port, secret: SIGNING_SECRET })));
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('closed')));
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
        const status = statusOf(answer);
        if (status === undefined) return;
        resolve(status);
        socket.destroy();
      });
    }),
  flood: () => () => 0,
});

/** Slack's side of Socket Mode: payloads go over any of the connections in turn. */
function createSocketWay(slack: SlackStandIn): Way & { close(): void } {
  const sockets = new WebSocketServer({ server: slack.server });
  const lines = new Set<WebSocket>();
  const waiting = new Map<string, (status: string) => void>();
  let sent = 0;
  sockets.on('connection', (line) => {
    lines.add(line);
    line.on('close', () => lines.delete(line));
    line.on('message', (data) => {
      const { envelope_id: id } = JSON.parse(String(data)) as { envelope_id: string };
      waiting.get(id)?.('200');
      waiting.delete(id);
    });
    line.send(
      JSON.stringify({
        type: 'hello',
        debug_info: { host: 'applink-bench', approximate_connection_time: 18_060 },
      }),
    );
  });
  const type = (command: TypedCommand) => {
    const id = `${sent++}`;
    const open = [...lines];
    open[sent % open.length]?.send(
      JSON.stringify({
        type: 'slash_commands',
        envelope_id: id,
        payload: fieldsOf(command),
        accepts_response_payload: true,
      }),
    );
    return new Promise<string>((resolve) => waiting.set(id, resolve));
  };
  return {
    name: 'Socket Mode',
    type,
    flood(perSecond) {
      const began = performance.now();
      let [typed, acknowledged] = [0, 0];
      const typing = setInterval(() => {
        for (const due = ((performance.now() - began) / 1_000) * perSecond; typed < due; typed += 1) {
          const responseUrl = `http://127.0.0.1:${slack.port}/response/flood`;
          const command = { text: 'help', userId: 'U0BENCHBEN1', responseUrl, triggerId: `flood.${began}.${typed}` };
          void type(command).then(() => {
            acknowledged += 1;
          });
        }
      }, 5);
      return () => {
        clearInterval(typing);
        return acknowledged;
      };
    },
    close: () => sockets.close(),
  };
}
