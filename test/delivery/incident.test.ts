import { describe, expect, it } from 'vitest';
import {
  endedZones,
  failingSince,
  foundIncident,
  type Incident,
  incidentSteps,
  keepIncidents,
  openIncidents,
  readIncidents,
  toldIncidents,
  toldZones,
} from '../../src/delivery/incident.ts';
import type { Trouble } from '../../src/reports/report.ts';
import { createAnchors } from '../../src/store/anchors.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const trouble = (kind: string, zone = 'shop', more: Partial<Trouble> = {}): Trouble => ({
  ...{ kind, zone, name: zone, since: at(0).getTime() },
  ...more,
});
const ended = (minute: number, zone = 'shop') => trouble('', zone, { until: at(minute).getTime() });

/** What becomes of looks five minutes apart: of a new incident first, then of the known ones. */
function looks(...all: readonly (readonly Trouble[])[]) {
  let known: readonly Incident[] = [];
  return all.map((troubles, index) => {
    const { begun, steps } = incidentSteps(known, troubles, at(5 * (index + 1)));
    const left = steps.filter(({ is }) => !['usual', 'dismissed', 'overtaken'].includes(is));
    known = [begun === undefined ? [] : { ...begun, ts: String(index) }, left.map(({ incident }) => incident)].flat();
    return [begun === undefined ? [] : `told ${Object.keys(begun.zones)}`, steps.map(({ is }) => is)].flat();
  });
}

const times = (count: number, troubles: readonly Trouble[]) => Array.from({ length: count }, () => troubles);

