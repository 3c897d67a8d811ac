import { describe, expect, it } from 'vitest';
import { fallbackOf } from '../../src/blocks/fallback.ts';
import { type Message, message } from '../../src/blocks/message.ts';
import { changedMessage, previewMessage } from '../../src/changes/preview.ts';
import { checked } from '../../src/operations/grammar.ts';
import { operations } from '../../src/operations/index.ts';
import type { AnyOperation, Option, Preview, State } from '../../src/operations/operation.ts';
import { FileError } from '../../src/policy/lines.ts';
import { problemOf } from '../../src/problem.ts';
import { reports } from '../../src/reports/index.ts';
import { createHoursReader } from '../../src/reports/zone-hours.ts';
import { buildConfirmView, buildForm, buildShownView, optionsOf, titleOf } from '../../src/slack/form.ts';
import { fitMessage, fitView } from '../../src/slack/out/fit.ts';
import { NOW } from '../../test/operations/performing.ts';
import { hostileTexts } from '../../test/support/hostile-texts.ts';
import { messageComplaints, optionComplaints, viewComplaints } from './complaints.ts';
import type { Texts } from './generated-platform.ts';
import { createHostileWorld, type HostileWorld } from './hostile-world.ts';

const TEXTS = hostileTexts(10_000);
const READER = { locale: 'en-US', timezone: 'UTC', now: NOW };

/** Hands out all texts, in an order that every view begins elsewhere: one by one, or a few in a row, so that it takes less long. */
function textsFrom(start: number): Texts & { taken: number } {
  const texts = {
    taken: 0,
    next(): string {
      const first = textAt(start + texts.taken);
      texts.taken += 1;
      if (texts.taken % 4 === 0) return first;
      const more = Array.from({ length: texts.taken % 5 }, (_, at) => textAt(start + texts.taken + at));
      texts.taken += more.length;
      return [first, ...more].join(' ');
    },
  };
  return texts;
}

const textAt = (place: number): string => TEXTS[(place * 7919) % TEXTS.length] ?? '';

// Thousands of refusals are made here, and nobody reads where they come from.
Error.stackTraceLimit = 0;

const unexpected = new Map<string, Error>();
/** A problem of ours would read “Something went wrong inside Edgewise”: no text of anybody may cause one. */
function problemMessage(error: unknown, where: string): Message {
  const told = problemOf(error instanceof FileError ? new Error(error.message) : error);
  if (told.reference !== undefined && error instanceof Error)
    unexpected.set(`${where}: ${error.message.slice(0, 80)}`, error);
  return told.message;
}

/** What people are shown: a message, a view, or suggestions in one. */
type Shown = Message | { view: ReturnType<typeof buildForm> } | { options: readonly Option[] };

