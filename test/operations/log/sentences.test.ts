import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { summariseLog } from '../../../src/operations/log/summary.ts';
import { line } from '../../logs/lines.ts';
import { ask } from './asking.ts';

type Given = Parameters<typeof line>[0];

/** Requests spread over the day, addresses, paths and countries, unless it is said otherwise. */
function requests(many: number, given: Given = {}, hours: [from: number, to: number] = [0, 24]): string[] {
  return Array.from({ length: many }, (_, n) => {
    const hour = hours[0] + Math.floor((n * (hours[1] - hours[0])) / many);
    return line({
      time: Date.UTC(2026, 10, 20, hour, n % 60),
      ip: `203.0.${n % 200}.0`,
      url: `https://cdn.example.com/p${n % 50}`,
      agent: `agent ${n % 9}`,
      country: ['DE', 'FR', 'US', 'GB'][n % 4]!,
      ...given,
    });
  });
}

const at = (path: string) => ({ url: `https://cdn.example.com${path}` });

async function said(log: readonly string[], flags = ''): Promise<string> {
  const file = async () => Readable.from([Buffer.from(log.join('\n'))]);
  const query = async () => ({
    data: log.map((one) => {
      const [cacheStatus, status, time, bytes, , remoteIp, , url, , userAgent, , countryCode] = one.split('|');
      const timestamp = new Date(Number(time)).toISOString();
      return {
        cacheStatus,
        statusCode: Number(status),
        timestamp,
        bytesSent: Number(bytes),
        remoteIp,
        url,
        userAgent,
        countryCode,
      };
    }),
    hasMore: false,
  });
  const statistics = { get: async () => ({ TotalRequestsServed: 1000 }) as never };
  const setting = { platform: { accessLogs: { download: file, query }, statistics } };
  const { text } = await ask(`log summary 1001 --date 2026-11-20 ${flags}`, summariseLog, setting);
  return text.split('\n')[1] ?? '';
}

const CALM = requests(900);

it.each<[shape: string, log: string[], said: string]>([
  ['nothing fails', CALM, `No request failed.`],
  [
    'one status on one path from an hour on',
    [...CALM, ...requests(100, { status: 504, cache: 'MISS', ...at('/api/orders') }, [14, 24])],
    `100 of 1,000 requests failed (10%): all are 504 on /api/orders, from 14:00 UTC.`,
  ],
  [
    'mostly one status, and mostly one path, for a few hours',
    [
      ...CALM,
      ...requests(80, { status: 504, ...at('/api/orders') }, [3, 5]),
      ...requests(12, { status: 503 }, [3, 5]),
      ...requests(8, { status: 500 }),
    ],
    `100 of 1,000 requests failed (10%): 80 of them are 504 on /api/orders, from 03:00 UTC to 05:00 UTC.`,
  ],
  [
    'mostly one status, and mostly one path, that are seldom one',
    [
      ...CALM,
      ...requests(40, { status: 504, ...at('/api/orders') }),
      ...requests(30, { status: 504, ...at('/pay') }),
      ...requests(30, { status: 500, ...at('/api/orders') }),
    ],
    `100 of 1,000 requests failed (10%): 70 of them are 504, 70 of them are on /api/orders.`,
  ],
  [
    'one status everywhere, all day',
    [...CALM, ...requests(100, { status: 502 })],
    `100 of 1,000 requests failed (10%): all are 502.`,
  ],
  [
    'one path with many statuses',
    [...CALM, ...[500, 502, 503, 504].flatMap((status) => requests(25, { status, ...at('/pay') }))],
    `100 of 1,000 requests failed (10%): all are on /pay.`,
  ],
  [
    'many statuses on many paths',
    [...CALM, ...[500, 502, 503, 504].flatMap((status) => requests(25, { status }))],
    `100 of 1,000 requests failed (10%): mixed statuses and paths.`,
  ],
  [
    'only one fails',
    [...CALM, ...requests(1, { status: 503, ...at('/b') }, [13, 14])],
    `1 of 901 requests failed (0.1%): 503 on /b, from 13:00 UTC to 14:00 UTC.`,
  ],
  [
    'nothing fails, and a path is missing',
    [...CALM, ...requests(90, { status: 404, ...at('/robots.txt') }), ...requests(10, { status: 403 })],
    `No request failed; 100 of 1,000 requests were refused (10%): 90 of them are 404 on /robots.txt.`,
  ],
  ['all fail', requests(48, { status: 503 }), `All 48 requests failed: all are 503.`],
  [
    'one address asks',
    [...requests(100), ...requests(900, { ip: '198.51.100.0' })],
    'No request failed. 900 requests (90%) came from the network 198.51.100.0/24.',
  ],
  [
    'one path is asked for',
    [...requests(100), ...requests(300, at('/live'))],
    'No request failed. 300 requests (75%) were for /live.',
  ],
  [
    'one program asks',
    requests(400, { agent: 'curl/8' }),
    'No request failed. 400 requests (100%) came with the user agent curl/8.',
  ],
  [
    'one country asks',
    requests(400, { country: 'BR' }),
    'No request failed. 400 requests (100%) came from the country BR.',
  ],
  ['hardly anybody asks', requests(3), 'No request failed.'],
])('where %s, the summary says so', async (_, log, words) => {
  expect(await said(log)).toBe(words);
});

it('does not say what was asked for', async () => {
  const log = requests(100, { ip: '198.51.100.0', country: 'BR', status: 404 });
  expect(await said(log, '--ip 198.51.100.7')).toMatch(/were refused.* came from the country BR\.$/);
  expect(await said(log, '--ip 198.51.100.7 --country br --status 4xx')).toBe('Of these, all are 404.');
});
