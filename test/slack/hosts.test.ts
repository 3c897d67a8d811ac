import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { createClients } from '../../src/slack/clients.ts';
import { hostsOf, isSlacks, type Way } from '../../src/slack/hosts.ts';
import { createAllowances } from '../../src/slack/in/allowance.ts';
import { fetchFile } from '../../src/slack/in/files.ts';
import { createPresence } from '../../src/slack/in/presence.ts';
import { createSocketMode, SOCKET_TIMES } from '../../src/slack/in/socket-mode.ts';

describe('the hosts of Slack', () => {
  const SLACK = 'https://slack.com/api';
  const GOV = 'https://slack-gov.com/api';
  const HERE = 'http://127.0.0.1:4400/api';

  it.each<[string, Way, string, boolean]>([
    [SLACK, 'api', 'https://slack.com/api/auth.test', true],
    [SLACK, 'responses', 'https://hooks.slack.com/commands/T1/2/x', true],
    [SLACK, 'files', 'https://files.slack.com/files-pri/T1-F1/a.txt', true],
    [SLACK, 'files', 'https://slack-files.com/T1-F1-x', true],
    [SLACK, 'connections', 'wss://wss-primary.slack.com/link/?ticket=1', true],
    [SLACK, 'connections', 'wss://wss-backup.slack.com/link/?ticket=1', true],
    ['https://acme.enterprise.slack.com/api', 'responses', 'https://hooks.slack.com/actions/E1/2/x', true],
    [GOV, 'api', 'https://slack-gov.com/api/auth.test', true],
    [GOV, 'responses', 'https://hooks.slack-gov.com/commands/T1/2/x', true],
    [GOV, 'files', 'https://files.slack-gov.com/files-pri/T1-F1/a.txt', true],
    [GOV, 'connections', 'wss://wss-primary.slack-gov.com/link/?ticket=1', true],
    [HERE, 'responses', 'http://127.0.0.1:4400/response/1', true],
    [HERE, 'connections', 'ws://127.0.0.1:4400/link', true],
    // The two know nothing of each other.
    [SLACK, 'responses', 'https://hooks.slack-gov.com/commands/T1/2/x', false],
    [GOV, 'responses', 'https://hooks.slack.com/commands/T1/2/x', false],
    [GOV, 'files', 'https://files.slack.com/files-pri/T1-F1/a.txt', false],
    [GOV, 'api', 'https://slack.com/api/auth.test', false],
    // Each way has hosts of its own.
    [SLACK, 'responses', 'https://files.slack.com/x', false],
    [SLACK, 'files', 'https://hooks.slack.com/x', false],
    // Others, and what only looks like them.
    [SLACK, 'files', 'http://files.slack.com/x', false],
    [SLACK, 'connections', 'ws://wss-primary.slack.com/link', false],
    [SLACK, 'connections', 'wss://evilslack.com/link', false],
    [SLACK, 'connections', 'wss://slack.com.evil.example/link', false],
    [SLACK, 'files', 'https://files.slack.com@evil.example/x', false],
    [SLACK, 'files', 'https://files.slack.com:8443/x', false],
    [SLACK, 'responses', 'https://evil.example/hooks.slack.com', false],
    [SLACK, 'responses', 'nonsense', false],
    [HERE, 'files', 'http://127.0.0.1:4401/x', false],
    [HERE, 'files', 'https://files.slack.com/x', false],
  ])('of %s, for %s: %s is one of them: %s', (api, way, address, isOne) => {
    expect(isSlacks(hostsOf(api), way, address)).toBe(isOne);
  });
});

describe('an address that Slack gives and that is not its own', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Answers each method as it is told, and whoever else is called. */
  async function start(answers: (foreign: string) => Record<string, object>) {
    const heard: string[] = [];
    const listen = async (answer: (method: string) => object) => {
      const server = createServer((request, response) => {
        const method = (request.url ?? '').split('/').at(-1) ?? '';
        heard.push(`${method} ${request.headers.authorization ?? 'without a token'}`);
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ok: true, ...answer(method) }));
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      closing.push(() => new Promise((closed) => server.close(closed)));
      return `127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const foreign = await listen(() => ({}));
    const own = await listen((method) => answers(foreign)[method] ?? {});
    return { apiUrl: `http://${own}/api`, heard };
  }
  const token = Secret.of('xoxb-of-the-bot');

  it('is sent no file, and no token', async () => {
    const { apiUrl, heard } = await start((foreign) => ({
      'files.getUploadURLExternal': { upload_url: `http://${foreign}/upload`, file_id: 'F1' },
    }));
    const { interactive } = createClients(token, apiUrl);
    await expect(interactive.filesUploadV2({ file: Buffer.from('a'), filename: 'a.txt' })).rejects.toThrow();
    expect(heard).toEqual(['files.getUploadURLExternal Bearer xoxb-of-the-bot']);
  });

  it('is asked for no file', async () => {
    const { apiUrl, heard } = await start((foreign) => ({
      'files.info': { file: { id: 'F1', user: 'U0ADA', url_private: `http://${foreign}/a.txt` } },
    }));
    const { interactive: client } = createClients(token, apiUrl);
    const fetching = fetchFile({ client, token, hosts: hostsOf(apiUrl), wait: async () => undefined }, 'F1', 1_000, {
      users: ['U0ADA'],
      channel: 'C0OPS',
    });
    await expect(fetching).rejects.toThrow('The file is not stored on Slack, and I don’t fetch files from elsewhere.');
    expect(heard).toHaveLength(1);
  });

  it('is not connected to', async () => {
    const { apiUrl, heard } = await start((foreign) => ({ 'apps.connections.open': { url: `ws://${foreign}/link` } }));
    const said: string[] = [];
    const socketMode = createSocketMode({
      appToken: Secret.of('xapp-1'),
      apiUrl,
      presence: createPresence('socket', new Date()),
      waiting: [],
      now: () => new Date(),
      log: pino({}, { write: (line: string) => void said.push(line) }),
      allowances: createAllowances(),
      times: { ...SOCKET_TIMES, first: 1, most: 1 },
    });
    const starting = socketMode.start();
    while (said.length < 2) await new Promise(setImmediate);
    await Promise.all([expect(starting).rejects.toThrow('stopped'), socketMode.stop()]);
    expect(new Set(said.map((line) => JSON.parse(line).reason))).toEqual(
      new Set(['the answer has no address of Slack’s']),
    );
    expect(heard.filter((call) => !call.startsWith('apps.connections.open'))).toEqual([]);
  });
});
