import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Message, message } from '../../src/blocks/message.ts';
import type { Window } from '../../src/delivery/collect.ts';
import { createReportsView } from '../../src/delivery/reports-view.ts';
import type { Post, Poster } from '../../src/reports/post.ts';
import { type AnyReport, defineReport } from '../../src/reports/report.ts';
import { createAnchors } from '../../src/store/anchors.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportLedger, type ReportLedger } from '../../src/store/report-ledger.ts';
import { createSubscriptions, type Subscriptions } from '../../src/store/subscriptions.ts';
import { blockText } from '../operations/performing.ts';
import { PLAIN } from '../support/subscription.ts';

const MINUTE = 60_000;
const NOW = new Date('2026-11-21T12:34:56.789Z');
const errors = defineReport({
  name: 'errors',
  summary: 'What went wrong',
  schedule: '*/15 * * * *',
  args: { least: 1, grouped: true, words: 'few' },
  window: { first: 15 * MINUTE, longest: 60 * MINUTE, lag: 2 * MINUTE },
  collect: async () => undefined,
  render: () => undefined,
});
const { window: _, ...dayLong } = errors;
const figures = { ...dayLong, name: 'figures', args: {}, schedule: '0 9 * * *' };

const SELECTION = { targets: [], include: [], exclude: [], thresholds: {} };
const READER = { locale: 'en-US', timezone: 'UTC', now: NOW };

let database: Database;
let ledger: ReportLedger;
let subscriptions: Subscriptions;
let asked: { report: string; window: Window }[];
let posted: Post[];
/** What is in place of an edited message. */
let edited: Record<string, string>;
let news: { message: Message; fingerprint: string } | undefined;
let lines: unknown[];
let view: ReturnType<typeof createReportsView>;

