import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../playground/launcher/bot-process.ts';
import { type EmulatorOptions, type SlackEmulator, startSlackEmulator } from '../../playground/slack/emulator.ts';
import { parseConfig } from '../../src/config.ts';
import { lookAtSlack, type Outcome } from './live.ts';

/** Everything that has to be proved, in the order of the table. */
const ALL = [
  'blocks.validate',
  'a table in a message',
  'a chart in a message',
  'foreign text',
  'foreign text in cells',
  'metadata read back',
  'a long update',
  'a file',
  'a typed command',
  'a form',
  'an answer to a command',
  'an ephemeral message',
];
/** The line to type, in what the doctor says. */
const ASKED = /^ {2}(\/edge doctor .*)$/m;

describe('the doctor, looking at what Slack does', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** An emulator whose time goes by only when the doctor waits. */
  async function start(options: EmulatorOptions = {}) {
    let passed = 0;
    const began = Date.now();
    const port = await freePort();
    const slack = await startSlackEmulator({
      now: () => new Date(began + passed),
      // A busy machine is no late answer.
      ackTimeout: 60_000,
      deliverTo: 'socket',
      ...options,
      ...(options.deliverTo === undefined || options.deliverTo === 'socket'
        ? {}
        : { deliverTo: { eventsUrl: `http://127.0.0.1:${port}/slack/events` } }),
    });
    closing.push(() => slack.close());
    const wait = async (milliseconds: number) => {
      passed += milliseconds;
    };
    return { slack, wait, environment: environmentOf(slack, port) };
  }
  const HTTP: EmulatorOptions = { deliverTo: { eventsUrl: '' } };

  const environmentOf = (slack: SlackEmulator, port: number) => ({
    ...slack.environment,
    PORT: String(port),
    PLATFORM_API_URL: slack.url,
    PLATFORM_ACCESS_KEY: 'key',
    PLATFORM_ORIGIN_LOGS_URL: slack.url,
    PLATFORM_LOGGING_URL: slack.url,
  });

  interface Looking {
    channel?: string;
    /** Typed when the doctor asks for its line; undefined: nothing. */
    typed?: (line: string) => string | undefined;
    signal?: AbortSignal;
    told?: (outcome: Outcome) => void;
    patience?: number;
  }
  async function look({ slack, wait, environment }: Awaited<ReturnType<typeof start>>, looking: Looking = {}) {
    const { channel = '#ops', typed = (line) => line, signal = new AbortController().signal, told, patience } = looking;
    const outcomes: Outcome[] = [];
    const said: string[] = [];
    await lookAtSlack(parseConfig(environment), channel, {
      signal,
      wait,
      ...(patience === undefined ? {} : { patience }),
      tell(outcome) {
        outcomes.push(outcome);
        told?.(outcome);
      },
      say(line) {
        said.push(line);
        const wanted = typed(ASKED.exec(line)?.[1] ?? '');
        if (ASKED.test(line) && wanted !== undefined) void slack.person('ada').in('#ops').type(wanted);
      },
    });
    return { outcomes, said: said.join('\n') };
  }
  const left = (slack: SlackEmulator) => ({
    messages: slack
      .person('ada')
      .in('#ops')
      .messages.filter(({ ephemeral }) => !ephemeral).length,
    files: slack.workspace.files.size,
  });
  const NOTHING = { messages: 0, files: 0 };

  it.each([
    ['Socket Mode', {}],
    ['HTTP', HTTP],
  ])('finds all as expected over %s, and leaves nothing', async (_, options) => {
    const live = await start(options);
    const { outcomes, said } = await look(live);
    expect(outcomes.filter(({ came }) => came !== 'as expected')).toEqual([]);
    expect(outcomes.map(({ what }) => what)).toEqual(ALL);
    expect(said).toMatch(/What was posted is deleted\.$/);
    expect(left(live.slack)).toEqual(NOTHING);
    const sent = JSON.stringify(live.slack.outgoing.map(({ body }) => body));
    for (const secret of [live.slack.environment.SLACK_BOT_TOKEN, live.slack.environment.SLACK_SIGNING_SECRET])
      expect(sent).not.toContain(secret);
    // The long update is meant to be refused.
    expect(live.slack.problems).toEqual(['chat.update: msg_too_long']);
  });

  it.each<[string, string, RegExp]>([
    ['chat.postMessage=invalid_blocks@2', 'a table in a message', /invalid_blocks.*by itself: nothing to set/],
    ['chat.update=internal_error', 'a long update', /internal_error: .*Start the doctor again/],
    ['chat.update=msg_too_long', 'a long update', /msg_too_long.*nothing to set/],
    ['blocks.validate=invalid_blocks', 'blocks.validate', /invalid_blocks.*send this line/],
    ['conversations.history=missing_scope', 'metadata read back', /missing_scope: .*add it to the app’s manifest/],
    ['files.getUploadURLExternal=storage_limit_reached', 'a file', /storage_limit_reached: .*storage is full/],
    ['views.open=expired_trigger_id', 'a form', /expired_trigger_id: /],
    ['views.update=invalid_arguments', 'a form', /invalid_arguments.*neither needs a form/],
    ['chat.postEphemeral=invalid_blocks', 'an ephemeral message', /invalid_blocks.*by itself: nothing to set/],
    ['response_url=expired_url', 'an answer to a command', /expired_url: /],
  ])('names %s, and says what to choose', async (fault, what, said) => {
    const live = await start();
    const [method = '', nth] = fault.split('@');
    if (nth === undefined) live.slack.fault(method);
    // The first post is the message under which everything stands.
    const told = ({ what: done }: Outcome) => {
      if (nth !== undefined && done === 'blocks.validate') live.slack.fault(`${method}*1`);
    };
    const { outcomes } = await look(live, { told });
    expect(outcomes.find((one) => one.what === what)).toMatchObject({
      came: 'OTHERWISE',
      detail: expect.stringMatching(said),
    });
    expect(outcomes.map((one) => one.what)).toEqual(ALL);
    expect(left(live.slack)).toEqual(NOTHING);
  });

  it('names every place where a workspace takes no native blocks', async () => {
    const live = await start({ plainBlocksOnly: true });
    const { outcomes } = await look(live);
    const otherwise = outcomes.filter(({ came }) => came === 'OTHERWISE');
    expect(otherwise.map(({ what }) => what)).toEqual([
      'a table in a message',
      'a chart in a message',
      'foreign text in cells',
      'an answer to a command',
      'an ephemeral message',
    ]);
    expect(otherwise[0]?.detail).toBe(
      'invalid_blocks: unsupported type: data_table [json-pointer:/blocks/0]. The bot sends text in its place by itself: nothing to set.',
    );
  });

  it('says how a typed command arrives, where Slack writes it in another way', async () => {
    const escaped = (line: string) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('“', '"');
    const { outcomes } = await look(await start(), { typed: (line) => escaped(line).replaceAll('"', '”') });
    const typed = outcomes.find(({ what }) => what === 'a typed command');
    expect(typed).toMatchObject({
      came: 'OTHERWISE',
      detail: expect.stringMatching(/^It arrives as: doctor fish .*”said”/),
    });
    // It was heard all the same.
    expect(outcomes.slice(-3).map(({ came }) => came)).toEqual(['as expected', 'as expected', 'as expected']);
  });

  it('skips what needs a command when nobody types it', async () => {
    const { outcomes } = await look(await start(), { typed: () => undefined, patience: 1 });
    expect(outcomes.slice(-4).map(({ came, detail }) => `${came}: ${detail}`)).toEqual([
      'skipped: it did not come within a minute; where the bot runs, it may have taken it',
      'skipped: nobody typed the command',
      'skipped: nobody typed the command',
      'skipped: nobody typed the command',
    ]);
  });

  it('skips it where the bot has the port of HTTP mode', async () => {
    const live = await start(HTTP);
    const bot: Server = createServer();
    await new Promise<void>((listening) => bot.listen(0, listening));
    closing.push(() => new Promise((closed) => bot.close(closed)));
    live.environment.PORT = String((bot.address() as AddressInfo).port);
    const { outcomes } = await look(live);
    expect(outcomes.find(({ what }) => what === 'a typed command')).toMatchObject({
      came: 'skipped',
      detail: expect.stringMatching(/port \d+ is taken: stop the bot/),
    });
  });

  it('tells others to come again while it listens', async () => {
    const live = await start();
    const ben = live.slack.person('ben').in('#ops');
    const typed = (line: string) => {
      if (line !== '') void ben.type('/edge zone list').then(() => live.slack.person('ada').in('#ops').type(line));
      return undefined;
    };
    const { outcomes } = await look(live, { typed });
    await ben.expectMessage(/doctor holds this connection.*try again/);
    expect(outcomes.every(({ came }) => came === 'as expected')).toBe(true);
  });

  it.each(ALL)('leaves nothing when it is stopped after %s', async (last) => {
    const live = await start();
    const stopping = new AbortController();
    const { outcomes, said } = await look(live, {
      signal: stopping.signal,
      told: ({ what }) => what === last && stopping.abort(),
    });
    expect(outcomes.at(-1)?.what).toBe(last);
    expect(said).toMatch(/Stopped\. What was posted is deleted\.$/);
    expect(left(live.slack)).toEqual(NOTHING);
  });

  it('names what it could not delete', async () => {
    const live = await start();
    const { said } = await look(live, {
      told: ({ what }) => what === 'a file' && live.slack.fault('files.delete=cant_delete_file'),
    });
    expect(said).toMatch(/Please delete by hand: .*a file in the thread/);
  });

  it.each([
    ['#nowhere', 'There is no channel #nowhere that the bot can see.'],
    ['random', 'The bot is not in #random: type /invite there first.'],
  ])('begins nothing in %s', async (channel, said) => {
    const live = await start();
    await expect(look(live, { channel })).rejects.toThrow(said);
    expect(live.slack.outgoing.filter(({ method }) => method.startsWith('chat.'))).toEqual([]);
  });

  describe('as a command', () => {
    const run = (environment: Record<string, string>, words: string[]) => {
      const child = spawn(process.execPath, ['--import', 'tsx', 'judges/live/main.ts', ...words], {
        env: { ...process.env, ...environment },
      });
      let said = '';
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
      return { child, ended, said: () => said };
    };

    it('prints a table, deletes what it posted when it is interrupted, and takes a channel without its #', async () => {
      const { slack, environment } = await start({ now: () => new Date() });
      const { child, ended, said } = run(environment, ['ops']);
      child.stdout.on('data', () => said().includes('metadata read back') && child.kill('SIGINT'));
      expect(await ended, said()).toBe(130);
      expect(said()).toMatch(/^as expected {2}blocks\.validate .*\nas expected {2}a table in a message /);
      expect(said()).toMatch(/Stopped\. What was posted is deleted\.\n$/);
      expect(left(slack)).toEqual(NOTHING);
    });

    it('says how it is called', async () => {
      const { ended, said } = run({}, []);
      expect(await ended).toBe(2);
      expect(said()).toMatch(/Usage: npm run check -- live CHANNEL.*# begins a comment/);
    });
  });
});
