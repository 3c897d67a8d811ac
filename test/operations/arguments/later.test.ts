import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laterThan, parseLater } from '../../../src/operations/arguments/later.ts';
import type { ResolveContext } from '../../../src/operations/context.ts';
import { offsetAt } from '../../../src/schedule/offsets.ts';
import { DAY, HOUR, MINUTE } from '../../../src/time.ts';

const NOW = new Date('2026-11-26T22:30:00Z');
const later = (typed: string, timezone = 'Europe/Berlin', now = NOW) =>
  parseLater(typed, now, timezone).toISOString().slice(0, 16);

describe('The time of a planned change', () => {
  it.each([
    ['02:00', '2026-11-27T01:00'],
    ['2am', '2026-11-27T01:00'],
    ['2 am', '2026-11-27T01:00'],
    ['12am', '2026-11-26T23:00'],
    ['12:30pm', '2026-11-27T11:30'],
    ['12:30\u202fPM', '2026-11-27T11:30'],
    ['23:45', '2026-11-26T22:45'],
    ['tomorrow 2am', '2026-11-27T01:00'],
    ['Tomorrow at 02:00', '2026-11-27T01:00'],
    ['today 23:59', '2026-11-26T22:59'],
    ['tomorrow at 9', '2026-11-27T08:00'],
    ['tonight at 2', '2026-11-27T01:00'],
    ['tonight 02:00', '2026-11-27T01:00'],
    ['tonight at 12', '2026-11-26T23:00'],
    ['tonight at 9', '2026-11-26T20:00'],
    ['tonight at 5', '2026-11-26T16:00'],
    ['tonight 8pm', '2026-11-26T19:00'],
    ['tonight 23:45', '2026-11-26T22:45'],
    ['tonight 04:59', '2026-11-27T03:59'],
    ['friday 02:00', '2026-11-27T01:00'],
    ['thursday 02:00', '2026-12-03T01:00'],
    ['2026-11-30 02:00', '2026-11-30T01:00'],
    ['2026-11-30T02:00', '2026-11-30T01:00'],
    ['2026-11-30T02:00Z', '2026-11-30T02:00'],
    ['2026-11-30T02:00:00.000Z', '2026-11-30T02:00'],
    ['2026-11-30T02:00+05:30', '2026-11-29T20:30'],
    ['02:00 UTC', '2026-11-27T02:00'],
    ['in 3 hours', '2026-11-27T01:30'],
    ['90m', '2026-11-27T00:00'],
  ])('%s is %s', (typed, meant) => {
    expect(later(typed)).toBe(meant);
  });

  it.each([
    '2',
    'soon',
    '25:00',
    '02:60',
    '13pm',
    '0am',
    'someday 02:00',
    '2026-02-30 02:00',
    '02:00 02:00',
    'tonight 10am',
    'tonight 16:59',
    'tonight 5am',
    '',
  ])('is not “%s”', (typed) => {
    expect(() => later(typed)).toThrow(`“${typed}” is not a time for a change.`);
  });

  it('is later by what the clocks skip, and comes twice if they are put back', () => {
    const spring = new Date('2026-03-28T20:00:00Z');
    expect(later('02:30', 'Europe/Berlin', spring)).toBe('2026-03-29T01:30');
    expect(later('02:30', 'Europe/Berlin', new Date('2026-10-24T20:00:00Z'))).toBe('2026-10-25T00:30');
    expect(later('02:30', 'Europe/Berlin', new Date('2026-10-25T00:45:00Z'))).toBe('2026-10-25T01:30');
  });

  it('is the next that a clock there shows, in every zone and on every day', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const moments = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
    const times = fc.record({ hour: fc.nat(23), minute: fc.nat(59) });
    fc.assert(
      fc.property(moments, fc.constantFrom(...zones), times, (now, timeZone, { hour, minute }) => {
        const typed = `${hour}:${String(minute).padStart(2, '0')}`;
        const due = parseLater(typed, now, timeZone);
        const shown = (at: number) =>
          new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' }).format(
            at,
          );
        const wanted = typed.padStart(5, '0');
        const ahead = due.getTime() - now.getTime();
        expect(ahead).toBeGreaterThan(0);
        expect(ahead).toBeLessThanOrEqual(DAY + 2 * HOUR);
        if (shown(due.getTime()) !== wanted) {
          // The clocks skipped it: they jumped within two hours before.
          const jumps = [...Array(9).keys()].map((at) => offsetAt(timeZone, due.getTime() - at * 15 * MINUTE));
          expect(new Set(jumps).size).toBeGreaterThan(1);
          return;
        }
        const minutes = Math.ceil(ahead / MINUTE) - 1;
        const earlier = [...Array(minutes).keys()].map((at) => due.getTime() - (at + 1) * MINUTE);
        const same = earlier.filter((at) => (at / MINUTE) % 15 === (due.getTime() / MINUTE) % 15);
        expect(same.map(shown)).not.toContain(wanted);
      }),
      { numRuns: 300 },
    );
  });

  const kind = laterThan();
  const context = { now: NOW, reader: { locale: 'en-US', timezone: 'Europe/Berlin', now: NOW } } as ResolveContext;

  it('is kept as an instant, which means the same in every zone and after it has come', async () => {
    const due = await kind.resolve('02:00', context);
    const text = kind.textOf(due) ?? '';
    expect(text).toBe('2026-11-27T01:00:00.000Z');
    const after = new Date('2026-11-27T09:00:00Z');
    const elsewhere = { ...context, now: after, reader: { ...context.reader, timezone: 'Asia/Tokyo' } };
    expect(await kind.resolve(text, elsewhere)).toEqual(due);
    expect(() => kind.check(text, after)).toThrow('That time has passed.');
  });

  it('is ahead, at most a week', async () => {
    expect(() => kind.resolve('2026-11-25 02:00', context)).toThrow('That time has passed.');
    expect(() => kind.resolve('in 8d', context)).toThrow('A change can be planned at most 7 days ahead.');
    expect(() => kind.check('2027-11-25T02:00Z', NOW)).toThrow('at most 7 days ahead');
  });
});
