import { createHmac } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { SubscriptionSettings } from '../../src/store/subscriptions.ts';
import { startChild } from './child.ts';
import { percentileOf, type Report } from './figures.ts';
import type { PlatformState } from './reports-platform.ts';
import type { ReportsQuestion, ReportsSetting, ReportsState } from './reports-server.ts';
import { SIGNING_SECRET } from './signing-secret.ts';

const ZONES = 500;
/** Subscriptions that share one channel, where Slack lets one message a second through, and those with one of their own. */
const TOGETHER = 40;
const ALONE = 60;
/** Interactive commands are answered within, in milliseconds. */
const WANTED = 300;
/** All reports but the one on all zones are posted within what Slack's limit takes and so much for making them, in milliseconds. */
const MAKING = 20_000;
/** Requests a zone and ten seconds that the platform's logging service takes. */
const PLATFORM_LIMIT = 30;
const COMMANDS = ['help', 'status', 'zone show shop', 'can-i ssl force'];
const LONGEST = 240_000;
const PATIENCE = 10_000;

interface Posted {
  channel: string;
  slot: string;
  at: number;
}

/** Messages that Slack lets pass at once before it counts one a second. */
const BURST = 2;

/** As much of Slack as reports need, with its limit of one message a second and channel; its clock is the bot's, so far ahead (ms). */
async function startSlack(ahead: number) {
  const posts: Posted[] = [];
  const buckets = new Map<string, { tokens: number; at: number }>();
  const answers = new Map<string, (at: number) => void>();
  let refusals = 0;
  let replies = 0;
  const server = createServer((request, response) => {
    response.setHeader('date', new Date(Date.now() + ahead).toUTCString());
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = performance.now();
      const path = request.url ?? '';
      if (path.startsWith('/response/')) {
        answers.get(path.slice('/response/'.length))?.(at);
        response.writeHead(200).end('ok');
        return;
      }
      const fields = new URLSearchParams(Buffer.concat(chunks).toString());
      if (path === '/api/chat.postMessage') post(fields, at, response);
      else answer(response, 200, METHODS[path] ?? { ok: false, error: 'unknown_method' });
    });
  });
  function post(fields: URLSearchParams, at: number, response: ServerResponse): void {
    const channel = fields.get('channel') ?? '';
    const bucket = buckets.get(channel) ?? { tokens: BURST, at };
    const tokens = Math.min(BURST, bucket.tokens + (at - bucket.at) / 1000);
    buckets.set(channel, { tokens: tokens < 1 ? tokens : tokens - 1, at });
    if (tokens < 1) {
      refusals += 1;
      answer(response, 429, { ok: false, error: 'ratelimited' }, { 'retry-after': '1' });
      return;
    }
    const metadata = JSON.parse(fields.get('metadata') ?? '{}') as { event_payload?: { slot?: string } };
    // Its tables follow in the thread.
    if (!fields.has('thread_ts')) posts.push({ channel, slot: metadata.event_payload?.slot ?? '', at });
    else replies += 1;
    answer(response, 200, {
      ok: true,
      channel,
      ts: `${Math.floor(Date.now() / 1000)}.${String(posts.length + replies).padStart(6, '0')}`,
    });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    posts,
    answers,
    refusals: () => refusals,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const METHODS: Record<string, object> = {
  '/api/auth.test': { ok: true, team_id: 'T0BENCH0001', user_id: 'U0BENCH0BOT', bot_id: 'B0BENCH0001' },
  '/api/users.info': {
    ok: true,
    user: { id: 'U0BENCH0001', team_id: 'T0BENCH0001', name: 'ada', locale: 'en-US', tz: 'Europe/Berlin' },
  },
  '/api/conversations.open': { ok: true, channel: { id: 'D0BENCH0001' } },
  '/api/conversations.info': { ok: true, channel: { name: 'reports', is_member: true } },
};

function subscriptionsOf(): SubscriptionSettings[] {
  const common = {
    schedule: 'daily at 9:00',
    cron: '0 9 * * *',
    timezone: 'UTC',
    locale: 'en-US',
    include: [],
    exclude: [],
    team: 'T0BENCH0001',
  };
  const daily = (index: number, channel: string): SubscriptionSettings => ({
    ...common,
    report: 'daily-statistics',
    channel,
    // Each has zones of its own, so that none can be had from another one's figures.
    targets: Array.from({ length: 4 }, (_, at) => `zone-${20 + index * 4 + at}`),
    thresholds: {},
    // Nobody may have more than fifty.
    owner: index % 2 === 0 ? 'U0BENCH0001' : 'U0BENCH0002',
  });
  const owner = 'U0BENCH0003';
  return [
    // The long one comes first: the others must not wait for it.
    {
      ...common,
      owner,
      report: 'daily-statistics',
      channel: 'CALLZONES01',
      targets: [],
      thresholds: { mostZones: ZONES },
    },
    {
      ...common,
      owner,
      report: 'error-summary',
      channel: 'CALLERRORS1',
      targets: [],
      thresholds: { mostZones: ZONES },
    },
    ...Array.from({ length: TOGETHER }, (_, index) => daily(index, 'CTOGETHER01')),
    ...Array.from({ length: ALONE - 2 }, (_, index) =>
      daily(TOGETHER + index, `CALONE${String(index).padStart(5, '0')}`),
    ),
  ];
}

/** Types commands one after another for so long as it should, and says how long each answer took. */
async function typing(
  port: number,
  slack: Awaited<ReturnType<typeof startSlack>>,
  ahead: number,
  goesOn: () => boolean,
): Promise<{ command: string; took: number }[]> {
  const results: { command: string; took: number }[] = [];
  for (let index = 0; goesOn(); index += 1) {
    const command = COMMANDS[index % COMMANDS.length]!;
    const name = `${performance.now()}-${index}`;
    const start = performance.now();
    const answered = new Promise<number>((resolve) => slack.answers.set(name, resolve));
    const body = new URLSearchParams({
      team_id: 'T0BENCH0001',
      channel_id: 'C0BENCH0001',
      user_id: `U0BENCH${String(index % 500).padStart(4, '0')}`,
      command: '/edge',
      text: command,
      response_url: `http://127.0.0.1:${slack.port}/response/${name}`,
      trigger_id: `${name}.trigger`,
    }).toString();
    const timestamp = String(Math.floor((Date.now() + ahead) / 1000));
    await fetch(`http://127.0.0.1:${port}/slack/events`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex')}`,
      },
      body,
    });
    // What is not answered at all counts as having taken that long.
    const at = await Promise.race([answered, pause(PATIENCE, Number.POSITIVE_INFINITY, { ref: false })]);
    results.push({ command, took: Math.min(at - start, PATIENCE) });
    await pause(100);
  }
  return results;
}

