/** What Slack sends when somebody types, presses, fills in or comes by: payloads and their signed requests. */
import { createHmac } from 'node:crypto';
import { BOT, TEAM } from './methods.ts';
import type { Button, Input, Option } from './record.ts';

/** A payload, in the shape of HTTP and in that of Socket Mode. */
export interface Payload {
  kind: 'slash_commands' | 'interactive' | 'events_api';
  body: Record<string, unknown>;
}

const APP = 'A0EDGEWISE1';
let count = 0;
const next = (): number => {
  count += 1;
  return count;
};
const timestamp = (): string => `${Math.floor(Date.now() / 1000)}.${String(next() % 1_000_000).padStart(6, '0')}`;
const userOf = (person: string) => ({
  id: person,
  username: person.toLowerCase(),
  name: person.toLowerCase(),
  team_id: TEAM,
});
const channelOf = (channel: string) => ({
  id: channel,
  name: channel.startsWith('D') ? 'directmessage' : channel.toLowerCase(),
});
const team = { id: TEAM, domain: 'chaos' };

/** `/edge …` in a channel. */
export function command(person: string, channel: string, text: string, responseUrl: string, trigger: string): Payload {
  return {
    kind: 'slash_commands',
    body: {
      token: 'deprecated',
      team_id: TEAM,
      team_domain: 'chaos',
      channel_id: channel,
      channel_name: channelOf(channel).name,
      user_id: person,
      user_name: person.toLowerCase(),
      command: '/edge',
      text,
      api_app_id: APP,
      is_enterprise_install: 'false',
      response_url: responseUrl,
      trigger_id: trigger,
    },
  };
}

/** Where a button stands: a message, an ephemeral one, or a view. */
export interface Surface {
  channel: string;
  ts?: string;
  isEphemeral?: boolean;
  message: Record<string, unknown>;
}

/** A button that is pressed in a message. */
export function press(person: string, surface: Surface, button: Button, responseUrl: string, trigger: string): Payload {
  const ts = surface.ts ?? timestamp();
  return {
    kind: 'interactive',
    body: {
      type: 'block_actions',
      user: userOf(person),
      api_app_id: APP,
      token: 'deprecated',
      container: {
        type: 'message',
        message_ts: ts,
        channel_id: surface.channel,
        is_ephemeral: surface.isEphemeral === true,
      },
      trigger_id: trigger,
      team,
      enterprise: null,
      is_enterprise_install: false,
      channel: channelOf(surface.channel),
      message: { type: 'message', user: BOT, ts, text: '', ...surface.message },
      state: { values: {} },
      response_url: responseUrl,
      actions: [actionOf(button)],
    },
  };
}

/** A button that is pressed in a view. */
export function pressInView(person: string, view: Record<string, unknown>, button: Button, trigger: string): Payload {
  return {
    kind: 'interactive',
    body: {
      type: 'block_actions',
      user: userOf(person),
      api_app_id: APP,
      token: 'deprecated',
      container: { type: 'view', view_id: view.id },
      trigger_id: trigger,
      team,
      enterprise: null,
      is_enterprise_install: false,
      view,
      actions: [actionOf(button)],
    },
  };
}

function actionOf({ action_id, block_id, value, text }: Button) {
  return {
    action_id,
    block_id: block_id ?? 'b1',
    text: { type: 'plain_text', text, emoji: true },
    ...(value === undefined ? {} : { value }),
    type: 'button',
    action_ts: timestamp(),
  };
}

/** The suggestions for what somebody typed into a field of a form. */
export function suggestion(person: string, view: Record<string, unknown>, input: Input, typed: string): Payload {
  return {
    kind: 'interactive',
    body: {
      type: 'block_suggestion',
      user: userOf(person),
      api_app_id: APP,
      token: 'deprecated',
      container: { type: 'view', view_id: view.id },
      team,
      enterprise: null,
      is_enterprise_install: false,
      action_id: input.element.action_id,
      block_id: input.block_id,
      value: typed,
      view,
    },
  };
}

/** A form that is sent off. */
export function submission(
  person: string,
  view: Record<string, unknown>,
  values: Record<string, Record<string, unknown>>,
  trigger: string,
): Payload {
  return {
    kind: 'interactive',
    body: {
      type: 'view_submission',
      user: userOf(person),
      api_app_id: APP,
      token: 'deprecated',
      trigger_id: trigger,
      team,
      enterprise: null,
      is_enterprise_install: false,
      response_urls: [],
      view: { ...view, state: { values } },
    },
  };
}

/** The value of a field as Slack sends it. */
export function fieldValue(input: Input, value: string | Option): Record<string, unknown> {
  const { action_id, type } = input.element;
  const one =
    typeof value === 'string'
      ? { type, value }
      : type === 'checkboxes'
        ? { type, selected_options: [value] }
        : { type, selected_option: value };
  return { [action_id]: one };
}

function event(inner: Record<string, unknown>): Payload {
  const number = next();
  return {
    kind: 'events_api',
    body: {
      token: 'deprecated',
      team_id: TEAM,
      context_team_id: TEAM,
      context_enterprise_id: null,
      api_app_id: APP,
      event: inner,
      type: 'event_callback',
      event_id: `Ev${Date.now().toString(36).toUpperCase()}${number}`,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [
        { enterprise_id: null, team_id: TEAM, user_id: BOT, is_bot: true, is_enterprise_install: false },
      ],
      is_ext_shared_channel: false,
      event_context: `4-event-${number}`,
    },
  };
}

const richText = (text: string) => [
  { type: 'rich_text', block_id: 'r1', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] },
];

/** The Home tab is opened. */
export const homeOpened = (person: string): Payload =>
  event({ type: 'app_home_opened', user: person, channel: `D${person.slice(1)}`, tab: 'home', event_ts: timestamp() });

/** The bot is mentioned in a channel; `ts` is the message's. */
export function mention(person: string, channel: string, text: string): Payload & { ts: string } {
  const ts = timestamp();
  const whole = `<@${BOT}> ${text}`;
  const inner = { type: 'app_mention', user: person, ts, text: whole, team: TEAM, channel, event_ts: ts };
  return { ...event({ ...inner, client_msg_id: `c-${next()}`, blocks: richText(text) }), ts };
}

/** Somebody writes to the bot alone. */
export function directMessage(person: string, text: string): Payload & { ts: string } {
  const ts = timestamp();
  const inner = {
    type: 'message',
    channel: `D${person.slice(1)}`,
    channel_type: 'im',
    user: person,
    text,
    ts,
    team: TEAM,
  };
  return { ...event({ ...inner, event_ts: ts, client_msg_id: `c-${next()}`, blocks: richText(text) }), ts };
}

/** The request of a payload, signed as of now. */
export function signed(payload: Payload, secret: string, retry?: { number: number; reason: string }) {
  const isJson = payload.kind === 'events_api';
  const body = isJson
    ? JSON.stringify(payload.body)
    : payload.kind === 'slash_commands'
      ? new URLSearchParams(payload.body as Record<string, string>).toString()
      : new URLSearchParams({ payload: JSON.stringify(payload.body) }).toString();
  const stamp = String(Math.floor(Date.now() / 1000));
  const mac = createHmac('sha256', secret).update(`v0:${stamp}:${body}`).digest('hex');
  return {
    body,
    headers: {
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'x-slack-request-timestamp': stamp,
      'x-slack-signature': `v0=${mac}`,
      ...(retry === undefined
        ? {}
        : { 'x-slack-retry-num': String(retry.number), 'x-slack-retry-reason': retry.reason }),
    },
  };
}
