import { expect, it } from 'vitest';
import { muteReport } from '../../../src/operations/report/mute.ts';
import { contextOf } from '../performing.ts';

it('whoever mutes a report during an incident reads that its end would not be told', async () => {
  const warningsWith = async (open?: object[]) => {
    const context = { ...contextOf(), reports: { incident: async () => open } } as never;
    const args = { subscription: { id: 3, dismissed: [] }, duration: 3_600_000 } as never;
    return (await muteReport.preview!(args, context)).warnings;
  };
  expect(await warningsWith()).toHaveLength(1);
  expect((await warningsWith([{ words: 'shop: 502' }]))?.at(-1)).toBe(
    'It would not tell the end of what it follows now: shop: 502.',
  );
});
