import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ErrorEvent, groupErrors } from '../../src/reports/error-groups.ts';

const from = new Date('2026-11-21T12:00:00Z');
const to = new Date('2026-11-21T12:12:00Z');
const minute = (n: number) => from.getTime() + n * 60_000;

const event = (given: Partial<ErrorEvent> = {}): ErrorEvent => ({
  source: 'origin',
  time: minute(1),
  zone: 'shop',
  code: 'http_timeout',
  status: 504,
  message: 'No answer from 10.0.0.1 within 60 s',
  address: '/items/1?token=hush',
  region: 'DE',
  ...given,
});

test('errors with the same thing wrong are one group, with its course, zones, regions and two redacted samples', () => {
  const groups = groupErrors(
    [
      event(),
      event({ time: minute(11), address: '/items/2', zone: 'api', message: 'No answer from 10.0.0.2 within 61 s' }),
      event({ time: minute(1), region: 'FR' }),
      event({ status: 502 }),
    ],
    from,
    to,
  );
  expect(groups).toEqual([
    {
      source: 'origin',
      code: 'http_timeout',
      status: 504,
      message: 'No answer from <*> within <*>',
      path: '/items/<n>',
      requests: 3,
      first: minute(1),
      last: minute(11),
      zones: [
        ['shop', 2],
        ['api', 1],
      ],
      regions: [
        ['DE', 2],
        ['FR', 1],
      ],
      course: [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      samples: [
        {
          time: minute(1),
          zone: 'shop',
          region: 'DE',
          address: '/items/1?…',
          message: 'No answer from 10.0.0.1 within 60 s',
        },
        {
          time: minute(11),
          zone: 'api',
          region: 'DE',
          address: '/items/2',
          message: 'No answer from 10.0.0.2 within 61 s',
        },
      ],
    },
    expect.objectContaining({ status: 502, requests: 1, samples: [expect.objectContaining({ zone: 'shop' })] }),
  ]);
  expect(JSON.stringify(groups)).not.toContain('hush');
});

test('the groups and their counts do not depend on the order in which errors arrive', () => {
  const some = fc.record({
    time: fc.integer({ min: from.getTime(), max: to.getTime() }),
    zone: fc.constantFrom('a', 'b'),
    status: fc.constantFrom(500, 502, undefined),
    address: fc.constantFrom('/x/1', '/x/2', '/y', undefined),
    message: fc.constantFrom('m 1', 'm 2', 'n', undefined),
  });
  fc.assert(
    fc.property(fc.array(some, { maxLength: 30 }), fc.nat(), (given, turn) => {
      const events = given.map((one) => event(one));
      const cut = turn % (events.length + 1);
      const moved = [...events.slice(cut), ...events.slice(0, cut)];
      const counts = (all: ErrorEvent[]) => groupErrors(all, from, to).map(({ samples: _, ...group }) => group);
      expect(counts(moved)).toEqual(counts(events));
      expect(groupErrors(events, from, to).reduce((sum, { requests }) => sum + requests, 0)).toBe(events.length);
    }),
  );
});
