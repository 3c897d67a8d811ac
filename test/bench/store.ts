import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenStore, openStore } from '../../src/store/store.ts';
import { CONFIRM } from '../support/changes.ts';
import { startSqld } from '../support/sqld.ts';
import { startTestWorkspace } from '../support/workspace.ts';
import { medianOf, percentileOf, type Report } from './figures.ts';

const ADA = { id: 'U1', teamId: 'T1' };
/** Interactions under way at once, and how long each round takes, in milliseconds. */
const AT_ONCE = 20;
const ROUND = 3_000;
const SINGLES = 300;
/** How many times as dear a whole interaction may be on a server. */
const MOST = 40;

/** One statement each, of the kinds that there are. */
const SINGLE: Record<string, (store: OpenStore, count: number) => Promise<unknown>> = {
  'a read of one row': ({ database }) => database.execute('SELECT * FROM confirmations WHERE id = :id', { id: 'none' }),
  'a write of one row': ({ database }, count) =>
    database.execute("INSERT INTO jobs (key, kind, run_at) VALUES (:key, 'stop', :now)", { key: `single-${count}` }),
};

/** The store's part of an interaction, by the same functions that the bot calls. */
const WHOLE: Record<string, (store: OpenStore, count: string) => Promise<unknown>> = {
  async 'a read'(store, count) {
    await store.jobs.add(came(`command:${count}`));
    await store.audit.append(entry(count));
  },
  async 'a change'(store, count) {
    await store.jobs.add(came(`command:${count}`));
    const { id } = await store.confirmations.create({
      operation: 'ssl force',
      given: { hostname: 'cdn.example.com@1', state: 'on' },
      target: 'cdn.example.com',
      preview: { before: { ForceSSL: false }, after: { ForceSSL: true } },
      // So many people that nobody has too many.
      actor: `U${count}`,
      team: ADA.teamId,
      channel: 'C1',
      thread: undefined,
    });
    await store.jobs.add(came(`action:${count}`));
    await store.confirmations.read(id);
    await store.confirmations.claim(id, { ...ADA, id: `U${count}` });
    await store.confirmations.send(id);
    await store.confirmations.settle(id, 'done', '');
    await store.audit.append(entry(count));
    await store.confirmations.notified(id);
  },
};

const came = (key: string) => ({ kind: 'payload', key, body: () => key });

const entry = (target: string) => ({
  actor: ADA.id,
  team: ADA.teamId,
  channel: 'C1',
  operation: 'zone show',
  target,
  given: { zone: target },
  outcome: 'done' as const,
  detail: '',
  rule: 'everybody may read',
});

/** What statements and interactions cost on a server, beside the embedded store in the same run. */
export async function store(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-bench-store-'));
  const sqld = await startSqld();
  const embedded = await openStore({ url: `file:${join(folder, 'edgewise.db')}` });
  const replicas = await Promise.all([1, 2, 3].map(() => openStore({ url: sqld.url })));
  const rows: string[][] = [];
  const verdicts: Report['verdicts'] = [];
  try {
    for (const [name, run] of Object.entries(SINGLE)) {
      const [here, there] = [await times(embedded, run), await times(replicas[0]!, run)];
      const shown = (all: number[]) => `${medianOf(all).toFixed(2)} / ${percentileOf(all, 0.99).toFixed(2)} ms`;
      rows.push([name, shown(here), shown(there), `${(medianOf(there) / medianOf(here)).toFixed(0)}×`]);
    }
    for (const [name, run] of Object.entries(WHOLE))
      for (const stores of [replicas.slice(0, 1), replicas]) {
        const [here, there] = [await perSecond([embedded], run), await perSecond(stores, run)];
        const label = `${name}, ${stores.length === 1 ? 'one process' : `${stores.length} replicas`}`;
        rows.push([
          label,
          `${here.toFixed(0)} a second`,
          `${there.toFixed(0)} a second`,
          `${(here / there).toFixed(1)}×`,
        ]);
        verdicts.push({ holds: here / there <= MOST, text: `on a server at most ${MOST} times dearer: ${label}` });
      }
    for (const [name, count] of await statementsOf()) rows.push([`statements of ${name}`, '', `${count}`, '']);
  } finally {
    for (const one of [embedded, ...replicas]) await one.close();
    await sqld.close();
    rmSync(folder, { recursive: true });
  }
  return {
    title: 'The store: embedded, and on one libSQL server (sqld) beside it',
    columns: ['what', 'embedded', 'server', 'ratio'],
    rows,
    notes: [
      `${SINGLES} statements one after the other, p50 / p99; ${AT_ONCE} interactions at once, as far as the store has to do with them.`,
    ],
    verdicts,
  };
}

async function times(on: OpenStore, run: (store: OpenStore, count: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let count = 0; count < SINGLES * 1.2; count += 1) {
    const begun = performance.now();
    await run(on, count);
    all.push(performance.now() - begun);
  }
  return all.slice(SINGLES * 0.2);
}

let rounds = 0;
async function perSecond(stores: OpenStore[], run: (typeof WHOLE)[string]): Promise<number> {
  rounds += 1;
  const begun = performance.now();
  let done = 0;
  const work = async (_: unknown, index: number) => {
    while (performance.now() - begun < ROUND) {
      done += 1;
      await run(stores[index % stores.length]!, `${rounds}-${done}`);
      // An embedded store answers at once: others get their turn.
      await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return (done * 1_000) / (performance.now() - begun);
}

/** How many statements the whole bot sends for what people do, as a server counts them. */
async function statementsOf(): Promise<[name: string, count: number][]> {
  const sqld = await startSqld();
  let count = 0;
  const counter = createServer((request, response) => {
    if (request.method === 'POST') count += 1;
    const onward = forward(new URL(request.url ?? '/', sqld.url), { method: request.method, headers: request.headers });
    onward.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)));
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => counter.listen(0, '127.0.0.1', resolve));
  const workspace = await startTestWorkspace({
    environment: { STORE_URL: `http://127.0.0.1:${(counter.address() as AddressInfo).port}` },
  });
  const ada = workspace.slack.person('ada');
  const ops = ada.in('#ops');
  const host = workspace.platform.account.zones
    .flatMap(({ Hostnames }) => Hostnames)
    .find((one) => !one.ForceSSL && one.HasCertificate && !one.IsSystemHostname)!;
  const found: [string, number][] = [];
  const counted = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    await workspace.slack.idle();
    const before = count;
    const result = await work();
    await workspace.slack.idle();
    found.push([name, count - before]);
    return result;
  };
  const asked = async (line: string, pattern: RegExp) => {
    await ops.type(line);
    return ops.expectMessage(pattern);
  };
  try {
    // What a start has to do is not counted.
    await asked('/edge zone show main-site', /main-site/);
    await counted('a read', () => asked('/edge zone show shop', /308002/));
    const preview = await counted('a preview', () => asked(`/edge ssl force ${host.Value} on`, /Force HTTPS: .*off/));
    const confirm = async () => {
      await preview.click(CONFIRM);
      await ops.expectMessage(/switched force HTTPS/);
    };
    await counted('Confirm, until it is made and told', confirm);
    await counted('a look at the Home tab', async () => {
      await ada.openHome();
      await ada.expectHome(/operates/);
    });
    return found;
  } finally {
    await workspace.close();
    counter.closeAllConnections();
    counter.close();
    await sqld.close();
  }
}
