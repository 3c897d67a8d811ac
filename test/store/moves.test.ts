import { afterAll, beforeAll, expect, it } from 'vitest';
import { REVERSAL_STATES, REVERSAL_TRANSITIONS, STATES, TRANSITIONS } from '../../src/changes/change.ts';
import type { Database } from '../../src/store/database.ts';
import { forced } from '../support/forced.ts';
import { type OpenStore, onEachKind } from './replicas.ts';

const TABLES = [
  { table: 'confirmations', key: 'id', states: Object.keys(STATES), transitions: Object.values(TRANSITIONS) },
  {
    table: 'reversals',
    key: 'confirmation',
    states: Object.keys(REVERSAL_STATES),
    transitions: Object.values(REVERSAL_TRANSITIONS),
  },
];
const COLUMNS: Record<string, string> = {
  confirmations: 'id, operation, given, target, preview, actor, team, channel, created_at, expires_at',
  reversals: 'confirmation, given',
};
const REST: Record<string, string> = {
  confirmations: `'ssl force', '{}', 'x', '{}', 'U1', 'T1', 'C1', 0, 0`,
  reversals: `'{}'`,
};
const insertInto = (table: string) =>
  `INSERT INTO ${table} (${COLUMNS[table]}, state) VALUES (:id, ${REST[table]}, :state)`;

onEachKind(({ prepare }) => {
  let store: OpenStore;
  let database: Database;
  beforeAll(async () => {
    store = await prepare();
    database = await store.open();
  });
  afterAll(() => store.close());
  const isTaken = (sql: string, args: Record<string, string>) =>
    database.execute(sql, args).then(
      () => true,
      (error: Error) => {
        expect(error.message).toContain('a change does not move like this');
        return false;
      },
    );

  it.each(TABLES)('takes a new row of $table only where a life begins', async ({ table, states, transitions }) => {
    const begins = transitions.filter(({ from }) => from.length === 0).map(({ to }) => to as string);
    for (const state of states) {
      const taken = await isTaken(insertInto(table), { id: `new ${state}`, state });
      expect(taken, state).toBe(begins.includes(state));
    }
  });

  it.each(TABLES)(
    'moves a row of $table by every transition of the table, and by no other',
    async ({ table, key, states, transitions }) => {
      const known = new Set(
        transitions.flatMap(({ from, to }) => (from as readonly string[]).map((one) => `${one} → ${to}`)),
      );
      const pairs = states.flatMap((from) => states.flatMap((to) => (from === to ? [] : [{ from, to }])));
      const rows = pairs.map(({ from, to }) => `('${from} → ${to}', ${REST[table]}, '${from}')`);
      await forced(database, `INSERT INTO ${table} (${COLUMNS[table]}, state) VALUES ${rows.join(', ')}`);
      const moved: string[] = [];
      for (const { from, to } of pairs) {
        const id = `${from} → ${to}`;
        if (await isTaken(`UPDATE ${table} SET state = :to WHERE ${key} = :id`, { id, to })) moved.push(id);
      }
      const changing = [...known].filter((move) => move.split(' → ')[0] !== move.split(' → ')[1]);
      expect(moved.sort()).toEqual(changing.sort());
    },
  );
});
