import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chart } from '../../src/blocks/chart.ts';
import { takeIncident } from '../../src/delivery/dismissals.ts';
import { type Incident, isGoingOn, keepIncidents, readIncidents, toldIncidents } from '../../src/delivery/incident.ts';
import { runSlot } from '../../src/delivery/run.ts';
import { PostRefusedError } from '../../src/reports/post.ts';
import type { Trouble } from '../../src/reports/report.ts';
import { MINUTE } from '../../src/time.ts';
import { again, at, type Desk, firstLines, open, openDesk, row, slot, subscribed } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.database.close());

describe('an incident', () => {
  const of = (zone: string, minute = 0, more: Partial<Trouble> = {}): Trouble => ({
    ...{ kind: 'k', zone, name: zone, since: at(minute).getTime(), words: `${zone}: 502` },
    ...more,
  });
  const ended = (zone: string, minute: number) => of(zone, 0, { kind: '', until: at(minute).getTime() });
  const look = (id: number, minute: number, ...now: Trouble[]) => {
    desk.troubles = () => now;
    return slot(desk, id, minute);
  };
  const goingOn = async (id: number) => (await readIncidents(desk.services, id)).filter(isGoingOn);
  const known: Incident = {
    ts: '7',
    from: at(-60).getTime(),
    kinds: ['shop:k'],
    said: {},
    zones: { shop: { name: 'shop', since: at(-24 * 60).getTime(), last: at(-15).getTime(), failures: 175 } },
  };

  it('has its own message, and another one later leaves it its facts and its buttons', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    expect(await look(id, 15, of('shop'), of('api', 14))).toBe('posted');
    expect(firstLines(desk)).toEqual([
      expect.stringMatching('post C1: 11:45-12:00'),
      expect.stringMatching('post C1: 12:00-12:15'),
      expect.stringMatching('update 1: 12:00-12:15'),
    ]);
    for (const { commands } of desk.said) expect(commands.join()).toMatch(/on-it.*report dismiss 1/);
  });

  it('has its buttons before its chart, which fills a phone', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    desk.collects = () =>
      chart({
        title: 'Failed',
        type: 'bar',
        categories: ['0 min', '1 min'],
        series: [{ name: 'Failed', values: [3, 4] }],
      });
    await look(id, 0, of('shop'));
    expect(desk.kinds).toEqual(['section', 'actions', 'data_visualization']);
  });

  it('that begins in the same look with another cause has its own message a minute later', async () => {
    const id = await subscribed(desk, { report: 'alarms', cron: '*/5 * * * *' });
    const both = [of('shop'), of('api', 0, { kind: 'other' })];
    await look(id, 0, ...both);
    expect(await desk.services.ledger.next(id)).toEqual({ slot: at(1), delay: MINUTE });
    expect(await look(id, 1, ...both)).toBe('posted');
    expect(Object.values(await goingOn(id)).map(({ zones }) => Object.keys(zones))).toEqual([['api'], ['shop']]);
    expect(await desk.services.ledger.next(id)).toBeUndefined();
  });

  it('in a zone that is found later is news, aloud, which nobody is on yet', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await takeIncident(desk.services, id, 'U2');
    expect(await look(id, 5, of('shop'), of('api', 2))).toBe('posted');
    expect(desk.said.at(-2)?.text).toContain('Also now: shop: 502');
    expect(desk.said.at(-2)?.text).not.toContain('is on it');
    expect(desk.said.at(-2)?.commands.join()).toContain('on-it');
  });

  it.each([2, 4])('of %s zones says when one recovered while others go on, once', async (many) => {
    const id = await subscribed(desk, { report: 'alarms' });
    const [first, ...others] = ['shop', 'api', 'docs', 'blog'].slice(0, many);
    await look(id, 0, of(first!), ...others.map((zone) => of(zone)));
    const ends = () => desk.said.filter(({ how }) => how === 'post C1 in 1 for all').map(({ text }) => text);
    await look(id, 15, of(first!), ...others.map((zone) => ended(zone, 8)));
    await look(id, 20, of(first!), ...others.map((zone) => ended(zone, 8)));
    expect(ends()).toEqual([expect.stringMatching(/^✅ api(?:, docs and blog)? recovered after 8 min/u)]);
    await look(id, 25, ended(first!, 22));
    expect(ends().slice(1)).toEqual([expect.stringMatching(/^✅ shop recovered after 22 min, from [^,]* to [^,]*\./u)]);
    expect(await goingOn(id)).toEqual([]);
  });

  it('of which a zone fails again after its end was told has a message of its own for that', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'), of('api'));
    await look(id, 15, of('shop'), ended('api', 8));
    expect(await look(id, 25, of('shop'), of('api', 24))).toBe('posted');
    await look(id, 40, of('shop'), of('api', 24, { kind: '', until: at(30).getTime() }));
    const told = desk.said.filter(({ how, text }) => how.endsWith('for all') && text.includes('recovered'));
    expect(told.map(({ text }) => /^✅ api recovered after (\d+ min)/u.exec(text)?.[1])).toEqual(['8 min', '6 min']);
    expect((await goingOn(id)).map(({ zones }) => Object.keys(zones))).toEqual([['shop', 'api']]);
  });

  it('over zones that recovered at different times says when each did', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'), of('api'));
    await look(id, 30, ended('shop', 8), ended('api', 28));
    expect(desk.said.at(-1)?.text).toMatch(
      /shop and api recovered after 28 min, shop from .* to .*8.*, api from .* to .*28/,
    );
  });

  it('and another in another zone name each other, with the address', async () => {
    desk.services.identity = { address: 'https://shop.slack.com/' };
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await look(id, 15, of('shop'), of('api', 14));
    const also = desk.said.slice(1).map(({ text }) => /Also now: (\w+: 502)/.exec(text)?.[1]);
    expect(also).toEqual(['shop: 502', 'api: 502']);
    expect(desk.links).toEqual(['https://shop.slack.com/archives/C1/p2']);
  });

  it('is named with the time up to which its requests were counted, where only statistics show it', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    const away = of('shop', 0, {
      kind: 'statistics traffic',
      words: 'shop: no requests for 15 min',
      last: at(8).getTime(),
    });
    await look(id, 0, away);
    await look(id, 15, away, of('api', 14));
    expect(desk.said.at(-2)?.text).toMatch(/Also now: shop: no requests for 15 min, as of .*:08/);
  });

  it('is named by what still fails in it, as of its own statistics, not of those of a zone that is well again', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    const away = of('shop', 0, { kind: 'statistics traffic', words: 'shop: no requests', last: at(8).getTime() });
    await look(id, 0, away, of('blog', 0, { kind: 'statistics traffic' }));
    const back = of('blog', 0, { kind: 'statistics traffic', words: 'blog: fewer requests', lately: 0 });
    const fails = { kind: 'statistics 5xx', words: 'blog: 5xx', last: at(5).getTime() };
    await look(id, 15, ended('shop', 9), back, of('blog', 0, fails), of('api', 14));
    expect(desk.said.map(({ text }) => text).join('\n')).toMatch(/Also now: blog: 5xx, as of 1:05 PM GMT.1$/mu);
  });

  it('tells about when only of a zone that statistics date', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    const away = of('blog', 0, { kind: 'statistics traffic', isAbout: true });
    await look(id, 0, of('shop', 0, { kind: 'statistics traffic' }), away);
    await look(id, 15, ended('shop', 12), away);
    await look(id, 30, ended('shop', 12), ended('blog', 26));
    const ends = desk.said.flatMap(({ how, text }) => (how.endsWith('for all') ? text.split(' recovered ')[1] : []));
    expect(ends).toEqual([expect.not.stringContaining('about'), expect.stringMatching(/about .*about /u)]);
    expect(desk.said.at(-1)?.text).toMatch(/shop from 1:00 PM .* to 1:12 PM .*, blog from about .* to about /u);
  });

  it.each([{ lately: 0 }, { lately: 0.02 }])('is not named by another one while it gets better: %s', async (better) => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await look(id, 15, of('shop', 0, better), of('api', 14));
    const also = desk.said.slice(1).map(({ text }) => /Also now: \w+/.exec(text)?.[0]);
    expect(also).toEqual([undefined, 'Also now: api']);
  });

  it('says what was changed in the hour before and what was done since, where that may be read', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    desk.services.changesAround = async () => ({ before: [], after: ['ada cleared the cache of shop'] });
    await look(id, 0, of('shop'));
    expect(desk.said[0]?.text).toContain(
      'Changed in the two hours before: nothing.\nDone since: ada cleared the cache of shop.',
    );
    expect(desk.said[0]?.commands.join()).toContain('changes list shop');
    desk.services.changesAround = async () => undefined;
    await look(id, 5, of('shop'));
    expect(desk.said[1]?.text).not.toContain('Changed');
    expect(desk.said[1]?.commands.join()).not.toContain('audit list');
  });

  it('that came back is asked for changes around the beginning of what fails now, not of a zone that is well', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    const begun: object[] = [];
    desk.services.changesAround = async (_, zones) => {
      begun.push(Object.fromEntries(Object.entries(zones).map(([zone, { since }]) => [zone, since])));
      return undefined;
    };
    await look(id, 0, of('shop'), of('api'));
    await look(id, 15, ended('shop', 4), ended('api', 4));
    await look(id, 30, of('shop', 28));
    await look(id, 35, of('shop', 28));
    expect(begun).toEqual([
      { shop: at(0).getTime(), api: at(0).getTime() },
      ...Array(2).fill({ shop: at(28).getTime() }),
    ]);
  });

  it('of a report that cannot tell troubles yet is told as any other', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    desk.troubles = () => undefined;
    expect(await slot(desk, id, 0)).toBe('posted');
    expect(await goingOn(id)).toEqual([]);
  });

  it('is collected once a slot, however many go on', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    let collected = 0;
    desk.collects = () => {
      collected += 1;
    };
    await look(id, 0, of('shop'));
    await look(id, 15, of('shop'), of('api', 14));
    await look(id, 20, of('shop'), of('api', 14));
    expect(collected).toBe(3);
  });

  it('that is new is told even when the same words were muted until they change', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await look(id, 5, ended('shop', 3));
    const fingerprint = (await desk.services.ledger.lastFingerprint(id))!;
    await desk.services.subscriptions.mute(id, { fingerprint, by: 'U2' });
    expect(await look(id, 70, of('shop', 68))).toBe('posted');
    expect((await desk.services.subscriptions.read(id))?.muted).toBeUndefined();
  });

  it('for which there may be no new message joins the last one', async () => {
    const id = await subscribed(desk, { report: 'alarms', perHour: 1 });
    await look(id, 0, of('shop'));
    expect(await look(id, 15, of('shop'), of('api', 14))).toBe('updated');
    expect(desk.said).toMatchObject([
      {},
      { how: 'update 1', text: expect.stringContaining('because the limit of 1 message an hour is reached') },
      { how: 'post C1 in 1 for all' },
    ]);
    expect(Object.keys((await goingOn(id))[0]!.zones)).toEqual(['shop', 'api']);
  });

  it('for which there may be no new message is told in the thread, the first time to everybody, with who is on the others', async () => {
    const id = await subscribed(desk, { report: 'alarms', perHour: 1 });
    await look(id, 0, of('shop'));
    await takeIncident(desk.services, id, 'U2');
    await look(id, 15, of('shop'), of('api', 14));
    await look(id, 20, of('shop'), of('api', 14), of('docs', 19));
    await look(id, 25, of('shop'), of('api', 14), of('docs', 19));
    const why = 'Added to this message, because the limit of 1 message an hour is reached. <@U2> is on it.';
    expect(desk.said.filter(({ how }) => how.includes(' in '))).toMatchObject([
      { how: 'post C1 in 1 for all', text: expect.stringMatching(`^12:00-12:15 .*\n${why}$`) },
      { how: 'post C1 in 1', text: expect.stringMatching(`^12:15-12:20 .*\n${why}$`) },
    ]);
  });

  it('says in each of its channels who is on it, whoever pressed in another one', async () => {
    const [first, second, other] = await Promise.all(
      ['C1', 'C2', 'C3'].map((channel) => subscribed(desk, { report: 'alarms', channel })),
    );
    for (const [id, zone] of [
      [first, 'shop'],
      [second, 'shop'],
      [other, 'api'],
    ] as const)
      await look(id!, 0, of(zone));
    await takeIncident(desk.services, first!, 'U2');
    for (const [id, zone] of [
      [second, 'shop'],
      [other, 'api'],
    ] as const)
      await look(id!, 15, of(zone));
    expect(desk.said.slice(-2).map(({ text }) => text.includes('<@U2> is on it'))).toEqual([true, false]);
    expect(await takeIncident(desk.services, second!, 'U3')).toMatchObject({ isNew: false, taken: { by: 'U2' } });
    desk.now = at(16);
    expect(await takeIncident(desk.services, second!, 'U3', undefined, true)).toMatchObject({
      ...{ isNew: true, taken: { by: 'U3', after: 'U2' } },
    });
    for (const id of [first, second]) await look(id!, 30, of('shop'));
    const took = expect.stringMatching(/<@U3> took over from <@U2> at [^\n]* and is on it/);
    expect(desk.said.slice(-2).map(({ text }) => text)).toEqual([took, took]);
  });

  it('has one of two who press at once in two channels, who stays on it when one of them is told no more', async () => {
    const [first, second] = await Promise.all(
      ['C1', 'C2'].map((channel) => subscribed(desk, { report: 'alarms', channel })),
    );
    for (const id of [first, second]) await look(id!, 0, of('shop'));
    const taken = await Promise.all([
      takeIncident(desk.services, first!, 'U2'),
      takeIncident(desk.services, second!, 'U3'),
    ]);
    expect(taken.filter((one) => one?.isNew)).toHaveLength(1);
    expect(taken[0]!.taken.by).toBe(taken[1]!.taken.by);
    desk.now = at(1);
    await takeIncident(desk.services, second!, 'U4', undefined, true);
    await look(second!, 5);
    await look(second!, 40);
    await look(first!, 45, of('shop'));
    expect(desk.said.at(-1)?.text).toContain('<@U4> took over from');
  });

  it.each([false, true])('of a day is said to be the usual, muted until it changes: %s', async (isMuted) => {
    const id = await subscribed(desk, { report: 'alarms' });
    await keepIncidents(desk.services, id, [known]);
    if (isMuted) await desk.services.subscriptions.mute(id, { fingerprint: 'the same', by: 'U2' });
    expect(await look(id, 0, of('shop'))).toBe('updated');
    expect(desk.said[0]).toMatchObject({ how: 'update 7', commands: [] });
    expect(desk.said[0]?.text).toMatch(
      /since Nov 20, 2026, 1:00 PM GMT\+1\. I now treat it as normal, and won’t alert about it again/,
    );
    expect(await goingOn(id)).toEqual([]);
  });

  it('of which there is nothing to be said is quiet', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    desk.collects = () => null;
    expect(await look(id, 0, of('shop'))).toBe('quiet');
    expect([desk.said.length, (await row(desk, 0)).state]).toEqual([0, 'quiet']);
  });

  it('is told to be over with its true minutes, where everybody sees it and to the one who was on it', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop', -9.7, { failures: 175 }));
    await takeIncident(desk.services, id, 'U2');
    // 14 minutes and 36 seconds; the clocks say 14.
    expect(await look(id, 15, ended('shop', 4.9))).toBe('updated');
    const line = '✅ shop recovered after 14 min, from 12:50 PM GMT+1 to 1:04 PM GMT+1: 175 requests failed.';
    expect(desk.said.slice(1)).toMatchObject([
      { how: 'post C1 in 1 for all', text: `${line} <@U2>` },
      { how: 'update 1', text: expect.stringContaining(line), commands: [] },
    ]);
    expect(desk.said.at(-1)?.text).toContain('<@U2> was on it.');
    expect(await goingOn(id)).toEqual([]);
  });

  it('whose message was deleted is told to be over in a message of its own, and in the morning', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    const gone = new PostRefusedError('message_not_found', 'message gone');
    const answers = [gone, undefined, gone];
    desk.before = () => {
      const answer = answers.shift();
      if (answer !== undefined) throw answer;
    };
    expect(await look(id, 15, ended('shop', 4))).toBe('quiet');
    expect(desk.said.slice(1)).toMatchObject([{ how: 'post C1', text: expect.stringMatching(/^✅ shop recovered/u) }]);
    expect(await toldIncidents(desk.services)).toMatchObject([{ to: at(4).getTime(), isOver: true }]);
  });

  it('is not over in the morning while nobody looks, because its report is muted', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await desk.services.subscriptions.mute(id, { until: at(24 * 60), by: 'U2' });
    expect(await look(id, 600, of('shop'))).toBe('muted');
    expect(await toldIncidents(desk.services)).toMatchObject([{ to: at(0).getTime(), isOver: false }]);
  });

  it('ends for itself while another goes on', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await look(id, 15, of('shop'), of('api', 14));
    desk.said = [];
    await look(id, 30, ended('shop', 20), of('api', 14));
    expect(firstLines(desk)).toEqual([
      expect.stringMatching('update 2: 12:15-12:30'),
      expect.stringMatching(/post C1 in 1 for all: ✅ shop recovered/u),
      expect.stringMatching(/update 1: ✅ shop recovered/u),
    ]);
  });

  it('that comes back within the hour is told in its thread, where everybody sees it', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await look(id, 15, ended('shop', 4));
    desk.said = [];
    expect(await look(id, 30, of('shop', 28))).toBe('updated');
    expect(firstLines(desk)).toEqual([
      expect.stringMatching('post C1 in 1 for all: 12:15-12:30'),
      expect.stringMatching('update 1: 12:15-12:30'),
    ]);
  });

  it('that comes back has nobody on it until somebody is again', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await takeIncident(desk.services, id, 'U2');
    await look(id, 15, ended('shop', 4));
    expect(desk.said.at(-1)?.text).toContain('<@U2> was on it.');
    await look(id, 30, of('shop', 28));
    expect(desk.said.at(-1)?.text).not.toContain('is on it');
    expect(desk.said.at(-1)?.commands.join()).toContain('on-it');
    expect(await takeIncident(desk.services, id, 'U3', '1')).toMatchObject({ isNew: true, taken: { by: 'U3' } });
    await look(id, 45, of('shop', 28));
    expect(desk.said.at(-1)?.text).toContain('<@U3> is on it');
  });

  it.each<[string, string | undefined, number]>([
    ['once more in the next slot', undefined, 1],
    ['no second time where it came all the same', '9', 0],
  ])('whose end Slack does not take in its thread says it there %s', async (_, found, times) => {
    const id = await subscribed(desk, { report: 'alarms' });
    await keepIncidents(desk.services, id, [{ ...known, ts: '7' }]);
    desk.before = () => {
      desk.before = () => undefined;
      throw new Error('Slack is away');
    };
    expect(await look(id, 0, ended('shop', -15))).toBe('updated');
    const ends = () =>
      desk.said.filter(({ how, text }) => how === 'post C1 in 7 for all' && text.includes('recovered'));
    expect(ends()).toEqual([]);
    desk.found = found;
    for (const minute of [5, 10]) expect(await look(id, minute)).toBe('quiet');
    expect(ends()).toHaveLength(times);
    expect(desk.looked).toBe(1);
  });

  const refusals: [string, Error][] = [
    ['for now', new PostRefusedError('ratelimited', 'later')],
    ['for good', new PostRefusedError('edit_window_closed')],
    ['nobody knows whether', new Error('socket hang up')],
  ];
  /** Slack takes no edit of a message until it is said. */
  const refuseEdits = (of: string, error: Error) => {
    const { poster } = desk.services;
    const update: typeof poster.update = async (one) => {
      if (one.ts !== of) return poster.update(one);
      await one.ready?.();
      throw error;
    };
    desk.services = { ...desk.services, poster: { ...poster, update } };
    return () => {
      desk.services = { ...desk.services, poster };
    };
  };
  const posts = () => desk.said.filter(({ how }) => how.startsWith('post C1')).map(({ how }) => how);

  it.each(refusals)('is posted once, though Slack refuses to edit an older one %s', async (_, error) => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    refuseEdits('1', error);
    expect(await look(id, 5, of('shop'), of('api', 3))).toBe('posted');
    for (const minute of [10, 15]) expect(await look(id, minute, of('shop'), of('api', 3))).toBe('updated');
    expect(posts()).toEqual(['post C1', 'post C1']);
    expect((await goingOn(id)).map(({ zones }) => Object.keys(zones))).toEqual([['api'], ['shop']]);
  });

  it.each(refusals)('is told to be over once, though Slack refuses to edit it %s', async (_, error) => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    const taking = refuseEdits('1', error);
    for (const minute of [5, 10]) expect(await look(id, minute, ended('shop', 3))).toBe('quiet');
    taking();
    await look(id, 15);
    const isLater = !(error instanceof PostRefusedError && error.means === 'no');
    expect(firstLines(desk).slice(1)).toEqual([
      expect.stringMatching(/^post C1 in 1 for all: ✅ shop recovered after 3 min/u),
      ...(isLater ? [expect.stringMatching(/^update 1: ✅ shop recovered after 3 min/u)] : []),
    ]);
    expect(await goingOn(id)).toEqual([]);
  });

  it.each([
    ['its end', ended('shop', 3), 'post C1 in 1 for all'],
    ['another one', of('api', 3), 'post C1'],
  ])('%s is told once, though the bot is stopped before it has edited the message', async (_, found, how) => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    const stop = new AbortController();
    desk.after = () => stop.abort(new Error('stopping'));
    const taking = refuseEdits('1', new Error('stopping'));
    desk.troubles = () => (found.until === undefined ? [of('shop'), found] : [found]);
    desk.now = at(5);
    await open(desk, id, 5);
    expect(await runSlot(desk.services, id, at(5), stop.signal)).toBe('later');
    taking();
    expect(await again(desk, id, 5, 6)).toBe('updated');
    expect(posts()).toEqual(['post C1', how]);
    expect(desk.said.at(-1)?.how).toBe('update 1');
  });

  it('that a newer one continues says so in the next slot, though Slack takes no edit of it in this one', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop', 0, { kind: 'statistics response' }));
    const taking = refuseEdits('1', new PostRefusedError('ratelimited', 'later'));
    expect(await look(id, 5, of('shop', 4))).toBe('posted');
    taking();
    await look(id, 10, of('shop', 4));
    expect(desk.said.at(-1)?.text).toMatch(/^Continued in a newer message\./);
    expect((await goingOn(id)).map(({ ts }) => ts)).toEqual(['2']);
  });

  it('whose requests begin to fail is told anew, and its older message has nothing to press any more', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop', 0, { kind: 'statistics response' }));
    await takeIncident(desk.services, id, 'U2');
    expect(await look(id, 5, of('shop', 4))).toBe('posted');
    expect(desk.said.at(-1)).toMatchObject({ how: 'update 1', commands: [] });
    expect(desk.said.at(-1)?.text).toMatch(/^Continued in a newer message\.\n• shop: 502\n<@U2> is on it/);
  });

  it('names whoever is on it, in place of the button, for as long as it goes on', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    expect(await takeIncident(desk.services, id, 'U2')).toBeUndefined();
    await look(id, 0, of('shop'));
    expect(desk.said[0]?.commands.join()).toContain('on-it');
    expect(await takeIncident(desk.services, id, 'U2', '1')).toMatchObject({ isNew: true, ts: '1' });
    expect(await takeIncident(desk.services, id, 'U3', '1')).toMatchObject({ isNew: false, taken: { by: 'U2' } });
    await look(id, 15, of('shop'), of('api', 14));
    expect(desk.said.at(-1)?.text).toContain('<@U2> is on it, since 1:00 PM GMT+1.');
    expect(desk.said.at(-1)?.commands.join()).not.toContain('on-it');
    expect(desk.said.at(-1)?.commands.join()).toContain('take-over');
    // Nobody is on the other one.
    expect(desk.said.at(-2)?.text).not.toContain('is on it');
    expect(await takeIncident(desk.services, id, 'U3', '2')).toMatchObject({ isNew: true, taken: { by: 'U3' } });
    expect(await takeIncident(desk.services, id, 'U3', '5')).toBeUndefined();
  });

  it('belongs to one of those who press at once, and loses nobody who takes another', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await look(id, 0, of('shop'));
    await look(id, 15, of('shop'), of('api', 14));
    const presses = [
      ['U2', '1'],
      ['U3', '1'],
      ['U4', '2'],
    ] as const;
    const taken = await Promise.all(presses.map(([by, ts]) => takeIncident(desk.services, id, by, ts)));
    expect(taken.map((one) => one?.isNew)).toEqual([true, false, true]);
    expect(taken.map((one) => one?.taken.by)).toEqual(['U2', 'U2', 'U4']);
    await look(id, 20, of('shop'), of('api', 14));
    expect(desk.said.slice(-2).map(({ text }) => /<@(\w+)> is on it/.exec(text)?.[1])).toEqual(['U4', 'U2']);
    const over = await Promise.all(['U5', 'U6'].map((by) => takeIncident(desk.services, id, by, '1', true)));
    expect(over.map((one) => [one?.isNew, one?.taken])).toMatchObject([
      [true, { by: 'U5', after: 'U2' }],
      [false, { by: 'U5' }],
    ]);
  });
});
