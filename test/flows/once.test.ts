import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Card } from '../../playground/slack/people/person.ts';
import { byHand } from '../support/by-hand.ts';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const HOST = 'dl.example.com';

describe('one press, one change', () => {
  let workspace: TestWorkspace;

  beforeAll(async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    // With a key the bot believes no row that a test has written.
    const environment = { EDGEWISE_ENCRYPTION_KEY: '' };
    workspace = await startTestWorkspace({
      environment,
      slack: { workspace: { channels: names.map((name) => ({ name })) } },
    });
  });
  afterAll(() => workspace.close());
  beforeEach(() => {
    channels.push(channels.shift()!);
    hostname().ForceSSL = false;
    workspace.platform.requests.splice(0);
  });

  const hostname = () =>
    workspace.platform.account.zones.flatMap((zone) => zone.Hostnames).find((host) => host.Value === HOST)!;
  /** Slack takes one message a second in each channel: every test has another one. */
  const channels = ['#ops', '#one', '#two', '#three', '#four', '#five', '#six'];
  const ops = () => workspace.slack.person('ada').in(channels[0]!);
  const sent = () => workspace.platform.requests.filter(({ method }) => method !== 'GET').length;
  /** What the last press of anybody was sent as. */
  const lastPress = () => workspace.slack.deliveries.findLast(({ payload }) => payload.type === 'block_actions')!;

  async function asked(): Promise<Card> {
    await ops().type(`/edge ssl force ${HOST} on`);
    return ops().expectMessage(/Force HTTPS: off → on/);
  }
  /** Returns the press once more: Slack may deliver one late, from a message that is gone. */
  async function done(between = async () => {}): Promise<() => Promise<unknown>> {
    const card = await asked();
    const payload = { ...pressOf(card, 'confirm'), trigger_id: randomUUID() };
    await between();
    await card.click(CONFIRM);
    await card.expectGone();
    await workspace.slack.idle();
    return () => workspace.slack.signedRequest({ payload });
  }

  it('drops a press that is delivered a thousand times more', async () => {
    await done();
    const answers = await workspace.slack.redeliver(1000, lastPress());
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await workspace.slack.idle();
    expect(sent()).toBe(1);
  });

  it('drops a hundred of them after a restart, when nothing but the store remembers', async () => {
    await done();
    const press = lastPress();
    await workspace.restart();
    await workspace.slack.redeliver(100, press);
    await workspace.slack.idle();
    expect(sent()).toBe(1);
  });

  it('acts once on a thousand copies that come at once', async () => {
    const card = await asked();
    const press = pressOf(card, 'confirm');
    const answers = await Promise.all(
      Array.from({ length: 1000 }, () => workspace.slack.signedRequest({ payload: press })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await workspace.slack.idle();
    expect(sent()).toBe(1);
    expect(hostname().ForceSSL).toBe(true);
  });

  it('answers a form that is delivered again as it did before, and does it once', async () => {
    await ops().type('/edge ssl force');
    const form = await workspace.slack.person('ada').expectModal(/force/i, { ready: true });
    await form.fill({ Hostname: HOST, State: 'on' });
    await form.submit();
    await workspace.slack.idle();
    const submitted = workspace.slack.deliveries.findLast(({ payload }) => payload.type === 'view_submission')!;
    const before = workspace.logged.length;
    const answers = await workspace.slack.redeliver(2, submitted);
    expect(answers.map(({ status, text }) => [status, JSON.parse(text).view.blocks[0].text.text])).toEqual([
      [200, 'Working …'],
      [200, 'Working …'],
    ]);
    await workspace.slack.idle();
    const ended = workspace.logged.slice(before).filter((line) => line.includes('"outcome":"delivered before"'));
    expect(ended).toHaveLength(2);
    expect(sent()).toBe(0);
  });

  it('asks once for a command that is delivered twice', async () => {
    await asked();
    await workspace.slack.redeliver(
      1,
      workspace.slack.deliveries.findLast(({ kind }) => kind === 'slash_commands'),
    );
    await ops().expectNothing();
  });

  it('does it once for two presses at the same time, and says so', async () => {
    const card = await asked();
    await Promise.all([card.click(CONFIRM), card.click(CONFIRM)]);
    await ops().expectMessage(
      /(?:[Bb]eing done right now|Your first press counts)[\s\S]*I won’t do it twice|Already done/,
    );
    await card.expectGone();
    await workspace.slack.idle();
    expect(sent()).toBe(1);
  });

  it('says that it was done already to a press that comes later', async () => {
    const again = await done();
    await again();
    await ops().expectMessage(/Already done: Switch force HTTPS[\s\S]*I didn’t do it again\./);
    expect(sent()).toBe(1);
  });

  it('refuses the press of another person, and tells both what holds', async () => {
    const card = await asked();
    const ben = workspace.slack.person('ben');
    await workspace.slack.signedRequest({
      payload: { ...pressOf(card, 'confirm'), user: { id: ben.id, team_id: workspace.slack.workspace.team.id } },
    });
    const told = await ben.in(channels[0]!).expectMessage(/Only @ada can run this\. Nothing was done\./);
    expect(told.ephemeral).toBe(true);
    expect(sent()).toBe(0);
    await workspace.slack.signedRequest({
      payload: { ...pressOf(card, 'cancel'), user: { id: ben.id, team_id: workspace.slack.workspace.team.id } },
    });
    await ben.in(channels[0]!).expectMessage(/Only @ada can cancel this/);
    await card.click(CONFIRM);
    await card.expectGone();
    expect(sent()).toBe(1);
  });

  it('does what was asked before a restart, once', async () => {
    const again = await done(() => workspace.restart());
    await workspace.restart();
    await again();
    await ops().expectMessage(/Already done: Switch force HTTPS[\s\S]*I didn’t do it again\./);
    expect(sent()).toBe(1);
  });

  it('does nothing for what was cancelled, and says so', async () => {
    const card = await asked();
    await card.click('Cancel');
    await card.expectChange(/Cancelled: [\s\S]*Nothing was done\./);
    expect(card.buttons).toEqual([]);
    await card.click(CONFIRM, { stale: true });
    await ops().expectMessage(/Cancelled: [\s\S]*Nothing was done\./);
    expect(sent()).toBe(0);
  });

  it('does nothing when somebody else did it in between, and shows the state', async () => {
    const card = await asked();
    hostname().ForceSSL = true;
    await card.click(CONFIRM);
    await card.expectChange(/Force HTTPS is already on for /);
    expect(sent()).toBe(0);
    hostname().ForceSSL = false;
    await card.click(CONFIRM, { stale: true });
    await ops().expectMessage(/Not done: [\s\S]*changed since it was asked/);
    expect(sent()).toBe(0);
  });

  it('refuses when the hostname is gone in between', async () => {
    const card = await asked();
    const zone = workspace.platform.account.zones.find((one) => one.Hostnames.includes(hostname()))!;
    const { Hostnames } = zone;
    zone.Hostnames = Hostnames.filter((host) => host.Value !== HOST);
    await card.click(CONFIRM);
    await card.expectChange(
      /^Not done: Switch force HTTPS on for dl[\s\S]*can’t read the current state[\s\S]*the zone does not list this hostname/,
    );
    zone.Hostnames = Hostnames;
    expect(sent()).toBe(0);
  });

  it('does nothing for a confirmation that nobody knows', async () => {
    const card = await asked();
    await workspace.slack.signedRequest({ payload: pressOf(card, 'confirm', 'no-such-confirmation') });
    await ops().expectMessage(/I no longer have this confirmation\. Nothing was done\./);
    expect(sent()).toBe(0);
  });

  it('undoes once, however often that is pressed', async () => {
    await done();
    const outcome = await ops().expectMessage(/switched force HTTPS .*on for/);
    const undo = outcome.buttons.find((label) => label.startsWith('Undo')) ?? 'Undo';
    await Promise.all([
      outcome.click(undo, { confirm: true, stale: true }),
      outcome.click(undo, { confirm: true, stale: true }),
    ]);
    await ops().expectMessage(/switched force HTTPS .*off for/);
    await workspace.slack.idle();
    await outcome.click(undo, { confirm: true, stale: true });
    await workspace.slack.idle();
    expect(sent()).toBe(2);
    expect(hostname().ForceSSL).toBe(false);
  });

  it('tells what became of a change in the middle of which the bot died, and does not repeat it', async () => {
    const card = await asked();
    const client = byHand(workspace.storeFile);
    for (const state of ['claimed', 'sent']) {
      await client.execute({
        sql: 'UPDATE confirmations SET state = :state WHERE id = :id',
        args: { state, id: valueIn(card, 'confirm') },
      });
    }
    await client.execute({
      sql: `INSERT INTO jobs (key, kind, run_at, holder, epoch, body) VALUES ('change:' || :id, 'change', 9e15, 'dead', 1, '')`,
      args: { id: valueIn(card, 'confirm') },
    });
    client.close();
    hostname().ForceSSL = true;
    await workspace.restart();
    const told = workspace.slack.person('ada').in('@edgewise');
    await told.expectMessage(/Outcome unknown: Switch force HTTPS[\s\S]*it took effect/);
    await card.click(CONFIRM);
    await ops().expectMessage(/Outcome unknown: [\s\S]*I won’t send it twice/);
    expect(sent()).toBe(0);
  });

  it('leaves nothing that Slack would refuse', () => {
    expect(workspace.slack.problems).toEqual([]);
  });

  /** A press as Slack would send it, made by hand. */
  function pressOf(card: Card, action: string, value = valueIn(card, action)): Record<string, unknown> {
    const { team } = workspace.slack.workspace;
    return {
      type: 'block_actions',
      user: { id: workspace.slack.person('ada').id, team_id: team.id },
      team: { id: team.id, domain: team.domain },
      api_app_id: 'A0EDGEWISE1',
      trigger_id: `by-hand.${crypto.randomUUID()}`,
      container: { type: 'message', message_ts: card.ts, channel_id: card.channel, is_ephemeral: true },
      channel: { id: card.channel, name: 'ops' },
      actions: [{ type: 'button', action_id: action, block_id: 'b', value, action_ts: card.ts }],
    };
  }

  function valueIn(card: Card, action: string): string {
    const elements = card.blocks.flatMap((block) => (block.elements ?? []) as { action_id?: string; value?: string }[]);
    return elements.find((element) => element.action_id === action)?.value ?? '';
  }
});
