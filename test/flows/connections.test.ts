import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../playground/launcher/bot-process.ts';
import type { SlackEmulator } from '../../playground/slack/emulator.ts';
import type { ConnectionFault, DisconnectReason } from '../../playground/slack/slack.ts';
import { createFakeServer } from '../platform/fake-server.ts';
import { startTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from '../support/workspace.ts';

/** What takes seconds takes milliseconds; the rest is as it is in a deployment. */
const times = {
  ...{ call: 300, arrival: 500, silence: 10_000, closing: 50, settled: 0, linger: 300, spare: 200 },
  ...{ first: 10, most: 60, slowly: 100 },
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 10_000; !(await what()); await later(5))
    if (Date.now() > deadline) throw new Error(`it did not come about: ${what}`);
}

async function start(options: TestWorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await startTestWorkspace({ times, ...options });
  closing.push(() => workspace.close());
  return workspace;
}

async function readiness(port: number): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { headers: { connection: 'close' } });
  return { status: response.status, text: ((await response.json()) as { says: string }).says };
}

/** Slack's end of a connection stands before the bot has been greeted over it, which may give it up. */
const both = ({ app, slack }: TestWorkspace): Promise<void> =>
  until(async () => slack.sockets.open === 2 && / 2 connections/.test((await readiness(app.port)).text));

/** Asks again and again whether the bot is ready, and keeps what it says against how it is. */
function watch({ app, slack }: TestWorkspace): () => Promise<{ asked: number; wrong: string[] }> {
  const wrong: string[] = [];
  let asked = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const before = slack.sockets.standing;
      await later(20);
      const { status, text } = await readiness(app.port);
      asked += 1;
      // What changed a moment ago may be said either way.
      const isSame = [before, slack.sockets.standing].every((standing) => standing > 0 === before > 0);
      if (isSame && status !== (before > 0 ? 200 : 503)) wrong.push(`${status} ${text} with ${before} connections`);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return { asked, wrong };
  };
}

