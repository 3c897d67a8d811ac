import { describe, expect, it } from 'vitest';
import {
  endIncident,
  foundIncident,
  type Incident,
  incidentStep,
  intendIncident,
  keepIncident,
  readIncident,
  withReturns,
} from '../../src/delivery/incident.ts';
import { failingSince } from '../../src/delivery/make.ts';
import type { Trouble } from '../../src/reports/report.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportAnchors } from '../../src/store/report-anchors.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const trouble = (kind: string, zone = 'shop', isNews = true): Trouble => ({
  kind,
  zone,
  since: at(0).getTime(),
  isNews,
});

/** What becomes of these windows of 15 minutes: `calm`, `told`, `kept`, `updated`, `over` or `usual`. */
function steps(windows: readonly (readonly Trouble[])[]): string[] {
  let incident: Incident | undefined;
  return windows.map((troubles, index) => {
    const step = incidentStep(incident, troubles, { from: at(15 * index), to: at(15 * (index + 1)) });
    if (step.is !== 'healthy')
      incident = step.is === 'over' || step.is === 'usual' ? undefined : { ...step.incident, ts: '1' };
    return step.is;
  });
}

const times = (count: number, troubles: readonly Trouble[]) => Array.from({ length: count }, () => troubles);

describe('an incident', () => {
  it('of more than a day is said to be the usual once, and is then neither told again nor part of another', () => {
    const day = times(96, [trouble('statistics traffic')]);
    const all = steps([...day, ...times(40, [trouble('statistics traffic')])]);
    expect(all.indexOf('usual')).toBe(95);
    expect(new Set(all.slice(96))).toEqual(new Set(['healthy']));
    const another = { ...trouble('b', 'blog'), since: at(15 * 98).getTime() };
    const beside = steps([...day, ...times(2, []), ...times(8, [trouble('statistics traffic'), another])]);
    expect(beside.slice(98)).not.toContain('usual');
    expect(beside.slice(98).filter((step) => step === 'told')).toHaveLength(1);
  });

  it('whose cause is known later is brought up to date with it, and calls nobody again', () => {
    const cause = { ...trouble('refused'), symptom: 'visitors get 502' };
    expect(steps([[trouble('visitors get 502')], [cause], [cause, trouble('disk full')]])).toEqual([
      'told',
      'updated',
      'told',
    ]);
    expect(steps([[trouble('visitors get 504')], [cause]])).toEqual(['told', 'told']);
    const first = incidentStep(undefined, [trouble('visitors get 502')], { from: at(0), to: at(15) }) as {
      incident: Incident;
    };
    const second = incidentStep(first.incident, [cause], { from: at(15), to: at(30) }) as { incident: Incident };
    expect(Object.keys(second.incident.said!)).toEqual(['shop:refused']);
  });

  it('that statistics alone show does not make its zone one of which requests fail', () => {
    const zones = { shop: { since: 1, last: 2 }, blog: { since: 3, last: 4 }, api: { since: 5, last: 6 } };
    const kinds = ['shop:statistics traffic', 'blog:dns', 'api:statistics 4xx', 'api:dns'];
    expect(failingSince({ zones, kinds })).toEqual({ blog: 3, api: 5 });
  });

  it('is told once, brought up to date at growing intervals, and over after half an hour without it', () => {
    expect(steps([[], ...times(14, [trouble('a')]), [], [], []])).toEqual([
      'healthy',
      'told',
      'updated',
      'updated',
      'kept',
      'updated',
      'kept',
      'kept',
      'updated',
      ...times(5, []).map(() => 'kept'),
      'updated',
      'kept',
      'over',
      'healthy',
    ]);
  });

  it('goes on when it pauses for a quarter of an hour', () => {
    expect(steps([[trouble('a')], [], [trouble('a')], [], []])).toEqual(['told', 'kept', 'updated', 'kept', 'over']);
  });

  it('is told anew for another zone and for another cause in the same zone, once each', () => {
    const [a, b, elsewhere] = [trouble('a'), trouble('b'), trouble('a', 'api')];
    expect(steps([[a], [a, b], [a, b], [a, elsewhere], [a, elsewhere], [b]])).toEqual([
      'told',
      'told',
      'updated',
      'told',
      'updated',
      'updated',
    ]);
  });

  it('is not told anew for a kind that is a small part of what fails in its zone, nor for a zone that is not read', () => {
    expect(steps([[trouble('a')], [trouble('a'), trouble('b', 'shop', false)], [trouble('', 'shop', false)]])).toEqual([
      'told',
      'updated',
      'updated',
    ]);
    expect(steps([[trouble('a', 'shop', false)]])).toEqual(['told']);
  });

  it('is told anew for a zone that was healthy for half an hour while another was not', () => {
    const [shop, api] = [trouble('a'), trouble('a', 'api')];
    expect(steps([[shop, api], [shop], [shop, api], [shop], [shop], [shop, api]]).at(2)).not.toBe('told');
    expect(steps([[shop, api], [shop], [shop, api], [shop], [shop], [shop, api]]).at(-1)).toBe('told');
  });

  it('of a day is the usual', () => {
    const all = steps(times(4 * 24, [trouble('a')]));
    expect(all.indexOf('usual')).toBe(4 * 24 - 1);
    expect(all.filter((step) => step === 'told')).toHaveLength(1);
    expect(all.filter((step) => step === 'updated').length).toBeLessThan(12);
  });
});

