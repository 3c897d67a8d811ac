import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { parseSchedule } from '../../src/schedule/words.ts';

describe('a schedule in words', () => {
  it.each([
    ['weekdays at 9:00', '0 9 * * 1-5'],
    ['Weekdays at 9am', '0 9 * * 1-5'],
    ['every weekday at 9', '0 9 * * 1-5'],
    ['daily at 08:30', '30 8 * * *'],
    ['every day at 08:30', '30 8 * * *'],
    ['at 8:30', '30 8 * * *'],
    ['daily at noon', '0 12 * * *'],
    ['daily at midnight', '0 0 * * *'],
    ['daily at 12 am', '0 0 * * *'],
    ['daily at 5:30 pm', '30 17 * * *'],
    ['daily at 9:00 and 17:00', '0 9,17 * * *'],
    ['mondays at 9:00', '0 9 * * 1'],
    ['every monday at 9:00', '0 9 * * 1'],
    ['on mondays and thursdays at 9:00', '0 9 * * 1,4'],
    ['mon, wed, fri at 7:15', '15 7 * * 1,3,5'],
    ['monday to thursday at 9:00', '0 9 * * 1,2,3,4'],
    ['saturday to monday at 9:00', '0 9 * * 0,1,6'],
    ['weekends at 10:00', '0 10 * * 0,6'],
    ['at 10:00 on weekends', '0 10 * * 0,6'],
    ['weekly at 9:00', '0 9 * * 1'],
    ['monthly at 9:00', '0 9 1 * *'],
    ['1st of the month at 8:00', '0 8 1 * *'],
    ['on the 1st and 15th at 8:00', '0 8 1,15 * *'],
    ['hourly', '0 * * * *'],
    ['every hour', '0 * * * *'],
    ['hourly on weekdays', '0 * * * 1-5'],
    ['every 15 minutes', '*/15 * * * *'],
    ['every minute', '* * * * *'],
    ['every 2 hours', '0 */2 * * *'],
    ['every 15 minutes on weekdays', '*/15 * * * 1-5'],
    ['0  9 * * 1-5', '0 9 * * 1-5'],
    ['*/15 8-17 * * mon-fri', '*/15 8-17 * * mon-fri'],
  ])('“%s” is %s', (text, cron) => {
    expect(parseSchedule(text).cron).toBe(cron);
  });

  it.each([
    ['', /empty/],
    ['soon', /not a schedule/],
    ['daily', /needs a time of day/],
    ['mondays', /needs a time of day/],
    ['daily at 25:00', /not a time of day/],
    ['daily at 13pm', /not a time of day/],
    ['daily at 9:00 and 17:30', /two subscriptions/],
    ['every 7 minutes', /doesn’t fit evenly into/],
    ['every 0 minutes', /doesn’t fit evenly into/],
    ['every 45 minutes', /doesn’t fit evenly into/],
    ['blursdays at 9:00', /not a schedule/],
    ['0 9 * *', /not a schedule/],
    ['61 9 * * *', /“61 9 \* \* \*” is not a cron expression: Invalid value for minute: 61/],
    ['0 9 * * monday', /not a cron expression/],
    ['0 9 31 2 *', /never happens/],
    ['0 9 10-5 * *', /larger than to value/],
    ['5/15 * * * *', /stepping with numeric prefix/],
    ['*/0 * * * *', /illegal stepping: 0/],
    ['0 0 9 * * *', /not a schedule|five fields/],
  ])('“%s” is refused with examples', (text, reason) => {
    expect(() => parseSchedule(text)).toThrow(reason);
    try {
      parseSchedule(text);
    } catch (error) {
      expect((error as UsageError).hint).toContain('weekdays at 9:00');
    }
  });

  it('of any text is understood or refused, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .array(fc.constantFrom('*', '*/5', '1-5', 'at', '9:00', 'mon', 'every', '15', 'minutes', '31', 'feb', ','))
            .map((words) => words.join(' ')),
        ),
        (text) => {
          try {
            expect(parseSchedule(text).cron.split(' ')).toHaveLength(5);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
          }
        },
      ),
    );
  });
});
