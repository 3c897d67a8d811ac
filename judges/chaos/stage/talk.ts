/** What people do: each begins one thing, waits for its answer as somebody at a screen does, and goes on from what they see. */
import type { Delivery, Door } from './door.ts';
import type { Interaction, Kind, Ledger } from './ledger.ts';
import { echo } from './methods.ts';
import * as people from './people.ts';
import { type Button, controls, type Option, pick, readable, type Shown } from './record.ts';
import type { SlackStand } from './slack.ts';

/** How Slack and the network treat deliveries; shares from 0 to 1. */
export interface Manners {
  /** An event, or a press, is delivered again though it was acknowledged. */
  again: number;
  /** An event is held back for up to five seconds. */
  late: number;
  /** A press is followed at once by another press of the same button, or of the one beside it. */
  hasty: number;
}

export interface Talk {
  door: Door;
  slack: SlackStand;
  ledger: Ledger;
  roll(): number;
  manners: Manners;
  /** How long a person waits for an answer before they give up, in milliseconds. */
  patience: number;
  /** Hostnames that nobody has changed yet. */
  hostnames: string[];
  /** Free people by what they may do; one does one thing at a time, and who got no answer is never asked again. */
  operators: string[];
  readers: string[];
  channels: readonly string[];
  /** Is told of each acknowledgement at once, before anything else happens. */
  onAck?(interaction: Interaction, delivery: Delivery): void;
  variables: number;
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Slack's retries of an event: at once, and after a minute; here the second comes after twenty seconds. */
const RETRIES = [300, 20_000];

async function hand(talk: Talk, one: Interaction, payload: people.Payload, retry?: { number: number; reason: string }) {
  const delivery = await talk.door.deliver(payload, retry);
  talk.ledger.delivered(one, delivery);
  if (delivery.status === 200) talk.onAck?.(one, delivery);
  showAck(talk, one, delivery);
  return delivery;
}

/** Events come until they are acknowledged, some again, some late. Commands and presses come once. */
async function send(talk: Talk, one: Interaction, payload: people.Payload): Promise<Delivery> {
  const isEvent = payload.kind === 'events_api';
  if (isEvent && talk.roll() < talk.manners.late) await wait(talk.roll() * 5_000);
  const first = await hand(talk, one, payload);
  if (isEvent && first.status !== 200) void retry(talk, one, payload);
  else if (payload.kind !== 'slash_commands' && talk.roll() < talk.manners.again)
    void wait(talk.roll() * 4_000).then(() => hand(talk, one, payload, { number: 1, reason: 'http_timeout' }));
  return first;
}

async function retry(talk: Talk, one: Interaction, payload: people.Payload): Promise<void> {
  for (const [index, pause] of RETRIES.entries()) {
    await wait(pause);
    const { status } = await hand(talk, one, payload, { number: index + 1, reason: 'http_timeout' });
    if (status === 200) return;
  }
}

/** What an acknowledgement itself shows: a view that takes the place of a form, or complaints about fields. */
function showAck(talk: Talk, one: Interaction, { status, body }: Delivery): void {
  if (status !== 200 || body === undefined || !body.startsWith('{')) return;
  const answer = JSON.parse(body) as { response_action?: string; view?: Record<string, unknown>; errors?: unknown };
  if (answer.response_action === undefined) return;
  const found = one.viewId === undefined ? undefined : talk.slack.room.views.get(one.viewId);
  if (answer.view !== undefined && found !== undefined) found.view = answer.view;
  const text = answer.view === undefined ? JSON.stringify(answer.errors ?? '') : readable(answer.view);
  if (text === '""') return;
  talk.ledger.take({
    at: Date.now(),
    via: 'the acknowledgement',
    text,
    ...controls(answer.view),
    raw: answer.view ?? {},
    person: one.person,
    ...(one.viewId === undefined ? {} : { viewId: one.viewId }),
  });
}

/** Takes a free person for as long as `what` takes; whoever got no answer stays away. */
async function by(
  talk: Talk,
  role: 'operators' | 'readers',
  what: (person: string) => Promise<boolean>,
): Promise<void> {
  const person = talk[role].shift();
  if (person === undefined) return;
  if (await what(person)) talk[role].push(person);
}

const answered = (talk: Talk, one: Interaction) => talk.ledger.answerOf(one, talk.patience);

async function type(
  talk: Talk,
  kind: Kind,
  person: string,
  text: string,
  subject?: string,
): Promise<[Interaction, Shown | undefined]> {
  const { id, url } = talk.slack.responseUrl();
  const triggerId = talk.slack.trigger(person);
  const channel = pick(talk.roll, talk.channels);
  const one = talk.ledger.begin({
    kind,
    person,
    what: `/edge ${text}`,
    channel,
    responseId: id,
    triggerId,
    ...(subject === undefined ? {} : { subject }),
  });
  const { status } = await send(talk, one, people.command(person, channel, text, url, triggerId));
  return [one, status === 200 ? await answered(talk, one) : undefined];
}

/** A read by command. */
export const read = (talk: Talk, text: string, role: 'operators' | 'readers' = 'readers') =>
  by(talk, role, async (person) => {
    const [one, answer] = await type(talk, 'read', person, text);
    return answer !== undefined || one.ackedAt === undefined;
  });

/** A read by a mention or in a direct message. */
export const say = (talk: Talk, kind: 'mention' | 'message', text: string) =>
  by(talk, 'readers', async (person) => (await told(talk, kind, person, text)) !== undefined);

async function told(talk: Talk, kind: 'mention' | 'message', person: string, text: string, subject?: string) {
  const channel = kind === 'message' ? `D${person.slice(1)}` : pick(talk.roll, talk.channels);
  const payload = kind === 'message' ? people.directMessage(person, text) : people.mention(person, channel, text);
  const one = talk.ledger.begin({
    kind,
    person,
    what: kind === 'message' ? text : `@edgewise ${text}`,
    channel,
    ts: payload.ts,
    ...(subject === undefined ? {} : { subject }),
  });
  await send(talk, one, payload);
  return answered(talk, one);
}

/** The Home tab. */
export const home = (talk: Talk) =>
  by(talk, 'readers', async (person) => {
    const one = talk.ledger.begin({ kind: 'home', person, what: 'opens Home', channel: `D${person.slice(1)}` });
    await send(talk, one, people.homeOpened(person));
    return (await answered(talk, one)) !== undefined;
  });

/** A change from its command, mention or message to its end; `end` is what its requester does with the preview. */
export const change = (talk: Talk, way: 'command' | 'mention' | 'message', end: 'confirm' | 'cancel' | 'leave') =>
  by(talk, 'operators', async (person) => {
    const [text, subject] = nextChange(talk);
    const from = talk.ledger.all.length;
    const shown =
      way === 'command'
        ? (await type(talk, 'preview', person, text, subject))[1]
        : await told(talk, way, person, text, subject);
    const asked = talk.ledger.all.slice(from).find((one) => one.person === person);
    if (shown === undefined) return asked?.ackedAt === undefined;
    return decide(talk, person, shown, asked?.channel ?? '', subject, end);
  });

function nextChange(talk: Talk): [string, string] {
  if (talk.roll() < 0.3 || talk.hostnames.length === 0) {
    talk.variables += 1;
    const name = `CHAOS_${talk.variables}_X`;
    return [`variable add 77 ${name} v${talk.variables}`, name];
  }
  const hostname = talk.hostnames.shift()!;
  return [`ssl force ${hostname} on`, hostname];
}

/** From the preview on: true when the person was answered all along. */
async function decide(
  talk: Talk,
  person: string,
  preview: Shown,
  channel: string,
  subject: string,
  end: 'confirm' | 'cancel' | 'leave',
) {
  const confirm = preview.buttons.find(({ action_id }) => action_id === 'confirm');
  const cancel = preview.buttons.find(({ text }) => text === 'Cancel');
  if (confirm === undefined || cancel === undefined || end === 'leave') return true;
  const isHasty = talk.roll() < talk.manners.hasty;
  const others = isHasty
    ? [
        press(
          talk,
          talk.roll() < 0.5 ? 'confirm' : 'cancel',
          person,
          preview,
          channel,
          talk.roll() < 0.5 ? confirm : cancel,
          subject,
        ),
      ]
    : [];
  const [one, outcome] = await press(
    talk,
    end,
    person,
    preview,
    channel,
    end === 'confirm' ? confirm : cancel,
    subject,
  );
  await Promise.all(others);
  if (one.ackedAt === undefined) {
    // Slack says that it did not work, and the person presses again.
    const [again, late] = await press(
      talk,
      end,
      person,
      preview,
      channel,
      end === 'confirm' ? confirm : cancel,
      subject,
    );
    return late !== undefined || again.ackedAt === undefined;
  }
  if (outcome === undefined) return false;
  return undo(talk, person, one, subject);
}

/** Undo, of every second change that can be undone. */
async function undo(talk: Talk, person: string, one: Interaction, subject: string): Promise<boolean> {
  // The button is on the outcome in the channel, which comes a little before or after the answer to the press.
  await wait(500);
  const outcome = talk.slack.shown
    .slice(-500)
    .find(({ buttons, text }) => text.includes(subject) && buttons.some((button) => button.text === 'Undo'));
  if (outcome === undefined || talk.roll() < 0.5) return true;
  const button = outcome.buttons.find(({ text }) => text === 'Undo')!;
  const [again, told] = await press(talk, 'undo', person, outcome, outcome.channel ?? one.channel, button, subject);
  return told !== undefined || again.ackedAt === undefined;
}

async function press(
  talk: Talk,
  kind: Kind,
  person: string,
  on: Shown,
  channel: string,
  button: Button,
  subject: string,
): Promise<[Interaction, Shown | undefined]> {
  const triggerId = talk.slack.trigger(person);
  if (on.viewId !== undefined) {
    const view = talk.slack.room.views.get(on.viewId);
    const one = talk.ledger.begin({
      kind,
      person,
      what: `presses ${button.action_id}`,
      channel,
      triggerId,
      viewId: on.viewId,
      subject,
    });
    if (view === undefined) return [one, undefined];
    const { status } = await send(talk, one, people.pressInView(person, echo(view), button, triggerId));
    return [one, status === 200 ? await answered(talk, one) : undefined];
  }
  const { id, url } = talk.slack.responseUrl();
  const one = talk.ledger.begin({
    kind,
    person,
    what: `presses ${button.action_id}`,
    channel: on.channel ?? channel,
    responseId: id,
    triggerId,
    subject,
    ...(on.ts === undefined ? {} : { ts: on.ts }),
  });
  const surface = {
    channel: on.channel ?? channel,
    ...(on.ts === undefined ? {} : { ts: on.ts }),
    isEphemeral: on.via === 'response_url' || on.via === 'chat.postEphemeral',
    message: on.raw,
  };
  const { status } = await send(talk, one, people.press(person, surface, button, url, triggerId));
  return [one, status === 200 ? await answered(talk, one) : undefined];
}

/** A form: opened by a command without its arguments, filled in, sent off, and the preview decided. */
export const form = (talk: Talk) =>
  by(talk, 'operators', async (person) => {
    const [opened, view] = await type(talk, 'form', person, 'ssl force');
    if (view === undefined) return opened.ackedAt === undefined;
    if (view.viewId === undefined || view.inputs.length === 0) return true;
    const hostname = talk.hostnames.shift();
    const standing = talk.slack.room.views.get(view.viewId);
    if (hostname === undefined || standing === undefined) return true;
    const values = await fill(talk, person, view, hostname);
    if (values === undefined) return true;
    const triggerId = talk.slack.trigger(person);
    const one = talk.ledger.begin({
      kind: 'submit',
      person,
      what: `sends the form for ${hostname}`,
      channel: opened.channel,
      triggerId,
      viewId: view.viewId,
      subject: hostname,
      ...(opened.responseId === undefined ? {} : { responseId: opened.responseId }),
    });
    const { status } = await send(talk, one, people.submission(person, echo(standing), values, triggerId));
    if (status !== 200) return true;
    const preview = await answered(talk, one);
    if (preview === undefined) return false;
    return decide(talk, person, preview, opened.channel, hostname, 'confirm');
  });

/** The fields' values: the hostname from the bot's own suggestions, `on`, and nothing else; undefined where there are none. */
async function fill(talk: Talk, person: string, view: Shown, hostname: string) {
  const standing = echo(talk.slack.room.views.get(view.viewId!)!);
  const values: Record<string, Record<string, unknown>> = {};
  for (const input of view.inputs) {
    if (input.block_id === 'hostname' || input.element.type === 'external_select') {
      if (Object.keys(values).length > 0) continue;
      const { body = '' } = await talk.door.deliver(people.suggestion(person, standing, input, hostname));
      const options = body.startsWith('{') ? ((JSON.parse(body) as { options?: Option[] }).options ?? []) : [];
      const option = options.find(({ text }) => text.text === hostname);
      if (option === undefined) return undefined;
      values[input.block_id] = people.fieldValue(input, option);
    } else if (input.element.type === 'static_select') {
      const option = input.element.options?.find(({ value }) => value === 'on');
      if (option !== undefined) values[input.block_id] = people.fieldValue(input, option);
    }
  }
  return values;
}
