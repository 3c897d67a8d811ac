import type { GroupMemory, KnownGroup } from '../logs/group-memory.ts';
import { DAY } from '../time.ts';
import type { Database } from './database.ts';

/** The memory of one scope. Reports on the same zones with the same filters have the same scope. */
export function createStoredGroupMemory(database: Database, scope: string, keptFor = 8 * DAY): Required<GroupMemory> {
  return {
    async recall(until) {
      const range = { scope, until: until.getTime(), since: until.getTime() - keptFor };
      const { rows } = await database.execute(
        `SELECT id, max(whole) AS whole, min(words) AS words, sum(requests) AS requests, min(first) AS first, max(last) AS last,
           count(*) AS windows, sum(length) AS looked
         FROM error_groups WHERE scope = :scope AND until <= :until AND until > :since GROUP BY id`,
        range,
      );
      const groups = rows
        .filter((row) => row.id !== '')
        .map(
          (row): KnownGroup => ({
            id: String(row.id),
            whole: Number(row.whole) === 1,
            words: String(row.words),
            requests: Number(row.requests),
            first: Number(row.first),
            last: Number(row.last),
            windows: Number(row.windows),
          }),
        );
      const looked = rows.find((row) => row.id === '');
      return { looked: Number(looked?.looked ?? 0), groups: new Map(groups.map((group) => [group.id, group])) };
    },

    async remember({ from, to }, groups) {
      const until = to.getTime();
      const kept = [...groups].sort((a, b) => b.requests - a.requests).slice(0, 200);
      const window = { id: '', whole: false, words: '', requests: 0, first: from.getTime(), last: until };
      await database.execute(
        `DELETE FROM error_groups
         WHERE scope = :scope AND ((until > :from AND until <= :until) OR until <= :until - :memory)`,
        { scope, from: from.getTime(), until, memory: keptFor },
      );
      await database.execute(
        `INSERT INTO error_groups (scope, until, id, whole, length, words, requests, first, last)
         SELECT :scope, :until, id, whole, :length, words, requests, first, last FROM
           ROWS(:seen, id TEXT, whole INTEGER, words TEXT, requests INTEGER, first INTEGER, last INTEGER) AS given WHERE 1 = 1
         ON CONFLICT (scope, until, id) DO UPDATE SET whole = excluded.whole, length = excluded.length, words = excluded.words,
           requests = excluded.requests, first = excluded.first, last = excluded.last`,
        {
          scope,
          until,
          length: until - from.getTime(),
          seen: JSON.stringify([window, ...kept].map((one) => ({ ...one, whole: Number(one.whole) }))),
        },
      );
    },
  };
}
