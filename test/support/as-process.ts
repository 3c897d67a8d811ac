import type { Connection, Database, Self } from '../../src/store/database.ts';

/** The same store, as another process uses it. */
export function asProcess(database: Database, self: Self): Database {
  const process = self.id;
  const own = ({ execute, together }: Pick<Connection, 'execute' | 'together'>) => ({
    execute: (...[sql, args]: Parameters<Connection['execute']>) => execute(sql, { ...args, process }),
    together: (all: Parameters<Connection['together']>[0]) =>
      together(all.map((one) => ({ ...one, args: { ...one.args, process } }))),
  });
  return {
    ...{ ...database, self },
    ...own(database),
    inTurn: (key, work) => database.inTurn(key, (alone) => work(own(alone))),
  };
}
