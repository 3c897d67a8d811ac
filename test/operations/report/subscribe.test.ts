import { describe, expect, it } from 'vitest';
import { prepare } from '../performing.ts';

const reports = {
  all: () => [
    { name: 'error-summary', summary: 'What fails', schedule: 'hourly', thresholds: { mostPages: 5, minErrors: 15 } },
    { name: 'changes', summary: 'What changed', schedule: 'hourly', thresholds: {} },
  ],
  channel: async () => ({ id: 'C0OPS', name: '#ops' }),
  subscriptions: async () => [],
};
const previewed = async (report: string, thresholds: string) => {
  const line = `report subscribe ${report} "daily at 9:00" --thresholds ${thresholds}`;
  return (await prepare(line, { reports: reports as never, lists: { zones: [] } })).preview();
};

describe('a threshold of a subscription', () => {
  it.each(['most-pages=100', 'most-pages=1,min-errors=300', 'minErrors=50'])(
    'is a number of its report: %s',
    async (thresholds) => {
      await expect(previewed('error-summary', thresholds)).resolves.toBeDefined();
    },
  );

  it.each([
    // A report with no pages would never say anything, and one with thousands of them never end.
    ['most-pages=0', 'most-pages=0'],
    ['min-errors=50,most-pages=200', 'most-pages=200'],
    ['min-errors=0.5', 'min-errors=0.5'],
    ['most-wishes=3', 'most-wishes=3'],
  ])('that makes no sense is refused with those that have: %s', async (thresholds, wrong) => {
    await expect(previewed('error-summary', thresholds)).rejects.toMatchObject({
      message: `The report error-summary has no threshold ${wrong}.`,
      hint: 'It has most-pages from 1 to 100, min-errors from 1 to 300.',
    });
  });

  it('is refused where its report has none', async () => {
    await expect(previewed('changes', 'min-errors=3')).rejects.toMatchObject({ hint: 'It has none.' });
  });
});
