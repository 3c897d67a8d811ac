import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../src/log.ts';
import { Secret } from '../../src/secret.ts';
import { createClients, createLibraryLog, identify } from '../../src/slack/clients.ts';
import { createSecretFilter } from '../../src/slack/out/secrets.ts';

const TOKEN = 'xoxb-of-the-bot-0123456789';

function logged() {
  const lines: string[] = [];
  const log = createLog('debug', createSecretFilter([Secret.of(TOKEN)]), (line) => void lines.push(line));
  return { log, lines };
}

/** Where nobody listens any more. */
async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api`;
}

describe('what Slack’s libraries say', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is a line of the bot’s log, without secrets and not without end', () => {
    const { log, lines } = logged();
    const library = createLibraryLog(log);
    library.error('refused', { token: TOKEN, deep: { er: { than: { that: 1 } } } }, 'x'.repeat(5_000));
    library.warn('slow');
    library.info('connected');
    library.debug('a ping');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 50, said: expect.stringContaining("refused { token: '[secret]'") },
      { level: 40, said: 'slow' },
      { level: 20, said: 'connected' },
    ]);
    expect(JSON.parse(lines[0] ?? '').said.length).toBeLessThanOrEqual(1_000);
    expect(lines.join('')).not.toContain(TOKEN);
  });

  it('is not written to the console when Slack cannot be reached', async () => {
    const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    const apiUrl = await nowhere();
    const { log, lines } = logged();
    await expect(identify(createClients(Secret.of(TOKEN), apiUrl, log))).rejects.toThrow();
    expect(lines).toHaveLength(1);
    await expect(identify(createClients(Secret.of(TOKEN), apiUrl))).rejects.toThrow();
    expect(lines).toHaveLength(1);
    for (const way of written) expect(way.mock.calls.join('')).not.toMatch(/web-api|WebClient/);
  });
});

describe('a connection that Slack closes at the moment of a call', () => {
  it.each([
    ['is opened again for what only reads', 'users.info', 2],
    ['is not for what would be done twice', 'chat.postMessage', 1],
  ])('%s', async (_, method, calls) => {
    const called: string[] = [];
    const server = createHttpServer((request, response) => {
      called.push(request.url ?? '');
      if (called.length === 1) request.socket.destroy();
      else response.end('{"ok":true}');
    });
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
    const { port } = server.address() as AddressInfo;
    const { interactive } = createClients(Secret.of(TOKEN), `http://127.0.0.1:${port}/api`);
    const call = interactive.apiCall(method, {});
    if (calls === 2) await expect(call).resolves.toMatchObject({ ok: true });
    else await expect(call).rejects.toThrow();
    expect(called).toEqual(Array.from({ length: calls }, () => `/api/${method}`));
    server.closeAllConnections();
    await new Promise((settle) => server.close(settle));
  });
});
