import { type Answer, coreError, Refusal } from '../answers.ts';
import { DAY, monthsBefore, startOfDay } from '../clock.ts';
import { booleanIn } from '../requests.ts';

/** The refusal of hourly statistics, word for word. */
const TOO_OLD_FOR_HOURLY = 'Cannot request hourly statistics older than 30 days. Use daily granularity instead.';
/** The refusal of daily statistics, word for word. */
const TOO_OLD = 'Cannot request statistics older than 1 year.';

/** The range of a statistics request: [from, to) in milliseconds, in days or hours. */
export interface StatisticsRange {
  from: number;
  to: number;
  hourly: boolean;
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

function refusal(Field: string, Message: string, ErrorKey = 'statistics.invalid_range'): Refusal {
  const answer: Answer = coreError(400, ErrorKey, Field, Message);
  return new Refusal(answer);
}

function instantIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') {
    return undefined;
  }
  const zoned = /T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$/.test(text) ? text : `${text}Z`;
  const instant = INSTANT.test(text) ? Date.parse(zoned) : Number.NaN;
  if (Number.isNaN(instant)) {
    throw refusal(name, `The value '${text}' is not valid for ${name}.`, 'validation_error');
  }
  return instant;
}

/**
 * The range that a statistics request means, by the platform's date rules. `account`: those of `GET /statistics` (40 days at most,
 * `exactRange`, `loadLatest`). Limits of age are compared with the start of their day, as the data is.
 * Throws a Refusal with 400.
 */
export function parseRange(query: URLSearchParams, now: number, account: boolean): StatisticsRange {
  const hourly = booleanIn(query, 'hourly');
  const latest = account && booleanIn(query, 'loadLatest');
  const [typedFrom, typedTo] = [instantIn(query, 'dateFrom'), instantIn(query, 'dateTo')];
  if (latest && (typedFrom === undefined || typedTo === undefined)) {
    throw refusal('dateFrom', 'dateFrom and dateTo are required with loadLatest.');
  }
  const to = typedTo ?? now;
  // Without dates it is the last 30 days by the hour, or the last month by the day.
  const from = typedFrom ?? (hourly ? to - 30 * DAY : monthsBefore(to, 1));
  if (!latest && hourly && from < startOfDay(now - 30 * DAY)) {
    throw refusal('dateFrom', TOO_OLD_FOR_HOURLY);
  }
  if (!latest && from < startOfDay(monthsBefore(now, 12))) {
    throw refusal('dateFrom', TOO_OLD);
  }
  if (from > to) {
    throw refusal('dateTo', 'dateTo must not be before dateFrom.');
  }
  if (latest && to - from > DAY) {
    throw refusal('dateTo', 'The date range cannot exceed 1 day with loadLatest.');
  }
  if (account && !latest && to - from > 40 * DAY) {
    throw refusal('dateTo', 'The date range cannot exceed 40 days.');
  }
  if (account && hourly && booleanIn(query, 'exactRange')) {
    return { from, to, hourly };
  }
  // Else it is widened to whole days.
  return { from: startOfDay(from), to: startOfDay(to) + DAY, hourly };
}
