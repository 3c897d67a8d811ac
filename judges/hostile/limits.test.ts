import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../playground/slack/block-kit/limits.ts';
import { textLengthOf } from '../../playground/slack/block-kit/validate.ts';
import { operations } from '../../src/operations/index.ts';
import { reports } from '../../src/reports/index.ts';
import { hostileText } from '../../test/support/hostile-texts.ts';
import { messageComplaints, optionComplaints, readFile, viewComplaints } from './complaints.ts';
import type { Texts } from './generated-platform.ts';
import { createWholeBot, type Left, named } from './whole-bot.ts';

// Thousands of refusals are made here, and nobody reads where they come from.
Error.stackTraceLimit = 0;

/** What Slack would refuse of something that left, by the playground's own table, and what would act in it. */
function complaintsAbout({ method, body }: Left): string[] {
  const {
    view,
    text = '',
    blocks = [],
    mrkdwn,
    options = [],
  } = body as {
    view?: Parameters<typeof viewComplaints>[0];
    text?: string;
    blocks?: unknown[];
    mrkdwn?: unknown;
    options?: unknown[];
  };
  const words = (complaints: string[]) => complaints.map((complaint) => `${method}: ${complaint}`);
  if (view !== undefined) return words(viewComplaints(view));
  if (method === 'suggestions') return words(optionComplaints(options));
  if (method.startsWith('chat.')) {
    const found = messageComplaints({ text, blocks }, String(mrkdwn) === 'false');
    if (text.length > LIMITS.messageText) found.push(`a text of ${text.length}`);
    if (textLengthOf(blocks) > LIMITS.blockTextTotal) found.push(`${textLengthOf(blocks)} characters in blocks`);
    return words(found);
  }
  if (method === 'files.upload') {
    const { file, filename, title } = body as { file: Buffer; filename: string; title: string };
    const found: string[] = [];
    const content = file.toString('utf8');
    // A log of the platform's is given byte for byte.
    const shown = filename.endsWith('.log') ? { name: filename, title } : { name: filename, title, content };
    readFile(shown, (what, where) => void found.push(`${what} in ${filename}: ${where}`));
    if (file.length === 0) found.push('an empty file');
    return words(found);
  }
  if (method === 'ack') {
    const { errors = {} } = body as { errors?: Record<string, string> };
    return Object.values(errors).some((error) => error === '' || error.length > 2_000) ? ['an error for a form'] : [];
  }
  return [];
}

/** Hands them out again and again. */
const textsOf = (all: readonly string[]): Texts => {
  let next = 0;
  return { next: () => all[next++ % all.length] ?? '' };
};

describe('what leaves the bot', () => {
  const counts = new Map<string, number>();
  afterAll(() => {
    // Every way out was taken, not only those that are easy to reach.
    for (const method of [
      'chat.postMessage',
      'chat.postEphemeral',
      'chat.update',
      'views.open',
      'views.update',
      'views.publish',
      'files.upload',
      'suggestions',
      'ack',
    ])
      expect(counts.get(method), method).toBeGreaterThan(0);
    if (process.env.EDGEWISE_COUNTS !== undefined) console.log(counts);
  });

  const subject = fc.constantFrom(...operations, ...reports).map(named);

  it('is within Slack’s limits, and nothing in it acts, whatever the platform answers and people type', async () => {
    await fc.assert(
      fc.asyncProperty(
        subject,
        fc.nat(),
        fc.array(hostileText, { minLength: 5, maxLength: 40 }),
        fc.constantFrom(0, 0, 0.1),
        async (one, seed, texts, manyRows) => {
          const bot = await createWholeBot(textsOf(texts), seed, { manyRows });
          try {
            if ('collect' in one) await bot.report(one);
            else await bot.perform(one);
            await bot.rest();
            for (const { method } of bot.left) counts.set(method, (counts.get(method) ?? 0) + 1);
            expect(bot.left.flatMap(complaintsAbout)).toEqual([]);
            expect(bot.logged.filter((line) => line.includes('unexpected error'))).toEqual([]);
          } finally {
            await bot.close();
          }
        },
      ),
      { numRuns: 200, seed: 20_261_121 },
    );
  });
});
