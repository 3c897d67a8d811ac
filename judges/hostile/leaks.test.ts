import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { reports } from '../../src/reports/index.ts';
import { Secret } from '../../src/secret.ts';
import { secretShapes, secretsLeft } from '../../test/support/secret-shapes.ts';
import type { Texts } from './generated-platform.ts';
import { createWholeBot, type Left, named } from './whole-bot.ts';

Error.stackTraceLimit = 0;

/** What is known by its value, in the ways in which somebody else might write it. */
const written: ((value: string) => string)[] = [
  (value) => value,
  (value) => JSON.stringify({ key: value }),
  (value) => JSON.stringify({ line: JSON.stringify({ key: value }) }),
  (value) => `https://api.example.com/?k=${encodeURIComponent(value)}`,
  (value) => `Error: the key ${value} is wrong at line 3`,
  (value) => `${'x'.repeat(180)}${value}`,
  (value) => `curl -u ${Buffer.from(`admin:${value}`).toString('base64')}`,
  (value) => Buffer.from(value).toString('base64url'),
  (value) => `*${value}*_${value}_`,
];

const plainValue = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._~-]{22,48}[A-Za-z0-9]$/);
/** The first half of it gives a value away. */
const coreOf = (value: string) => value.slice(0, Math.ceil(value.length / 2));
const oddValue = fc.stringMatching(/^[A-Za-z0-9][!-~]{22,40}[A-Za-z0-9]$/);

/** Every string in a value, keys too; bytes as text. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Buffer.isBuffer(value)) return [value.toString('utf8')];
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}

/** The one view that may hold tokens: those that were just made. */
const shows = ({ method, body }: Left) =>
  method === 'views.update' && JSON.stringify(body).includes('PLATFORM_DATABASE_AUTH_TOKEN=');

/** Texts that each hold something that nobody may read; what is asked of nobody else is an ordinary word now and then. */
const textsOf = (planted: readonly string[]): Texts => {
  let next = 0;
  return { next: () => planted[next++ % planted.length] ?? '' };
};

const SUBJECTS = [...operations, ...reports].map((one) => named(one));
/** Each asks the platform for something. */
const MOST_RUNS = 40;

const subject = fc.constantFrom(...operations, ...reports).map(named);

async function leaksOf(
  one: (typeof operations)[number] | (typeof reports)[number],
  seed: number,
  texts: Texts,
  settings: readonly Secret[],
  isLeaked: (text: string, left?: Left) => boolean,
) {
  const bot = await createWholeBot(texts, seed, { settings });
  try {
    if ('collect' in one) await bot.report(one);
    else await bot.perform(one);
    await bot.rest();
    const leaks = bot.left.flatMap((left) =>
      stringsIn(left.body)
        .filter((text) => isLeaked(text, left))
        .map((text) => `${left.method}: ${text.slice(0, 400)}`),
    );
    leaks.push(...bot.logged.filter((line) => isLeaked(line)).map((line) => `log: ${line.slice(0, 400)}`));
    leaks.push(...(await bot.stored()).filter((row) => isLeaked(row)).map((row) => `store: ${row.slice(0, 600)}`));
    return { leaks, left: bot.left.length };
  } finally {
    await bot.close();
  }
}

describe('secrets in every field that the platform answers', () => {
  it.each(SUBJECTS.map((one) => [one.name, one] as const))(
    'do not leave by %s, whatever their shape',
    async (_, one) => {
      const shapes = secretShapes(20_261_122);
      const left = secretsLeft(shapes);
      const dealt = new Set<string>();
      const leaks: string[] = [];
      for (let run = 0; run < MOST_RUNS && dealt.size < shapes.length; run++) {
        const before = dealt.size;
        const texts = {
          next: () => {
            const { line, name } = shapes[dealt.size % shapes.length]!;
            dealt.add(name);
            return line;
          },
        };
        const found = await leaksOf(
          one,
          run,
          texts,
          [],
          (text, out) => (out === undefined || !shows(out)) && left(text).length > 0,
        );
        leaks.push(...found.leaks.map((leak) => `${left(leak).join()}: ${leak}`));
        if (dealt.size === before) break;
      }
      expect(leaks).toEqual([]);
      expect(dealt.size, 'each shape was an answer').toBe(shapes.length);
    },
  );

  it('do not leave, when they are those of the settings, however they are written', async () => {
    await fc.assert(
      fc.asyncProperty(
        subject,
        fc.nat(),
        fc.array(fc.oneof(plainValue, plainValue, oddValue), { minLength: 1, maxLength: 4 }),
        async (one, seed, values) => {
          const texts = values.flatMap((value) =>
            (/^[\w.~-]+$/.test(value) ? written : written.slice(0, 5)).map((write) => write(value)),
          );
          const { leaks } = await leaksOf(
            one,
            seed,
            textsOf(texts),
            values.map((value) => Secret.of(value)),
            (text) =>
              values.some(
                (value) =>
                  [coreOf(value), value].some((part) => text.includes(/^[\w.~-]+$/.test(value) ? part : value)) ||
                  text.includes(Buffer.from(value).toString('base64url').slice(0, 20)),
              ),
          );
          expect(leaks).toEqual([]);
        },
      ),
      { numRuns: 80, seed: 20_261_122 },
    );
  });

  it('do not leave, when the platform has listed them as keys or made them as tokens', async () => {
    const minting = operations.filter(({ name }) => /^(key|token|database) /.test(name));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...minting).map(named),
        fc.nat(),
        fc.array(plainValue, { minLength: 2, maxLength: 6 }),
        async (one, seed, values) => {
          let next = 0;
          const learnt = new Set<string>();
          const texts = { next: () => values[next++ % values.length] ?? '' };
          const bot = await createWholeBot(texts, seed, { onLearn: (secret) => void learnt.add(secret.reveal()) });
          try {
            await bot.perform(one);
            const from = bot.left.length;
            const known = [...learnt].map(coreOf);
            // From now on nothing may say them.
            await bot.perform(one);
            await bot.rest();
            const said = bot.left
              .slice(from)
              .filter((left) => !shows(left))
              .flatMap(({ body }) => stringsIn(body));
            expect(said.filter((text) => known.some((core) => text.includes(core)))).toEqual([]);
          } finally {
            await bot.close();
          }
        },
      ),
      { numRuns: 40, seed: 20_261_123 },
    );
  });
});
