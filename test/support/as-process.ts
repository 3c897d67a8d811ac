import type { Connection, Database, Self } from '../../src/store/database.ts';
import { withSelf } from '../../src/store/jobs.ts';

/** The same store, as another process uses it. */
export function asProcess(database: Database, self: Self): Database {
  const own = ({ execute, together }: Pick<Connection, 'execute' | 'together'>) => ({
    execute: (...[sql, args]: Parameters<Connection['execute']>) => execute(withSelf(sql, self), args),
    together: (all: Parameters<Connection['together']>[0]) =>
      together(all.map((one) => ({ ...one, sql: withSelf(one.sql, self) }))),
  });
  return {
    ...{ ...database, self },
    ...own(database),
    inTurn: (key, work) => database.inTurn(key, (alone) => work(own(alone))),
  };
}
