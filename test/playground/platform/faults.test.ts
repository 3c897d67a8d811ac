import { describe, expect, test } from 'vitest';
import { createFaults, parseFault } from '../../../playground/platform/faults.ts';
import { usePlatform } from './platform.ts';

describe('a fault', () => {
  test.each([
    ['slow=2000', { name: 'slow', value: '2000' }],
    ['drop-after@DELETE /mc/apps*1', { name: 'drop-after', method: 'DELETE', part: '/mc/apps', left: 1 }],
    ['status=503@logging', { name: 'status', value: '503', part: 'logging' }],
    ['html@GET', { name: 'html', method: 'GET' }],
    ['truncated*3', { name: 'truncated', left: 3 }],
    ['limiter=bucket', { name: 'limiter', value: 'bucket' }],
  ])('is read from %s', (text, fault) => {
    expect(parseFault(text)).toEqual(fault);
  });

  test.each(['explode', 'slow', 'slow=soon', 'status=99', 'cut=1', 'limiter=leaky', ''])(
    'is refused as "%s"',
    (text) => {
      expect(() => parseFault(text)).toThrow(RangeError);
    },
  );

  test('ends after its number of requests, and counts those it concerns', () => {
    const faults = createFaults(['status=500@POST /pullzone*2']);
    const taken = (method: string) =>
      faults.take({ service: 'api', method, path: '/pullzone/1/setForceSSL' }).has('status');
    expect([taken('GET'), taken('POST'), taken('POST'), taken('POST')]).toEqual([false, true, true, false]);
  });
});

describe('the simulator', () => {
  const platform = usePlatform();
  const force = (ForceSSL: boolean) =>
    platform.ask('api', 'POST', '/pullzone/308002/setForceSSL', { body: { Hostname: 'shop.example.com', ForceSSL } });
  const forced = (): boolean | undefined => platform.simulator.account.zones[1]?.Hostnames[0]?.ForceSSL;

  test('drops the connection before anything is done', async () => {
    const off = platform.simulator.fault('drop-before');
    await expect(force(true)).rejects.toThrow();
    off();
    expect(forced()).toBe(false);
    expect(platform.simulator.requests.at(-1)).toMatchObject({ status: 0, applied: false });
  });

  test('drops the connection after it is done, and counts the write', async () => {
    const writes = platform.simulator.writes().length;
    const off = platform.simulator.fault('drop-after@POST /pullzone*1');
    await expect(force(true)).rejects.toThrow();
    expect(forced()).toBe(true);
    expect(platform.simulator.writes()).toHaveLength(writes + 1);
    expect((await force(false)).status).toBe(204);
    off();
  });

  test.each([
    ['status=500', 500, { Message: 'Simulated fault: 500.' }],
    ['status=429', 429, { Message: 'Simulated fault: 429.' }],
  ])('answers %s without doing it', async (fault, status, body) => {
    const writes = platform.simulator.writes().length;
    const off = platform.simulator.fault(fault);
    const reply = await force(true);
    off();
    expect(reply).toMatchObject({ status, body });
    expect(reply.headers.get('retry-after')).toBe(status === 429 ? '5' : null);
    expect(platform.simulator.writes()).toHaveLength(writes);
  });

  test('answers a page, half of the JSON, half of the bytes, or nothing', async () => {
    const with_ = async (fault: string) => {
      const off = platform.simulator.fault(fault);
      try {
        return await platform.get('/apikey');
      } finally {
        off();
      }
    };
    expect(await with_('html')).toMatchObject({ status: 200, text: expect.stringContaining('<html>') });
    expect(await with_('html=502')).toMatchObject({ status: 502 });
    expect(await with_('truncated')).toMatchObject({
      status: 200,
      text: expect.stringMatching(/^\{"Items"/),
      body: undefined,
    });
    expect(await with_('empty')).toMatchObject({ status: 200, text: '' });
    await expect(with_('cut')).rejects.toThrow();
  });

  test('waits when it is slow', async () => {
    const off = platform.simulator.fault('slow=120');
    const start = performance.now();
    await platform.get('/apikey');
    off();
    expect(performance.now() - start).toBeGreaterThan(110);
  });

  test('forgets its faults', async () => {
    platform.simulator.fault('status=500');
    platform.simulator.clearFaults();
    expect((await platform.get('/apikey')).status).toBe(200);
  });
});