beforeEach(async () => {
  database = await openDatabase({ url: ':memory:', clock: () => NOW });
  ledger = createReportLedger(database);
  subscriptions = createSubscriptions(database);
  asked = [];
  posted = [];
  edited = {};
  lines = [];
  news = { message: message('all is well'), fingerprint: 'p' };
  view = createReportsView({
    reports: [errors, figures] as unknown as AnyReport[],
    subscriptions,
    ledger,
    anchors: createAnchors(database),
    collect: async (report, _, window) => {
      asked.push({ report: report.name, window });
      return { news: () => news, troubles: undefined, unread: [] };
    },
    poster: {
      post: async (post: Post) => {
        if (post.thread === '6') throw new Error('channel_not_found');
        posted.push(post);
        return { ts: '1' };
      },
      update: async ({ channel, ts, message: { text } }: Parameters<Poster['update']>[0]) => {
        if (ts === '9') throw new Error('message_not_found');
        edited[`${channel} ${ts}`] = text;
      },
    } as unknown as Poster,
    names: { person: async (id) => (id === 'U2' ? { name: 'Ada' } : undefined) },
    channels: {
      find: async (text) => ({ id: 'C1', name: text }) as never,
      nameOf: async (id) => `#${id.toLowerCase()}`,
    },
    refusalNow: async ({ place }) => (place.channelId === 'C7' ? undefined : 'the policy says no'),
    now: () => NOW,
    log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
});
afterEach(() => database.close());

it('every report is listed with its numbers as thresholds', () => {
  expect(view.all()).toEqual([
    { name: 'errors', summary: 'What went wrong', schedule: '*/15 * * * *', thresholds: { least: 1 } },
    { name: 'figures', summary: 'What went wrong', schedule: '0 9 * * *', thresholds: {} },
  ]);
});

it('a subscription is listed with its channel’s name until it ends', async () => {
  const added = await view.subscribe(PLAIN);
  expect(added).toMatchObject({ ...PLAIN, channelName: '#c1', nextSlot: new Date('2026-11-21T12:45:00Z') });
  expect(await view.subscriptions()).toEqual([added]);
  expect(await view.unsubscribe(added.id)).toBe(true);
  expect(await view.unsubscribe(added.id)).toBe(false);
  expect(await view.subscriptions()).toEqual([]);
});

it('a subscription is mute until a moment, or until it is told to speak', async () => {
  const { id } = await view.subscribe(PLAIN);
  const until = new Date('2026-11-22T00:00:00Z');
  expect(await view.mute(id, until, 'U2')).toBe(true);
  expect((await subscriptions.read(id))?.muted).toEqual({ until, by: 'U2' });
  expect(await view.subscriptions()).toMatchObject([{ mutedByName: 'Ada' }]);
  expect(await view.unmute(id)).toBe(true);
  expect(await view.unmute(id)).toBe(false);
  expect((await subscriptions.read(id))?.muted).toBeUndefined();
});

it('a subscription is mute until it says something else than the last time, also when it has said nothing yet', async () => {
  const { id } = await view.subscribe(PLAIN);
  await view.mute(id, 'changed', 'U2');
  const { muted, version } = (await subscriptions.read(id))!;
  expect(muted).toEqual({ fingerprint: '', by: 'U2' });
  const slot = new Date('2026-11-21T12:30:00Z');
  await ledger.open({ id, version }, [{ slot, state: 'due', notBefore: slot }]);
  const claim = await ledger.claim(id, slot);
  await ledger.settle(claim!, { state: 'posted', fingerprint: 'as it was' });
  await view.mute(id, 'changed', 'U2');
  expect((await subscriptions.read(id))?.muted).toEqual({ fingerprint: 'as it was', by: 'U2' });
});

it('a report that is asked for is about its own window, to the minute, less what comes in late', async () => {
  const { signal } = new AbortController();
  expect(await view.make('errors', SELECTION, READER, signal)).toEqual(news);
  await view.make('figures', SELECTION, READER, signal);
  const none = { known: {}, told: {} };
  const [errors, figures] = [
    { from: new Date('2026-11-21T12:17:00Z'), to: new Date('2026-11-21T12:32:00Z') },
    { from: new Date('2026-11-20T12:34:00Z'), to: new Date('2026-11-21T12:34:00Z') },
  ];
  expect(asked).toEqual([
    { report: 'errors', window: { ...errors, ...none } },
    { report: 'figures', window: { ...figures, ...none } },
  ]);
  news = undefined;
  expect(blockText((await view.make('errors', SELECTION, READER, signal)).message)).toMatch(
    /^Nothing to report from .+ to .+\.$/,
  );
  await expect(view.make('nothing', SELECTION, READER, signal)).rejects.toThrow('there is no report nothing');
});

it('what somebody asked for is posted where they asked, under a key of its own', async () => {
  const by = (channelId: string) => ({
    actor: { id: 'U1', teamId: 'T1', kind: 'member' as const },
    place: { channelId },
  });
  await view.post(by('C7'), { message: message('all is well'), details: message('a table') });
  const key = `asked:${NOW.toISOString()}`;
  expect(posted).toEqual([
    { channel: 'C7', message: message('all is well'), key },
    { channel: 'C7', message: message('a table'), key: `${key}:details`, thread: expect.any(String) },
  ]);
  await expect(view.post(by('C8'), { message: message('all is well') })).rejects.toThrow(
    'Nothing was posted: the policy says no.',
  );
  expect(posted).toHaveLength(2);
});

it('an incident is as grave as in its message', async () => {
  const { id } = await view.subscribe(PLAIN);
  const zone = { since: NOW.getTime() - 10 * MINUTE, last: NOW.getTime(), failures: 0 };
  const said = {
    '1:dns': { words: 'a: dns', size: 0.4 },
    '2:dns': { words: 'b: dns', size: 0.04 },
    '3:statistics traffic': { words: 'c: no requests', size: 1 },
    '4:statistics hits': { words: 'd: cache hit rate 5%', size: 0.95 },
  };
  const more = {
    '5:statistics traffic': { words: 'e: no requests', size: 1, isUnlogged: true },
    '6:dns': { words: 'f: dns', size: 0.4, lately: 0.03, last: NOW.getTime() },
  };
  const zones = Object.fromEntries(['1', '2', '3', '4', '5', '6'].map((one) => [one, zone]));
  await createAnchors(database).set(id, 'incident', [
    { ts: '1', from: NOW, kinds: [], said: { ...said, ...more }, zones },
  ]);
  const [{ troubles }] = (await view.incidents()) as [Awaited<ReturnType<typeof view.incidents>>[number]];
  expect(troubles.map(({ isMinor, measure, share }) => [isMinor, measure, share])).toEqual([
    [false, undefined, 0.4],
    [true, undefined, 0.04],
    [false, 'traffic', undefined],
    [true, 'hits', undefined],
    [false, 'traffic', undefined],
    [false, undefined, 0.03],
  ]);
  expect(troubles.map(({ lately }) => lately)).toEqual([...Array(5).fill(undefined), 0.03]);
  const leads = troubles.map(({ look }) => look?.value);
  expect(leads).toEqual([
    undefined,
    undefined,
    'log search 3 --from 2026-11-21T10:24:56.789Z',
    'stats show 4 --from 2026-11-21T10:24:56.789Z --hourly',
    'stats show 5 --from 2026-11-21T10:24:56.789Z --hourly',
    undefined,
  ]);
});

it('tells a failure in the present as of the look that saw it, and in the past only if the look came later', async () => {
  const { id } = await view.subscribe(PLAIN);
  const ago = (minutes: number) => NOW.getTime() - minutes * MINUTE;
  const zones = { 1: { since: ago(18), last: NOW.getTime(), failures: 0 } };
  const told = async (look: number | undefined, last: number, kind = 'dns', lately?: number) => {
    const said = { [`1:${kind}`]: { words: 'a: fails', size: 0.4, last: ago(last), lately } };
    await createAnchors(database).set(id, 'incident', [{ ts: '1', from: ago(18), kinds: [], said, zones }]);
    if (look !== undefined) await createAnchors(database).set(id, 'doubts', { at: ago(look), doubts: [] });
    const { share, last: seen, asOf } = (await view.incidents())[0]!.troubles[0]!;
    return [share, seen?.getTime(), asOf?.getTime()];
  };
  expect(await told(undefined, 1)).toEqual([0.4, undefined, undefined]);
  expect(await told(undefined, 6)).toEqual([undefined, ago(6), ago(6)]);
  expect(await told(7, 7)).toEqual([undefined, ago(7), ago(7)]);
  expect(await told(12, 13)).toEqual([undefined, ago(13), ago(12)]);
  expect(await told(5, 6)).toEqual([0.4, undefined, ago(5)]);
  expect(await told(5, 8)).toEqual([undefined, ago(8), ago(5)]);
  expect(await told(5, 9, 'dns', 0)).toEqual([undefined, ago(9), ago(5)]);
  expect(await told(1, 2)).toEqual([0.4, undefined, undefined]);
  expect(await told(1, 4)).toEqual([undefined, ago(4), undefined]);
  expect(await told(1, 4, 'statistics hits')).toEqual([undefined, undefined, undefined]);
  expect(await told(1, 7, 'statistics hits')).toEqual([undefined, undefined, ago(7)]);
});

it('says that nothing fails only by a look', async () => {
  const { id } = await view.subscribe(PLAIN);
  const minute = (ago: number) => NOW.getTime() - ago * MINUTE;
  const zones = { 1: { since: minute(18), last: NOW.getTime() } };
  const said = { '1:dns': { words: 'a: fails', size: 0.4, last: minute(3), lately: 0 } };
  await createAnchors(database).set(id, 'incident', [{ ts: '1', from: minute(18), kinds: [], said, zones }]);
  expect((await view.incidents())[0]!.troubles).toMatchObject([
    { lately: undefined, share: 0.4, asOf: new Date(minute(3)) },
  ]);
  await createAnchors(database).set(id, 'doubts', { at: minute(1), doubts: [] });
  expect((await view.incidents())[0]!.troubles).toMatchObject([{ lately: 0 }]);
});

it('has failures since the last one beyond the usual, if they are no more than usual', async () => {
  const { id } = await view.subscribe(PLAIN);
  const ago = (minutes: number) => NOW.getTime() - minutes * MINUTE;
  const zones = { 1: { since: ago(18), last: NOW.getTime(), failures: 0 } };
  const said = { '1:dns': { words: 'a: fails', size: 0.4, last: ago(9), seen: ago(3), lately: 0 } };
  await createAnchors(database).set(id, 'incident', [{ ts: '1', from: ago(18), kinds: [], said, zones }]);
  await createAnchors(database).set(id, 'doubts', { at: ago(1), doubts: [] });
  const [{ troubles }] = (await view.incidents()) as [Awaited<ReturnType<typeof view.incidents>>[number]];
  expect(troubles).toMatchObject([{ last: new Date(ago(3)), isUsual: true, share: undefined }]);
});

it('knows what failed of each zone at the last look at it, and only of the last minutes', async () => {
  const seen = (minutes: number, zones: object, doubts: object[] = []) => ({
    ...{ at: NOW.getTime() - minutes * MINUTE, doubts, seen: zones },
  });
  const doubt = { zone: '9', words: '9 fails' };
  await createAnchors(database).set(1, 'doubts', seen(2, { 1: { failed: 0 }, 2: { failed: 2, of: 340 } }));
  await createAnchors(database).set(2, 'doubts', seen(5, { 1: { failed: 7 }, 3: { failed: 0 } }, [doubt]));
  await createAnchors(database).set(3, 'doubts', seen(6, { 4: { failed: 0 } }, [{ ...doubt, zone: '8' }]));
  expect((await view.seen()).zones).toEqual({ 1: { failed: 0 }, 2: { failed: 2, of: 340 }, 3: { failed: 0 } });
  expect(await view.doubts()).toEqual([{ ...doubt, asOf: new Date(NOW.getTime() - 5 * MINUTE) }]);
});

it('says up to when it knows what is not told yet, if that was minutes ago: the look, or what statistics had then', async () => {
  const ago = (minutes: number) => NOW.getTime() - minutes * MINUTE;
  const asOf = async (minutes: number, doubt: object) => {
    const doubts = [{ zone: '9', words: '9 failed', since: ago(9), ...doubt }];
    await createAnchors(database).set(1, 'doubts', { at: ago(minutes), doubts, seen: {} });
    return (await view.doubts())[0]!.asOf;
  };
  expect(await asOf(1, {})).toBeUndefined();
  expect(await asOf(2, {})).toEqual(new Date(ago(2)));
  expect(await asOf(1, { to: ago(6) })).toEqual(new Date(ago(6)));
});

it('tells for an hour what has recovered, the newest first, from when to when it lasted the last time', async () => {
  const { id } = await view.subscribe(PLAIN);
  const ago = (minutes: number) => NOW.getTime() - minutes * MINUTE;
  const incident = (zone: string, since: number, last: number, more: object) => ({
    ...{ ts: zone, from: ago(90), kinds: [], said: { [`${zone}:dns`]: { words: `${zone}: fails` } } },
    zones: { [zone]: { name: zone, since: ago(since), last: ago(last), failures: 0, ...more } },
    over: 'isOver' in more ? undefined : ago(last - 5),
  });
  await createAnchors(database).set(id, 'incident', [
    incident('1', 40, 12, { first: ago(80) }),
    incident('2', 30, 9, { isOver: true }),
    incident('3', 90, 61, {}),
    incident('4', 30, 9, { isOver: false }),
  ]);
  expect(await view.recovered()).toMatchObject([
    { zone: 2, name: '2', since: ago(30), to: ago(9) },
    { zone: 1, name: '1', since: ago(40), to: ago(12) },
  ]);
});

it('a message that says that something is no problem says who takes that back, if Slack still has it', async () => {
  const { id } = await view.subscribe(PLAIN);
  const incident = (zone: string, ts: string) => ({
    ...{ ts, from: NOW.getTime(), kinds: [], said: { [`${zone}:dns`]: { words: `${zone}: DNS fails`, size: 0.4 } } },
    zones: { [zone]: { since: NOW.getTime(), last: NOW.getTime(), failures: 9 } },
  });
  const open = (...incidents: object[]) => createAnchors(database).set(id, 'incident', incidents);
  await open(incident('1', '7'), incident('2', '8'), incident('3', '9'));
  expect(await view.incident(id, '2')).toMatchObject([{ words: '2: DNS fails', share: 0.4 }]);
  expect(await view.dismiss(id, 'U2')).toBe(true);
  // The next look has not been at the second one.
  await open(incident('2', '8'));
  expect(await view.undismiss(id, 'U3')).toBe(true);
  expect(edited).toEqual({
    'C1 7': expect.stringMatching(/^Alerts again since 2026-11-21 12:34 UTC, says <@U3>:\n• 1: DNS fails$/),
  });
  expect(await view.undismiss(id, 'U3')).toBe(false);
});

it('an incident goes on no longer once its subscription has ended', async () => {
  const [first, second] = [await view.subscribe(PLAIN), await view.subscribe({ ...PLAIN, channel: 'C2' })];
  const since = NOW.getTime() - 60 * MINUTE;
  const incident = (ts: string) => ({
    ...{ ts, from: since, kinds: ['7:dns'], said: { '7:dns': { words: 'shop: DNS fails', size: 0.4 } } },
    zones: { 7: { since, last: since, failures: 9 } },
  });
  await createAnchors(database).set(first.id, 'incident', [incident('7')]);
  await view.take(first.id, 'U2', { isOver: false });
  await view.dismiss(first.id, 'U2');
  expect(await view.doubts()).toMatchObject([{ words: 'shop: DNS fails', isDismissed: true }]);
  await view.unsubscribe(first.id);
  expect(await view.doubts()).toEqual([]);
  await view.make('errors', SELECTION, READER, new AbortController().signal);
  expect(asked[0]!.window).toMatchObject({ known: {}, told: {} });
  await createAnchors(database).set(second.id, 'incident', [incident('8')]);
  expect(await view.take(second.id, 'U3', { isOver: false })).toEqual({ by: 'U3', isNew: true });
});

it('whoever is relieved of an incident hears of it in the thread of the message where they took it', async () => {
  const [first, second] = [await view.subscribe(PLAIN), await view.subscribe({ ...PLAIN, channel: 'C2' })];
  const since = NOW.getTime();
  const incident = (ts: string) => ({ ts, from: since, kinds: [], said: {}, zones: { 7: { since, last: since } } });
  for (const [{ id }, ts] of [
    [first, '7'],
    [second, '8'],
  ] as const)
    await createAnchors(database).set(id, 'incident', [incident(ts)]);
  const shown = (ts: string) => ({ ts, text: '', blocks: [] });
  await view.take(first.id, 'U2', { shown: shown('7'), isOver: false });
  await view.take(second.id, 'U3', { shown: shown('8'), isOver: true });
  expect(edited['C2 8']).toMatch(/^\n?<@U3> took over from <@U2>/);
  expect(posted.map(({ channel, thread }) => [channel, thread])).toEqual([['C1', '7']]);
});

it('an incident is taken over though the channel of whoever is relieved takes no message', async () => {
  const { id } = await view.subscribe(PLAIN);
  const zones = { 7: { since: NOW.getTime(), last: NOW.getTime() } };
  await createAnchors(database).set(id, 'incident', [{ ts: '6', from: NOW.getTime(), kinds: [], said: {}, zones }]);
  const shown = { ts: '6', text: '', blocks: [] };
  await view.take(id, 'U2', { shown, isOver: false });
  expect(await view.take(id, 'U3', { shown, isOver: true })).toEqual({ by: 'U3', isNew: true });
  expect(posted).toEqual([]);
  expect(lines).toMatchObject([{ level: 40, msg: 'whoever was relieved of an incident did not hear of it' }]);
});

it('says of all that is no problem in a zone that it was dismissed, until somebody wants alerts again', async () => {
  const { id } = await view.subscribe(PLAIN);
  const anchors = createAnchors(database);
  const zones = { 7: { since: NOW.getTime(), last: NOW.getTime(), name: 'shop' } };
  const said = Object.fromEntries(
    ['TLS fails', 'unavailable'].map((kind) => [`7:${kind}`, { words: `shop: ${kind}`, size: 0.5 }]),
  );
  await anchors.set(id, 'incident', [{ ts: '6', from: NOW.getTime(), kinds: Object.keys(said), said, zones }]);
  await view.dismiss(id, 'U2');
  expect(await view.doubts()).toMatchObject([{ words: 'shop: TLS fails; unavailable', isDismissed: true }]);
  await anchors.set(id, 'incident', []);
  const doubts = [{ zone: '7', words: 'shop: TLS fails', isDismissed: true }];
  await anchors.set(id, 'doubts', { at: NOW.getTime(), doubts, seen: {} });
  expect(await view.doubts()).toMatchObject([{ words: 'shop: TLS fails', isDismissed: true }]);
  await view.undismiss(id, 'U2');
  expect(await view.doubts()).toEqual([{ zone: '7', words: 'shop: TLS fails' }]);
});

it('says of a zone that fails what fails, whatever else was dismissed there', async () => {
  const failing = { zone: '7', words: 'shop: 9 of about 20 requests failed', since: NOW.getTime(), fails: true };
  const doubts = [failing, { zone: '7', words: 'shop: origin is slow', isDismissed: true }];
  await createAnchors(database).set(1, 'doubts', { at: NOW.getTime(), doubts, seen: {} });
  expect(await view.doubts()).toEqual([failing]);
});

it('says up to when logs and statistics were looked at', async () => {
  expect(await view.seen()).toEqual({ zones: {} });
  await createAnchors(database).set(0, 'watch', { windows: [{ to: 1 }, { to: NOW.getTime() }], findings: [] });
  for (const [subscription, minutes] of [
    [1, 1],
    [2, 4],
    [3, 20],
  ] as const)
    await createAnchors(database).set(subscription, 'doubts', { at: NOW.getTime() - minutes * 60_000, doubts: [] });
  expect(await view.seen()).toEqual({ logs: NOW.getTime() - 240_000, statistics: NOW.getTime(), zones: {} });
});

it('a channel is found by what people call it', async () => {
  expect(await view.channel('#ops')).toMatchObject({ id: 'C1', name: '#ops' });
});
