import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('requests that are not Slack’s', () => {
  let workspace: TestWorkspace;
  const now = () => Math.floor(Date.now() / 1000);

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());

  const command = () => ({
    command: '/edge',
    text: 'zone list',
    user_id: workspace.slack.person('ada').id,
    team_id: workspace.slack.workspace.team.id,
    channel_id: workspace.slack.person('ada').in('#ops').channel,
    trigger_id: crypto.randomUUID(),
  });
  const refused = async (status: number, send: () => Promise<{ status: number }>) => {
    expect((await send()).status).toBe(status);
    await workspace.slack.idle();
    expect(workspace.platform.requests).toEqual([]);
    expect(workspace.slack.outgoing.filter(({ method }) => /^(chat|views)\.|response_url/.test(method))).toEqual([]);
  };

  it('refuses an unsigned one', () => refused(401, () => workspace.slack.signedRequest(command(), { unsigned: true })));
  it('refuses one signed with another secret', () =>
    refused(401, () => workspace.slack.signedRequest(command(), { secret: 'guessed' })));
  it('refuses one that is more than five minutes old', () =>
    refused(401, () => workspace.slack.signedRequest(command(), { timestamp: now() - 301 })));
  it('refuses one from the future', () =>
    refused(401, () => workspace.slack.signedRequest(command(), { timestamp: now() + 310 })));
  it('refuses one whose time is no number', () =>
    refused(401, () =>
      workspace.slack.signedRequest(command(), {
        unsigned: true,
        headers: { 'x-slack-request-timestamp': 'now', 'x-slack-signature': 'v0=0' },
      }),
    ));
  it('refuses what is not readable though it is signed', () =>
    refused(400, () => workspace.slack.signedRequest('{"type":', { contentType: 'application/json' })));
  it('does nothing for a signed kind of payload that it does not know', () =>
    refused(200, () => workspace.slack.signedRequest({ payload: { type: 'dance', user: { id: 'U1' } } })));

  it.each([
    [
      'a press without its person',
      { type: 'block_actions', user: {}, trigger_id: 't', actions: [{ action_id: 'confirm', value: 'x' }] },
    ],
    [
      'a press of no trigger',
      { type: 'block_actions', user: { id: 'U1' }, actions: [{ action_id: 'confirm', value: 'x' }] },
    ],
    [
      'a form without a view’s id',
      { type: 'view_submission', user: { id: 'U1' }, view: { callback_id: 'form', type: 'modal' } },
    ],
    [
      'a form whose inputs are numbers',
      {
        type: 'view_submission',
        user: { id: 'U1' },
        view: { id: 'V1', callback_id: 'form', state: { values: { zone: { zone: { value: 7 } } } } },
      },
    ],
    ['a suggestion for nobody', { type: 'block_suggestion', user: {}, action_id: 'zone', block_id: 'zone', value: '' }],
  ])('does nothing for %s but say so in the log', async (_, payload) => {
    const before = workspace.logged.length;
    await workspace.slack.signedRequest({ payload });
    await workspace.slack.idle();
    await vi.waitFor(() => expect(workspace.logged.slice(before).join('')).toMatch(/"level":50.*could not be read/));
    expect(workspace.platform.requests).toEqual([]);
    expect(workspace.slack.outgoing.filter(({ method }) => /^(chat|views)\.|response_url/.test(method))).toEqual([]);
  });

  it('refuses a body of more than a megabyte', async () => {
    const answer = await workspace.slack
      .signedRequest({ ...command(), text: 'x'.repeat(1_100_000) })
      .catch((error: unknown) => ({ status: 413, error }));
    expect(answer.status).toBe(413);
    expect(workspace.platform.requests).toEqual([]);
  });

  it('answers Slack’s own questions', async () => {
    const challenge = await workspace.slack.signedRequest(
      JSON.stringify({ type: 'url_verification', challenge: 'c-1', token: 't' }),
    );
    expect([challenge.status, JSON.parse(challenge.text)]).toEqual([200, { challenge: 'c-1' }]);
    expect((await workspace.slack.signedRequest({ ssl_check: '1', token: 't' })).status).toBe(200);
  });

  it('is opened on the address of HOST alone', async () => {
    const METRICS_TOKEN = 'only-this-bot-knows-this-token';
    const here = await startTestWorkspace({ environment: { HOST: '127.0.0.2', METRICS_TOKEN } });
    // Another process may have the same port at another address.
    const statusAt = (address: string) =>
      fetch(`http://${address}:${here.app.port}/metrics`, {
        headers: { authorization: `Bearer ${METRICS_TOKEN}` },
      }).then(
        ({ status }) => status,
        () => 0,
      );
    expect(await statusAt('127.0.0.2')).toBe(200);
    expect(await statusAt('127.0.0.1')).not.toBe(200);
    await here.app.stop();
  });

  it('knows no other address', async () => {
    const base = `http://127.0.0.1:${workspace.app.port}`;
    expect((await fetch(`${base}/slack/events`)).status).toBe(401);
    expect((await fetch(`${base}/slack/events?ssl_check=1`)).status).toBe(200);
    expect((await fetch(`${base}/admin`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${base}/health/live`)).status).toBe(200);
    expect((await fetch(`${base}/health/ready`)).status).toBe(200);
    // Some probes ask for no body (`wget --spider`).
    expect((await fetch(`${base}/health/ready`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${base}/metrics`)).status).toBe(404);
  });

  it('hears the one that is', async () => {
    expect((await workspace.slack.signedRequest(command())).status).toBe(200);
    await workspace.slack
      .person('ada')
      .in('#ops')
      .expectMessage(/main-site/);
  });
});
