import type { Fault } from './service/faults.ts';
import type { ServiceOptions } from './service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What may go wrong with logs and statistics, one at a time, around an incident. */
export interface Scenario {
  name: string;
  /** What it is tried on: an outage of a small zone that is logged, one of a large zone, a zone gone silent, or the morning after. */
  on?: 'outage' | 'flood' | 'silence' | 'morning';
  options?: Pick<ServiceOptions, 'lags' | 'originMost' | 'originOrder' | 'lagShows'>;
  /** `at` is when the incident begins; `zone` the id of its zone. */
  faults: (given: { at: number; zone: number }) => Fault[];
}

const none = (): Fault[] => [];
const late = (minutes: number): Scenario => ({
  name: `both logs ${minutes} min late`,
  options: { lags: { logs: minutes, origin: minutes } },
  faults: none,
});
const sampled = (oneIn: number): Scenario => ({
  name: `both logs sampled 1:${oneIn}`,
  faults: () => [
    { kind: 'sampled', service: 'logs', oneIn },
    { kind: 'sampled', service: 'origin', oneIn },
  ],
});
const refusedForAnHour = (status: number): Scenario => ({
  name: `the v2 access log ${status} for an hour, from ten minutes before the incident`,
  faults: ({ at }) => [{ kind: 'status', service: 'logs', status, from: at - 10 * MINUTE, to: at + 50 * MINUTE }],
});
const refusedForGood = (status: number): Scenario => ({
  name: `the v2 access log ${status} from now on, from three hours before the incident`,
  faults: ({ at }) => [{ kind: 'status', service: 'logs', status, from: at - 3 * HOUR }],
});
const both = (status: number, at: number, zone?: number): Fault[] =>
  (['logs', 'origin'] as const).map((service) => ({
    kind: 'status',
    service,
    status,
    from: at - 10 * MINUTE,
    to: at + 2 * HOUR,
    ...(zone !== undefined && { zone }),
  }));
const dayBefore = (at: number): string => new Date(at - 24 * HOUR).toISOString().slice(0, 10);

export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing wrong', faults: none },
  late(3),
  late(10),
  late(20),
  {
    name: 'every third record of both logs 30 min late',
    faults: () => [
      { kind: 'late', service: 'logs', minutes: 30, share: 1 / 3 },
      { kind: 'late', service: 'origin', minutes: 30, share: 1 / 3 },
    ],
  },
  sampled(10),
  sampled(100),
  {
    name: 'every record twice',
    faults: () => [
      { kind: 'doubled', service: 'logs' },
      { kind: 'doubled', service: 'origin' },
    ],
  },
  {
    name: 'records out of order by up to five minutes',
    faults: () => [
      { kind: 'unordered', service: 'logs' },
      { kind: 'unordered', service: 'origin' },
    ],
  },
  refusedForAnHour(404),
  refusedForAnHour(429),
  refusedForAnHour(500),
  refusedForGood(404),
  refusedForGood(429),
  refusedForGood(500),
  { name: 'rows 14 and 15 500 together for two hours', faults: ({ at }) => both(500, at) },
  { name: "the incident's zone refused by both logs", faults: ({ at, zone }) => both(403, at, zone) },
  { name: '`GET /statistics` ten minutes late', on: 'silence', options: { lags: { statistics: 10 } }, faults: none },
  { name: '`GET /statistics` thirty minutes late', on: 'silence', options: { lags: { statistics: 30 } }, faults: none },
  {
    name: '`GET /statistics` an hour late, the hour is missing',
    on: 'silence',
    options: { lags: { statistics: 60 }, lagShows: 'absent' },
    faults: none,
  },
  {
    name: '`GET /statistics` 500 for two hours',
    on: 'silence',
    faults: ({ at }) => [
      { kind: 'status', service: 'statistics', status: 500, from: at - 10 * MINUTE, to: at + 2 * HOUR },
    ],
  },
  {
    name: '`GET /statistics` 429 with Retry-After for two hours',
    on: 'silence',
    faults: ({ at }) => [
      { kind: 'status', service: 'statistics', status: 429, retryAfter: 30, from: at - 10 * MINUTE, to: at + 2 * HOUR },
    ],
  },
  {
    name: 'a day of statistics thirty hours late, a tenth of it shown',
    on: 'morning',
    faults: ({ at }) => [{ kind: 'day late', service: 'statistics', day: dayBefore(at), hours: 30, shown: 0.1 }],
  },
  {
    name: 'the origin error log gives the 2,000 oldest of a day, of more failures than are read of the access log',
    on: 'flood',
    options: { originMost: 2000, originOrder: 'asc' },
    faults: none,
  },
  {
    name: "the access log of the incident's zone is empty",
    faults: ({ zone }) => [{ kind: 'late', service: 'logs', zone, minutes: 5000 }],
  },
  {
    name: "both logs of the incident's zone are empty",
    faults: ({ zone }) => [
      { kind: 'late', service: 'logs', zone, minutes: 5000 },
      { kind: 'late', service: 'origin', zone, minutes: 5000 },
    ],
  },
  {
    name: 'both logs stand still from ten minutes into the incident',
    faults: ({ at }) =>
      (['logs', 'origin'] as const).flatMap((service) =>
        Array.from({ length: 180 }, (_, minute) => ({
          kind: 'late' as const,
          service,
          minutes: minute,
          from: at + (10 + minute) * MINUTE,
          to: at + (11 + minute) * MINUTE,
        })),
      ),
  },
  {
    name: 'logs and statistics 500 for two hours',
    faults: ({ at }) => [
      ...both(500, at),
      { kind: 'status', service: 'statistics', status: 500, from: at - 10 * MINUTE, to: at + 2 * HOUR },
    ],
  },
];