describe('over Socket Mode, whatever Slack does to the connections', () => {
  it('every command is acknowledged and answered, and readiness is right', async () => {
    const workspace = await start({ socket: true });
    const { slack } = workspace;
    const { sockets } = slack;
    await both(workspace);
    const watched = watch(workspace);
    const ada = slack.person('ada').in('#ops');
    let typed = 0;
    let isOver = false;
    const typing = (async () => {
      while (!isOver) {
        typed += 1;
        await ada.type('/edge help ssl force');
        await later(10);
      }
    })();
    const meets: ConnectionFault[] = [
      { status: 503 },
      { status: 429, retryAfter: 0.05 },
      { drop: true },
      { hang: 1_000 },
      { goodbye: 'too_many_websockets' },
      { goodbye: 'link_disabled' },
      { error: 'internal_error' },
    ];
    const reasons: DisconnectReason[] = ['refresh_requested', 'warning', 'too_many_websockets'];
    for (const reason of reasons) {
      for (const fault of meets) {
        sockets.faults.push(fault);
        sockets.disconnect(reason, { count: 1, closeAfter: 40 });
        await until(() => sockets.faults.length === 0 && sockets.open === 2 && sockets.standing === 2);
      }
    }
    for (let i = 0; i < 50; i += 1) {
      sockets.disconnect('refresh_requested', { count: 1, closeAfter: 20 });
      await both(workspace);
    }
    expect(await sockets.limit()).toEqual({ ok: true, body: undefined });
    for (const fields of [{}, { type: 'events_api', payload: {} }, { type: 'hologram', payload: null }])
      expect(await sockets.send(fields)).toEqual({ ok: true, body: undefined });
    isOver = true;
    await typing;
    expect(typed).toBeGreaterThan(50);
    const answers = () => slack.outgoing.filter(({ method }) => method === 'response_url').length;
    await expect.poll(answers, { timeout: 30_000 }).toBeGreaterThanOrEqual(typed);
    await slack.idle();
    expect(answers()).toBe(typed);
    expect(slack.problems).toEqual([]);
    const { asked, wrong } = await watched();
    expect(asked).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  it('connections that Slack has given up do not count as ready, though they are open; warned ones do', async () => {
    const workspace = await start({ socket: true });
    const { sockets } = workspace.slack;
    await both(workspace);
    sockets.away = { status: 503 };
    sockets.disconnect('warning', { closeAfter: 60_000 });
    await until(() => sockets.failed > 0);
    expect(await readiness(workspace.app.port)).toMatchObject({ status: 200 });
    sockets.disconnect('refresh_requested', { closeAfter: 60_000 });
    await until(async () => (await readiness(workspace.app.port)).status === 503);
    expect(sockets.standing).toBe(2);
    sockets.away = undefined;
    await both(workspace);
    expect(await readiness(workspace.app.port)).toMatchObject({ status: 200 });
  });

  it('an absence is seen in readiness at once, and told by status afterwards', async () => {
    const workspace = await start({ socket: true });
    const { slack, app } = workspace;
    const { sockets } = slack;
    await both(workspace);
    const watched = watch(workspace);
    sockets.away = { status: 503 };
    sockets.drop();
    await until(() => sockets.failed > 3);
    expect(await readiness(app.port)).toEqual({
      status: 503,
      text: expect.stringMatching(/^not ready: disconnected from Slack since 20..-..-..T/),
    });
    await later(1_000);
    sockets.away = { goodbye: 'link_disabled' };
    await later(150);
    sockets.away = undefined;
    await both(workspace);
    expect(await readiness(app.port)).toEqual({
      status: 200,
      text: expect.stringMatching(/^ready: Socket Mode, 2 connections, since 20/),
    });
    const ops = slack.person('ada').in('#ops');
    await ops.type('/edge status');
    await ops.expectMessage(/Socket Mode, 2 connections; away 1\.\d s at \d/);
    expect((await watched()).wrong).toEqual([]);
  });

  it('connections that fall silent are renewed', async () => {
    const workspace = await start({ socket: true, times: { ...times, silence: 1_000 } });
    const { slack } = workspace;
    const { sockets } = slack;
    await both(workspace);
    sockets.silence();
    await both(workspace);
    const ops = slack.person('ada').in('#ops');
    await ops.type('/edge help ssl force');
    await ops.expectMessage(/ssl force/);
  });
});

describe.each([{ socket: true }, { socket: false }])(
  'started while Slack is away (Socket Mode: $socket)',
  ({ socket }) => {
    const ways: ConnectionFault[] = [
      { status: 503 },
      { status: 429, retryAfter: 0.05 },
      { drop: true },
      { error: 'internal_error' },
      { error: 'service_unavailable' },
    ];
    it.each(ways)('with %o, it waits, is alive and not ready, and then works', async (fault) => {
      const port = await freePort();
      let slack: SlackEmulator | undefined;
      const starting = start({
        socket,
        environment: { PORT: String(port) },
        prepare(prepared) {
          slack = prepared;
          slack.sockets.away = fault;
        },
      });
      await until(() => (slack?.sockets.failed ?? 0) > 2);
      expect(await readiness(port)).toMatchObject({
        status: 503,
        text: expect.stringMatching(/^not ready: disconnected from/),
      });
      expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
      slack!.sockets.away = undefined;
      const workspace = await starting;
      expect(await readiness(port)).toMatchObject({ status: 200, text: expect.stringMatching(/^ready: /) });
      const lines = workspace.logged
        .filter((line) => line.includes('it is tried again'))
        .map((line) => JSON.parse(line));
      expect(lines.length).toBeGreaterThan(1);
      for (const line of lines)
        expect(line).toMatchObject({
          tried: 'auth.test',
          reason: expect.any(String),
          againInSeconds: expect.any(Number),
        });
      const ops = workspace.slack.person('ada').in('#ops');
      await ops.type('/edge help ssl force');
      await ops.expectMessage(/ssl force/);
      expect(workspace.slack.problems).toEqual([]);
    });

    it.each(['invalid_auth', 'account_inactive', 'token_revoked', 'not_allowed_token_type', 'missing_scope'])(
      'with %s, it ends with a sentence',
      async (error) => {
        const prepare = (slack: SlackEmulator) => {
          closing.push(() => slack.close());
          slack.sockets.away = { error };
        };
        await expect(startTestWorkspace({ times, socket, prepare })).rejects.toThrow(
          `Slack refuses SLACK_BOT_TOKEN (${error}). `,
        );
      },
    );
  },
);

it('an app-level token that Slack refuses ends the start with a sentence', async () => {
  const prepare = (slack: SlackEmulator) => {
    closing.push(() => slack.close());
    slack.sockets.faults.push({ error: 'not_allowed_token_type' });
  };
  await expect(startTestWorkspace({ times, socket: true, prepare })).rejects.toThrow(
    'Slack refuses SLACK_APP_TOKEN (not_allowed_token_type). Use a token of the right kind.',
  );
});

it('a token of a whole organisation ends the start with what to do', async () => {
  const slack = await createFakeServer();
  closing.push(() => slack.close());
  slack.always({
    body: {
      ok: true,
      team_id: 'E0001',
      enterprise_id: 'E0001',
      user_id: 'U1',
      bot_id: 'B1',
      is_enterprise_install: true,
    },
  });
  const environment = { SLACK_API_URL: `${slack.url}/api` };
  const prepare = (emulator: SlackEmulator) => void closing.push(() => emulator.close());
  await expect(startTestWorkspace({ times, environment, prepare })).rejects.toThrow(
    /installed for a whole organisation.*install the app in that workspace/,
  );
  // No waiting changes it: it was asked once.
  expect(slack.requests.map(({ url }) => url)).toEqual(['/api/auth.test']);
});
