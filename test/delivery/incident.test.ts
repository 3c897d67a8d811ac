import { describe, expect, it } from 'vitest';
import {
  endIncident,
  foundIncident,
  type Incident,
  incidentStep,
  intendIncident,
  keepIncident,
  readIncident,
} from '../../src/delivery/incident.ts';
import type { Trouble } from '../../src/reports/report.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportAnchors } from '../../src/store/report-anchors.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const trouble = (kind: string, zone = 'shop', hourly = 100): Trouble => ({ kind, zone, hourly });

/** What becomes of these stretches of 15 minutes: `calm`, `told`, `kept`, `updated`, `over` or `usual`. */
function weather(stretches: readonly (readonly Trouble[])[]): string[] {
  let incident: Incident | undefined;
  return stretches.map((troubles, index) => {
    const step = incidentStep(incident, troubles, { from: at(15 * index), to: at(15 * (index + 1)) });
    if (step.is !== 'calm')
      incident = step.is === 'over' || step.is === 'usual' ? undefined : { ...step.incident, ts: '1' };
    return step.is;
  });
}

const times = (count: number, troubles: readonly Trouble[]) => Array.from({ length: count }, () => troubles);

describe('an incident', () => {
  it('is told once, brought up to date at growing intervals, and over after half an hour without it', () => {
    expect(weather([[], ...times(14, [trouble('a')]), [], [], []])).toEqual([
      'calm',
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
      'calm',
    ]);
  });

  it('goes on when it pauses for a quarter of an hour', () => {
    expect(weather([[trouble('a')], [], [trouble('a')], [], []])).toEqual(['told', 'kept', 'updated', 'kept', 'over']);
  });

  it('is told anew for another kind elsewhere and for ten times as many, not for another kind of the same zone', () => {
    const [a, b, elsewhere] = [trouble('a'), trouble('b'), trouble('c', 'api')];
    expect(weather([[a], [a, b], [a, elsewhere], [a, elsewhere], [trouble('a', 'docs')]])).toEqual([
      'told',
      'updated',
      'told',
      'updated',
      'updated',
    ]);
    const sized = (hourly: number) => [trouble('a', 'shop', hourly)];
    // It rises for three quarters of an hour; what comes ten times as often after that is another incident.
    expect(weather([sized(10), sized(150), sized(200), sized(1900), sized(2000)])).toEqual([
      'told',
      'updated',
      'updated',
      'kept',
      'told',
    ]);
  });

  it('of more than a day is told once a day, and after almost three days is the usual', () => {
    const steps = weather(times(4 * 70, [trouble('a')]));
    expect(steps.flatMap((step, index) => (step === 'told' ? [index / 4] : []))).toEqual([0, 23.75, 47.5]);
    expect(steps.at(-1)).toBe('usual');
    expect(steps.filter((step) => step === 'updated').length).toBeLessThan(40);
  });
});

/** An incident that is told since noon. */
const KNOWN: Incident = {
  ts: '1',
  calm: at(-30),
  from: at(0),
  last: at(15),
  next: at(30),
  updates: 2,
  kinds: ['a'],
  zones: ['shop'],
  hourly: 100,
};

describe('what is known of an incident', () => {
  it('at first is all of its kinds and zones, the most of one, and five minutes until its first update', () => {
    const troubles = [trouble('a', 'shop', 5), trouble('b', 'api', 70), trouble('b', 'shop', 6)];
    expect(incidentStep(undefined, troubles, { from: at(0), to: at(15) })).toEqual({
      is: 'told',
      incident: {
        ts: '',
        calm: at(0),
        from: at(0),
        last: at(15),
        next: at(20),
        updates: 0,
        kinds: ['a', 'b'],
        zones: ['shop', 'api'],
        hourly: 70,
      },
    });
  });

  it('when it is told anew is what was told before too, from its beginning', () => {
    expect(incidentStep(KNOWN, [trouble('b', 'api', 5)], { from: at(15), to: at(20) })).toMatchObject({
      is: 'told',
      incident: {
        ts: '',
        calm: at(-30),
        from: at(0),
        next: at(25),
        kinds: ['a', 'b'],
        zones: ['shop', 'api'],
        hourly: 100,
      },
    });
    expect(incidentStep(KNOWN, [trouble('b', 'api', 500)], { from: at(15), to: at(20) })).toMatchObject({
      incident: { hourly: 500 },
    });
    // A day later it is told from there on.
    const day = 24 * 60;
    expect(incidentStep(KNOWN, [trouble('a')], { from: at(day - 15), to: at(day) })).toMatchObject({
      is: 'told',
      incident: { calm: at(-30), from: at(day - 15) },
    });
  });

  it('is brought up to date from its moment on, not before', () => {
    const stretch = (to: Date) => incidentStep(KNOWN, [trouble('a')], { from: at(15), to });
    expect(stretch(new Date(at(30).getTime() - 1)).is).toBe('kept');
    expect(stretch(at(30))).toMatchObject({ is: 'updated', incident: { updates: 3, next: at(30 + 40) } });
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

  it('are read as older versions wrote them down', async () => {
    const database = await openDatabase({ url: ':memory:' });
    const anchors = createReportAnchors(database);
    const { ts, zones: places, ...rest } = KNOWN;
    await anchors.set(1, 'storm', { ts, content: JSON.stringify({ ...rest, places }) });
    expect(await readIncident({ anchors }, 1)).toEqual(KNOWN);
    await database.close();
  });
});