describe('an incident', () => {
  it('is told once, and brought up to date with every look', () => {
    expect(looks([], ...times(3, [trouble('a')]))).toEqual([[], ['told shop'], ['updated'], ['updated']]);
  });

  it('is over as soon as its zone is well, with the minute of its last failure', () => {
    expect(looks([trouble('a')], [ended(3)])).toEqual([['told shop'], ['over']]);
    const first = incidentSteps([], [trouble('a')], at(5)).begun!;
    const [over] = incidentSteps([first], [ended(3)], at(20)).steps;
    expect(over?.incident).toMatchObject({
      over: at(20).getTime(),
      zones: { shop: { since: at(0).getTime(), last: at(3).getTime() } },
    });
  });

  it('is over after half an hour of which nothing is known', () => {
    expect(looks([trouble('a')], ...times(6, [])).at(-2)).toEqual(['kept']);
    expect(looks([trouble('a')], ...times(6, [])).at(-1)).toEqual(['over']);
  });

  it('counts the requests that failed', () => {
    const first = incidentSteps([], [trouble('a', 'shop', { failures: 40 })], at(5)).begun!;
    const [second] = incidentSteps([first], [trouble('a', 'shop', { failures: 2 })], at(10)).steps;
    expect(second?.incident.zones.shop?.failures).toBe(42);
  });

  it('that comes back within the hour is the same one', () => {
    const back = (minute: number) => trouble('a', 'shop', { since: at(minute).getTime() });
    expect(looks([trouble('a')], [ended(3)], [], [back(15)])).toEqual([['told shop'], ['over'], ['kept'], ['again']]);
    expect(looks([trouble('a')], [ended(3)], [], [back(64)]).at(-1)).toEqual(['told shop', 'kept']);
  });

  it('that came back is told from then on, and remembered from its first failure', async () => {
    const first = incidentSteps([], [trouble('a', 'shop', { failures: 40 })], at(5)).begun!;
    const [over] = incidentSteps([{ ...first, ts: '1' }], [ended(3)], at(10)).steps;
    const back = trouble('a', 'shop', { since: at(16).getTime(), failures: 2 });
    const [again] = incidentSteps([over!.incident], [back, { ...back, kind: 'b', failures: 0 }], at(20)).steps;
    expect(again).toMatchObject({
      is: 'again',
      incident: { zones: { shop: { since: at(16).getTime(), failures: 2, first: at(0).getTime() } } },
    });
  });

  it('is one of its zone: another zone has its own, the new one first', () => {
    const api = trouble('a', 'api', { since: at(12).getTime() });
    expect(looks([trouble('a')], [trouble('a')], [trouble('a'), api], [ended(14), api])).toEqual([
      ['told shop'],
      ['updated'],
      ['told api', 'updated'],
      ['updated', 'over'],
    ]);
  });

  it('is one of three zones of one look, whatever fails in them, but not of those that are found later', () => {
    const three = [trouble('a'), trouble('b', 'blog'), trouble('statistics 5xx', 'api')];
    const later = ['docs', 'shop-2', 'shop-3'].map((zone) => trouble('a', zone));
    expect(looks(three, [...three, ...later])).toEqual([
      ['told shop,blog,api'],
      ['told docs,shop-2,shop-3', 'updated'],
    ]);
  });

  it('is not one of three zones whose statistics are unlike: each has its own, the worst first', () => {
    const [slow, cold] = [trouble('statistics response', 'video'), trouble('statistics hits', 'docs')];
    const [away, fails] = [trouble('statistics traffic', 'blog'), trouble('a', 'shop', { size: 0.02 })];
    const all = [slow, cold, away, fails];
    expect(looks(all, all, all, all)).toEqual([
      ['told blog'],
      ['told video', 'updated'],
      ['told docs', 'updated', 'updated'],
      ['told shop', 'updated', 'updated', 'updated'],
    ]);
    const three = ['docs', 'video', 'api'].map((zone) => trouble('statistics hits', zone));
    expect(looks([...three, away], [...three, away])).toEqual([['told blog'], ['told docs,video,api', 'updated']]);
  });

  it('is one of all zones that are found together and began to fail alike within ten minutes', () => {
    const api = (kind: string, minute: number) => trouble(kind, 'api', { since: at(minute).getTime() });
    expect(looks([trouble('a'), trouble('a', 'api')])).toEqual([['told shop,api']]);
    const unlike = [trouble('a'), trouble('b', 'api')];
    expect(looks(unlike, unlike)).toEqual([['told shop'], ['told api', 'updated']]);
    expect(looks([trouble('a'), api('a', 9)])).toEqual([['told shop,api']]);
    expect(looks([trouble('a'), api('a', 10)])).toEqual([['told shop']]);
    expect(looks([trouble('a')], [trouble('a'), api('a', 1)]).at(-1)).toEqual(['told api', 'updated']);
  });

  it('that a zone has left stays as it was told when that zone fails again, which is news', () => {
    const both = [trouble('a'), trouble('a', 'api')];
    const back = trouble('a', 'api', { since: at(14).getTime() });
    expect(looks(both, [trouble('a'), ended(3, 'api')], [trouble('a'), back])).toEqual([
      ['told shop,api'],
      ['updated'],
      ['told api', 'updated'],
    ]);
    const { begun } = incidentSteps([], both, at(5));
    const [left] = incidentSteps([begun!], [trouble('a'), ended(3, 'api')], at(10)).steps;
    expect(left).toMatchObject({ recovered: ['api'], incident: { zones: { api: { isOver: true } } } });
    expect(failingSince([left!.incident])).not.toHaveProperty('api');
    expect(toldZones([left!.incident], at(10).getTime())).toEqual({ shop: 'now', api: 'before' });
    expect(incidentSteps([left!.incident], [trouble('a'), back], at(15)).steps[0]?.incident.zones).toMatchObject({
      api: { isOver: true, last: at(3).getTime() },
    });
  });

  it('goes on with another cause in its zone, and says what fails now', () => {
    const [a, b] = [trouble('a', 'shop', { words: 'shop: a' }), trouble('b', 'shop', { words: 'shop: b' })];
    expect(looks([a], [a, b], [b])).toEqual([['told shop'], ['updated'], ['updated']]);
    const { begun } = incidentSteps([], [a], at(5));
    const [next] = incidentSteps([begun!], [b], at(10)).steps;
    expect(next?.incident).toMatchObject({ kinds: ['shop:a', 'shop:b'], said: { 'shop:b': { words: 'shop: b' } } });
    expect(next?.incident.said).not.toHaveProperty('shop:a');
  });

  it('of which statistics told is told anew when requests fail, and the older message ends', () => {
    const [slow, away] = [trouble('statistics response'), trouble('statistics traffic')];
    expect(looks([slow], [slow, away], [slow, trouble('a')])).toEqual([
      ['told shop'],
      ['updated'],
      ['told shop', 'overtaken'],
    ]);
  });

  it('of more than a day is said to be the usual once, and is then neither told again nor part of another', () => {
    const all = looks(...times(300, [trouble('a')]));
    expect(all.indexOf(all.find(([step]) => step === 'usual')!)).toBe(24 * 12 - 1);
    expect(all.slice(24 * 12).flat()).toEqual([]);
  });

  it('of more than a day, which statistics still show, is no part of what begins in its zone later', () => {
    const slow = trouble('statistics response');
    const since = at(24 * 60 + 5).getTime();
    const later = [slow, trouble('statistics hits', 'shop', { since })];
    const all = looks(...times(24 * 12, [slow]), ...times(4, later));
    expect(all.slice(-5)).toEqual([['usual'], ['told shop'], ['updated'], ['updated'], ['updated']]);
  });

  it('goes on while its zone cannot be read, which begins none', () => {
    const unread = trouble('', 'shop');
    expect(looks([unread], [trouble('a')], ...times(9, [unread]))).toEqual([
      [],
      ['told shop'],
      ...times(9, []).map(() => ['updated']),
    ]);
  });
});

const KNOWN: Incident = {
  ts: '1',
  from: at(5).getTime(),
  kinds: ['shop:a'],
  said: {},
  zones: { shop: { since: at(0).getTime(), last: at(15).getTime(), failures: 3 } },
};

