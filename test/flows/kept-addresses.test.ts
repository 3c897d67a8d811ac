import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startOnCanned } from '../support/on-canned.ts';

const NOW = new Date('2026-11-25T12:00:00Z');

describe('what a log keeps of addresses', () => {
  let zone = 1300;
  let canned: Awaited<ReturnType<typeof startOnCanned>>;
  beforeAll(async () => {
    canned = await startOnCanned(NOW);
  });
  // Each has a zone of its own: of one, the log may be asked for 30 times in 10 s.
  beforeEach(() => {
    zone += 1;
  });
  afterAll(() => canned.close());

  const records = (...addresses: (string | undefined)[]) =>
    canned.platform.answer(`GET /logging/v2/pullzones/${zone}/logs`, {
      body: {
        data: addresses.map((remoteIp, at) => ({
          timestamp: `2026-11-25T10:00:0${at % 10}Z`,
          statusCode: 404,
          cacheStatus: 'MISS',
          url: `https://shop.example.com/${at}`,
          remoteIp,
        })),
        pagination: { hasMore: false },
      },
    });

  const file = (...addresses: string[]) =>
    canned.platform.answer(`GET /logging/11-25-26/${zone}.log`, {
      body: addresses
        .map(
          (ip, at) =>
            `HIT|200|${NOW.getTime() - 3_600_000 + at}|412|1337|${ip}|-|https://shop.example.com/${at}|DE|agent ${at}|${'5'.repeat(32)}|FI\n`,
        )
        .join(''),
    });

  it.each<[string, string, (string | undefined)[]]>([
    ['keeps none', '198.51.100.7', ['0.0.0.0', '::']],
    ['keeps none of an IPv6 address', '2001:db8::7', ['::', '0.0.0.0']],
    ['leaves the field out', '198.51.100.7', [undefined]],
    ['has an empty field', '198.51.100.7', ['']],
    ['has a dash', '198.51.100.7', ['-']],
    ['has begun to keep none', '198.51.100.7', ['198.51.100.7', '0.0.0.0']],
    ['has others', '198.51.100.7', ['198.51.100.7', '203.0.113.9']],
  ])('says that the platform did not filter by an address where the log %s', async (_, asked, addresses) => {
    records(...addresses);
    for (const line of [`log search ${zone} --ip ${asked}`, `log summary ${zone} --ip ${asked}`]) {
      const { text } = await canned.ask(line);
      expect(text).toMatch(
        /did not filter by .*: the log of this zone does not keep such addresses\.\s+Leave --ip out/,
      );
      expect(text).not.toMatch(/requests?[:.]|404|Purge/);
    }
  });

  it.each<[string, string, string, string]>([
    ['whole', '198.51.100.7', '198.51.100.7', '198.51.100.7,'],
    ['without their end', '198.51.100.7', '198.51.100.0', '198.51.100.0/24,'],
    ['whole, of IPv6', '2001:DB8::7', '2001:db8::7', '2001:db8::7,'],
    ['without their end, of IPv6', '2001:db8:1:2::7', '2001:db8:1:2::', '2001:db8:1:2::/64,'],
    ['as IPv6 of IPv4', '198.51.100.7', '::ffff:198.51.100.7', '::ffff:198.51.100.7,'],
  ])('names the addresses of a search as far as the log keeps them: %s', async (_, asked, kept, said) => {
    records(kept, kept);
    const { text } = await canned.ask(`log search ${zone} --ip ${asked}`);
    expect(text).toContain(`2 requests: ${zone}, IP address ${said}`);
    const summary = await canned.ask(`log summary ${zone} --ip ${asked}`);
    expect(summary.text).toContain(` with IP address ${said.slice(0, -1)}`);
  });

  it('says what was asked for where nothing was found', async () => {
    records();
    const { text } = await canned.ask(`log search ${zone} --ip 198.51.100.7`);
    expect(text).toContain(`No requests found: ${zone}, IP address 198.51.100.7,`);
  });

  it.each<[string, RegExp]>([
    ['0.0.0.0', /from the cache\.|the country FI/],
    ['::', /from the cache\.|the country FI/],
    ['-', /from the cache\.|the country FI/],
    ['1.2.3.0', /20 requests \(100%\) came from the network 1\.2\.3\.0\/24\./],
    ['2001:db8:1:2::', /20 requests \(100%\) came from the network 2001:db8:1:2::\/64\./],
    ['1.2.3.4', /20 requests \(100%\) came from the address 1\.2\.3\.4\./],
    ['10.0.0.10', /20 requests \(100%\) came from the address 10\.0\.0\.10\./],
  ])('lets no address stand out that the log does not keep: %s', async (address, said) => {
    file(...Array.from({ length: 20 }, () => address));
    const { text } = await canned.ask(`log summary ${zone}`);
    expect(text).toMatch(said);
    expect(text).not.toMatch(/address (0\.0\.0\.0|::)|No address/);
  });
});
