/**
 * `npm run check -- replicas [--minutes 5]`: three bots as processes of their own on one PostgreSQL server, killed (SIGKILL) at
 * random, behind a Slack that is slow and loses answers. At the end every minute has exactly one message a subscription.
 */

import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBotProcess, freePort } from '../playground/launcher/bot-process.ts';
import { startPlatformSimulator } from '../playground/platform/simulator.ts';
import { startSlackEmulator } from '../playground/slack/emulator.ts';
import { slotKey } from '../src/delivery/deliver.ts';
import { nextSlotOf } from '../src/delivery/scheduler.ts';
import { openDatabase } from '../src/store/open-database.ts';
import { createSubscriptions } from '../src/store/subscriptions.ts';
import { MINUTE } from '../src/time.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { PLAIN } from '../test/support/subscription.ts';

const REPLICAS = 3;
const CHANNELS = ['ops', 'releases', 'reports-1', 'reports-2'];
/** After the last kill, so long what was begun may take: a lease, what is waited before looking, a tick. */
const SETTLING = 4 * 60_000;

const { values } = parseArgs({ options: { minutes: { type: 'string' } } });
const minutes = Number(values.minutes ?? 5);

const simulator = await startPlatformSimulator();
const slack = await startSlackEmulator({ workspace: { channels: [{ name: 'reports-1' }, { name: 'reports-2' }] } });

/** Hands everything on to the emulator; posts take a while, and of some the answer is lost. */
let lost = 0;
const proxy = createServer((request, response) => {
  void forward(request).then(async (answer) => {
    if (request.url?.endsWith('chat.postMessage') === true) {
      await pause(Math.random() * 3_000);
      if (Math.random() < 0.15) {
        lost += 1;
        request.socket.destroy();
        return;
      }
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.body);
  });
});
async function forward(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => ['authorization', 'content-type', 'user-agent'].includes(name)),
  ) as Record<string, string>;
  const answer = await fetch(new URL(request.url ?? '/', slack.url), {
    method: request.method ?? 'POST',
    headers,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const kept = [...answer.headers].filter(([name]) => ['content-type', 'retry-after'].includes(name));
  return { status: answer.status, headers: kept, body: Buffer.from(await answer.arrayBuffer()) };
}
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const slackUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/`;

const server = await startPostgres();
// The machine may be busy with all this.
const database = await openDatabase({ url: server.url, patience: { statement: 30_000 } });
const subscriptions = createSubscriptions(database);
const owner = slack.person('ada').id;
for (const name of CHANNELS) {
  const settings = {
    ...PLAIN,
    report: 'daily-statistics',
    channel: slack.workspace.channel(name).id,
    schedule: 'every minute',
    cron: '* * * * *',
    timezone: 'Europe/Berlin',
    thresholds: { mostZones: 3 },
    owner,
    team: slack.workspace.team.id,
  };
  await subscriptions.add(settings, nextSlotOf(settings));
}

const folder = mkdtempSync(join(tmpdir(), 'edgewise-replicas-'));
const bots = await Promise.all(
  Array.from({ length: REPLICAS }, async (_, index) =>
    createBotProcess({
      port: await freePort(),
      logFile: join(folder, `replica-${index + 1}.log`),
      onExit: (reason) => console.log(`replica ${index + 1} ${reason}`),
      environment: {
        ...simulator.environment,
        ...slack.environment,
        SLACK_API_URL: slackUrl,
        STORE_URL: server.url,
        EDGEWISE_ADMINS: owner,
        LOG_LEVEL: 'info',
      },
    }),
  ),
);
console.log(`logs: ${folder}`);
await Promise.all(bots.map((bot) => bot.start()));

const begun = Date.now();
let kills = 0;
while (Date.now() < begun + minutes * 60_000) {
  await pause(3_000 + Math.random() * 9_000);
  const bot = bots[Math.floor(Math.random() * bots.length)]!;
  // Mostly in the seconds in which messages are on their way.
  await pause((60_000 + Math.random() * 8_000 - (Date.now() % 60_000)) % 20_000);
  await bot.kill();
  kills += 1;
  await pause(Math.random() * 4_000);
  await bot.start();
}
console.log(`${kills} kills; waiting until everything has settled …`);
const killed = Date.now();
const behind = async () =>
  (await subscriptions.list()).filter(({ slotsUntil }) => slotsUntil.getTime() < killed).map(({ id }) => id);
while ((await behind()).length > 0 && Date.now() < killed + SETTLING) await pause(1_000);
// No slot comes any more, so that in the end none is half done.
await database.execute('UPDATE subscriptions SET next_slot = NULL');
await pause(SETTLING);
await Promise.all(bots.map((bot) => bot.stop()));

const counts = new Map<string, number>();
for (const message of [...slack.workspace.messages.values()].flat()) {
  const slot = (message.metadata as { event_payload?: { slot?: string } } | undefined)?.event_payload?.slot;
  if (slot !== undefined) counts.set(slot, (counts.get(slot) ?? 0) + 1);
}
const { rows } = await database.execute('SELECT * FROM report_ledger ORDER BY subscription, slot');
const kinds: Record<string, number> = {};
const faults: string[] = [];
let taken = 0;
for (const row of rows) {
  const key = slotKey({ subscription: Number(row.subscription), slot: new Date(Number(row.slot)) });
  const messages = counts.get(key) ?? 0;
  kinds[String(row.state)] = (kinds[String(row.state)] ?? 0) + 1;
  if (Number(row.epoch) > 1) taken += 1;
  const wanted = row.state === 'posted' ? 1 : 0;
  if (!['posted', 'folded'].includes(String(row.state)) || messages !== wanted)
    faults.push(`${key} ${row.state}: ${messages} messages`);
  counts.delete(key);
}
// What is left are the replies below the messages.
for (const [key, messages] of counts)
  if (messages > 1 || !key.endsWith('Z:details')) faults.push(`${key}: ${messages} messages`);
for (const id of await behind()) faults.push(`the slots of subscription ${id} stopped before the last kill`);
const known = new Set(rows.map(({ subscription, slot }) => `${subscription}:${slot}`));
for (const { id, createdAt, slotsUntil } of await subscriptions.list())
  for (let slot = Math.floor(createdAt.getTime() / MINUTE + 1) * MINUTE; slot <= slotsUntil.getTime(); slot += MINUTE)
    if (!known.has(`${id}:${slot}`)) faults.push(`${slotKey({ subscription: id, slot: new Date(slot) })} was missed`);
if (kinds.posted === undefined) faults.push('nothing was posted, so this run shows nothing');
const found = rows.filter((row) => row.state === 'posted' && row.covers_from === null).length;
console.log(
  `${rows.length} slots of ${CHANNELS.length} subscriptions, ${REPLICAS} processes, ${kills} kills, ${lost} lost answers: ` +
    `${JSON.stringify(kinds)}; ${taken} taken over, ${found} of them recognised in Slack; ${faults.length} faults.`,
);
for (const fault of faults) console.log(`  ${fault}`);
await database.close();
await server.close();
proxy.close();
await Promise.all([slack.close(), simulator.close()]);
process.exit(faults.length === 0 ? 0 : 1);
