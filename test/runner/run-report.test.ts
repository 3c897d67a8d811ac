import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Message, message } from '../../src/blocks/message.ts';
import { UsageError } from '../../src/errors.ts';
import type { Platform } from '../../src/platform/client.ts';
import { defineReport, type ReportContext } from '../../src/reports/report.ts';
import { createReportRunner, type ReportRunner, type Subscription } from '../../src/runner/run-report.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createReportPosts, reportPostsMigration } from '../../src/store/report-posts.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const words = (minute: Date) => minute.toISOString().slice(11, 16);

let database: Database;
let said: { how: string; text: string }[];
/** What the report finds between two moments; undefined: nothing. */
let finds: (context: ReportContext) => string | undefined;
let deleted: Set<string>;

const errors = defineReport({
  name: 'errors',
  summary: 'What went wrong',
  schedule: '*/15 * * * *',
  args: {},
  stretch: { first: 15 * 60_000, longest: 6 * 3_600_000, lag: 0 },
  collect: async (_, context) => finds(context),
  render: (found) => (found === undefined ? undefined : message(found)),
});

const stretchOf = ({ from, to }: ReportContext) => `${words(from)}-${words(to)}`;

function runnerOf(): ReportRunner {
  return createReportRunner({
    platform: {} as Platform,
    zones: async () => ({ items: [] }),
    posts: createReportPosts(database),
    log: pino({ level: 'silent' }),
    poster: {
      async post(channel, { text }: Message) {
        const ts = String(said.length + 1);
        said.push({ how: `post ${channel}`, text });
        return { ts };
      },
      async update(channel, ts, { text }) {
        if (deleted.has(ts)) throw new Error('message_not_found');
        said.push({ how: `update ${channel} ${ts}`, text });
      },
    },
  });
}

const subscription = (perHour?: number): Subscription => ({
  report: errors,
  channel: 'C1',
  schedule: errors.schedule,
  timezone: 'UTC',
  perHour,
});

beforeEach(async () => {
  database = await openDatabase({ url: ':memory:' });
  for (const statement of reportPostsMigration.statements) await database.execute(statement);
  said = [];
  deleted = new Set();
  finds = stretchOf;
});
afterEach(() => database.close());

describe('a scheduled report', () => {
  test('is posted once for a slot, whatever the number of replicas', async () => {
    const runs = await Promise.all(
      [runnerOf(), runnerOf(), runnerOf()].map((runner) => runner.run(subscription(), at(0))),
    );
    expect(runs.sort()).toEqual(['posted', 'taken', 'taken']);
    expect(said).toEqual([{ how: 'post C1', text: '11:45-12:00' }]);
  });

  test('tells what came since the last one, and nothing when there is nothing', async () => {
    const runner = runnerOf();
    await runner.run(subscription(), at(0));
    finds = () => undefined;
    expect(await runner.run(subscription(), at(15))).toBe('quiet');
    finds = stretchOf;
    await runner.run(subscription(), at(30));
    expect(said.map(({ text }) => text)).toEqual(['11:45-12:00', '12:15-12:30']);
  });

  test('tells after a restart what was missed, as far back as it reaches', async () => {
    await runnerOf().run(subscription(), at(0));
    await runnerOf().run(subscription(), at(120));
    await runnerOf().run(subscription(), at(120 + 600));
    expect(said.map(({ text }) => text)).toEqual(['11:45-12:00', '12:00-14:00', '18:00-00:00']);
  });

  test('keeps to its limit an hour by bringing the last message up to date, over a restart too', async () => {
    for (const minute of [0, 10, 20, 30, 40]) await runnerOf().run(subscription(2), at(minute));
    expect(said.map(({ how }) => how)).toEqual(['post C1', 'post C1', 'update C1 2', 'update C1 2', 'update C1 2']);
    expect(said.map(({ text }) => text.split('\n')[0])).toEqual([
      '11:45-12:00',
      '12:00-12:10',
      '12:00-12:20',
      '12:00-12:30',
      '12:00-12:40',
    ]);
    expect(said[2]?.text).toContain('at most 2 an hour');
    await runnerOf().run(subscription(2), at(61));
    expect(said.at(-1)).toEqual({ how: 'post C1', text: '12:40-13:01' });
  });

  test('posts anew when its last message was deleted', async () => {
    for (const minute of [0, 10]) await runnerOf().run(subscription(1), at(minute));
    deleted.add('1');
    expect(await runnerOf().run(subscription(1), at(20))).toBe('posted');
    expect(said.at(-1)?.how).toBe('post C1');
  });

  test('that fails is said once until it works again, and loses nothing', async () => {
    const runner = runnerOf();
    await runner.run(subscription(), at(0));
    finds = () => {
      throw new UsageError('The platform is away.');
    };
    expect(await runner.run(subscription(), at(15))).toBe('failed');
    expect(await runner.run(subscription(), at(30))).toBe('failed');
    finds = stretchOf;
    await runner.run(subscription(), at(45));
    finds = () => {
      throw new UsageError('Away again.');
    };
    await runner.run(subscription(), at(60));
    expect(said.map(({ text }) => text.split('\n').slice(0, 2).join(' '))).toEqual([
      '11:45-12:00',
      'The report *errors* could not be made. The platform is away.',
      '12:00-12:45',
      'The report *errors* could not be made. Away again.',
    ]);
  });

  test('that is stopped with the bot says nothing, and its stretch is told next time', async () => {
    await runnerOf().run(subscription(), at(-15));
    const stop = new AbortController();
    finds = ({ signal }) => {
      stop.abort(new Error('stopping'));
      signal.throwIfAborted();
      return 'never';
    };
    expect(await runnerOf().run(subscription(), at(0), stop.signal)).toBe('failed');
    finds = stretchOf;
    await runnerOf().run(subscription(), at(15));
    expect(said.map(({ text }) => text)).toEqual(['11:30-11:45', '11:45-12:15']);
  });

  test('never throws, even when the store is gone', async () => {
    const runner = runnerOf();
    await database.close();
    expect(await runner.run(subscription(), at(0))).toBe('failed');
    database = await openDatabase({ url: ':memory:' });
  });
});
