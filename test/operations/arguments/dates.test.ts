import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { day, moment, parseDay, parseMoment } from '../../../src/operations/arguments/dates.ts';
import { isoDay } from '../../../src/time.ts';
import { contextOf, NOW } from '../performing.ts';

const instant = (text: string) => parseMoment(text, NOW).instant.toISOString();
const refusal = (attempt: () => unknown): UsageError => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
};

/** Instants of four-digit years, to the millisecond. */
const anyInstant = fc.date({
  min: new Date('1000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('moments', () => {
  it.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-1-5', '2026-01-05T00:00:00.000Z'],
    ['11-20-2026', '2026-11-20T00:00:00.000Z'],
    ['11/20/2026', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T06:30', '2026-11-20T06:30:00.000Z'],
    ['2026-11-20 06:30', '2026-11-20T06:30:00.000Z'],
    ['2026-11-20T06:30:15.250Z', '2026-11-20T06:30:15.250Z'],
    ['2026-11-20T06:30+02:00', '2026-11-20T04:30:00.000Z'],
    ['2026-11-20T22:30-0330', '2026-11-21T02:00:00.000Z'],
    ['today', '2026-11-21T00:00:00.000Z'],
    ['Yesterday', '2026-11-20T00:00:00.000Z'],
    ['now', '2026-11-21T12:00:00.000Z'],
    ['6h', '2026-11-21T06:00:00.000Z'],
    ['30m', '2026-11-21T11:30:00.000Z'],
    ['7d', '2026-11-14T12:00:00.000Z'],
    ['2w ago', '2026-11-07T12:00:00.000Z'],
    ['10:20', '2026-11-21T10:20:00.000Z'],
    ['13.30', '2026-11-20T13:30:00.000Z'],
    ['2am', '2026-11-21T02:00:00.000Z'],
    ['12 pm', '2026-11-21T12:00:00.000Z'],
    ['11:24\u202fAM', '2026-11-21T11:24:00.000Z'],
    ['saturday', '2026-11-21T00:00:00.000Z'],
    ['Monday', '2026-11-16T00:00:00.000Z'],
    ['2 hours ago', '2026-11-21T10:00:00.000Z'],
    ['30 minutes', '2026-11-21T11:30:00.000Z'],
    [' 2024-02-29 ', '2024-02-29T00:00:00.000Z'],
  ])('are understood as %s', (text, expected) => {
    expect(instant(text)).toBe(expected);
  });

  it.each([
    '',
    'tomorrow',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '02-30-2026',
    '2023-02-29',
    '2026-11-31',
    '20-11-26',
    '2026-11-20T24:00',
    '2026-11-20T10:60',
    '2026-11-20T10:00+15:00',
    '7',
    'd7',
    '7y',
    '-7d',
    '٢٠٢٦-١١-٢٠',
    'yesterday; rm',
  ])('that are none are refused: %s', (text) => {
    expect(refusal(() => parseMoment(text, NOW)).message).toContain(text);
  });

  it('say how to write a day whose month came second', () => {
    expect(refusal(() => parseMoment('20-11-2026', NOW)).hint).toContain('2026-11-20');
  });

  it('keep their meaning as stored, whenever that is read again', () => {
    const kind = moment('From');
    fc.assert(
      fc.property(
        anyInstant,
        fc.constantFrom('7d', '6h', 'now', 'today', 'yesterday', '2026-11-20T06:30+02:00'),
        (later, text) => {
          const typed = parseMoment(text, NOW);
          const again = parseMoment(kind.textOf(typed) ?? '', later);
          expect(again.instant).toEqual(typed.instant);
          expect(again.day).toBe(typed.day);
        },
      ),
    );
  });

  it.each([
    ['Europe/Berlin', '10:20', '2026-11-21T09:20:00.000Z', '2026-11-21T09:20:00.000Z'],
    ['Europe/Berlin', '14:00', '2026-11-20T13:00:00.000Z', '2026-11-20T13:00:00.000Z'],
    ['Europe/Berlin', 'today', '2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z'],
    ['America/Los_Angeles', 'yesterday', '2026-11-20T08:00:00.000Z', '2026-11-21T08:00:00.000Z'],
    ['Pacific/Kiritimati', 'today', '2026-11-21T10:00:00.000Z', '2026-11-22T10:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['Europe/Berlin', '2026-11-20 22:00', '2026-11-20T21:00:00.000Z', '2026-11-20T21:00:00.000Z'],
    ['Europe/Berlin', '2026-07-20T22:00', '2026-07-20T20:00:00.000Z', '2026-07-20T20:00:00.000Z'],
    ['Europe/Berlin', '2026-11-20 22:00Z', '2026-11-20T22:00:00.000Z', '2026-11-20T22:00:00.000Z'],
    ['Europe/Berlin', '2026-11-20 22:00 UTC', '2026-11-20T22:00:00.000Z', '2026-11-20T22:00:00.000Z'],
    ['Europe/Berlin', '2026-11-20 22:00-05:00', '2026-11-21T03:00:00.000Z', '2026-11-21T03:00:00.000Z'],
  ])('are the reader’s, whose clock is that of %s: %s', async (timezone, typed, from, to) => {
    const context = { ...contextOf(), reader: { locale: 'en-US', timezone, now: NOW } };
    const { instant: start, end } = await moment('From').resolve(typed, context);
    expect([start.toISOString(), end.toISOString()]).toEqual([from, to]);
  });

  it('of the platform’s days are in UTC, and their clock times the reader’s', async () => {
    const context = { ...contextOf(), reader: { locale: 'en-US', timezone: 'Asia/Tokyo', now: NOW } };
    const kind = moment('From', { daysOf: 'UTC' });
    expect((await kind.resolve('today', context)).instant.toISOString()).toBe('2026-11-21T00:00:00.000Z');
    expect((await kind.resolve('2026-11-20 10:20', context)).instant.toISOString()).toBe('2026-11-20T10:20:00.000Z');
    expect((await kind.resolve('10:20', context)).instant.toISOString()).toBe('2026-11-21T01:20:00.000Z');
    expect(kind.hint).toContain('UTC');
  });

  it('by a clock are the latest that it showed, in every zone', () => {
    const clocks = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Auckland');
    const instants = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(clocks, zones, instants, ([hours, minutes], timezone, now) => {
        const typed = `${hours}:${String(minutes).padStart(2, '0')}`;
        const ago = now.getTime() - parseMoment(typed, now, timezone).instant.getTime();
        expect(ago).toBeGreaterThanOrEqual(0);
        // The clock may have been put back since.
        expect(ago).toBeLessThan(25 * 3_600_000);
      }),
    );
  });

  it('of every instant come back from its ISO form', () => {
    fc.assert(
      fc.property(anyInstant, (date) => {
        expect(parseMoment(date.toISOString(), NOW).instant).toEqual(date);
        expect(isoDay(parseMoment(isoDay(date), NOW).instant)).toBe(isoDay(date));
      }),
    );
  });

  it('are a real date or refused, whatever is typed', () => {
    const pieces = fc.constantFrom('2026', '02', '30', '-', '/', 'T', ':', 'd', 'h', 'Z', '+', ' ', '0', '99', 'ago');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            expect(parseMoment(text, NOW).instant.getTime()).not.toBeNaN();
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('days', () => {
  it.each([
    ['2026-11-20', '2026-11-20'],
    ['11-02-2026', '2026-11-02'],
    ['02-11-2026', '2026-02-11'],
    ['today', '2026-11-21'],
    ['yesterday', '2026-11-20'],
    ['3d', '2026-11-18'],
    ['1w ago', '2026-11-14'],
  ])('are counted in UTC: %s is %s', (text, expected) => {
    expect(parseDay(text, NOW)).toEqual({ text: expected, instant: new Date(`${expected}T00:00:00Z`) });
  });

  it.each(['02-30-2026', '2026-02-30', '13-01-2026', '2026-11-20T06:00', '6h', 'now', ''])('refuse %s', (text) => {
    expect(() => parseDay(text, NOW)).toThrow(UsageError);
  });

  it('refuse one that has not begun', () => {
    expect(refusal(() => parseDay('2026-11-22', NOW)).message).toBe(
      '2026-11-22 has not begun yet: days are counted in UTC.',
    );
  });

  it('are stored as their date, so that “yesterday” stays the day it was', async () => {
    const kind = day('Date');
    const value = await kind.resolve('yesterday', contextOf());
    expect(kind.textOf(value)).toBe('2026-11-20');
  });
});
