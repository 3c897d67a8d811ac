import { expect, it } from 'vitest';
import type { ReadTimeLine } from '../../../src/changed.ts';
import { listChanges } from '../../../src/operations/changes/list.ts';
import { contextOf, NOW } from '../performing.ts';

it('the list of changes until a moment is of the day before it, as that of the log is', async () => {
  const asked: Parameters<ReadTimeLine>[0][] = [];
  const context = {
    ...contextOf({ lists: {} }),
    timeLine: async (query: Parameters<ReadTimeLine>[0]) => {
      asked.push(query);
      return { changes: [], isCut: false };
    },
  };
  const instant = new Date('2026-11-19T08:00:00Z');
  const until = { text: '2026-11-19T08:00', instant, end: instant };
  await listChanges.run({ zone: undefined, since: undefined, until }, context as never);
  expect(asked).toEqual([{ zone: undefined, from: new Date('2026-11-18T08:00:00Z'), to: instant }]);
  const later = { ...until, end: new Date(NOW.getTime() + 3_600_000) };
  await listChanges.run({ zone: undefined, since: undefined, until: later }, context as never);
  expect(asked[1]?.from).toEqual(new Date('2026-11-20T12:00:00Z'));
});
