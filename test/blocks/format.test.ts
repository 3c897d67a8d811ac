import { expect, test } from 'vitest';
import { bytes, count, countOf, day, dayAndTime, duration, percent, share, time } from '../../src/blocks/format.ts';

const german = { locale: 'de-DE', timezone: 'Europe/Berlin' };
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

test('counts are grouped in the language of the reader', () => {
  expect(count(1234567)).toBe('1,234,567');
  expect(count(1234567, german)).toBe('1.234.567');
});

test('what is counted is one, or several', () => {
  expect([0, 1, 1234].map((value) => countOf(value, 'whole hour'))).toEqual([
    '0 whole hours',
    '1 whole hour',
    '1,234 whole hours',
  ]);
  expect(countOf(1234, 'row', german)).toBe('1.234 rows');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [1500, '1.5 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1 MB'],
  [2_500_000_000, '2.5 GB'],
  [3e18, '3,000 PB'],
])('%d bytes are %s', (value, text) => {
  expect(bytes(value)).toBe(text);
});

test('bytes are written in the language of the reader', () => {
  expect(plain(bytes(1_500_000, german))).toBe('1,5 MB');
});

test('percentages are 0 to 100, and a part of nothing is a dash', () => {
  expect(percent(97.34)).toBe('97.3%');
  expect(plain(percent(97.34, german))).toBe('97,3 %');
  expect(share(1, 8)).toBe('12.5%');
  expect(share(0, 0)).toBe('–');
  expect(share(1, 2578)).toBe('<0.1%');
  expect(share(0, 2578)).toBe('0%');
});

test.each([
  [0, '0 ms'],
  [350.4, '350 ms'],
  [2400, '2.4 s'],
  [61_000, '1 min'],
  [3_900_000, '1 h 5 min'],
  [90_000_000, '1 day 1 h'],
])('%d milliseconds are %s', (value, text) => {
  expect(duration(value)).toBe(text);
});

test("days and times are the reader's", () => {
  const moment = new Date('2015-05-20T22:30:00Z');
  expect(day(moment, { locale: 'en-US', timezone: 'UTC' })).toBe('Wed, May 20, 2015');
  expect(day(moment, german)).toBe('Do., 21. Mai 2015');
  expect(time(moment, german)).toBe('00:30 MESZ');
  expect(plain(dayAndTime(moment, { locale: 'en-US', timezone: 'Asia/Kathmandu' }))).toBe(
    'May 21, 2015, 4:15 AM GMT+5:45',
  );
});

test('an unknown language or zone is English and UTC', () => {
  expect(day(new Date(0), { locale: 'x', timezone: 'Mars/Olympus' })).toBe('Thu, Jan 1, 1970');
  expect(count(1000, { locale: 'en_GB' })).toBe('1,000');
});
