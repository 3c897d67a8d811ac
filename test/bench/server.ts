/** One of the servers that are compared, in a process of its own: `server.ts <kind> <port of the Slack stand-in> [socket]`. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, LogLevel } from '@slack/bolt';
import { startApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { SIGNING_SECRET } from './signing-secret.ts';

export type ServerKind = 'bolt-60' | 'bolt-1' | 'http' | 'edgewise';

/** What a server says of itself when it is asked. */
export interface ServerState {
  port: number;
  /** Bytes. */
  rss: number;
  /** Processor time used so far, microseconds. */
  cpu: number;
}

/** Bolt as its documentation starts it, with so many commands; `/edge` is the middle one. Nothing happens behind the ack. */
async function startBolt(listeners: number): Promise<number> {
  const app = new App({
    signingSecret: SIGNING_SECRET,
    logLevel: LogLevel.ERROR,
    authorize: async () => ({ botToken: 'xoxb-bench', botId: 'B0BENCH0001', botUserId: 'U0BENCH0BOT' }),
  });
  for (let index = 0; index < listeners; index += 1) {
    const name = index === Math.floor(listeners / 2) ? '/edge' : `/edge-${index}`;
    app.command(name, async ({ ack }) => {
      await ack();
    });
  }
  const server = await app.start(0);
  return (server.address() as AddressInfo).port;
}

/** The least that can be done: read, check the signature, parse, answer. */
async function startBareHttp(): Promise<number> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = request.headers;
      const hmac = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:`).update(body).digest('hex');
      const wanted = Buffer.from(`v0=${hmac}`);
      const got = Buffer.from(String(signature));
      const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
      const isSigned = got.length === wanted.length && timingSafeEqual(got, wanted);
      const isCommand = new URLSearchParams(body.toString()).get('command') === '/edge';
      response.writeHead(isRecent && isSigned && isCommand ? 200 : 401, { 'content-length': 0 }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The bot itself with everything registered, a store on disk, and its log switched to where the default has it. */
async function startEdgewise(slackPort: string, mode?: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const nowhere = `http://127.0.0.1:${slackPort}/platform`;
  const { port } = await startApp(
    parseConfig({
      SLACK_BOT_TOKEN: 'xoxb-bench-token',
      ...(mode === 'socket' ? { SLACK_APP_TOKEN: 'xapp-bench-token' } : { SLACK_SIGNING_SECRET: SIGNING_SECRET }),
      SLACK_API_URL: `http://127.0.0.1:${slackPort}/api`,
      PLATFORM_API_URL: nowhere,
      PLATFORM_ORIGIN_LOGS_URL: nowhere,
      PLATFORM_LOGGING_URL: nowhere,
      PLATFORM_ACCESS_KEY: 'key-of-the-bench',
      EDGEWISE_ADMINS: 'U0BENCH0001',
      STORE_URL: `file:${join(folder, 'edgewise.db')}`,
      PORT: '0',
    }),
  );
  return port;
}

const starts: Record<ServerKind, (slackPort: string, mode?: string) => Promise<number>> = {
  'bolt-60': () => startBolt(60),
  'bolt-1': () => startBolt(1),
  http: startBareHttp,
  edgewise: startEdgewise,
};

if (process.send !== undefined) {
  const [kind, slackPort, mode] = process.argv.slice(2);
  const port = await starts[kind as ServerKind](slackPort ?? '', mode);
  const tell = () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ port, rss: process.memoryUsage.rss(), cpu: user + system } satisfies ServerState);
  };
  process.on('message', tell);
  process.on('disconnect', () => process.exit(0));
  tell();
}
