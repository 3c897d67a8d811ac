import { expect, it } from 'vitest';
import { dismissIncident } from '../../../src/operations/report/dismiss.ts';
import { blockText, contextOf, NOW } from '../performing.ts';

it('a dismissed incident is named where everybody reads that it was dismissed', async () => {
  const dismissed: unknown[] = [];
  const reports = {
    incident: async () => [
      { zone: '1', name: 'shop', words: 'shop: 502', since: NOW, share: 0.41 },
      { zone: '1', name: 'shop', words: 'shop: 504', since: NOW, share: 0.41 },
      { zone: '2', words: 'api: no requests', since: NOW, measure: 'traffic' },
    ],
    dismiss: async (...given: unknown[]) => dismissed.push(given),
  };
  const args = { subscription: { id: 3 }, only: { Id: 7 } } as never;
  const context = { ...contextOf(), reports } as never;
  const said = dismissIncident.render(await dismissIncident.run(args, context), args, {
    ...{ locale: 'en-US', timezone: 'UTC', now: NOW },
  });
  expect(blockText(said)).toMatch(
    /^• api: no requests\n• shop: 502\n• shop: 504\nI’ll alert again if it gets 50% worse\./,
  );
  const preview = await dismissIncident.preview!(args, context);
  expect(preview.details?.text).toMatch(
    /^🔴 shop: 502; 504, 41% of requests fail, since [^\n]*\n🔴 api: no requests, since [^\n]*$/u,
  );
  expect(dismissed).toEqual([[3, expect.any(String), '7']]);
});
