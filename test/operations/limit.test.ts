import { expect, it } from 'vitest';
import { HOUR } from '../../playground/platform/clock.ts';
import { useSimulated } from './database/simulated.ts';
import { blockText, NOW } from './performing.ts';

const from = NOW.getTime() - HOUR / 3;
const simulated = useSimulated({
  incidents: (zone) => (zone === 308002 ? { kind: 'flood', from, to: from + 4 * HOUR, share: 1 } : undefined),
});
const limits = () =>
  simulated.simulator.account.shieldZones.find(({ pullZoneId }) => pullZoneId === 308002)!.rateLimits;

it('limit add makes one limit, and limit remove takes exactly that one away', async () => {
  const run = async (line: string) => {
    const ready = await simulated.perform(line);
    const { before, after } = await ready.preview();
    const { message } = await ready.run();
    return { before, after, said: blockText(message), undo: ready.operation.undo!({ before: before!, after }, {}) };
  };
  expect(await run('limit add shop /login 10 1m')).toEqual({
    before: { limited: false },
    after: { limited: true },
    said: 'limited `/login on shop (308002)` to *10 requests in 1m* for each address\nWhat it stops',
    undo: { action: 'remove' },
  });
  await run('limit add shop /login 50 1h');
  expect(limits()).toMatchObject([
    { ruleConfiguration: { value: '/login', requestCount: 10, timeframe: 60 } },
    { ruleConfiguration: { value: '/login', requestCount: 50, timeframe: 3600 } },
  ]);
  expect(await run('limit remove shop /login 10 1m')).toMatchObject({
    before: { limited: true },
    undo: { action: 'add' },
  });
  expect(limits()).toMatchObject([{ ruleConfiguration: { requestCount: 50 } }]);
});

async function told(line: string, remoteIp: string) {
  const data = Array.from({ length: 30 }, () => ({ timestamp: NOW.toISOString(), remoteIp, path: '/search?q=a' }));
  const accessLogs = { ...simulated.platform.accessLogs, query: async () => ({ data, hasMore: false }) };
  const ready = await simulated.perform(line, { platform: { ...simulated.platform, accessLogs } });
  return blockText((await ready.preflight()).details!);
}

it('limit add says what it would have refused in the last hour', async () => {
  expect(await told('limit add shop /search 10 1m', '203.0.113.7')).toMatch(
    /^It would have refused at least \*20 of 30 requests of the last hour\* \(66\.7%\)\./u,
  );
  expect(await told('limit add shop /nothing 10 1m', '203.0.113.7')).toMatch(/^It would have refused none of /u);
});

it.each(['203.0.113.0', '2001:db8:1:2::', '0.0.0.0'])(
  'limit add takes no network for one address: the log has %s of thirty visitors',
  async (remoteIp) => {
    expect(await told('limit add shop /search 10 1m', remoteIp)).toMatch(/^I can’t tell how many.*no whole addresses/u);
    // Together they stay below it.
    expect(await told('limit add shop /search 30 1m', remoteIp)).toMatch(/^It would have refused none of /u);
  },
);

it('limit add needs a shield, and a path', async () => {
  await expect((await simulated.perform('limit add staging /login 10 1m')).preview()).rejects.toThrow('has no shield');
  await expect(simulated.perform('limit add shop login 10 1m')).rejects.toThrow('begins with a slash');
});
