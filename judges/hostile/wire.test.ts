import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASKED, CONFIRM } from '../../test/support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';
import { drip, forEver, type Misbehaviour, type RawPlatform, startRawPlatform } from './raw-platform.ts';

/** How long the platform may take for one answer here, in ms. */
const TIMEOUT = 250;
/** Reads are tried three times at the most; a list's pages and the names that a command looks up come on top. */
const MOST_REQUESTS = 60;

const head = (status: string, ...headers: string[]) =>
  `HTTP/1.1 ${status}\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n`;
const JSON_TYPE = 'content-type: application/json';
/** A whole answer with its length. */
const whole = (body: string | Buffer, ...headers: string[]) => {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(head('200 OK', JSON_TYPE, `content-length: ${bytes.length}`, ...headers)), bytes]);
};
const answers = (body: string | Buffer, ...headers: string[]): Misbehaviour => {
  const bytes = whole(body, ...headers);
  return (socket) => socket.write(bytes);
};
/** A chunk of a chunked body. */
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const BOMB = gzipSync(Buffer.alloc(300 * 1024 * 1024, 32), { level: 9 });
const RECORD = `{"logId":"a","timestamp":1,"log":"${'x'.repeat(100_000)}","labels":{}},`;

function* repeated(piece: string): Generator<string> {
  for (;;) yield piece;
}

let elsewhere = '';

