import { pino } from 'pino';
import { expect } from 'vitest';
import type { Message, Part } from '../../src/blocks/message.ts';
import { message } from '../../src/blocks/message.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import { runSlot } from '../../src/delivery/run.ts';
import type { ReportServices } from '../../src/delivery/services.ts';
import type { Platform } from '../../src/platform/client.ts';
import { POST_TIMEOUT, type Poster, PostRefusedError } from '../../src/reports/post.ts';
import { defineReport, type ReportContext, type Trouble } from '../../src/reports/report.ts';
import { createAnchors } from '../../src/store/anchors.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportLedger } from '../../src/store/report-ledger.ts';
import { createSubscriptions, type SubscriptionSettings } from '../../src/store/subscriptions.ts';
import { unreadable } from '../support/readable.ts';
import { PLAIN } from '../support/subscription.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How long is waited before a message is looked for that may be on its way. */
export const SETTLING = POST_TIMEOUT + 10_000;
/** A minute of the day of these tests, counted from noon. */
export const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12) + minute * MINUTE);

/** Where slots are run by hand: a store, a Slack that does what it is told, and three reports that find what they are told. */
export interface Desk {
  now: Date;
  database: Database;
  services: ReportServices;
  /** What reached Slack, with the commands of its buttons. */
  said: { how: string; text: string; commands: string[]; key?: string | undefined }[];
  /** Addresses in the last message. */
  links: string[];
  /** The kinds of blocks of the last post. */
  kinds: string[];
  /** What Slack does with a message: throws before it arrived, or after. */
  before: () => unknown;
  after: () => unknown;
  /** How often was looked whether a message is there, and what was found. */
  looked: number;
  found: string | undefined;
  /** What a report finds; null: nothing. */
  collects: (context: ReportContext) => unknown;
  troubles: (context: ReportContext) => Trouble[] | undefined;
  /** What it could not read. */
  unread: string[];
  rendered: number;
  /** What is waited for, and how long the clock of `elapsed` says. */
  waits: { milliseconds: number; until: number; resolve: () => void }[];
  waited: number[];
  elapsed: () => number;
  lines: Record<string, unknown>[];
}

export async function openDesk(): Promise<Desk> {
  const desk = {
    now: at(0),
    said: [],
    links: [],
    kinds: [],
    before: () => undefined,
    after: () => undefined,
    looked: 0,
    found: undefined,
    collects: () => undefined,
    troubles: () => [],
    unread: [],
    rendered: 0,
    waits: [],
    waited: [],
    elapsed: () => 1e9,
    lines: [],
  } as unknown as Desk;
  desk.database = await openDatabase({ url: ':memory:', clock: () => desk.now });
  desk.services = {
    reports: reportsOf(desk),
    subscriptions: createSubscriptions(desk.database),
    ledger: createReportLedger(desk.database),
    anchors: createAnchors(desk.database),
    collect: createCollectReport({ platform: {} as Platform, zones: async () => ({ items: [] }), now: () => desk.now }),
    log: pino({ level: 'trace' }, { write: (line: string) => void desk.lines.push(JSON.parse(line)) }),
    wait: (milliseconds, signal) => wait(desk, milliseconds, signal),
    elapsed: () => desk.elapsed(),
    poster: posterOf(desk),
    policy: { admins: ['UADMIN'] },
    stillMay: async () => undefined,
    refusalNow: async () => undefined,
  };
  return desk;
}

function reportsOf(desk: Desk) {
  const words = ({ from, to }: Pick<ReportContext, 'from' | 'to'>) =>
    `${from.toISOString().slice(11, 16)}-${to.toISOString().slice(11, 16)}`;
  const plain = defineReport({
    name: 'plain',
    summary: 'Says what it is about',
    schedule: '*/15 * * * *',
    args: {},
    collect: async (_, context) => ({ context, more: await desk.collects(context) }),
    render: ({ context, more }, _, { locale, timezone }) => {
      desk.rendered += 1;
      return more === null ? undefined : message(`${words(context)} ${locale} ${timezone}`, more as Part | undefined);
    },
    fingerprint: () => 'the same',
  });
  const errors = defineReport({
    ...plain,
    name: 'errors',
    window: { first: 15 * MINUTE, longest: 100 * HOUR, lag: 5 * MINUTE },
  });
  const alarms = defineReport({
    ...plain,
    name: 'alarms',
    window: { first: 15 * MINUTE, longest: 100 * HOUR, lag: 0 },
    troubles: ({ context }) => desk.troubles(context),
    unread: () => desk.unread,
  });
  return [plain, errors, alarms];
}

