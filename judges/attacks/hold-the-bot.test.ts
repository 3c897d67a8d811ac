import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';
import { type RawPlatform, startRawPlatform } from '../hostile/raw-platform.ts';

/** How much more work a hostile text may be than an ordinary one of its length: what held the bot was 23 to 280 times as much. */
const MOST = 12;
/** A busy machine makes a run slow; the quickest of so many is the work itself. */
const RUNS = 4;
/** What a person may type, in characters. */
const LINE = 19_900;

/** How a line is refused that is none. */
const REFUSED = /too many|too long|has no|is not|not “/;

const KEY = '-----BEGIN PRIVATE KEY-----';
const repeated = (unit: string, length: number) => unit.repeat(length / unit.length);
const ordinary = (length: number) => repeated('plain words ', length);

const zonesWith = (zone: object) =>
  JSON.stringify({ Items: [{ Id: 1, Name: 'main', Hostnames: [], ...zone }], HasMoreItems: false });
const recordsOf = (userAgent: string) =>
  JSON.stringify({
    data: Array.from({ length: 100 }, (_, at) => ({
      statusCode: 502,
      timestamp: new Date(Date.now() - 60_000 * at).toISOString(),
      url: 'https://shop.example/a',
      userAgent,
    })),
    pagination: { hasMore: false },
  });
const linesOf = (userAgent: string) =>
  `HIT|200|${Date.now()}|10|1|203.0.113.7|-|https://shop.example/a|DE|${userAgent}|${'0'.repeat(32)}|DE\n`.repeat(100);

describe('somebody wants to hold the bot', () => {
  let platform: RawPlatform;
  let workspace: TestWorkspace;
  /** By what a path begins with. */
  let answers: Record<string, string> = {};
  /** Another one each time: what is asked about one zone is limited. */
  let zone = 100;

  beforeAll(async () => {
    platform = await startRawPlatform();
    workspace = await startTestWorkspace({ environment: platform.environment, isHostile: true });
    platform.misbehave(/./, (socket, { path }) => {
      const body = Object.entries(answers).find(([beginning]) => path.startsWith(beginning))?.[1];
      const status = body === undefined ? '404 Not Found' : '200 OK';
      socket.write(`HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body ?? '')}\r\n\r\n${body ?? ''}`);
    });
    // What is compiled and looked up once is no command's work.
    answers = { '/api/pullzone?': zonesWith({}) };
    await workOf('zone list', /main/);
  });
  afterAll(async () => {
    await workspace.close();
    await platform.close();
  });

  /** CPU time (µs) of a command, until nothing is left to do. */
  async function workOf(line: string, shown: RegExp): Promise<number> {
    const { slack } = workspace;
    const ops = slack.person('ada').in('#ops');
    const started = process.cpuUsage();
    await ops.type(`/edge ${line}`);
    await ops.expectMessage(shown);
    await slack.idle();
    const { user, system } = process.cpuUsage(started);
    return user + system;
  }

  async function expectNoMoreWork(hostile: () => Promise<number>, plain: () => Promise<number>): Promise<void> {
    let [most, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let run = 0; run < RUNS; run += 1) {
      least = Math.min(least, await plain());
      most = Math.min(most, await hostile());
      if (most <= MOST * least) break;
    }
    expect(most / least).toBeLessThanOrEqual(MOST);
  }

  it.each([1_000_000, 15_000_000])('by a zone whose name has %d characters', async (length) => {
    const asked = (zone: object, shown: RegExp) => () => {
      answers = { '/api/pullzone?': zonesWith(zone) };
      return workOf('zone list', shown);
    };
    await expectNoMoreWork(
      asked({ Name: repeated('x', length) }, /xxxx/),
      asked({ Unread: repeated('x', length) }, /main/),
    );
  });

  it.each([
    ['log search', /100 requests/],
    ['log summary', /100 requests/],
  ])('by what a visitor’s browser is called, in %s', async (line, shown) => {
    const asked = (userAgent: string) => () => {
      answers = { '/logging/v2/': recordsOf(userAgent), '/logging/': linesOf(userAgent) };
      zone += 1;
      return workOf(`${line} ${zone}`, shown);
    };
    await expectNoMoreWork(asked(repeated(KEY, 7_800)), asked(ordinary(7_800)));
  });

  it.each([
    ['zone list ', '--a'],
    ['database query configured SELECT ', '1+'],
    ['database query configured SELECT ', '('],
    ['database execute configured UPDATE a SET b = ', '1+'],
    ['log search 1 --limit ', '1+'],
    ['log search 1 --from ', '1d'],
    ['report subscribe error-summary #ops ', '1 '],
    ['can-i ', '['],
    ['zone show ', '{"a":'],
    ['zone show ', '"'],
  ])('by typing %s%s…', async (beginning, unit) => {
    const typed = (text: string) => () => workOf(`${beginning}${text}`, REFUSED);
    await expectNoMoreWork(typed(repeated(unit, LINE)), typed(ordinary(LINE)));
  });

  it('by typing as much as a request may hold', async () => {
    await expectNoMoreWork(
      () => workOf(`zone list ${repeated('--a', 950_000)}`, /too long/),
      () => workOf(`zone list ${ordinary(950_000)}`, /too long/),
    );
  });
});
