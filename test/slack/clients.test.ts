import { createServer } from 'node:net';
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
    await expect(identify(createClients(Secret.of(TOKEN), apiUrl, log).interactive)).rejects.toThrow();
    expect(lines).toHaveLength(1);
    await expect(identify(createClients(Secret.of(TOKEN), apiUrl).interactive)).rejects.toThrow();
    expect(lines).toHaveLength(1);
    for (const way of written) expect(way.mock.calls.join('')).not.toMatch(/web-api|WebClient/);
  });
});
