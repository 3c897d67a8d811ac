/** The tables of a store, as SQLite describes them. */
export type Shape = Record<string, { name: string; type: string; isKey: boolean }[]>;

type Row = Record<string, unknown>;

/** The rows of every table. */
export type Rows = Record<string, Row[]>;

/** A store, and what it was before. */
export interface World {
  rows: Rows;
  older: Rows[];
  shape: Shape;
}

/** A number below another one. */
export type Dice = (below: number) => number;

/** The same numbers in every run. */
export function dice(seed: number): Dice {
  let state = (seed * 0x9e3779b9) | 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const WORDS = [
  'asked',
  'approved',
  'claimed',
  'sent',
  'done',
  'undone',
  'open',
  'kept',
  'active',
  'ended',
  'due',
  'waiting',
  'rejected',
  'UADA',
  'UBEN',
  'T1',
  'C0OPS',
  'server set',
  'alarm test',
  '{}',
  '{"times":"9"}',
  '{"server":"3","power":"off"}',
  '',
];

/** Somebody who has no idea what the tables are for writes somewhere into them. */
export function edited(world: World, roll: Dice): { what: string; rows: Rows } {
  const rows = structuredClone(world.rows);
  const pick = <T>(all: readonly T[]): T => all[roll(all.length)]!;
  const table = pick(Object.keys(rows).filter((name) => rows[name]!.length > 0));
  const columns = world.shape[table]!;
  const all = rows[table]!;
  const row = pick(all);
  const before = pick(world.older);
  const at = `${table} ${String(row[columns[0]!.name])}`;
  const keyOf = (one: Row) => JSON.stringify(columns.filter(({ isKey }) => isKey).map(({ name }) => one[name]));
  switch (roll(11)) {
    case 0:
      rows[table] = all.filter((one) => one !== row);
      return { what: `${at} is deleted`, rows };
    case 1:
      rows[table] = [];
      return { what: `${table} is emptied`, rows };
    case 2: {
      const copy = { ...row };
      for (const { name, isKey, type } of columns)
        if (isKey) copy[name] = type === 'INTEGER' ? 1 + roll(60) : pick([...WORDS, 'other']);
      rows[table] = [...all.filter((one) => keyOf(one) !== keyOf(copy)), copy];
      return { what: `${at} is copied to ${keyOf(copy)}`, rows };
    }
    case 3: {
      const other = pick(all);
      for (const { name, isKey } of columns) if (!isKey) row[name] = other[name];
      return { what: `${at} gets everything of ${String(other[columns[0]!.name])}`, rows };
    }
    case 4: {
      const older = before[table]!.find((one) => keyOf(one) === keyOf(row));
      if (older !== undefined) Object.assign(row, older);
      return { what: `${at} is as it was`, rows };
    }
    case 5: {
      const gone = pick(world.older)[table]!.filter((one) => !all.some((present) => keyOf(present) === keyOf(one)));
      rows[table] = [...all, ...gone];
      return { what: `${table} has again what was deleted`, rows };
    }
    case 6:
      rows[table] = structuredClone(before[table]!);
      return { what: `${table} is as it was`, rows };
    case 7: {
      const other = pick(Object.keys(rows));
      for (const name of [table, other]) rows[name] = structuredClone(before[name]!);
      return { what: `${table} and ${other} are as they were`, rows };
    }
    default: {
      const { name, type } = pick(columns);
      row[name] = valueFor(row[name], type, pick(all)[name], roll);
      return { what: `${at} has ${name} = ${String(row[name])}`, rows };
    }
  }
}

function valueFor(value: unknown, type: string, others: unknown, roll: Dice): unknown {
  const numbers = [0, 1, 2, 9e12, Number(value ?? 0) + 1, Number(value ?? 0) - 60_000, others, null];
  if (type === 'INTEGER') return numbers[roll(numbers.length)];
  const text = String(value ?? '');
  const at = roll(text.length + 1);
  const turned = `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
  const texts = [WORDS[roll(WORDS.length)], turned, others, others, null];
  return texts[roll(texts.length)];
}
