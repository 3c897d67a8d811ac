import { describe, expect, it } from 'vitest';
import { escaped } from '../../src/blocks/mrkdwn.ts';
import { csvField, fileName } from '../../src/blocks/table.ts';
import { withoutAuthorization } from '../../src/logs/authorization.ts';
import { causeIn } from '../../src/logs/causes.ts';
import { groupErrors } from '../../src/logs/error-groups.ts';
import { messageTemplate, pathTemplate } from '../../src/logs/template.ts';
import { operations } from '../../src/operations/index.ts';
import { parsePattern, spellingsOf } from '../../src/pattern.ts';
import { parseJson } from '../../src/platform/bodies.ts';
import { createRecordSlicer } from '../../src/platform/record-slicer.ts';
import { readComplaint, redact } from '../../src/platform/refusal.ts';
import { reports } from '../../src/reports/index.ts';
import { parseSchedule } from '../../src/schedule/words.ts';
import { Secret } from '../../src/secret.ts';
import { hideShapes } from '../../src/secret-shapes.ts';
import { memoryOf } from '../../src/slack/form.ts';
import { parseEvent, parseView, typedLineOf } from '../../src/slack/in/payloads.ts';
import { partsOf } from '../../src/slack/message-parts.ts';
import { createSecretFilter } from '../../src/slack/out/secrets.ts';
import { NOW } from '../../test/operations/performing.ts';
import { parseCommand } from '../../test/support/grammar.ts';
import { growthOf } from '../../test/support/growth.ts';
import { patternsIn, written } from '../../test/support/patterns.ts';
import { filesIn } from '../../test/support/source.ts';
import { countedShapes, nastyShapes, type Shape } from './nasty-shapes.ts';
import { createWholeBot } from './whole-bot.ts';

// Thousands of refusals are made here, and nobody reads where they come from.
Error.stackTraceLimit = 0;

const SHAPES: readonly Shape[] = [...nastyShapes, ...countedShapes];

/** Reads a text, refuses it, or is made for something else: all are well, as long as they are quick. */
const quietly = (read: (text: string) => unknown) => async (text: string) => {
  try {
    await read(text);
  } catch {
    // A refusal.
  }
};

/** The shapes of which twice the length takes more than two and a half times as long. */
async function slowOnesOf(
  name: string,
  read: (text: string) => unknown,
  shapes: readonly Shape[] = SHAPES,
): Promise<string[]> {
  const slow: string[] = [];
  for (const shape of shapes) {
    const growth = await growthOf(quietly(read), shape.of);
    if (growth !== undefined) slow.push(`${name}: ${growth.toFixed(1)} times as long for twice ${shape.name}`);
  }
  return slow;
}

/** The same for each of several readers. */
async function slowOnesIn(readers: Iterable<readonly [string, (text: string) => unknown]>): Promise<string[]> {
  const slow: string[] = [];
  for (const [name, read] of readers) slow.push(...(await slowOnesOf(name, read)));
  return slow;
}

const lineOf = (text: string) =>
  Buffer.from(`HIT|200|1|1|1|a|${text}|https://a/${text}|DE|${text}|${'0'.repeat(32)}|DE\n`);
const filter = createSecretFilter([Secret.of('a secret of the settings'), Secret.of('"\n<odd> `one`')]);
const event = {
  source: 'origin',
  time: NOW.getTime() - 1,
  zone: 'a',
  zoneId: 1,
  code: 'x',
  status: 502,
  region: 'DE',
} as const;

