import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Canned } from '../support/canned-platform.ts';
import { startOnCanned } from '../support/on-canned.ts';

const NOW = new Date('2026-11-25T12:00:00Z');
const AT = Date.parse('2026-11-25T10:00:00Z');
const PAGE =
  '<!DOCTYPE html><html><head><title>Access blocked by corporate policy</title></head><body>Sign in</body></html>';

describe('logs in another form than was expected', () => {
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

  describe('records of the access log', () => {
    const give = (body: unknown) => canned.platform.answer(`GET /logging/v2/pullzones/${zone}/logs`, { body });
    const record = (given: object) => ({
      data: [{ statusCode: 404, url: 'https://shop.example.com/a', cacheStatus: 'MISS', ...given }],
    });

    it.each<[string, unknown]>([
      ['milliseconds', AT],
      ['seconds', AT / 1_000],
      ['microseconds', AT * 1_000],
      ['nanoseconds in quotes', `${AT}000000`],
      ['another zone', '2026-11-25T12:00:00+02:00'],
    ])('have their time in %s', async (_, timestamp) => {
      give(record({ timestamp }));
      const { text } = await canned.ask(`log search ${zone}`);
      expect(text).toMatch(/\nTime \(Europe\/Berlin\)[^\n]*\n2026-11-25 11:00:00 \| 404/);
      expect((await canned.ask(`log summary ${zone} --status 4xx`)).text).toMatch(
        /: 1 request with status 4xx\.[\s\S]* 10:00: 0, 11:00: 1, 12:00: 0/,
      );
    });

    it.each<[string, object]>([
      ['none', {}],
      ['null', { timestamp: null }],
      ['a word', { timestamp: 'yesterday' }],
      ['an object', { timestamp: { seconds: 1 } }],
      ['an empty text', { timestamp: '' }],
    ])('have no time where they say %s', async (_, given) => {
      give(record(given));
      const { text } = await canned.ask(`log search ${zone}`);
      expect(text).toMatch(/^1 request: .*\nRequests\nStatus \| URL/m);
      expect(text).not.toMatch(/1970|NaN|Invalid/);
      expect((await canned.ask(`log summary ${zone} --status 4xx`)).text).toMatch(/nothing in the log could be read\./);
    });

    it('have their numbers in quotes', async () => {
      give(record({ timestamp: AT, statusCode: '404', bytesSent: '1500' }));
      expect((await canned.ask(`log search ${zone}`)).text).toMatch(/11:00:00 \| 404 .* 1\.5 kB/);
    });

    it.each<[string, unknown]>([
      ['an object', { data: { items: [{ statusCode: 404 }] } }],
      ['an empty object', { data: {} }],
      ['null', { data: null }],
      ['a text', { data: '' }],
      ['false', { data: false }],
      ['a number beside other lists', { data: 0, logs: [] }],
    ])('are not none where their list is %s', async (_, body) => {
      give(body);
      for (const line of [`log search ${zone}`, `log summary ${zone} --status 4xx`]) {
        const { text } = await canned.ask(line);
        expect(text).toMatch(/cannot be read: .*without a usable “data”/);
        expect(text).not.toMatch(/No requests|no requests/);
      }
    });
  });

  describe('files of the access log', () => {
    const give = (body: Canned) => canned.platform.answer(`GET /logging/11-25-26/${zone}.log`, body);
    const file = (...statuses: string[]) =>
      statuses
        .map(
          (status) =>
            `MISS|${status}|${AT}|412|1337|198.51.100.7|-|https://shop.example.com/a|DE|curl|${'5'.repeat(32)}|FI\n`,
        )
        .join('');

    it.each<[string, Canned, RegExp]>([
      ['a page', { body: PAGE }, /answered with a web page, not the API/],
      [
        'a page with a type',
        { body: `\n\n${PAGE}`, headers: { 'content-type': 'text/html' } },
        /a web page, not the API/,
      ],
      ['an error', { body: { message: 'No such zone' } }, /refused it: No such zone/],
      [
        'a line of a proxy',
        { body: 'Access blocked by corporate policy\n' },
        /nothing in the log could be read|1 line, and no record/,
      ],
      [
        'a file in gzip that nobody says',
        { body: gzipSync(file('200')).toString('latin1') },
        /nothing in the log could be read|lines?, and no record/,
      ],
      [
        'another table',
        { body: '2026-11-25,GET,/a,200\n2026-11-25,GET,/b,200\n' },
        /nothing in the log could be read|2 lines, and no record/,
      ],
    ])('are not empty where %s came', async (_, answer, said) => {
      give(answer);
      for (const line of [`log summary ${zone}`, `log download ${zone} today`]) {
        const { text } = await canned.ask(line);
        expect(text).toMatch(said);
        expect(text).not.toMatch(/no requests|is empty/);
      }
    });

    it('are empty where nothing came', async () => {
      give({ body: '' });
      expect((await canned.ask(`log summary ${zone}`)).text).toMatch(/: no requests\./);
    });

    it('have requests whose visitors went before there was a status', async () => {
      give({ body: file('000', '0', '-', '404') });
      const { text } = await canned.ask(`log summary ${zone}`);
      expect(text).toMatch(/: 2 requests\.\nNo request failed; 1 of 2 requests was refused \(50%\)/);
      expect(text).toMatch(/Not counted: 2 lines/);
    });

    it.each([
      [1, 'the one request was refused: 404 on /a.'],
      [2, 'all 2 requests were refused: all are 404 on /a.'],
    ])('of which all %i are refused are told in one sentence', async (many, said) => {
      give({ body: file(...Array.from({ length: many }, () => '404')) });
      expect((await canned.ask(`log summary ${zone}`)).text).toContain(`No request failed; ${said}`);
    });
  });

  describe('origin errors', () => {
    const give = (answer: Canned) => canned.platform.answer(`GET /origin/${zone}/11-25-2026`, answer);
    const error = { Message: 'connection refused', StatusCode: 502 };

    it.each<[string, unknown]>([
      ['an object', error],
      ['an object in quotes', JSON.stringify(error)],
      ['quoted twice', JSON.stringify(JSON.stringify(error))],
      ['behind a byte order mark', `\uFEFF${JSON.stringify(error)}`],
      ['of other keys', { message: 'connection refused', code: 502 }],
      ['of other keys, in quotes', '{"msg":"connection refused"}'],
      ['a list', ['connection refused']],
      ['plain words', 'connect ECONNREFUSED 10.0.0.1:443'],
    ])('are understood where their log is %s', async (_, log) => {
      give({ body: { logs: [{ logId: 'a', timestamp: AT, log, labels: {} }] } });
      expect((await canned.ask(`errors show ${zone}`)).text).toMatch(/1 × The origin refuses connections/);
    });

    it.each<[string, unknown]>([
      ['an object', { logs: { a: 1 } }],
      ['a text', { logs: 'none' }],
      ['a number', { logs: 0 }],
      ['missing', { hasMoreData: false }],
      ['an object of lists', { logs: { items: [] } }],
    ])('are not none where their list is %s', async (_, body) => {
      give({ body });
      const { text } = await canned.ask(`errors show ${zone}`);
      expect(text).toMatch(/cannot be read: .*without a usable “logs”/);
      expect(text).not.toMatch(/no origin errors/);
    });

    it.each<[string, Canned, RegExp]>([
      ['a page', { body: PAGE }, /answered with a web page, not the API/],
      ['nothing', { status: 204 }, /not the expected JSON/],
      [
        'a refusal',
        { status: 401, body: PAGE, headers: { 'content-type': 'text/html' } },
        /answered 401 .* web page[\s\S]*npm run doctor/,
      ],
      [
        'a fault',
        { status: 500, body: PAGE, headers: { 'content-type': 'text/html' } },
        /answered 500 .* web page[\s\S]*platform’s side/,
      ],
    ])('are not none where %s came', async (_, answer, said) => {
      give(answer);
      expect((await canned.ask(`errors show ${zone}`)).text).toMatch(said);
    });

    it.each([null, undefined, '', 'soon'])('without a time (%j) are left out, and that is said', async (timestamp) => {
      give({
        body: {
          logs: [
            { logId: 'a', timestamp, log: error },
            { logId: 'b', timestamp: AT, log: error },
          ],
        },
      });
      const { text } = await canned.ask(`errors show ${zone}`);
      expect(text).toMatch(/1 origin error of 1 kind[\s\S]*1 item of the platform’s answer could not be read/);
      expect(text).not.toMatch(/12:00 AM/);
    });
  });

  it.each<[string, unknown, RegExp]>([
    [
      'an error of the platform',
      { ErrorKey: 'x', Field: 'pullZone', Message: 'The requested Pull Zone was not found' },
      /refused it: The requested Pull Zone was not found/,
    ],
    ['its key alone', { ErrorKey: 'pullzone.not_found' }, /refused it: .*\n?.*pullzone\.not_found/],
    ['a message alone', { Message: 'Denied' }, /refused it: Denied/],
    ['a problem', { type: 'about:blank', title: 'Forbidden', status: 403 }, /refused it: Forbidden/],
    ['an error with charts', { ErrorKey: 'x', Message: 'Too much', RequestsServedChart: {} }, /refused it: Too much/],
    ['a page', PAGE, /a web page, not the API/],
  ])('statistics are no zero where a 200 brings %s', async (_, body, said) => {
    canned.platform.answer('GET /api/statistics', { body });
    for (const line of [`stats show ${zone}`, `stats show ${zone} --compare`]) {
      const { text } = await canned.ask(line);
      expect(text).toMatch(said);
      expect(text).not.toMatch(/no requests|no figures/);
    }
  });
});
