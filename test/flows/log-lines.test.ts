import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startOnCanned } from '../support/on-canned.ts';

const NOW = new Date('2026-11-25T12:00:00Z');
const ID = '648fd832dbc1b102134949e15a9fdb2d';
const UUID = '648fd832-dbc1-b102-1349-49e15a9fdb2d';

/** A line of a log with extended logging; its visitor sent an authorization. */
function extended(given: { id?: string; country?: string; agent?: string; authorization: string }): string {
  const { id = ID, country = 'FI', agent = 'Mozilla/5.0', authorization } = given;
  const line = [
    'HIT',
    200,
    NOW.getTime() - 3_600_000,
    412,
    1337,
    '163.172.53.0',
    '-',
    'https://shop.example.com/a.jpg',
  ];
  return [...line, 'DE', agent, id, country, 400, 'bytes=0-1', authorization].join('|');
}

describe('the log of a zone with extended logging', () => {
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

  const give = (...lines: string[]) =>
    canned.platform.answer(`GET /logging/11-25-26/${zone}.log`, { body: lines.map((line) => `${line}\n`).join('') });

  it.each<[string, Parameters<typeof extended>[0]]>([
    ['request ids with hyphens', { id: UUID, authorization: 'Bearer hushhush123' }],
    ['countries of three letters', { country: 'FIN', authorization: 'Bearer hushhush123' }],
    ['no request id', { id: '-', country: '-', authorization: 'ApiKey hushhush123' }],
    ['an empty request id', { id: '', authorization: 'Token hushhush123' }],
    ['short request ids', { id: '648fd832dbc1b102', authorization: 'Digest username="hushhush123", realm="x"' }],
    ['an authorization with a pipe', { id: UUID, authorization: 'Bearer hushhush123|DE' }],
    ['an authorization with pipes and no request id', { id: '-', authorization: `hushhush123|${ID}|DE` }],
    ['an authorization of two letters', { id: '-', authorization: 'hushhush123|xy' }],
    ['a pipe in the agent and no request id', { id: '-', agent: 'a|b', authorization: 'hushhush123' }],
    ['pipes in the agent and in the authorization', { agent: 'a|b|c|d', authorization: `hushhush123|${ID}|DE` }],
    ['a capital request id', { id: ID.toUpperCase(), country: 'Finland', authorization: 'hushhush123' }],
  ])('shows nothing of what visitors authorize themselves with: %s', async (_, given) => {
    give(...Array.from({ length: 20 }, () => extended(given)));
    const all = await canned.ask(`log summary ${zone} --all`);
    const short = await canned.ask(`log summary ${zone}`);
    expect(all.text).toMatch(/20 requests|20 lines/);
    expect(`${all.text}${all.fallback}${short.text}${short.fallback}`).not.toMatch(/hush/);
  });

  it.each([UUID, '-', ''])('still says where the requests come from, whatever the request id is: “%s”', async (id) => {
    give(...Array.from({ length: 20 }, () => extended({ id, authorization: 'Bearer hushhush123' })));
    const { text } = await canned.ask(`log summary ${zone} --all`);
    expect(text).toMatch(/20 requests/);
    expect(text).toMatch(/Countries\s+Country[^\n]*\s+FI \| 20/);
  });

  it('is given as a file without them', async () => {
    give(
      extended({ id: UUID, authorization: 'Bearer hushhush123' }),
      extended({ id: '-', country: 'FIN', authorization: 'Bearer hushhush123|FI' }),
      extended({ id: '-', country: '12', authorization: 'Bearer hushhush123' }),
    );
    const { text } = await canned.ask(`log download ${zone} today`);
    expect(text).toMatch(/2 requests in a file/);
    expect(text).toMatch(/Left out: 1 line/);
    const stored = canned.workspace.slack.workspace.files;
    const file = await vi.waitUntil(() => [...stored.values()].find(({ bytes }) => bytes.length > 0));
    expect(String(file.bytes)).toMatch(/\|FI\|400\|bytes=0-1\n/);
    expect(String(file.bytes)).not.toMatch(/hush/);
  });

  it('shows no country of more than two letters, found in records either', async () => {
    const record = {
      timestamp: '2026-11-25T11:00:00Z',
      statusCode: 200,
      url: 'https://shop.example.com/a',
      remoteIp: '',
    };
    const data = Array.from({ length: 12 }, () => ({ ...record, countryCode: 'Bearer hushhush123' }));
    canned.platform.answer(`GET /logging/v2/pullzones/${zone}/logs`, { body: { data } });
    for (const line of [
      `log search ${zone} --all`,
      `log summary ${zone} --status 2xx --all`,
      `log summary ${zone} --status 2xx`,
    ]) {
      const { text, fallback } = await canned.ask(line);
      expect(text).toMatch(/12 requests/);
      expect(text + fallback).not.toMatch(/hush/);
    }
  });
});
