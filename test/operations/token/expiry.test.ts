import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { expiry, parseExpiry } from '../../../src/operations/token/create.ts';
import { NOW } from '../performing.ts';

const at = (text: string, now = NOW) => parseExpiry(text, now).toISOString();

describe('an expiry', () => {
  it.each([
    ['12h', '2026-11-22T00:00:00.000Z'],
    ['30d', '2026-12-21T12:00:00.000Z'],
    ['2W', '2026-12-05T12:00:00.000Z'],
    ['1m', '2026-12-21T12:00:00.000Z'],
    ['3m', '2027-02-21T12:00:00.000Z'],
    ['1y', '2027-11-21T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['01-31-2027', '2027-01-31T00:00:00.000Z'],
    ['2026-11-21T14:30:00Z', '2026-11-21T14:30:00.000Z'],
    ['2026-11-21T14:30+02:00', '2026-11-21T12:30:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it('ends on the last day of a month that has no such day', () => {
    expect(at('1m', new Date('2026-01-31T10:00:00Z'))).toBe('2026-02-28T10:00:00.000Z');
    expect(at('1y', new Date('2028-02-29T10:00:00Z'))).toBe('2029-02-28T10:00:00.000Z');
    expect(at('4y', new Date('2028-02-29T10:00:00Z'))).toBe('2032-02-29T10:00:00.000Z');
  });

  it.each([
    '',
    '0d',
    '0m',
    '2026-11-20',
    'today',
    'yesterday',
    '7d ago',
    '-3d',
    '30',
    'd',
    '1.5d',
    'never',
    '02-30-2027',
    '9999y',
    '99999m',
    '30s',
    '2026-11-21T12:00:00Z',
  ])('is refused: %s', (text) => {
    expect(() => parseExpiry(text, NOW)).toThrow(UsageError);
  });

  it('lies ahead and moves months by the calendar, whenever it is asked', () => {
    const moments = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 600 }), (now, months) => {
        const instant = parseExpiry(`${months}m`, now);
        const moved =
          (instant.getUTCFullYear() - now.getUTCFullYear()) * 12 + instant.getUTCMonth() - now.getUTCMonth();
        expect(moved).toBe(months);
        expect(instant.getUTCDate()).toBeLessThanOrEqual(now.getUTCDate());
        expect(instant.toISOString().slice(11)).toBe(now.toISOString().slice(11));
      }),
    );
  });

  it('is stored as the instant that was shown', () => {
    const kind = expiry();
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.constantFrom('h', 'd', 'w', 'm', 'y'), (count, unit) => {
        const value = parseExpiry(`${count}${unit}`, NOW);
        expect(parseExpiry(kind.textOf(value) ?? '', NOW)).toEqual(value);
      }),
    );
  });
});
