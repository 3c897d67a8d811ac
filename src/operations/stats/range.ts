import { bytes, count, percent } from '../../blocks/format.ts';
import type { StatisticsQuery } from '../../platform/resources/statistics.ts';
import { type Moment, moment } from '../arguments/dates.ts';
import { flag, flagged } from '../arguments/plain.ts';
import type { Reader } from '../context.ts';
import { flagsOf } from '../grammar.ts';

/** Formats figures. `sized` is for bytes. */
export const figuresFor = (reader: Reader) => {
  const counted = (value: number) => count(value, reader);
  return {
    counted,
    sized: (value: number) => bytes(value, reader),
    rate: (value: number) => percent(value, reader),
    milliseconds: (value: number) => `${counted(Math.round(value))} ms`,
  };
};

/** A function, because each operation needs arguments of its own. */
export const rangeArguments = () => ({
  from: flagged(moment('From', { fromMessage: 'since', daysOf: 'UTC' })),
  to: flagged(moment('To', { fromMessage: 'until', daysOf: 'UTC' })),
  hourly: flag('By the hour', {
    also: ['per hour', 'by hour', 'each hour', 'hour by hour', 'hourwise'],
    hint: 'Hourly for the last 30 days at most; otherwise daily, for a year at most',
  }),
});

export interface Range {
  from: Moment | undefined;
  to: Moment | undefined;
  hourly: boolean;
}

export const rangeWords = (range: Range): string => flagsOf(rangeArguments(), range);

/** Without typed dates none are sent. */
export function queryOf({ from, to, hourly }: Range): StatisticsQuery {
  return { dateFrom: from?.instant, dateTo: to?.instant, hourly };
}