/** Everything that people are shown about one operation, with what one asking gave. */
async function* viewsOf(operation: AnyOperation, world: HostileWorld): AsyncGenerator<Shown> {
  const { context, texts } = world;
  const memory = { channel: 'C0OPS' };
  const given = await world.givenFor(operation);
  for (const { suggest } of Object.values(operation.args)) {
    if (suggest !== undefined) yield { options: await suggest(texts.next(), { ...context, given }) };
  }
  try {
    checked(operation, given, NOW);
    const values: Record<string, unknown> = {};
    const canonical: Record<string, string> = {};
    for (const [key, kind] of Object.entries(operation.args)) {
      values[key] = await kind.resolve(given[key], { ...context, given });
      const text = kind.textOf(values[key]);
      if (text !== undefined) canonical[key] = text;
    }
    const target = operation.target(values);
    const own = operation.name === 'app delete' ? { ...context, signal: AbortSignal.abort() } : context;
    if (operation.effect !== 'read') {
      const preview: Preview = (await operation.preview?.(values, own)) ?? { after: {} };
      const more = await operation.preflight?.(values, own);
      const details = [preview.details, more?.details].filter((part) => part !== undefined);
      const change = { target, given: canonical, before: preview.before, after: preview.after };
      const words = operation.words!(change);
      yield message(words.done);
      const shown = previewMessage(words.title, {
        ...preview,
        warnings: [...(preview.warnings ?? []), ...(more?.warnings ?? [])],
        ...(details.length === 0 ? {} : { details: message(...details) }),
      });
      yield shown;
      const typedName = operation.effect === 'destructive' ? target : undefined;
      const confirming = { ...memory, operation: operation.name, confirmation: 'c1', typedName };
      yield { view: buildConfirmView(operation, words.button, shown, confirming) };
      yield changedMessage(words.title, preview.before, { ...preview, before: preview.after as State });
      if (operation.whenUnknown !== undefined) yield operation.whenUnknown(canonical);
    }
    yield { view: buildForm(operation, given, memory) };
    const result = await operation.run(values, own);
    yield operation.render(result, values, READER);
    const revealed = operation.reveal?.(result, values);
    if (revealed !== undefined) yield { view: buildShownView(titleOf(operation), revealed) };
  } catch (error) {
    const shown = problemMessage(error, operation.name);
    yield shown;
    yield { view: buildForm(operation, given, memory, shown) };
  }
}

/** What a report says of the same platform. */
async function* viewsOfReport(report: (typeof reports)[number], { context }: HostileWorld): AsyncGenerator<Shown> {
  try {
    const { platform, catalogue, timeLine, signal } = context;
    const [from, to] = [new Date(NOW.getTime() - 86_400_000), NOW];
    const zones = () => catalogue.zones();
    const hours = createHoursReader({ platform });
    const asked = { platform, hours, zones, whole: true, filter: () => true, from, to, timeLine, signal };
    const collected = await report.collect(report.args, asked);
    const shown = report.render(collected, report.args, READER);
    if (shown !== undefined) yield shown;
  } catch (error) {
    yield problemMessage(error, report.name);
  }
}

function complaintsOf(shown: Shown): string[] {
  if ('view' in shown) return viewComplaints(fitView(shown.view));
  if ('options' in shown) return optionComplaints(optionsOf(shown.options));
  const plain = fallbackOf(shown);
  return [...messageComplaints(fitMessage(shown)), ...(plain === shown ? [] : messageComplaints(fitMessage(plain)))];
}

/** Where the texts of a view begin: by its name, so that a new operation changes nothing for the others. */
const firstOf = (name: string): number => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 0);

/** Worlds until all texts were somewhere in them: each kind of complaint once, with the seed that shows it. */
async function complaintsAbout(name: string, views: (world: HostileWorld) => AsyncGenerator<Shown>): Promise<string[]> {
  const complaints = new Map<string, string>();
  const first = firstOf(name);
  const texts = textsFrom(first * 101);
  for (let seed = 1; texts.taken < TEXTS.length; seed += 1) {
    const { taken } = texts;
    for await (const shown of views(createHostileWorld(texts, seed * 1_000 + first))) {
      for (const complaint of complaintsOf(shown))
        complaints.set(complaint.split(':', 1)[0]!, `${complaint} (seed ${seed})`);
    }
    // It shows no text of anybody.
    if (texts.taken === taken) break;
  }
  return [...complaints.values()];
}

describe('ten thousand hostile texts', () => {
  it.each(operations.map((operation) => ({ name: operation.name, operation })))(
    'do nothing in what is shown of $name',
    async ({ name, operation }) => {
      expect(await complaintsAbout(name, (world) => viewsOf(operation, world))).toEqual([]);
    },
  );

  it.each(reports.map((report) => ({ name: report.name, report })))(
    'do nothing in the report $name',
    async ({ name, report }) => {
      expect(await complaintsAbout(name, (world) => viewsOfReport(report, world))).toEqual([]);
    },
  );

  it('cause no error that nobody expected', () => {
    expect([...unexpected.keys()]).toEqual([]);
  });
});