/** What is waited before a look is over at once; everything else when a test says so, or the work is done. */
function wait(desk: Desk, milliseconds: number, signal: AbortSignal): Promise<void> {
  desk.waited.push(milliseconds);
  if (desk.waited.length > 100) throw new Error('waited for too often');
  if (milliseconds === SETTLING) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stopped = () => reject(signal.reason);
    if (signal.aborted) return stopped();
    signal.addEventListener('abort', stopped, { once: true });
    desk.waits.push({ milliseconds, until: desk.now.getTime() + milliseconds, resolve });
  });
}

/** The reports of these tests say their windows for the tests alone. */
const withoutTimes = (text: Message): Message =>
  JSON.parse(JSON.stringify(text).replaceAll(/\d\d:\d\d-\d\d:\d\d/g, 'then')) as Message;

function posterOf(desk: Desk): Poster {
  return {
    async post({ channel, message: text, key, thread, isBroadcast, ready }) {
      await ready?.();
      desk.before();
      expect(unreadable(withoutTimes(text))).toEqual([]);
      const where = thread === undefined ? '' : ` in ${thread}${isBroadcast ? ' for all' : ''}`;
      desk.said.push({ how: `post ${channel}${where}`, text: text.text, commands: commandsOf(text), key });
      desk.kinds = text.blocks.map(({ type }) => type);
      desk.after();
      return { ts: String(desk.said.length) };
    },
    async update({ ts, message: text, ready }) {
      await ready?.();
      desk.before();
      expect(unreadable(withoutTimes(text))).toEqual([]);
      desk.said.push({ how: `update ${ts}`, text: text.text, commands: commandsOf(text) });
      desk.links = JSON.stringify(text.blocks).match(/https:[^|>]+/g) ?? [];
    },
    async find() {
      desk.looked += 1;
      return desk.found === undefined ? undefined : { ts: desk.found };
    },
    async tell(user, text) {
      desk.said.push({ how: `tell ${user}`, text: text.text, commands: [] });
      if (user === 'U0') throw new Error('no such person');
      if (['U8', 'U9'].includes(user)) throw new PostRefusedError('user_disabled', 'person gone');
    },
  };
}

function commandsOf({ blocks }: Message): string[] {
  return blocks.flatMap((block) =>
    block.type === 'actions' && 'elements' in block ? block.elements.map((one) => JSON.stringify(one)) : [],
  );
}

export async function subscribed({ services }: Desk, more: Partial<SubscriptionSettings> = {}): Promise<number> {
  const settings = { ...PLAIN, timezone: 'Europe/Berlin', ...more };
  return (await services.subscriptions.add(settings, () => undefined)).id;
}

export async function open({ services }: Desk, id: number, minute: number): Promise<void> {
  const subscription = await services.subscriptions.read(id);
  await services.ledger.open(subscription!, [{ slot: at(minute), notBefore: at(minute), state: 'due' }]);
}

/** The slot of a minute, `late` milliseconds after it. */
export async function slot(desk: Desk, id: number, minute: number, late = 0) {
  desk.now = new Date(at(minute).getTime() + late);
  await open(desk, id, minute);
  return runSlot(desk.services, id, at(minute), new AbortController().signal);
}

/** The same slot once more, at another minute. */
export async function again(desk: Desk, id: number, minute: number, later: number) {
  desk.now = at(later);
  return runSlot(desk.services, id, at(minute), new AbortController().signal);
}

/** The row of a slot. */
export async function row({ database }: Desk, minute: number): Promise<Record<string, unknown>> {
  const { rows } = await database.execute('SELECT * FROM report_ledger WHERE slot = :slot', {
    slot: at(minute).getTime(),
  });
  return rows[0]!;
}

/** What reached Slack, by its first lines. */
export const firstLines = ({ said }: Desk) => said.map(({ how, text }) => `${how}: ${text.split('\n')[0]}`);
/** A line of the log that says something. */
export const NAMED = { msg: expect.stringMatching(/\w/) };
/** The log's lines of one level. */
export const logged = ({ lines }: Desk, level: number) => lines.filter((line) => line.level === level);
