import type { Database } from '../../src/store/database.ts';

/** Writes what no program could: meanwhile the triggers that keep changes to their transitions are off. */
export const forced = (database: Database, ...[sql, args]: Parameters<Database['execute']>): Promise<void> =>
  database.fill([{ sql, ...(args === undefined ? {} : { args }) }]);