describe('what a report is told of incidents', () => {
  it('that statistics alone show a trouble does not make its zone one of which requests fail', () => {
    const zone = KNOWN.zones.shop!;
    const zones = { shop: zone, blog: { ...zone, since: 3 }, api: { ...zone, since: 5 } };
    const kinds = ['shop:statistics traffic', 'blog:dns', 'api:statistics 4xx', 'api:dns'];
    expect(failingSince([{ ...KNOWN, zones, kinds }])).toEqual({ blog: 3, api: 5 });
    expect(failingSince([{ ...KNOWN, zones, kinds, over: 1 }])).toEqual({});
  });

  it('is which zones are told of now, and which were before', () => {
    const over = { ...KNOWN, over: 1, zones: { shop: KNOWN.zones.shop!, api: KNOWN.zones.shop! } };
    expect(toldZones([KNOWN, over], 1 + 179 * 60_000)).toEqual({ shop: 'now', api: 'before' });
    expect(toldZones([KNOWN, over], 1 + 180 * 60_000)).toEqual({ shop: 'now' });
    const ended = { ...over, zones: { api: KNOWN.zones.shop! } };
    const older = { ...over, zones: { api: { ...KNOWN.zones.shop!, last: at(5).getTime() } } };
    expect(endedZones([KNOWN, ended, older], at(60).getTime())).toEqual({ api: at(15).getTime() });
    expect(endedZones([KNOWN, ended, older], at(75).getTime())).toEqual({});
    const back = { ...KNOWN, zones: { shop: { ...KNOWN.zones.shop!, first: 0 } } };
    expect(toldZones([back], at(600).getTime())).toEqual({ shop: 'again' });
    const forgotten = (minute: number) => incidentSteps([over], [], new Date(1 + minute * 60_000)).steps;
    expect([forgotten(2 * 1440 - 1).length, forgotten(2 * 1440).length]).toEqual([1, 0]);
  });
});

describe('the incidents in the store', () => {
  it('are told in the morning by their zone, from first to last failure, however many channels heard of them', async () => {
    const database = await openDatabase({ url: ':memory:' });
    const anchors = createAnchors(database);
    const told = (zone: number, since: number, last: number, words: string): Incident => ({
      ...KNOWN,
      kinds: [`${zone}:a`],
      said: { [`${zone}:a`]: { words } },
      zones: { [zone]: { since: at(since).getTime(), last: at(last).getTime(), failures: 1 } },
    });
    await keepIncidents({ anchors }, 1, [
      { ...told(308, 120, 130, 'shop: DNS fails'), over: 1 },
      told(308, 0, 25, 'shop: DNS fails'),
    ]);
    await keepIncidents({ anchors }, 2, [
      told(309, 90, 95, 'api: DNS fails'),
      { ...told(308, 5, 30, 'shop: visitors get 502'), over: 1 },
    ]);
    const shown = (from: number, to: number, since = from) => ({
      ...{ from: at(from).getTime(), to: at(to).getTime(), since: at(since).getTime(), isAbout: false },
    });
    expect(await toldIncidents({ anchors })).toEqual([
      { zone: 308, ...shown(0, 30, 5), isOver: true, words: ['shop: DNS fails', 'shop: visitors get 502'] },
      { zone: 309, ...shown(90, 95), isOver: false, words: ['api: DNS fails'] },
      { zone: 308, ...shown(120, 130), isOver: true, words: ['shop: DNS fails'] },
    ]);
    await database.close();
  });

  it('are quiet in the morning since their last failure, where a look saw none after it', async () => {
    const database = await openDatabase({ url: ':memory:' });
    const anchors = createAnchors(database);
    const quietSince = async (...said: Partial<Trouble>[]) => {
      const all = Object.fromEntries(said.map((one, index) => [`308:${index}`, one]));
      await keepIncidents({ anchors }, 1, [
        { ...KNOWN, said: all, zones: { 308: { since: 1, last: 9, failures: 1 } } },
      ]);
      return (await toldIncidents({ anchors }))[0]!.quiet;
    };
    expect(await quietSince({ lately: 0, seen: 6 }, { lately: 0, seen: 7 })).toBe(7);
    expect(await quietSince({ lately: 0, seen: 6 }, { seen: 7 })).toBeUndefined();
    expect(await quietSince({ lately: 0 })).toBeUndefined();
    expect(await quietSince()).toBeUndefined();
    await database.close();
  });

  it('are read once their message is known, which is written down only where it was missing', async () => {
    const database = await openDatabase({ url: ':memory:' });
    const subscriptions = createSubscriptions(database);
    for (const channel of ['C1', 'C2']) await subscriptions.add({ ...PLAIN, channel }, () => undefined);
    const services = { anchors: createAnchors(database), subscriptions };
    const read = () => readIncidents(services, 1);
    await foundIncident(services, 1, '7');
    expect(await read()).toEqual([]);
    await keepIncidents(services, 1, [{ ...KNOWN, ts: '' }, KNOWN]);
    expect(await read()).toEqual([KNOWN]);
    await foundIncident(services, 1, '7');
    expect(await read()).toEqual([{ ...KNOWN, ts: '7' }, KNOWN]);
    await foundIncident(services, 1, '8');
    expect((await read())[0]?.ts).toBe('7');
    await keepIncidents(services, 2, [{ ...KNOWN, over: 1 }]);
    expect((await openIncidents(services)).map(({ id }) => id)).toEqual([1, 1]);
    await keepIncidents(services, 1, []);
    expect(await read()).toEqual([]);
    await database.close();
  });
});
