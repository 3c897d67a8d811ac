import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ErrorEvent, groupErrors, kindIdOf } from '../../src/logs/error-groups.ts';

const from = new Date('2026-11-21T12:00:00Z');
const to = new Date('2026-11-21T12:12:00Z');
const minute = (n: number) => from.getTime() + n * 60_000;

const event = (given: Partial<ErrorEvent> = {}): ErrorEvent => ({
  source: 'origin',
  time: minute(1),
  zone: 'shop',
  zoneId: 1001,
  code: 'error',
  status: 504,
  message: 'No answer from 10.0.0.1 within 60 s',
  address: '/items/1?token=hush',
  region: 'DE',
  ...given,
});

test('errors with the same thing wrong are one group, with its course, zones and regions', () => {
  const groups = groupErrors([
    event(),
    event({ time: minute(11), address: '/items/2', zone: 'api', message: 'No answer from 10.0.0.2 within 61 s' }),
    event({ time: minute(1), region: 'FR' }),
    event({ status: 502 }),
  ]);
  expect(groups).toEqual([
    {
      id: expect.stringMatching(/^[\w-]{16}$/),
      source: 'origin',
      code: 'error',
      status: 504,
      cause: undefined,
      words: 'No answer from <*> within <*>',
      path: '/items/<n>',
      paths: [['/items/<n>', 3]],
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
      worst: 1001,
    },
    expect.objectContaining({ status: 502, requests: 1 }),
  ]);
  expect(JSON.stringify(groups)).not.toContain('hush');
});

test('errors with one cause are one group, however they word it, whatever their code, status and path', () => {
  const [group, ...others] = groupErrors([
    event({ message: 'Connection refused (192.0.2.7:443)', code: 'http_request_exception', status: 502 }),
    event({
      message: 'connect ECONNREFUSED 192.0.2.8:443',
      code: 'http_request_exception',
      status: 502,
      address: '/b',
    }),
    event({ message: 'dial tcp 192.0.2.9:443: connect: connection refused', code: 'network_socket_exception' }),
  ]);
  expect(others).toEqual([]);
  expect(group).toMatchObject({ cause: { id: 'refused' }, status: 502, requests: 3, path: undefined });
  expect(group!.paths.map(([path]) => path)).toEqual(['/items/<n>', '/b']);
  expect(group).toMatchObject({
    cause: { means: 'The origin refuses connections' },
    code: 'http_request_exception',
    status: 502,
  });
  expect(groupErrors([event({ message: 'ECONNREFUSED' })])).toMatchObject([{ id: group!.id }]);
  expect(kindIdOf(group!)).toBe(group!.id);
});

test('a group without a known cause says what its messages have in common, without what varies or is secret', () => {
  const lost = (n: number) => `The parcel of 10.0.0.${n} is lost at /x?token=hush`;
  const [group, ...others] = groupErrors([lost(1), lost(2)].map((message) => event({ code: 'error', message })));
  expect(others).toEqual([]);
  expect(group?.words).toBe('The parcel of <*> is lost at <*>');
  expect(group).toMatchObject({
    cause: undefined,
    code: 'error',
    status: 504,
    words: 'The parcel of <*> is lost at <*>',
  });
  expect(groupErrors([event({ code: 'error', message: undefined })])[0]?.words).toBeUndefined();
});

test('what fails everywhere is one group, whatever was asked, and known again by its paths', () => {
  const down = ['/a', '/b', '/c', '/d', '/e'].map((address) => event({ address }));
  const [group, ...others] = groupErrors(down);
  expect(others).toEqual([]);
  expect(group).toMatchObject({ path: undefined, requests: 5, paths: expect.arrayContaining([['/e', 1]]) });
  const [single] = groupErrors([event({ address: '/b' })]);
  expect(kindIdOf(single!)).toBe(group!.id);
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
      const counts = (all: ErrorEvent[]) => groupErrors(all);
      expect(counts(moved)).toEqual(counts(events));
      expect(groupErrors(events).reduce((sum, { requests }) => sum + requests, 0)).toBe(events.length);
    }),
  );
});
