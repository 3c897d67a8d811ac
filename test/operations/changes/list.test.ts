import { expect, it } from 'vitest';
import type { ReadTimeLine } from '../../../src/changed.ts';
import { listChanges } from '../../../src/operations/changes/list.ts';
import { blockText, contextOf, NOW } from '../performing.ts';

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

it('the list of changes does not say that nothing was changed where there are more than can be read', async () => {
  const context = { ...contextOf({ lists: {} }), timeLine: async () => ({ changes: [], isCut: true }) };
  const args = { zone: undefined, since: undefined, until: undefined };
  const said = blockText(
    listChanges.render(await listChanges.run(args, context as never), args, {
      locale: 'en-US',
      timezone: 'UTC',
      now: NOW,
    }),
  );
  expect(said).toMatch(
    /^I found no change on any zone since .*\.\nThere are more\. `--since 2h` shows a shorter time\./s,
  );
});
