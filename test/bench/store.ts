import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/store/store.ts';
import { startPostgres } from '../support/postgres.ts';
import { medianOf, percentileOf, type Report } from './figures.ts';

const ADA = { id: 'U1', teamId: 'T1' };
/** Interactions under way at once. */
const AT_ONCE = 20;
const SINGLES = 300;
/** How many times as dear a whole interaction may be on a server. */
const MOST = 40;

/** One statement each, of the kinds that there are. */
const SINGLE: Record<string, (store: Store, count: number) => Promise<unknown>> = {
  'a read of one row': ({ database }) => database.execute('SELECT * FROM confirmations WHERE id = :id', { id: 'none' }),
  'a write of one row': ({ database }, count) =>
    database.execute("INSERT INTO jobs (key, kind, run_at) VALUES (:key, 'stop', :now)", { key: `single-${count}` }),
};

/** The store's part of an interaction, by the same functions that the bot calls. */
const WHOLE: Record<string, (store: Store, count: string) => Promise<unknown>> = {
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

const came = (key: string) => ({ kind: 'payload', key, body: key });

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

/** What statements and interactions cost on a server, beside the embedded store in the same run; each round takes so many seconds. */
export async function store(seconds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-bench-store-'));
  const postgres = await startPostgres();
  const embedded = await openStore({ url: `file:${join(folder, 'edgewise.db')}` });
  const replicas = await Promise.all(Array.from({ length: 12 }, () => openStore({ url: postgres.url })));
  const rows: string[][] = [];
  const verdicts: Report['verdicts'] = [];
  const shown = (all: number[], digits = 2) =>
    `${medianOf(all).toFixed(digits)} / ${percentileOf(all, 0.99).toFixed(digits)} ms`;
  try {
    for (const [name, run] of Object.entries(SINGLE)) {
      const [here, there] = [await times(embedded, run), await times(replicas[0]!, run)];
      rows.push([name, shown(here), shown(there), `${(medianOf(there) / medianOf(here)).toFixed(0)}×`]);
    }
    for (const [name, run] of Object.entries(WHOLE))
      for (const stores of [replicas.slice(0, 1), replicas.slice(0, 3), replicas]) {
        const [here, there] = [await round(seconds, [embedded], run), await round(seconds, stores, run)];
        const label = `${name}, ${stores.length === 1 ? 'one process' : `${stores.length} replicas`}`;
        const cells = [here, there].map((all) => `${(all.length / seconds).toFixed(0)} a second, ${shown(all, 0)}`);
        const ratio = here.length / there.length;
        rows.push([label, ...cells, `${ratio.toFixed(1)}×`]);
        verdicts.push({ holds: ratio <= MOST, text: `on a server at most ${MOST} times dearer: ${label}` });
      }
  } finally {
    for (const one of [embedded, ...replicas]) await one.close();
    await postgres.close();
    rmSync(folder, { recursive: true });
  }
  return {
    title: 'The store: embedded, and on one PostgreSQL server beside it',
    columns: ['what', 'embedded', 'server', 'ratio'],
    rows,
    notes: [
      `p50 / p99 of ${SINGLES} statements one after the other, and of interactions of which ${AT_ONCE} are under way at once, for ${seconds} s, as far as the store has to do with them.`,
    ],
    verdicts,
  };
}

async function times(on: Store, run: (store: Store, count: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let count = 0; count < SINGLES * 1.2; count += 1) {
    const begun = performance.now();
    await run(on, count);
    all.push(performance.now() - begun);
  }
  return all.slice(SINGLES * 0.2);
}

let rounds = 0;
/** How long each interaction took, in milliseconds. */
async function round(seconds: number, stores: Store[], run: (typeof WHOLE)[string]): Promise<number[]> {
  rounds += 1;
  const begun = performance.now();
  const all: number[] = [];
  let started = 0;
  const work = async (_: unknown, index: number) => {
    while (performance.now() - begun < seconds * 1_000) {
      const from = performance.now();
      started += 1;
      await run(stores[index % stores.length]!, `${rounds}-${started}`);
      all.push(performance.now() - from);
      // An embedded store answers at once: others get their turn.
      await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return all;
}
