import { DatabaseSync } from '@photostructure/sqlite';

type Values = Record<string, string | number | null>;
type Row = Record<string, unknown>;

/** The file of a store, as somebody opens it who has the disk. */
export interface ByHand {
  execute(statement: string | { sql: string; args: Values }): Promise<{ rows: Row[] }>;
  executeMultiple(sql: string): Promise<void>;
  close(): void;
}

export function byHand(path: string): ByHand {
  const file = new DatabaseSync(path, { timeout: 10_000 });
  return {
    async execute(statement) {
      const { sql, args = {} } = typeof statement === 'string' ? { sql: statement } : statement;
      const prepared = file.prepare(sql);
      const rows = prepared.columns().length === 0 ? [] : (prepared.all(args) as Row[]);
      if (prepared.columns().length === 0) prepared.run(args);
      return { rows: rows.map((row) => ({ ...row })) };
    },
    executeMultiple: async (sql) => file.exec(sql),
    close: () => file.close(),
  };
}
