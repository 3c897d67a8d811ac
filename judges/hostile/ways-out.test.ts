import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { webApi } from '@slack/bolt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { chart } from '../../src/blocks/chart.ts';
import { message } from '../../src/blocks/message.ts';
import { examine } from '../../src/commands/doctor/examine.ts';
import { lineOf } from '../../src/commands/doctor/finding.ts';
import { environmentSchema, parseConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { operations } from '../../src/operations/index.ts';
import { Secret } from '../../src/secret.ts';
import { hostsOf } from '../../src/slack/hosts.ts';
import { createOutgoing } from '../../src/slack/out/outgoing.ts';
import { createSecretFilter } from '../../src/slack/out/secrets.ts';
import type { StartError } from '../../src/start-error.ts';
import { KEEPS_NOTHING } from '../../test/support/keeps-nothing.ts';
import { secretShapes, secretsLeft } from '../../test/support/secret-shapes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';
import { createWholeBot } from './whole-bot.ts';

const shapes = secretShapes(20_261_123);
const left = secretsLeft(shapes);
const HIDDEN = /\[secret\]/g;

/** Every string in a value, keys too; bytes as text. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Buffer.isBuffer(value)) return [value.toString()];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
}

/** Nothing of any secret is to be read; each was there, for as many were hidden. */
function expectHidden(texts: readonly string[], least: number): void {
  expect(texts.flatMap((text) => left(text).map((name) => `${name}: ${text.slice(0, 300)}`))).toEqual([]);
  expect(texts.join('\n').match(HIDDEN)?.length ?? 0).toBeGreaterThanOrEqual(least);
}

it('there are sixty shapes and more', () => {
  expect(shapes.length).toBeGreaterThanOrEqual(60);
  expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
});

describe('a secret in the name of a zone, whatever its shape', () => {
  const since = performance.now();
  const start = Date.parse('2025-03-20T09:30:00Z');
  let workspace: TestWorkspace;
  let from: number;
  const ada = () => workspace.slack.person('ada');
  const zones = () => workspace.platform.account.zones;
  const sent = () => [...textsIn(workspace.slack.outgoing.slice(from)), ...workspace.logged];

  beforeAll(async () => {
    workspace = await startTestWorkspace({
      now: () => new Date(start + performance.now() - since),
      socket: true,
      isHostile: true,
    });
    await workspace.slack.connected();
    const [first] = zones();
    zones().splice(
      0,
      zones().length,
      ...shapes.map(({ line }, at) => ({ ...structuredClone(first!), Id: 700_000 + at, Name: line })),
    );
    from = workspace.slack.outgoing.length;
  });
  afterAll(() => workspace.close());

  it('does not leave by messages, the log or the file of the audit', async () => {
    const here = ada().in('#ops');
    for (const { Id } of zones()) {
      await here.type(`/edge zone show ${Id}`);
      await here.expectMessage(`${Id}`);
    }
    expectHidden(sent(), shapes.length);
    await here.type('/edge audit export');
    await here.expectMessage(/one JSON object a line/);
    await workspace.slack.idle();
    const files = () => [...workspace.slack.workspace.files.values()].map(({ bytes }) => bytes.toString());
    await vi.waitFor(() => expectHidden(files(), shapes.length), 5_000);
  });

  it('does not leave by health, metrics, or what is asked of them', async () => {
    const port = workspace.app.port;
    const asked = shapes.flatMap(({ line }) =>
      ['health/live', 'health/ready', 'metrics', ''].map((path) => `${path}?${encodeURIComponent(line)}`),
    );
    const headers = (text: string) => ({ 'user-agent': encodeURIComponent(text), connection: 'close' });
    const answers = await Promise.all(
      asked.map(async (path) => (await fetch(`http://127.0.0.1:${port}/${path}`, { headers: headers(path) })).text()),
    );
    expect(answers).toHaveLength(4 * shapes.length);
    expectHidden([...answers, ...workspace.logged], 0);
    expect(answers.join('')).toContain('edgewise_slack_payloads_total');
  });
});

/** The way out to a Slack that takes everything. */
function createExit(...settings: Secret[]) {
  const said: unknown[] = [];
  const call =
    (answer: object = {}) =>
    async (body: unknown) => {
      said.push(body);
      return { ok: true, ts: '1.1', view: { id: 'V1' }, channel: { id: 'D1' }, ...answer };
    };
  const client = {
    chat: { postMessage: call(), postEphemeral: call(), update: call() },
    conversations: { open: call() },
    views: { open: call(), update: call(), publish: call() },
    filesUploadV2: call({ files: [{ files: [{ id: 'F1' }] }] }),
    files: { info: call({ file: { mimetype: 'image/png' } }) },
  } as unknown as webApi.WebClient;
  const secrets = createSecretFilter(settings);
  const log = createLog('debug', secrets, (line) => void said.push(line));
  const hosts = hostsOf('https://slack.com/api');
  return {
    said,
    outgoing: createOutgoing({
      userId: 'U0EDGEWISE',
      interactive: client,
      background: client,
      secrets,
      log,
      hosts,
      ...KEEPS_NOTHING,
      wait: async () => undefined,
    }),
  };
}

describe('a secret of any shape', () => {
  it('does not leave by a chart or the text in its place', async () => {
    const { said, outgoing } = createExit();
    const charts = Array.from({ length: Math.ceil(shapes.length / 5) }, (_, at) => {
      const lines = shapes.slice(5 * at, 5 * at + 5).map(({ line }) => line);
      return chart({
        type: 'bar',
        title: lines[0]!,
        categories: lines,
        series: lines.map((name, index) => ({ name, values: lines.map(() => index + 1) })),
      });
    });
    const blocks = charts.flatMap((one) => message(one).blocks);
    await outgoing.openView('T1', { type: 'modal', title: { type: 'plain_text', text: 'Charts' }, blocks });
    for (const one of charts) await outgoing.post({ channel: 'C0OPS' }, message(one));
    const read = said.flatMap(textsIn);
    expectHidden(read, shapes.length);
  });

  it('does not leave by a file, wherever its pieces end', async () => {
    const { said, outgoing } = createExit();
    for (const [at, { line, secret }] of shapes.entries()) {
      const filling = at % 4 < 2 ? 'a plain line of a log\n' : 'a plain word of a log, ';
      const inside = line.indexOf(secret) + Math.floor((secret.length * ((at % 5) + 1)) / 6);
      // Pieces of 128 KB end 8 KB before that at the earliest.
      const before = (at % 2 === 0 ? 128 : 120) * 1024 - Buffer.byteLength(line.slice(0, inside));
      const content = Buffer.from(
        `${filling.repeat(Math.ceil(before / filling.length)).slice(-before + 1)}\n${line}\n${filling.repeat(500)}`,
      );
      await outgoing.post({ channel: 'C0OPS' }, { ...message('A file'), files: [{ name: 'a.log', content }] });
    }
    expectHidden(said.flatMap(textsIn), shapes.length);
  });

  it('does not leave by a file, as a key that is longer than its pieces', async () => {
    const { said, outgoing } = createExit();
    const dashes = '-'.repeat(5);
    const line = shapes.map(({ secret }) => secret.replace(/[^A-Za-z0-9]/g, '')).join('\n');
    const key = `${dashes}BEGIN RSA PRIVATE ${'KEY'}${dashes}\n${`${line}\n`.repeat(60)}${dashes}END RSA PRIVATE KEY${dashes}\nand on it goes\n`;
    expect(key.length).toBeGreaterThan(300_000);
    await outgoing.post(
      { channel: 'C0OPS' },
      {
        ...message('A file'),
        files: [{ name: 'a.log', content: Buffer.from(`before\n${key.repeat(2)}`) }],
      },
    );
    const file = said.flatMap(textsIn).find((text) => text.includes('before'))!;
    expect(file).toBe(`before\n${'[secret]\nand on it goes\n'.repeat(2)}`);
  });

  it('does not leave by a file, as a setting that is not of ASCII', async () => {
    const { said, outgoing } = createExit(Secret.of('pässwörd of the störe'));
    const files = [{ name: 'a.log', content: Buffer.from('before pässwörd of the störe behind') }];
    await outgoing.post({ channel: 'C0OPS' }, { ...message('A file'), files });
    expect(said.flatMap(textsIn)).toContain('before [secret] behind');
  });

  it('does not leave by the Home tab, or as a suggestion', async () => {
    const dealt = { home: 0, suggestions: 0 };
    let where: keyof typeof dealt = 'home';
    const bot = await createWholeBot({ next: () => shapes[dealt[where]++ % shapes.length]!.line }, 1);
    while (dealt.home < shapes.length) await bot.rest();
    where = 'suggestions';
    for (const operation of operations) await bot.suggest(operation);
    await bot.close();
    expect(dealt.suggestions).toBeGreaterThan(shapes.length);
    expect(new Set(bot.left.map(({ method }) => method))).toEqual(new Set(['views.publish', 'suggestions']));
    // A subscription has more texts than the Home tab shows.
    expectHidden([...textsIn(bot.left), ...bot.logged], shapes.length / 3);
  });

  it('does not leave by what a start says of the settings', () => {
    const names = Object.keys(environmentSchema.shape);
    const { hide } = createSecretFilter([]);
    const said = shapes.flatMap(({ line, secret }) =>
      [line, secret].map((value) => {
        try {
          return String(parseConfig(Object.fromEntries(names.map((name) => [name, value]))));
        } catch (error) {
          // How a kind of token begins is said.
          return hide((error as StartError).message).replaceAll('xoxe.xoxp-…', '');
        }
      }),
    );
    expect(said.join('\n').match(/EDGEWISE_ADMINS has/g)?.length).toBeGreaterThanOrEqual(2 * shapes.length);
    expectHidden(said, 0);
  });

  it('does not leave by what a start, or a process that falls, says of an error', () => {
    const { hide } = createSecretFilter([]);
    const said = shapes.flatMap(({ line }) =>
      [
        new Error(line),
        new Error('a', { cause: new TypeError(line) }),
        Object.assign(new Error('a'), { detail: { list: [line], [line]: 1 } }),
        new AggregateError([new Error(line)]),
        { line },
        [line],
      ].map((error) => hide(inspect(error))),
    );
    expectHidden(said, 6 * shapes.length);
  });

  it('does not leave by what the doctor finds, and no setting does', async () => {
    let dealt = 0;
    const server = createServer((_, response) => {
      const text = `${shapes[dealt++ % shapes.length]!.line} ${KEY}`;
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: false, error: text, Message: text, ErrorKey: text, Field: text }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const said: string[] = [];
    while (dealt < shapes.length) said.push(...(await examine(settingsAt(url))).map(lineOf));
    server.closeAllConnections();
    server.close();
    expect(said.join('\n')).not.toContain(KEY.slice(0, 12));
    expectHidden(said, shapes.length / 2);
  });
});

const KEY = ['a', 'key', 'that', 'has', 'no', 'shape', 'of', 'one'].join('.');
const settingsAt = (url: string) => ({
  SLACK_BOT_TOKEN: KEY,
  SLACK_SIGNING_SECRET: KEY,
  SLACK_API_URL: `${url}/api`,
  PLATFORM_API_URL: url,
  PLATFORM_ACCESS_KEY: KEY,
  PLATFORM_ORIGIN_LOGS_URL: url,
  PLATFORM_LOGGING_URL: url,
  STORE_URL: ':memory:',
});
