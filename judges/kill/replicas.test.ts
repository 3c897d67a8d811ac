import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PlatformSimulator, startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { type SlackEmulator, startSlackEmulator } from '../../playground/slack/emulator.ts';
import type { Card } from '../../playground/slack/people/person.ts';
import { type App, startApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { CONFIRM } from '../../test/support/changes.ts';
import { type Postgres, startPostgres } from '../../test/support/postgres.ts';

const CHANNELS = ['one', 'two', 'three', 'four', 'five', 'six'];

/** One store on a PostgreSQL server, and two bots that do not know of each other. */
describe('two bots on one store', () => {
  let platform: PlatformSimulator;
  let slack: SlackEmulator;
  let store: Postgres;
  let bots: App[];
  let turn = 0;

  beforeAll(async () => {
    platform = await startPlatformSimulator();
    slack = await startSlackEmulator({ workspace: { channels: CHANNELS.map((name) => ({ name })) } });
    store = await startPostgres('fsync=off');
    const config = parseConfig({
      ...platform.environment,
      ...slack.environment,
      PORT: '0',
      LOG_LEVEL: 'silent',
      STORE_URL: store.url,
      EDGEWISE_ADMINS: slack.workspace.user('ada').id,
    });
    // Both find an empty store.
    bots = await Promise.all([startApp(config), startApp(config)]);
    deliverTo(0);
  });
  afterAll(async () => {
    await Promise.all(bots.map((bot) => bot.stop()));
    await slack.close();
    await platform.close();
    await store.close();
  });

  const deliverTo = (index: number) =>
    slack.deliverTo({ eventsUrl: `http://127.0.0.1:${bots[index]?.port}/slack/events` });
  const host = () =>
    platform.account.zones.flatMap((zone) => zone.Hostnames).find(({ Value }) => Value === 'dl.example.com')!;
  const sent = () => platform.requests.filter(({ method, path }) => method !== 'GET' && path.endsWith('setForceSSL'));

  /** Each bot that has found the store away asks it again, once a second. */
  async function storeAnswers() {
    await store.start();
    const ada = slack.person('ada').in('#six');
    for (const index of [0, 1]) {
      deliverTo(index);
      const helped = async () => {
        ada.readAll();
        await ada.type('/edge help');
        return (await ada.expectMessage(/./)).text;
      };
      await expect.poll(helped, { timeout: 15_000, interval: 500 }).not.toMatch(/own store/);
    }
  }

  async function asked() {
    deliverTo(turn % 2);
    const ops = slack.person('ada').in(`#${CHANNELS[turn++ % CHANNELS.length]}`);
    platform.requests.splice(0);
    host().ForceSSL = false;
    await ops.type('/edge ssl force dl.example.com on');
    return { ops, preview: await ops.expectMessage(/Force HTTPS: off → on[\s\S]*\[Cancel\]/) };
  }

  /** The very same payload at both at once, so often. */
  async function atBoth(payload: Record<string, unknown>, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      const answers = [0, 1].map((index) => {
        deliverTo(index);
        return slack.signedRequest({ payload });
      });
      await Promise.all(answers);
    }
    await slack.idle();
  }

  function pressOf(card: Card, action: string, trigger: string): Record<string, unknown> {
    const buttons = card.blocks.flatMap((block) => (block.type === 'actions' ? (block.elements as Button[]) : []));
    const button = buttons.find(({ action_id }) => action_id === action)!;
    return {
      type: 'block_actions',
      user: { id: slack.person('ada').id, username: 'ada', team_id: slack.workspace.team.id },
      api_app_id: 'A0EDGEWISE1',
      token: 'token',
      team: { id: slack.workspace.team.id, domain: 'shop' },
      channel: { id: card.channel, name: 'ops' },
      container: { type: 'message', message_ts: card.ts, channel_id: card.channel, is_ephemeral: true },
      trigger_id: trigger,
      actions: [{ ...button, type: 'button', block_id: 'b', action_ts: '1' }],
    };
  }

  it('act once on a press that Slack delivers to both', async () => {
    const { ops, preview } = await asked();
    await atBoth(pressOf(preview, 'confirm', 'one-press'), 3);
    await ops.expectMessage(/switched force HTTPS .*on for/);
    expect(sent()).toHaveLength(1);
  });

  it('do it once for two presses, of which each gets one', async () => {
    const { ops, preview } = await asked();
    await Promise.all(
      [0, 1].map((index) => {
        deliverTo(index);
        return slack.signedRequest({ payload: pressOf(preview, 'confirm', `press-${index}`) });
      }),
    );
    await ops.expectMessage(/switched force HTTPS .*on for/);
    await ops.expectMessage(/[Bb]eing done right now|Already done/);
    await slack.idle();
    expect(sent()).toHaveLength(1);
  });

  it('undo once what both are told to undo', async () => {
    const { ops, preview } = await asked();
    await preview.click(CONFIRM);
    const outcome = await ops.expectMessage(/switched force HTTPS .*on for/);
    await Promise.all(
      [0, 1].map((index) => {
        deliverTo(index);
        return slack.signedRequest({ payload: pressOf(outcome, 'undo', `undo-${index}`) });
      }),
    );
    await ops.expectMessage(/switched force HTTPS .*off for/);
    await slack.idle();
    expect(sent().map(({ body }) => body)).toMatchObject([{ ForceSSL: true }, { ForceSSL: false }]);
    expect(host().ForceSSL).toBe(false);
  });

  it('stop at once what one of them reads when the other is told to', async () => {
    deliverTo(0);
    const end = platform.fault('slow=8000@GET /pullzone/');
    const ops = slack.person('ada').in('#two');
    await ops.type('/edge zone show shop');
    const working = await ops.expectMessage(/takes a moment/);
    deliverTo(1);
    await working.click('Cancel');
    await ops.expectMessage(/You stopped zone show/);
    end();
  });

  it('say that nothing was done while their store does not answer, and do it once when it does', async () => {
    const { ops, preview } = await asked();
    await store.stop('immediate');
    await preview.click(CONFIRM);
    await ops.expectMessage(/own store[\s\S]*I did not run this/);
    expect(sent()).toEqual([]);
    await ops.type('/edge app delete mailer');
    await ops.expectMessage(/own store[\s\S]*I did not run this/);
    await storeAnswers();
    await preview.click(CONFIRM);
    await ops.expectMessage(/switched force HTTPS .*on for/);
    expect(sent()).toHaveLength(1);
  });

  it('say so of a confirmation in a view', async () => {
    deliverTo(turn % 2);
    const ada = slack.person('ada');
    await ada.in('#releases').type('/edge app delete mailer');
    const form = await ada.expectModal('App delete');
    await form.expectChange(/Type the name/);
    await form.fill({ 'Type the name to confirm': 'mailer' });
    await store.stop('immediate');
    await form.submit();
    await ada.in('#releases').expectMessage(/own store[\s\S]*I did not run this/);
    await storeAnswers();
    expect(platform.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('keep one audit that is whole', async () => {
    const ops = slack.person('ada').in('#releases');
    await ops.type('/edge audit verify');
    await ops.expectMessage(/^The audit is intact: \d+ entries, none changed, none missing/);
    expect(slack.problems).toEqual([]);
  });
});

interface Button {
  action_id: string;
  value: string;
}