/** What texts go through beside those rooms. */
const READERS: Record<string, (text: string) => unknown> = {
  'the arguments of a command': (text) => parseCommand(`zone list ${text}`, operations, NOW),
  'a mention': (text) => typedLineOf(`<@U0BOT> ${text}`, 'U0BOT'),
  'the parts of a message': (text) => partsOf({ text, ts: '1' } as never, [{ Id: 1, Name: 'shop', Hostnames: [] }]),
  'the shapes of secrets': hideShapes,
  'words in mrkdwn': escaped,
  'the cause in a message': causeIn,
  'the template of a message': messageTemplate,
  'the template of a path': pathTemplate,
  'the name of a file': fileName,
  'a field of a CSV file': csvField,
  'a schedule': parseSchedule,
  'a pattern': (text) => parsePattern(text).matches('shop'),
  'a word beside a pattern': (text) => parsePattern('a*a*b*c').matches(text),
  'spellings of a hostname': spellingsOf,
  'the filter for secrets': filter.hide,
  'the filter for secrets, in a value': (text) => filter.hideIn({ a: [text, { [text]: text }] }),
  redaction: (text) => redact(text, [Secret.of('a secret of the settings')]),
  'an answer of the platform': parseJson,
  'a text in such an answer': (text) => parseJson(JSON.stringify({ a: text })),
  'a view that was sent': (text) => {
    const { private_metadata, values } = parseView({
      id: text,
      callback_id: text,
      private_metadata: `{"operation":${JSON.stringify(text)}}`,
      state: { values: { [text]: { [text]: { value: text, selected_option: { value: text } } } } },
    });
    return [memoryOf({ private_metadata }), memoryOf({ private_metadata: text }), values];
  },
  'an event': (text) => parseEvent({ type: text, text, files: [{ id: text }], edited: { [text]: text } }),
  'a refusal': (text) => readComplaint({ message: text, errors: [text], details: { [text]: text } }),
  'a list as it comes in': (text) => createRecordSlicer('logs').push(Buffer.from(`{"logs":[${text}`)),
  'records of a list': (text) =>
    createRecordSlicer('logs').push(Buffer.from(`{"logs":[${JSON.stringify({ a: text })}]}`)),
  'the authorization in a log': (text) => withoutAuthorization().push(lineOf(text)),
  'groups of errors': (text) => groupErrors([{ ...event, message: text, address: `/${text}` }]),
};

/** The whole bot does all that can be done with it, where everybody says this. */
async function performed(one: (typeof operations)[number] | (typeof reports)[number], text: string): Promise<void> {
  const bot = await createWholeBot({ next: () => text }, 1);
  try {
    await ('collect' in one ? bot.report(one) : bot.perform(one));
  } finally {
    await bot.close();
  }
}

describe('a text of twice the length takes no more than two and a half times as long', () => {
  it('for each regular expression', async () => {
    // Those of secrets are parts of others: none is run alone.
    const files = filesIn('src').filter((file) => file !== 'src/secret-shapes.ts');
    const all = files.flatMap((file) => patternsIn(file, () => undefined));
    const each = new Map(all.map((one) => [written(one), new RegExp(one.source, one.flags.replace(/[gy]|$/, 'g'))]));
    expect(each.size).toBeGreaterThan(250);
    const readers = [...each].map(([name, pattern]) => [name, (text: string) => text.replace(pattern, '0')] as const);
    expect(await slowOnesIn(readers)).toEqual([]);
  });

  it('for each kind of argument of each command', async () => {
    const kinds = new Map(
      operations.flatMap(({ args }) => Object.values(args)).map((kind) => [String(kind.check), kind] as const),
    );
    const readers = [...kinds.values()].map((kind) => [kind.label, (text: string) => kind.check(text, NOW)] as const);
    expect(await slowOnesIn(readers)).toEqual([]);
  });

  it.each(Object.entries(READERS))('for %s', async (name, read) => {
    expect(await slowOnesOf(name, read)).toEqual([]);
  });

  // The shapes take turns: each of them with each command would take minutes.
  it.each([...operations, ...reports].map((one, at) => ({ name: one.name, one, at })))(
    'for $name, from what is typed to what leaves the bot, where platform and people say nothing else',
    async ({ name, one, at }) => {
      const shape = SHAPES[(at * 37) % SHAPES.length]!;
      expect(await slowOnesOf(name, (text) => performed(one, text), [shape])).toEqual([]);
    },
  );

  it('or it is noticed', async () => {
    expect(
      await growthOf(
        (text) => /[.,]+$/.test(text),
        (length) => `${'.'.repeat(length)}!`,
      ),
    ).toBeGreaterThan(2.5);
  });
});
