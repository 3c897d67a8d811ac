import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Message, message } from '../../src/blocks/message.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import { createStorms, type Storm } from '../../src/delivery/incident.ts';
import { createReportRunner, type ReportRunner } from '../../src/delivery/run.ts';
import { UsageError } from '../../src/errors.ts';
import type { Platform } from '../../src/platform/client.ts';
import { PlatformConnectionError, PlatformError } from '../../src/platform/errors.ts';
import { POST_TIMEOUT, PostRefusedError } from '../../src/reports/post.ts';
import { defineReport, type ReportContext, type Trouble } from '../../src/reports/report.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createReportLedger, type ReportLedger } from '../../src/store/report-ledger.ts';
import { createSubscriptions, type SubscriptionSettings, type Subscriptions } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SETTLING = POST_TIMEOUT + 10_000;
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12) + minute * MINUTE);
const words = ({ from, to }: Pick<ReportContext, 'from' | 'to'>) =>
  `${from.toISOString().slice(11, 16)}-${to.toISOString().slice(11, 16)}`;

let now: Date;
let database: Database;
let ledger: ReportLedger;
let subscriptions: Subscriptions;
/** What reached Slack, with the words of its buttons' commands. */
let said: { how: string; text: string; commands: string[]; key?: string | undefined }[];
/** What Slack does with a message: throws before it arrived, or after. */
let before: () => unknown;
let after: () => unknown;
/** How often was looked whether a message is there, and what was found. */
let looked: number;
let found: string | undefined;
let collects: (context: ReportContext) => unknown;
let troubles: (context: ReportContext) => Trouble[] | undefined;
let rendered: number;
/** What is waited for, and how long the clock of `elapsed` says. */
let waits: { milliseconds: number; until: number; resolve: () => void }[];
let waited: number[];
let elapsed: () => number;
let lines: Record<string, unknown>[];
let runner: ReportRunner;

const plain = defineReport({
  name: 'plain',
  summary: 'Says what it is about',
  schedule: '*/15 * * * *',
  args: {},
  collect: async (_, context) => ({ context, more: await collects(context) }),
  render: ({ context, more }, _, { locale, timezone }) => {
    rendered += 1;
    return more === null ? undefined : message(`${words(context)} ${locale} ${timezone}`);
  },
  print: () => 'the same',
});
const errors = defineReport({
  ...plain,
  name: 'errors',
  stretch: { first: 15 * MINUTE, longest: 100 * HOUR, lag: 5 * MINUTE },
});
const alarms = defineReport({
  ...plain,
  name: 'alarms',
  stretch: { first: 15 * MINUTE, longest: 100 * HOUR, lag: 0 },
  troubles: ({ context }) => troubles(context),
});

const SETTINGS: SubscriptionSettings = {
  ...PLAIN,
  timezone: 'Europe/Berlin',
};

function commandsOf({ blocks }: Message): string[] {
  return blocks.flatMap((block) =>
    block.type === 'actions' && 'elements' in block ? block.elements.map((one) => JSON.stringify(one)) : [],
  );
}

beforeEach(async () => {
  now = at(0);
  database = await openDatabase({ url: ':memory:', clock: () => now });
  ledger = createReportLedger(database);
  subscriptions = createSubscriptions(database);
  [said, waits, waited, lines, looked, rendered, found] = [[], [], [], [], 0, 0, undefined];
  [before, after, collects] = [() => undefined, () => undefined, () => undefined];
  troubles = () => [];
  elapsed = () => 1e9;
  runner = createReportRunner({
    reports: [plain, errors, alarms],
    subscriptions,
    ledger,
    collect: createCollectReport({ platform: {} as Platform, zones: async () => ({ items: [] }), now: () => now }),
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    wait(milliseconds, signal) {
      waited.push(milliseconds);
      if (waited.length > 100) throw new Error('waited for too often');
      if (milliseconds === SETTLING) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const stopped = () => reject(signal.reason);
        if (signal.aborted) return stopped();
        signal.addEventListener('abort', stopped, { once: true });
        waits.push({ milliseconds, until: now.getTime() + milliseconds, resolve });
      });
    },
    elapsed: () => elapsed(),
    poster: {
      async post({ channel, message: text, key, ready }) {
        await ready?.();
        before();
        said.push({ how: `post ${channel}`, text: text.text, commands: commandsOf(text), key });
        after();
        return { ts: String(said.length) };
      },
      async update({ ts, message: text, ready }) {
        await ready?.();
        before();
        said.push({ how: `update ${ts}`, text: text.text, commands: commandsOf(text) });
      },
      async find() {
        looked += 1;
        return found === undefined ? undefined : { ts: found };
      },
      async tell(user, text) {
        said.push({ how: `tell ${user}`, text: text.text, commands: [] });
        if (user === 'U0') throw new Error('no such person');
      },
    },
  });
});
afterEach(() => database.close());

