import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SlackEmulator } from '../../../playground/slack/emulator.ts';
import { pathsIn } from './answers.ts';
import { bare } from './bare-bot.ts';
import { NAME, plain, view } from './forms.ts';
import { ADA, clientOf, OPS } from './web-client.ts';

type Payload = Record<string, unknown>;

const FOLDER = process.env.SLACK_PAYLOADS;
const words = (text: string): string[] => text.trim().split(/\s+/);

const FRAME = words(`
  token team_id context_team_id context_enterprise_id api_app_id event type event_id event_time authorizations
  authorizations[].enterprise_id authorizations[].team_id authorizations[].user_id authorizations[].is_bot
  authorizations[].is_enterprise_install is_ext_shared_channel event_context event.type event.event_ts`);
const TYPED = words(`
  event.user event.ts event.client_msg_id event.text event.team event.blocks event.channel`);
const ACTED = words(`
  type team team.id team.domain user user.id user.username user.name user.team_id api_app_id token enterprise
  is_enterprise_install`);
const VIEW = words(`
  view view.id view.team_id view.type view.blocks view.private_metadata view.callback_id view.state view.state.values
  view.hash view.title view.clear_on_close view.notify_on_close view.close view.submit view.previous_view_id
  view.root_view_id view.app_id view.external_id view.app_installed_team_id view.bot_id`);
const PRESSED = words(`
  container container.type container.message_ts container.channel_id container.is_ephemeral trigger_id channel
  channel.id channel.name state state.values response_url actions actions[].action_id actions[].block_id actions[].text
  actions[].text.type actions[].text.text actions[].text.emoji actions[].type actions[].action_ts`);

/** Keys that Slack was recorded to send (2026), by what people do. */
const RECORDED: Readonly<Record<string, readonly string[]>> = {
  command: words(`
    token team_id team_domain channel_id channel_name user_id user_name command text api_app_id is_enterprise_install
    response_url trigger_id`),
  mention: [...FRAME, ...TYPED],
  'direct message': [...FRAME, ...TYPED, 'event.channel_type'],
  'message with a file': [...FRAME, ...TYPED, ...words('event.files event.subtype event.channel_type')],
  edit: [
    ...FRAME,
    ...words(`
      event.subtype event.message event.message.edited event.message.edited.user event.message.edited.ts
      event.message.text event.message.ts event.message.user event.message.source_team event.message.user_team
      event.previous_message event.previous_message.text event.channel event.hidden event.ts event.channel_type`),
  ],
  press: [
    ...ACTED,
    ...PRESSED,
    ...words(
      'message message.user message.type message.ts message.bot_id message.app_id message.text message.team message.blocks',
    ),
  ],
  'press on an ephemeral message': [...ACTED, ...PRESSED],
  submission: [...ACTED, ...VIEW, 'trigger_id', 'response_urls'],
  'closed view': [...ACTED, ...VIEW, 'is_cleared'],
  'opened home': [...FRAME, ...words('event.user event.channel event.tab')],
};

/** Keys that we send and that no recording has, and why. */
const OURS: readonly (readonly [why: string, keys: RegExp])[] = [
  [
    'the recording of these was blanked before the key was there',
    /^(context_(team|enterprise)_id|event\.message\.blocks)$/,
  ],
  ['a message of an app says who it is in answers too', /bot_profile|\.app_id$|\.client_msg_id$/],
  ['blocks are as many as the app posts', /\.blocks|actions\[\]/],
  ['the state of what was chosen has the ids of the app', /state\.values\./],
  ['files have more keys than any recorded file', /\.files\[\]\./],
];

describe('the payloads of the emulator', () => {
  const sent = new Map<string, Payload>();
  let bot: Awaited<ReturnType<typeof bare>>;
  beforeAll(async () => {
    bot = await bare(async () => ({}), { events: words('app_mention message.im app_home_opened') });
    await doEverything(bot.slack, sent);
  });
  afterAll(() => bot[Symbol.asyncDispose]());

  it.each(Object.entries(RECORDED))('have every key that Slack sends: %s', (kind, recorded) => {
    const keys = new Set(pathsIn(sent.get(kind)));
    expect(recorded.filter((key) => !keys.has(key))).toEqual([]);
  });

  it.skipIf(FOLDER === undefined || !existsSync(FOLDER))(
    'have no key that Slack was never seen to send (SLACK_PAYLOADS)',
    () => {
      const known = new Set(everyRecordedIn(FOLDER ?? '').flatMap((payload) => pathsIn(payload)));
      expect(known.size).toBeGreaterThan(500);
      const own = [...sent].flatMap(([kind, payload]) =>
        pathsIn(payload)
          .filter((key) => !known.has(key) && !OURS.some(([, pattern]) => pattern.test(key)))
          .map((key) => `${kind}: ${key}`),
      );
      expect(own).toEqual([]);
    },
  );
});

/** People do everything that makes Slack send something; the payloads, by what they did. */
async function doEverything(slack: SlackEmulator, sent: Map<string, Payload>): Promise<void> {
  const client = clientOf(slack);
  const ada = slack.person('ada');
  const [ops, direct] = [ada.in('#ops'), ada.in('@edgewise')];
  const keep = (kind: string) => void sent.set(kind, slack.deliveries.at(-1)?.payload ?? {});

  await ops.type('/edge zone list');
  keep('command');
  await ops.type('@edgewise zone list');
  keep('mention');
  const ts = await direct.type('zone list');
  keep('direct message');
  await direct.edit(ts, 'zone show');
  keep('edit');
  await direct.type('look', { files: [{ name: 'a.txt', content: 'a' }] });
  keep('message with a file');
  await ada.openHome();
  keep('opened home');
  const button = { type: 'button' as const, action_id: 'go', text: plain('Go') };
  const blocks = [{ type: 'actions' as const, elements: [button] }];
  await client.chat.postMessage({ channel: OPS, text: 'card', blocks });
  await (await ops.expectMessage('Go')).click('Go');
  keep('press');
  await client.chat.postEphemeral({ channel: OPS, user: ADA, text: 'psst', blocks });
  await (await ops.expectMessage('Go')).click('Go');
  keep('press on an ephemeral message');
  const open = async (): Promise<void> => {
    await ada.shortcut('form');
    const trigger_id = String(slack.deliveries.at(-1)?.payload.trigger_id);
    const given = view('Form', { blocks: NAME, submit: plain('Go'), close: plain('Stop'), notify_on_close: true });
    await client.views.open({ trigger_id, view: given as never });
  };
  await open();
  await (await ada.expectModal('Form')).fill({ Name: 'x' });
  await (await ada.expectModal('Form')).submit();
  keep('submission');
  await open();
  await (await ada.expectModal('Form')).close();
  keep('closed view');
}

/** Every recorded payload, with values or blanked. */
function everyRecordedIn(folder: string): Payload[] {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Payload;
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const blanked = readdirSync(join(folder, 'blanked')).map((name) => read(join(folder, 'blanked', name)));
  const whole = files.flatMap((name) => Object.values(read(join(folder, name))) as Payload[]);
  const logged = readFileSync(join(folder, 'sample-messages.md'), 'utf8').matchAll(/body: (['`])(.*)\1$/gm);
  const messages = [...logged].map((match) =>
    JSON.parse((match[2] ?? '').replaceAll('\\\\', '\\').replaceAll("\\'", "'")),
  );
  return [...blanked, ...whole, ...messages];
}