const misbehaviours: [what: string, how: Misbehaviour][] = [
  ['never answers', () => undefined],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['resets it in the middle', (socket) => socket.write(`${head('200 OK', 'content-length: 999')}{"Items":[`, () => socket.resetAndDestroy())],
  ['hangs up in the middle', (socket) => socket.end(`${head('200 OK', 'content-length: 999')}{"Items":[`)],
  ['sends less than it promised, and waits', (socket) => socket.write(`${head('200 OK', 'content-length: 99')}{}`)],
  ['sends more than it promised', (socket) => socket.write(`${head('200 OK', 'content-length: 2')}{}{"Items":[{"Id":666}]}`)],
  ['promises an exabyte', (socket) => socket.write(`${head('200 OK', `content-length: ${2 ** 60}`)}{}`)],
  ['promises a length that is none', (socket) => socket.write(`${head('200 OK', 'content-length: -1')}{}`)],
  ['sends two lengths', (socket) => socket.write(`${head('200 OK', 'content-length: 2', 'content-length: 3')}{}`)],
  ['sends bytes without end', (socket) => { socket.write(head('200 OK', JSON_TYPE)); forEver(socket, 'x'.repeat(65_536)); }],
  ['sends spaces without end', (socket) => { socket.write(head('200 OK', JSON_TYPE)); forEver(socket, ' '.repeat(65_536)); }],
  ['sends records without end', (socket) => { socket.write(`${head('200 OK', JSON_TYPE)}{"logs":[`); forEver(socket, RECORD); }],
  ['sends small records without end', (socket) => { socket.write(`${head('200 OK', JSON_TYPE)}{"data":[`); forEver(socket, '{},'.repeat(20_000)); }],
  ['sends lists without end', (socket) => { socket.write(`${head('200 OK', JSON_TYPE)}{"a":[]`); forEver(socket, ',"a":[]'.repeat(10_000)); }],
  ['sends lines without end', (socket) => { socket.write(head('200 OK', 'content-type: text/plain')); forEver(socket, `${'|'.repeat(100)}\n`.repeat(1_000)); }],
  ['sends one line without end', (socket) => { socket.write(head('200 OK', 'content-type: text/plain')); forEver(socket, 'HIT|200|'.repeat(8_000)); }],
  ['sends a byte now and then', (socket) => { socket.write(head('200 OK', JSON_TYPE)); drip(socket, repeated(' ')); }],
  ['sends headers that never end', (socket) => { socket.write('HTTP/1.1 200 OK\r\n'); drip(socket, repeated('x-a: b\r\n')); }],
  ['sends a megabyte of headers', (socket) => socket.write(`${head('200 OK', ...Array.from({ length: 10_000 }, (_, index) => `x-${index}: ${'a'.repeat(90)}`))}{}`)],
  ['says “continue” without end', (socket) => forEver(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100))],
  ['sends a few chunks of one byte now and then', (socket) => { socket.write(head('200 OK', 'transfer-encoding: chunked')); drip(socket, repeated(chunk('x').repeat(3))); }],
  ['sends chunks that are none', (socket) => socket.write(`${head('200 OK', 'transfer-encoding: chunked')}zz\r\n{}\r\n`)],
  ['sends a bomb', (socket) => { socket.write(head('200 OK', JSON_TYPE, 'content-encoding: gzip', `content-length: ${BOMB.length}`)); socket.write(BOMB); }],
  ['sends what is not packed as if it were', answers('{"Items":[]}', 'content-encoding: gzip')],
  ['sends a packing that nobody knows', answers('{"Items":[]}', 'content-encoding: zip, gzip')],
  ['speaks another protocol', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
  ['answers with a status that is none', (socket) => socket.write('HTTP/1.1 000 \r\n\r\n')],
  ['answers with a web page', (socket) => socket.write(`${head('200 OK', 'content-type: text/html', 'content-length: 44')}<!doctype html><h1><!channel> Welcome!</h1> `)],
  ['answers 204 with a body', (socket) => socket.write(`${head('204 No Content')}{"Items":[{"Id":666}]}`)],
  ['answers twice', (socket) => socket.write(Buffer.concat([whole('{}'), whole('{"Items":[{"Id":666}],"items":[{"id":"666"}]}')]))],
  ['sends the bot elsewhere for good', (socket) => socket.write(head('301 Moved', `location: ${elsewhere}`, 'content-length: 0'))],
  ['sends the bot elsewhere with all it has', (socket) => socket.write(head('307 Temporary Redirect', `location: ${elsewhere}`, 'content-length: 0'))],
  ['asks the bot to wait for a hundred years', (socket) => socket.write(head('429 Too Many', 'retry-after: 3153600000', 'content-length: 0'))],
  ['asks the bot to wait for longer than there are numbers', (socket) => socket.write(head('503 No', `retry-after: ${'9'.repeat(400)}`, 'content-length: 0'))],
  ['has wrong types everywhere', answers('{"Items":{"0":1},"items":"x","logs":5,"data":true,"results":{"a":1},"HasMoreItems":"yes","cursor":{},"TotalRequestsServed":"x","Hostnames":7}')],
  ['has lists of wrong things', answers(`{"Items":[null,1,"x",[],{}],"items":[null],"logs":[null],"data":[1],"results":[[]]}`)],
  ['has a list of a million zeros', answers(`{"Items":[${'0,'.repeat(1_000_000)}0],"items":[0],"logs":[0],"data":[0],"results":[0]}`)],
  ['has a hundred thousand empty results', answers(`{"results":[${'{},'.repeat(100_000)}{}],"Items":[${'{"Id":1},'.repeat(100_000)}{"Id":1}]}`)],
  ['has a million points in a chart', answers(`{"RequestsServedChart":{${Array.from({ length: 200_000 }, (_, index) => `"${index}":1`).join()}}}`)],
  ['has keys of objects themselves', answers('{"__proto__":{"Items":[],"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"Items":[{"Id":1,"__proto__":{"Key":"x"},"Roles":["toString"]}],"items":[{"id":"__proto__"}],"logs":[{"__proto__":1}],"data":[{"constructor":1}],"toString":1,"hasOwnProperty":1}')],
  ['is a hundred thousand levels deep', answers(`{"Items":${'['.repeat(100_000)}${']'.repeat(100_000)},"a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`)],
  ['is deep in what it says of a refusal', (socket) => { const deep = `{"message":"No.","details":${'['.repeat(90_000)}${']'.repeat(90_000)}}`; socket.write(`${head('400 Bad Request', `content-length: ${deep.length}`)}${deep}`); }],
  ['has numbers beyond every range', answers('{"Items":[{"Id":1e999}],"CurrentPage":-1e308,"TotalItems":1e400,"TotalRequestsServed":1e308,"BandwidthUsedChart":{"x":1e308,"9999999-99-99":-1e308},"items":[{"id":"a","size":1e309}],"meta":{"totalItems":-1e308},"logs":[{"timestamp":1e308}],"data":[{"statusCode":1e308,"timestamp":"+999999-01-01","bytesSent":-1e308}],"pagination":{"hasMore":true,"limit":-1e308,"offset":1e308},"results":[]}')],
  ['has an integer of a million digits', answers(`{"results":[{"type":"ok","response":{"type":"execute","result":{"cols":[{"name":"a"}],"rows":[[{"type":"integer","value":"${'9'.repeat(1_000_000)}"}]]}}}]}`)],
  ['is no UTF-8', answers(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]))],
  ['has a text of five megabytes in each field', (socket) => { const text = '<!channel> '.repeat(450_000); socket.write(whole(`{"Items":[{"Id":1,"Name":"${text}","Roles":["x"]}],"items":[{"id":"a","name":"${text}"}],"results":[{"type":"error","error":{"message":"${text}"}}],"logs":[{"log":"${text.slice(0, 3_000_000)}"}],"data":[{"url":"${text.slice(0, 3_000_000)}"}],"TotalItems":1}`)); }],
  ['has another page for ever', answers('{"Items":[{"Id":1,"Name":"again"}],"HasMoreItems":true,"items":[{"id":"a","name":"again"}],"cursor":"the same","logs":[],"data":[],"pagination":{"hasMore":true,"limit":0,"offset":0},"hasMoreData":true}')],
  ['has another page for ever, each with another cursor', (socket) => socket.write(whole(`{"Items":[],"HasMoreItems":true,"items":[],"cursor":"${Math.random()}","data":[{"statusCode":200,"timestamp":"2026-01-01T00:00:00Z"}],"pagination":{"hasMore":true,"limit":1}}`))],
]; // biome-ignore format: a list of misbehaviours reads better as a block

