import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/blocks/limits.ts';
import { type Message, message } from '../../src/blocks/message.ts';
import { plain } from '../../src/blocks/mrkdwn.ts';
import { changedMessage, fullPreviewMessage, soAlreadyMessage } from '../../src/changes/preview.ts';
import { wordsFor } from '../../src/changes/words.ts';
import { operations } from '../../src/operations/index.ts';
import type { Preview } from '../../src/operations/operation.ts';
import { type OnSimulator, onSimulator } from './on-simulator.ts';
import { fileOf, prepare } from './performing.ts';

const DEFINITION =
  'openapi: 3.0.3\ninfo: { title: Shop, version: "1" }\npaths: { /carts: { get: { responses: {} } } }\n';

/** Changes as they are typed; those of reports happen in the store, and are read in `test/flows/reports.test.ts`. */
const CHANGES = [
  'ssl force dl.example.com on', 'ssl force dl.example.com on --for 30m', 'certificate request cdn.example.com',
  'certificate complete cdn.example.com', 'bot set shop seo block', 'variable add geo-redirect PLAIN one',
  'cache purge https://dl.example.com/a.zip', 'cache purge tag:news --zone shop', 'cache clear shop',
  'token create shop --both --expiry 30d', 'token regenerate shop', 'token invalidate shop',
  'database execute events CREATE TABLE kept (id)', 'app delete mailer',
  { operation: 'guardian upload', given: { zone: 'assets', file: 'F0000001' } },
  { operation: 'guardian replace', given: { zone: 'api', file: 'F0000001' } },
] as const; // biome-ignore format: a list of lines reads better as a block

/**
 * Reads as they are typed. Those of the store (audit, approvals, reports, status), of logs that a worker sums up and of the origin's
 * errors are read in `test/flows`.
 */
const READS = [
  'key list', 'zone list', 'zone show shop', 'bot list shop', 'guardian show api',
  'log search main-site', 'log search main-site --status 5xx', 'log download main-site yesterday', 'stats show',
  'stats show main-site', 'stats show main-site --hourly', 'stats show main-site --compare', 'stats optimizer main-site', 'stats queue main-site', 'stats safehop main-site',
  'variable list geo-redirect', 'script list', 'app list', 'volume list mailer', 'database list', 'database query events SELECT 1',
] as const; // biome-ignore format: a list of lines reads better as a block

/** A line of the grammar, which stands in help alone. */
const SYNTAX = /\/edge |(?<!xn)--[a-z]/;
/** So many lines are read before the fold: Slack shows the beginning of what is longer. */
const BEFORE_THE_FOLD = 12;
const MOST_BLOCKS = 50;
/** The time of a day; `<!date…|… UTC>` and a zone after it are read by everybody alike. */
const TIME = /\b([01]?\d|2[0-3]):[0-5]\d\b(?!(:\d\d)?\s?([AP]M\s)?(UTC|Z|GMT|[A-Z][a-z]+\/))/;

describe('every message about a change', () => {
  let setting: OnSimulator;
  beforeAll(async () => {
    setting = { ...(await onSimulator()), files: [fileOf('F0000001', 'shop.yaml', DEFINITION)] };
  });
  afterAll(() => setting.close());

  it('is read here for every command but those of reports', () => {
    const changes = operations.filter(({ name, effect }) => effect !== 'read' && !name.startsWith('report '));
    const lines = CHANGES.map((one) => (typeof one === 'string' ? one : one.operation));
    expect(changes.filter(({ name }) => !lines.some((line) => line.startsWith(name))).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it.each(CHANGES)('says what it is about first, and no more than can be read: %j', async (line) => {
    const { operation, values, canonical, target, preview, preflight, run } = await prepare(line, setting);
    const read = await preview();
    const more = operation.preflight === undefined ? {} : await preflight();
    const shown: Preview = { ...read, ...more, warnings: [...(read.warnings ?? []), ...(more.warnings ?? [])] };
    const { title, done, button } = wordsFor(operation, { target, given: canonical, ...read });
    const unknown = operation.whenUnknown?.(canonical);
    const told: [Message, string][] = [
      [fullPreviewMessage(operation, { target, given: canonical }, { values }, shown), `${plain(title)}?`],
      [changedMessage(title, read.before, read.after, read.unread), `Not done: ${plain(title)}.`],
      [soAlreadyMessage(target, read.after), `Nothing to do for ${target}: it is so already.`],
      [message(message(title), unknown), plain(title)],
      [await run(), plain(done)],
    ];
    expect(button.length).toBeLessThanOrEqual(LIMITS.title);
    for (const [{ text, blocks }, first] of told) {
      const [top = ''] = text.split('\n');
      expect(top.startsWith(first), `${top} begins with ${first}`).toBe(true);
      expect(top).toContain(plain(target));
      expect(text).not.toMatch(SYNTAX);
      expect(text.replaceAll(/\d{4}-\d\d-\d\d(T\S+Z| \S+ UTC)/g, '')).not.toMatch(TIME);
      expect(blocks.length).toBeLessThanOrEqual(MOST_BLOCKS);
    }
    // What a form must show whole (a table, a record to copy) is below what is needed to decide.
    const decisive = fullPreviewMessage(
      operation,
      { target, given: canonical },
      { values },
      { ...read, details: message() },
    );
    expect(decisive.text.split('\n').length).toBeLessThanOrEqual(BEFORE_THE_FOLD);
  });
});

describe('every answer of a read', () => {
  let setting: OnSimulator;
  beforeAll(async () => {
    setting = await onSimulator();
  });
  afterAll(() => setting.close());

  it('is read here for every command but those that read the store, and help', () => {
    const OF_THE_STORE = /^(audit|approval|report|status|help|can-i|errors show|log summary)/;
    const reads = operations.filter(({ name, effect }) => effect === 'read' && !OF_THE_STORE.test(name));
    expect(reads.filter(({ name }) => !READS.some((line) => line.startsWith(name))).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it.each(READS)('has no grammar, no time without a zone, and no more blocks than Slack takes: %s', async (line) => {
    const { run } = await prepare(line, setting);
    const { text, blocks } = await run();
    expect(text.trim()).not.toBe('');
    expect(text).not.toMatch(SYNTAX);
    // A column of times names its zone once.
    if (TIME.test(text)) expect(text).toMatch(/UTC/);
    expect(blocks.length).toBeLessThanOrEqual(MOST_BLOCKS);
  });
});