/** A report on five hundred zones and a hundred subscriptions, all due at nine, and somebody who types meanwhile. */
export async function reports(): Promise<Report> {
  const due = Date.parse('2026-11-20T09:00:00Z');
  const ahead = due - Date.now();
  const platform = await startChild<object, PlatformState>('./reports-platform.ts', [String(ahead)]);
  const slack = await startSlack(ahead - 60_000);
  const subscriptions = subscriptionsOf();
  const setting: ReportsSetting = {
    environment: {
      ...platform.first.environment,
      SLACK_BOT_TOKEN: 'xoxb-bench-token',
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: `http://127.0.0.1:${slack.port}/api`,
      EDGEWISE_ADMINS: 'U0BENCH0001,U0BENCH0002,U0BENCH0003',
    },
    subscriptions,
    // What starts is a minute before nine, so that nothing is due yet.
    ahead: ahead - 60_000,
    subscribedAt: due - 3_600_000,
  };
  const child = await startChild<ReportsQuestion, ReportsState>('./reports-server.ts', [JSON.stringify(setting)]);
  try {
    const { port } = child.first;
    const calmUntil = performance.now() + 4_000;
    const calm = await typing(port, slack, setting.ahead, () => performance.now() < calmUntil);
    // By the bot's clock it is nine now.
    await pause(Math.max(0, due - (Date.now() + setting.ahead)));
    const start = performance.now();
    await child.ask({ kind: 'tick' });
    let doneAfter: number | undefined;
    const looking = setInterval(() => {
      void child.ask({ kind: 'state' }).then(({ done }) => {
        if (done) doneAfter ??= performance.now() - start;
      });
    }, 500);
    const isDone = () => doneAfter !== undefined || performance.now() - start > LONGEST;
    const busy = await typing(port, slack, setting.ahead, () => !isDone());
    clearInterval(looking);
    const took = (posts: readonly Posted[]) => Math.max(...posts.map(({ at }) => at - start));
    const all = slack.posts.filter(({ channel }) => channel === 'CALLZONES01');
    const together = slack.posts.filter(({ channel }) => channel === 'CTOGETHER01');
    const alone = slack.posts.filter(({ channel }) => channel.startsWith('CALONE'));
    const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
    const row = (name: string, posts: readonly Posted[], wanted: number, least: number) => [
      name,
      `${posts.length}/${wanted}`,
      seconds(least),
      posts.length === 0 ? '–' : seconds(Math.min(...posts.map(({ at }) => at - start))),
      posts.length === 0 ? '–' : seconds(took(posts)),
    ];
    const latency = (results: readonly { took: number }[]) =>
      [0.5, 0.99, 1]
        .map((share) =>
          percentileOf(
            results.map((one) => one.took),
            share,
          ).toFixed(0),
        )
        .join(' / ');
    // Each has its tables in its thread.
    const limit = (2 * TOGETHER - 1) * 1_000;
    const slowest = [...busy].sort((a, b) => b.took - a.took)[0];
    const asked = await platform.ask({});
    const { held } = await child.ask({ kind: 'state' });
    const rest = [...together, ...alone];
    return {
      title: `Reports: ${subscriptions.length} subscriptions due at the same moment, two of them on ${ZONES} zones`,
      columns: ['subscriptions', 'posted', 'Slack’s limit takes s', 'first after s', 'last after s'],
      rows: [
        row(`${TOGETHER} in one channel`, together, TOGETHER, limit),
        row(`${ALONE - 2} in channels of their own`, alone, ALONE - 2, 0),
        row(`daily statistics on ${ZONES} zones`, all.slice(0, 1), 1, 0),
      ],
      notes: [
        `Commands typed meanwhile: ${busy.length}, answered after ${latency(busy)} ms (p50 / p99 / most); before it ${latency(calm)} ms.`,
        ...(slowest === undefined ? [] : [`The slowest was “${slowest.command}”.`]),
        `The bot’s main thread was held ${held.toFixed(0)} ms at most. The platform got ${asked.requests} requests; it, Slack and the one who types share the machine with the bot.`,
      ],
      verdicts: [
        {
          // The error summary posts only when something is new.
          holds:
            doneAfter !== undefined &&
            rest.length === subscriptions.length - 2 &&
            all.length > 0 &&
            took(rest) <= limit + MAKING,
          text: `everything was posted after ${doneAfter === undefined ? 'too long' : `${seconds(doneAfter)} s, with an error summary on ${ZONES} zones`}, and what is not about ${ZONES} zones within ${seconds(took(rest))} s (wanted: ${seconds(limit + MAKING)})`,
        },
        {
          holds: new Set(slack.posts.map(({ slot }) => slot)).size === slack.posts.length,
          text: 'each slot once',
        },
        { holds: slack.refusals() === 0, text: `Slack refused ${slack.refusals()} posts as too early (wanted: 0)` },
        {
          holds:
            percentileOf(
              busy.map((one) => one.took),
              0.99,
            ) < WANTED,
          text: `commands were answered after ${percentileOf(
            busy.map((one) => one.took),
            0.99,
          ).toFixed(0)} ms at the 99th percentile (wanted: ${WANTED})`,
        },
        {
          holds: asked.busiest <= PLATFORM_LIMIT && asked.refused === 0,
          text: `a zone’s logs got ${asked.busiest} requests in ten seconds at most (wanted: ${PLATFORM_LIMIT}), ${asked.refused} were refused`,
        },
      ],
    };
  } finally {
    await child.end();
    slack.close();
    await platform.end();
  }
}