/** What is asked, and which of the requests behind it is answered badly. The zone's number is put in for Z: its limit counts. */
const lines: [line: string, at: string][] = [
  ['key list', 'GET /api/apikey'],
  ['zone list', 'GET /api/pullzone\\?'],
  ['app list', 'GET /api/mc/apps'],
  ['stats show', 'GET /api/statistics'],
  ['errors show Z yesterday', 'GET /origin/'],
  ['log search Z', 'GET /logging/v2/'],
  ['log download Z yesterday', 'GET /logging/\\d'],
  ['database query configured SELECT 1', 'POST /v2/pipeline'],
  ['ssl force cdn.example.com on --zone Z', 'POST /api/pullzone/\\d+/setForceSSL'],
];

/** Nothing in plain and rich text is read as mrkdwn: it stands there as it came. */
const inMrkdwn = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'type' in value && /^(rich_text|plain_text)$/.test(String(value.type))
    ? undefined
    : value;

describe('a platform that means harm', () => {
  let platform: RawPlatform;
  let workspace: TestWorkspace;
  const trap = createServer((request, response) => {
    caught.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end('{}');
  });
  const caught: string[] = [];

  beforeAll(async () => {
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    elsewhere = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/trap`;
    platform = await startRawPlatform();
    workspace = await startTestWorkspace({
      environment: platform.environment,
      patience: { timeout: TIMEOUT, retryDelay: 10 },
      slack: { workspace: { channels: lines.map((_, index) => ({ name: `c${index}` })) }, patience: 40_000 },
    });
  });
  afterAll(async () => {
    await workspace.close();
    await platform.close();
    trap.closeAllConnections();
    await new Promise((resolve) => trap.close(resolve));
  });

  const SETTLED = /^(?![\s\S]*(Working on |Working …|One moment …))/;

  /** Types it, confirms it where that is asked, and gives the text of the end. */
  async function endOf(line: string, channel: string): Promise<string> {
    const place = workspace.slack.person('ada').in(channel);
    await place.type(`/edge ${line}`);
    if (!line.startsWith('ssl force')) return (await place.expectMessage(SETTLED)).text;
    const card = await place.expectMessage(ASKED);
    await card.click(CONFIRM);
    if (await card.expectChangeOrGone(SETTLED)) return card.text;
    // Its end is in the channel.
    return (await place.expectMessage(SETTLED)).text;
  }

  it.each(misbehaviours.map(([what, how], index) => ({ what, how, index })))(
    'that $what: every command ends with clear words, soon, and nothing else suffers',
    async ({ how, index }) => {
      const { slack } = workspace;
      platform.misbehave(new RegExp(`^(${lines.map(([, at]) => at).join('|')})`), how);
      platform.requests.length = 0;
      const from = slack.outgoing.length;
      // All at once, and a command that has nothing to do with it beside them.
      const [help, ...ends] = await Promise.all([
        endOf('help', '#releases'),
        ...lines.map(([line], at) => endOf(line.replace('Z', String(1_000 * (index + 1) + at)), `#c${at}`)),
      ]);
      expect(help).toMatch(/zone show/);
      for (const [at, end] of ends.entries()) {
        const [line] = lines[at]!;
        expect(end, line).not.toMatch(/inside Edgewise/);
        expect(end.length, line).toBeGreaterThan(10);
        expect(end.length, line).toBeLessThan(20_000);
      }
      await slack.idle();
      const writes = platform.requests.filter(({ method, path }) => method === 'POST' && path.includes('setForceSSL'));
      expect(writes).toHaveLength(1);
      expect(platform.requests.length).toBeLessThanOrEqual(lines.length * MOST_REQUESTS);
      const live = slack.outgoing
        .slice(from)
        .filter(({ body }) => /"text":"[^"]*<!channel>/.test(JSON.stringify(body, inMrkdwn)));
      expect(live).toEqual([]);
      const said = slack.outgoing.slice(from).filter(({ method }) => /^chat\.post|response_url/.test(method));
      // A preview, “Working on …”, the end and the word in the channel: no command says more.
      expect(said.length).toBeLessThanOrEqual(lines.length * 4 + 1);
      expect(caught).toEqual([]);
    },
  );

  it('leaves a bot behind that is well', async () => {
    platform.misbehave(/^GET \/api\/apikey/, answers('{"Items":[{"Id":4,"Roles":["User"]}],"HasMoreItems":false}'));
    expect(await endOf('key list', '#ops')).toMatch(/User/);
    expect(Object.getPrototypeOf({})).not.toHaveProperty('isAdmin');
    expect(workspace.logged.filter((line) => /unexpected error|could not be told/.test(line))).toEqual([]);
    expect(workspace.slack.problems).toEqual([]);
  });
});