const subscribed = async (more: Partial<SubscriptionSettings> = {}) =>
  (await subscriptions.add({ ...SETTINGS, ...more }, () => undefined)).id;

async function open(id: number, minute: number) {
  await ledger.open((await subscriptions.read(id))!, [{ slot: at(minute), notBefore: at(minute), state: 'due' }]);
}

/** The slot of a minute, `late` milliseconds after it. */
async function slot(id: number, minute: number, late = 0) {
  now = new Date(at(minute).getTime() + late);
  await open(id, minute);
  return runner.run(id, at(minute), new AbortController().signal);
}

/** The same slot once more, at another minute. */
async function again(id: number, minute: number, later: number) {
  now = at(later);
  return runner.run(id, at(minute), new AbortController().signal);
}

async function row(minute: number) {
  const { rows } = await database.execute('SELECT * FROM report_ledger WHERE slot = :slot', {
    slot: at(minute).getTime(),
  });
  return rows[0]!;
}

async function turns(count = 50) {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const firstLines = () => said.map(({ how, text }) => `${how}: ${text.split('\n')[0]}`);
const logged = (level: number) => lines.filter((line) => line.level === level);
const NAMED = { msg: expect.stringMatching(/\w/) };

describe('a report’s stretch of time', () => {
  it('ends as much before the slot as the platform’s logs lag behind; a report without one tells a day', async () => {
    const stretches: Date[][] = [];
    collects = ({ from, to }) => void stretches.push([from, to]);
    await slot(await subscribed(), 0);
    await slot(await subscribed({ report: 'plain', timezone: 'UTC', locale: 'de-DE' }), 0);
    expect(stretches).toEqual([
      [at(-15), at(-5)],
      [at(-24 * 60), at(0)],
    ]);
    expect(firstLines()).toEqual(['post C1: 11:45-11:55 en-US Europe/Berlin', 'post C1: 12:00-12:00 de-DE UTC']);
  });

  it('that was told already is not told again', async () => {
    const id = await subscribed({ report: 'alarms' });
    const other = await subscribed({ report: 'plain' });
    collects = ({ from, to }) => (from < to ? undefined : expect.unreachable('an empty stretch was collected'));
    troubles = () => undefined;
    expect(await slot(id, 30)).toBe('posted');
    expect(await slot(id, 15, 20 * MINUTE)).toBe('quiet');
    await ledger.extend(id, at(30), at(45));
    expect(await slot(id, 45)).toBe('quiet');
    expect(await slot(other, 45)).toBe('posted');
  });
});

describe('a report’s message', () => {
  it.each([
    [5 * MINUTE, false],
    [5 * MINUTE + 1, true],
  ])('%i milliseconds after its time says that it is late: %s', async (late, isSaid) => {
    await slot(await subscribed(), 0, late);
    expect(said[0]?.text.includes('Late: this was due Nov 21, 2026, 1:00 PM GMT+1.')).toBe(isSaid);
    expect(said[0]?.text).not.toContain('stands for');
    expect(looked).toBe(isSaid ? 1 : 0);
  });

  it('that comes because something went wrong can be muted, one that comes every day cannot', async () => {
    await slot(await subscribed(), 0);
    await slot(await subscribed({ report: 'plain' }), 0);
    const [first, second] = said;
    for (const [index, command] of ['report mute 1 1h', 'report mute 1 1d', 'report mute 1 changed'].entries()) {
      expect(first?.commands[index]).toContain(command);
      expect(first?.commands[index]).toMatch(/"text":"Mute (1 h|1 day|until it changes)"/);
    }
    expect(second?.commands).toEqual([]);
  });

  it('says for how many it stands', async () => {
    const id = await subscribed();
    now = at(30);
    const opened = [0, 15].map((minute) => ({ slot: at(minute), notBefore: at(minute), foldedInto: at(30) }));
    await ledger.open(
      (await subscriptions.read(id))!,
      opened.map((one) => ({ ...one, state: 'folded' })),
    );
    await slot(id, 30);
    expect(said[0]?.text).toContain('2 earlier ones too');
  });

  it('comes again at the very end of a mute', async () => {
    const id = await subscribed();
    await subscriptions.mute(id, { until: at(15), by: 'U2' });
    expect([await slot(id, 14), await slot(id, 15)]).toEqual(['muted', 'posted']);
    expect(rendered).toBe(1);
  });

  it('that has not changed for longer than slots are remembered still has not', async () => {
    const id = await subscribed({ skipUnchanged: true });
    const day = 24 * 60;
    const states = [await slot(id, 0), await slot(id, 40 * day)];
    now = at(70 * day);
    await ledger.forget();
    expect([...states, await slot(id, 70 * day)]).toEqual(['posted', 'unchanged', 'unchanged']);
  });
});

describe('a storm', () => {
  const of = (kind: string, zone: string): Trouble => ({ kind, zone, hourly: 9 });
  const storm = (id: number, minute: number, ...now: Trouble[]) => {
    troubles = () => now;
    return slot(id, minute);
  };
  const known: Storm = {
    ts: '7',
    calm: at(-70 * 60),
    from: at(-60),
    last: at(-15),
    next: at(0),
    updates: 3,
    kinds: ['k'],
    places: ['shop'],
    hourly: 9,
  };

  it('of another kind elsewhere is told with what was told before, and made once', async () => {
    const id = await subscribed({ report: 'alarms' });
    await storm(id, 0, of('k', 'shop'));
    expect(rendered).toBe(1);
    expect(await storm(id, 15, of('k', 'shop'), of('l', 'api'))).toBe('posted');
    expect(firstLines()[1]).toMatch('post C1: 11:45-12:15');
  });

  it('of a report that cannot tell troubles yet is told as any other', async () => {
    const id = await subscribed({ report: 'alarms' });
    troubles = () => undefined;
    expect(await slot(id, 0)).toBe('posted');
    expect(await createStorms(ledger).read(id)).toBeUndefined();
  });

  it('that is new is told even when the same words were muted until they change', async () => {
    const id = await subscribed({ report: 'alarms' });
    await storm(id, 0, of('k', 'shop'));
    expect([await storm(id, 30), await storm(id, 45)]).toEqual(['updated', 'quiet']);
    await subscriptions.mute(id, { print: (await ledger.lastPrint(id))!, by: 'U2' });
    expect(await storm(id, 60, of('k', 'shop'))).toBe('posted');
    expect((await subscriptions.read(id))?.muted).toBeUndefined();
  });

  it('in the message of an earlier one is kept up to date from that one’s beginning', async () => {
    const id = await subscribed({ report: 'alarms', perHour: 1 });
    await storm(id, 0, of('k', 'shop'));
    expect([await storm(id, 30), await storm(id, 40)]).toEqual(['updated', 'quiet']);
    expect(await storm(id, 45, of('k', 'shop'))).toBe('updated');
    expect(await storm(id, 60, of('k', 'shop'))).toBe('updated');
    expect(firstLines().slice(2)).toEqual([
      'update 1: 11:45-12:45 en-US Europe/Berlin',
      'update 1: 11:45-13:00 en-US Europe/Berlin',
    ]);
    expect(said[3]?.commands).toHaveLength(3);
  });

  it.each([false, true])(
    'of almost three days is said to be the usual, muted until it changes: %s',
    async (isMuted) => {
      const id = await subscribed({ report: 'alarms' });
      await createStorms(ledger).keep(id, known);
      if (isMuted) await subscriptions.mute(id, { print: 'the same', by: 'U2' });
      expect(await storm(id, 0, of('k', 'shop'))).toBe('updated');
      expect(said[0]).toMatchObject({ how: 'update 7', commands: [] });
      expect(said[0]?.text).toMatch(/since Nov 18, 2026, 3:00 PM GMT\+1: from now on it counts as usual/);
      expect(await createStorms(ledger).read(id)).toBeUndefined();
    },
  );

  it('of which there is nothing to be said as a whole is quiet', async () => {
    const id = await subscribed({ report: 'alarms' });
    await storm(id, 0, of('k', 'shop'));
    collects = ({ from }) => (from < at(0) ? null : undefined);
    expect(await storm(id, 15, of('l', 'api'))).toBe('quiet');
    expect([said.length, (await row(15)).state]).toEqual([1, 'quiet']);
  });

  it('ends silently when there is nothing left to be said of it', async () => {
    const id = await subscribed({ report: 'alarms' });
    await createStorms(ledger).keep(id, { ...known, calm: at(-60), last: at(-30) });
    collects = () => null;
    expect(await storm(id, 0)).toBe('quiet');
    expect([said, await createStorms(ledger).read(id)]).toEqual([[], undefined]);
  });
});

describe('a message whose answer was lost', () => {
  const lost = () => {
    throw new Error('no answer');
  };

  it('is looked for, after what was on its way has arrived, and written down when it is there', async () => {
    const id = await subscribed();
    after = lost;
    expect(await slot(id, 0)).toBe('later');
    found = '1';
    expect(await again(id, 0, 1)).toBe('posted');
    expect([waited.filter((one) => one === SETTLING).length, looked, said.length]).toEqual([1, 1, 1]);
    expect(await row(0)).toMatchObject({ state: 'posted', ts: '1', covers_to: at(0).getTime() });
    expect(String((await row(0)).detail)).toMatch(/\w/);
    expect(logged(30)).toContainEqual(
      expect.objectContaining({
        ...NAMED,
        subscription: 1,
        report: 'errors',
        channel: 'C1',
        slot: at(0).toISOString(),
        err: expect.objectContaining({ message: 'no answer' }),
      }),
    );
  });

  it('is sent when it is not there; from then on nothing of it is unknown', async () => {
    const id = await subscribed();
    after = lost;
    await slot(id, 0);
    after = () => undefined;
    collects = () => {
      throw new UsageError('The platform is away.');
    };
    expect(await again(id, 0, 6)).toBe('failed');
    expect(await slot(id, 15)).toBe('failed');
    collects = () => undefined;
    expect(await slot(id, 30)).toBe('posted');
  });

  it('is given up after twelve times', async () => {
    const id = await subscribed();
    before = lost;
    const ends = [await slot(id, 0)];
    while (ends.length < 14 && ends.at(-1) === 'later') ends.push(await again(id, 0, ends.length));
    expect(ends).toEqual([...Array(11).fill('later'), 'failed']);
  });

  it('that is late is looked for without waiting: nobody can be sending it', async () => {
    found = '9';
    expect(await slot(await subscribed(), 0, 6 * MINUTE)).toBe('posted');
    expect([said, waited.includes(SETTLING)]).toEqual([[], false]);
  });
});

describe('a claim', () => {
  it('is asked for again when the answer took five seconds', async () => {
    const { sending } = ledger;
    let asked = 0;
    ledger.sending = (claim, lease) => {
      asked += 1;
      return sending(claim, lease);
    };
    const times = [1e9, 1e9 + 5_000, 1e9 + 6_000, 1e9 + 10_999];
    elapsed = () => times.shift() ?? expect.unreachable('the clock was asked too often');
    expect(await slot(await subscribed(), 0)).toBe('posted');
    expect([asked, times]).toEqual([2, []]);
  });

  it('is kept alive while a report is made, and not a moment longer', async () => {
    const id = await subscribed();
    let made = () => {};
    const making = new Promise<void>((resolve) => {
      made = resolve;
    });
    collects = () => making;
    const { renew } = ledger;
    let renewed = 0;
    ledger.renew = async (claim, lease) => {
      renewed += 1;
      if (renewed === 2) throw new Error('busy');
      return renew(claim, lease);
    };
    const running = slot(id, 0);
    for (let step = 1; step <= 8; step += 1) {
      await turns();
      now = new Date(at(0).getTime() + step * 30_000);
      for (const one of waits.splice(0)) if (one.until <= now.getTime()) one.resolve();
    }
    await turns();
    expect(renewed).toBe(8);
    expect(logged(40)).toEqual([
      expect.objectContaining({ ...NAMED, err: expect.objectContaining({ message: 'busy' }) }),
    ]);
    expect(await ledger.workable(5)).toEqual([]);
    made();
    expect(await running).toBe('posted');
    await turns();
    for (const one of waits) one.resolve();
    await turns();
    expect([renewed, waited.length]).toEqual([8, 9]);
  });

  it('that another replica took over meanwhile sends nothing', async () => {
    const id = await subscribed();
    collects = async () => {
      now = at(3);
      expect(await ledger.claim(id, at(0), 2 * MINUTE)).toBeDefined();
    };
    expect(await slot(id, 0)).toBe('taken');
    expect(said).toEqual([]);
    expect(lines).toEqual([
      expect.objectContaining({ ...NAMED, level: 30, subscription: 1, channel: 'C1', slot: at(0).toISOString() }),
    ]);
  });

  it('is for one, and for a subscription that is there', async () => {
    const id = await subscribed();
    expect([await slot(id, 0), await again(id, 0, 0)]).toEqual(['posted', 'taken']);
    await open(id, 15);
    await database.execute('DELETE FROM subscriptions');
    expect(await again(id, 15, 15)).toBe('taken');
  });

  it('for who has unsubscribed meanwhile says nothing', async () => {
    const id = await subscribed();
    await open(id, 0);
    await subscriptions.end(id);
    expect(await again(id, 0, 0)).toBe('dropped');
    expect([said, (await row(0)).state]).toEqual([[], 'dropped']);
  });
});

describe('what goes wrong', () => {
  const where = { service: 'api', method: 'GET', path: '/' } as const;
  const status = (code: number) => new PlatformError('No', { ...where, status: code });

  it.each<[string, Error, 'later' | 'failed']>([
    ['no connection', new PlatformConnectionError('No', { ...where } as never), 'later'],
    ['Slack’s limit', new PostRefusedError('ratelimited'), 'later'],
    ['Slack’s no', new PostRefusedError('is_archived'), 'failed'],
    ['the platform’s limit', status(429), 'later'],
    ['a fault of the platform', status(500), 'later'],
    ['the platform’s no', status(403), 'failed'],
    ['anything else', new Error('No'), 'failed'],
  ])('by %s', async (_, error, end) => {
    collects = () => {
      throw error;
    };
    expect(await slot(await subscribed(), 0)).toBe(end);
    expect(lines[0]).toMatchObject({
      ...NAMED,
      level: end === 'later' ? 40 : 50,
      subscription: 1,
      report: 'errors',
      channel: 'C1',
      err: { message: error.message },
    });
    expect(said).toHaveLength(end === 'later' ? 0 : 1);
  });

  it('is tried three times more, after one, two and four minutes', async () => {
    const id = await subscribed();
    collects = () => {
      throw status(502);
    };
    const ends = [await slot(id, 0)];
    for (const minute of [1, 3, 7]) {
      now = new Date(at(minute).getTime() - 1);
      expect(await ledger.workable(5)).toEqual([]);
      ends.push(await again(id, 0, minute));
    }
    expect(ends).toEqual(['later', 'later', 'later', 'failed']);
    expect(await row(0)).toMatchObject({ state: 'failed', detail: '502: No' });
  });

  it('while the bot is stopped needs no look into the channel when Slack said no', async () => {
    const id = await subscribed();
    const stop = new AbortController();
    before = () => {
      stop.abort(new Error('stopping'));
      throw new PostRefusedError('ratelimited');
    };
    await open(id, 0);
    expect(await runner.run(id, at(0), stop.signal)).toBe('later');
    before = () => undefined;
    expect(await again(id, 0, 1)).toBe('posted');
    expect([looked, waited.includes(SETTLING)]).toEqual([0, false]);
  });

  it('is said with Slack’s reason, and that it is tried again', async () => {
    before = () => {
      throw new PostRefusedError('is_archived');
    };
    await slot(await subscribed(), 0);
    expect(said[0]).toMatchObject({
      how: 'tell U1',
      text: expect.stringMatching(/the channel is archived[\s\S]*tried again/),
    });
    expect(logged(50)[0]).toMatchObject({ reference: 'is_archived' });
  });

  it('is said in the channel when nobody is known who subscribed', async () => {
    collects = () => {
      throw status(403);
    };
    await slot(await subscribed({ owner: '' }), 0);
    expect(said).toEqual([expect.objectContaining({ how: 'post C1', key: '1:broken' })]);
  });

  it('is said the next time when it could not be said', async () => {
    const id = await subscribed({ owner: 'U0' });
    collects = () => {
      throw status(403);
    };
    for (const minute of [0, 15]) expect(await slot(id, minute)).toBe('failed');
    expect(said.map(({ how }) => how)).toEqual(['tell U0', 'tell U0']);
    expect(logged(40)[0]).toMatchObject({ ...NAMED, subscription: id, err: { message: 'no such person' } });
  });

  it('with a report that this version does not have is said too', async () => {
    expect(await slot(await subscribed({ report: 'gone' }), 0)).toBe('failed');
    expect(logged(50)[0]).toMatchObject({ err: { message: expect.stringContaining('gone') } });
    expect(said).toHaveLength(1);
  });

  it('with the store is in the log, and only what was broken is written down as working again', async () => {
    let works = 0;
    const { works: written } = subscriptions;
    subscriptions.works = (id) => {
      works += 1;
      return written(id);
    };
    const id = await subscribed();
    await slot(id, 0);
    expect(works).toBe(0);
    await subscriptions.fail(id, 'for once');
    await slot(id, 15);
    expect(works).toBe(1);
    ledger.claim = () => Promise.reject(new Error('no store'));
    expect(await slot(id, 30)).toBe('later');
    expect(logged(50)[0]).toMatchObject({
      ...NAMED,
      subscription: id,
      slot: at(30).toISOString(),
      err: { message: 'no store' },
    });
  });
});