/** An incident that is told since noon. */
const KNOWN: Incident = {
  ts: '1',
  from: at(0),
  last: at(15),
  next: at(30),
  updates: 2,
  kinds: ['shop:a'],
  zones: { shop: { since: at(0).getTime(), last: at(15).getTime() } },
};

describe('what is known of an incident', () => {
  it('at first is all of its kinds and zones, and five minutes until its first update', () => {
    const troubles = [trouble('a', 'shop'), trouble('b', 'api'), trouble('b', 'shop')];
    const now = { since: at(0).getTime(), last: at(15).getTime() };
    expect(incidentStep(undefined, troubles, { from: at(0), to: at(15) })).toEqual({
      is: 'told',
      incident: {
        ts: '',
        from: at(0),
        last: at(15),
        next: at(20),
        updates: 0,
        kinds: ['shop:a', 'api:b', 'shop:b'],
        said: { 'shop:a': {}, 'api:b': {}, 'shop:b': {} },
        told: {},
        zones: { shop: now, api: now },
      },
    });
  });

  it('when it is told anew is what was told before too, from its beginning', () => {
    const api = { kind: 'b', zone: 'api', since: at(17).getTime(), isNews: true };
    expect(incidentStep(KNOWN, [api], { from: at(15), to: at(20) })).toMatchObject({
      is: 'told',
      incident: {
        ts: '',
        from: at(0),
        next: at(25),
        kinds: ['shop:a', 'api:b'],
        zones: { ...KNOWN.zones, api: { since: at(17).getTime(), last: at(20).getTime() } },
      },
    });
  });

  it('is brought up to date from its moment on, not before', () => {
    const window = (to: Date) => incidentStep(KNOWN, [trouble('a')], { from: at(15), to });
    expect(window(new Date(at(30).getTime() - 1)).is).toBe('kept');
    expect(window(at(30))).toMatchObject({ is: 'updated', incident: { updates: 3, next: at(30 + 40) } });
  });
});

describe('the incidents in the store', () => {
  it('are read once their message is known, which is written down only where it was missing', async () => {
    const database = await openDatabase({ url: ':memory:' });
    const services = { anchors: createReportAnchors(database) };
    expect(await readIncident(services, 1)).toBeUndefined();
    await foundIncident(services, 1, '7');
    expect(await readIncident(services, 1)).toBeUndefined();
    await intendIncident(services, 1, KNOWN);
    expect(await readIncident(services, 1)).toBeUndefined();
    await foundIncident(services, 1, '7');
    expect(await readIncident(services, 1)).toEqual({ ...KNOWN, ts: '7' });
    await foundIncident(services, 1, '8');
    expect(await readIncident(services, 1)).toEqual({ ...KNOWN, ts: '7' });
    await keepIncident(services, 1, KNOWN);
    expect(await readIncident(services, 1)).toEqual(KNOWN);
    expect(await readIncident(services, 2)).toBeUndefined();
    await endIncident(services, 1);
    expect(await readIncident(services, 1)).toBeUndefined();
    await database.close();
  });

  it('know how often they came back within three hours, and then take twice as long each time to be over', async () => {
    const database = await openDatabase({ url: ':memory:' });
    const services = { anchors: createReportAnchors(database) };
    const begun = (minute: number, zone = 'shop') => ({
      ...KNOWN,
      zones: { [zone]: { since: at(minute).getTime(), last: at(minute).getTime() } },
    });
    expect(await withReturns(services, 1, KNOWN)).toEqual(KNOWN);
    await endIncident(services, 1, KNOWN);
    const once = await withReturns(services, 1, begun(60));
    expect(once.returns).toBe(1);
    expect((await withReturns(services, 1, begun(60, 'api'))).returns).toBeUndefined();
    expect((await withReturns(services, 1, begun(15 + 3 * 60))).returns).toBeUndefined();
    await endIncident(services, 1, once);
    expect((await withReturns(services, 1, begun(60))).returns).toBe(2);
    const stepAfter = (minutes: number) => incidentStep(once, [], { from: at(10 + minutes), to: at(15 + minutes) }).is;
    expect([stepAfter(55), stepAfter(60)]).toEqual(['kept', 'over']);
    await database.close();
  });
});
