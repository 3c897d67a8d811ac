import type { WebClient } from '@slack/web-api';
import { BUTTONS } from '../../blocks/buttons.ts';
import { type Message, message, note } from '../../blocks/message.ts';
import { currentInteraction, type Interaction, noted } from '../../interaction.ts';
import { type Observe, secondsSince } from '../../observe.ts';
import { problemOf } from '../../problem.ts';
import type { Secret } from '../../secret.ts';
import type { Job } from '../../store/jobs.ts';
import { within } from '../../time.ts';
import { runAction } from '../actions.ts';
import { AFTER, tellAfter } from '../after.ts';
import { CARD, showCard } from '../approval.ts';
import type { Identity } from '../clients.ts';
import { runCommand } from '../commands.ts';
import { tell, updateOpen } from '../conversation.ts';
import { endAll, endChannel, moveChannel } from '../departures.ts';
import { buildShownView, memoryOf, optionsOf, originOf } from '../form.ts';
import { HOME, showHome } from '../home/home.ts';
import { LOOK_INTO, lookInto } from '../look-into.ts';
import { HELD } from '../out/outgoing.ts';
import { ANNOUNCEMENT, announceHeld } from '../outcome.ts';
import type { Bot, Origin } from '../services.ts';
import { endUndo, UNDO_ENDS } from '../undo-ends.ts';
import { closeView, submitView, suggestOptions } from '../views.ts';
import { type Allowance, createAllowances } from './allowance.ts';
import { type Body, fieldsOf, type Payload, type Taking } from './arrival.ts';
import { fileIdsOf } from './files.ts';
import { CHANNEL_GONE, doKept, goOn, heardIn, type Inbox, keep, PAYLOAD } from './inbox.ts';
import {
  type IncomingEvent,
  parseCommand,
  parseEvent,
  parseMessageShortcut,
  parsePress,
  parseQuery,
  parseSender,
  parseView,
  typedLineOf,
} from './payloads.ts';
import { type Presence, sawConnections } from './presence.ts';
import { createReceiver } from './receiver.ts';
import { createSocketMode, type SocketTimes } from './socket-mode.ts';

const SUBSCRIBED: ReadonlySet<string> = new Set([
  'app_home_opened',
  'app_mention',
  'message',
  'app_uninstalled',
  'tokens_revoked',
  'channel_id_changed',
  ...CHANNEL_GONE,
]);
/** Socket Mode if there is an `appToken`, else signed HTTP requests. */
export interface Connection {
  appToken?: Secret | undefined;
  signingSecret?: Secret | undefined;
  apiUrl: string;
  identity: Identity;
  client: WebClient;
  presence: Presence;
  times?: Partial<SocketTimes> | undefined;
  allowance?: Allowance | undefined;
  observe: Observe;
}

interface Listening extends Bot {
  connection: Connection;
  inbox: Inbox;
  underway: number;
}

export type Slack = ReturnType<typeof createSlack>;

export function createSlack(connection: Connection, services: Bot) {
  const { appToken, signingSecret, identity, allowance } = connection;
  const allowances = createAllowances(allowance);
  const { log, now } = services;
  const inbox: Inbox = { ...services, botUserId: identity.userId };
  const kept: Record<string, (body: Body) => Promise<void>> = {
    [AFTER]: (body) => tellAfter(services, body),
    [UNDO_ENDS]: (body) => endUndo(services, body),
    [HELD]: (body) => services.outgoing.sendHeld(body),
    [ANNOUNCEMENT]: (body) => announceHeld(services, body),
    [CARD]: (body) => showCard(services, body),
    [HOME]: (body) => showHome(services, body as { userId: string; teamId: string }),
  };
  const listening: Listening = { ...services, connection, inbox, underway: 0 };
  const taking = {
    ...connection,
    now,
    log,
    allowances,
    waiting: [],
    keep: (body, interaction) => keep(inbox, body, interaction),
    handle: async (payload) => HANDLERS[payload.interaction.kind]?.(listening, payload),
  } satisfies Taking;
  const receiver =
    appToken === undefined && signingSecret !== undefined ? createReceiver({ ...taking, signingSecret }) : undefined;
  const socketMode = appToken === undefined ? undefined : createSocketMode({ ...taking, appToken });
  return {
    route: receiver?.route,
    underway: () => taking.waiting.length + listening.underway,
    /** Resolves once Slack can reach the bot. Throws SlackRefusedError. */
    async start() {
      await socketMode?.start();
      if (receiver !== undefined) sawConnections(connection.presence, 1, now());
    },
    kinds: {
      ...Object.fromEntries(Object.entries(kept).map(([kind, work]) => [kind, (job: Job) => doKept(inbox, work, job)])),
      [PAYLOAD]: (job: Job) => goOn(inbox, taking.handle, (...lost) => tellLost(listening, ...lost), job),
    },
    /** Over HTTP: takes requests for that many more milliseconds, and then until a second passes without any. */
    refuse: async (grace: number) => receiver?.refuse(grace),
    async stop() {
      connection.presence.isStopping = true;
      await (socketMode?.stop() ?? receiver?.refuse(0));
    },
  };
}

type Handle = (services: Listening, payload: Payload) => Promise<void>;

/** By the kind of the payload. */
const HANDLERS: Readonly<Record<string, Handle>> = {
  async command(services, payload) {
    const { line, origin } = parseCommand(payload.body);
    await onceFrom(services, payload, origin, () => runCommand(services, line, origin));
  },

  async action(services, payload) {
    const press = parsePress(payload.body);
    if (press === undefined) return;
    const { button, origin, isOnHome } = press;
    const run = () => runAction(services, button, origin);
    // The Home tab has no message to answer in, so it is drawn again.
    const andShow = () => run().then(() => showHome(services, origin));
    const isOver =
      isOnHome &&
      [BUTTONS.putBackNow.id, BUTTONS.runBeside.id, BUTTONS.cancelBeside.id].some((one) => one === button.id);
    await onceFrom(services, payload, origin, isOver ? andShow : run);
  },

  async shortcut(services, payload) {
    const { callbackId, message: shown, origin } = parseMessageShortcut(payload.body);
    if (callbackId !== LOOK_INTO.callback_id) return;
    await onceFrom(services, payload, origin, () => lookInto(services, shown, origin));
  },

  async view(services, payload) {
    const { body, interaction, acknowledge } = payload;
    const person = parseSender(body);
    const submitted = parseView(body.view);
    const { acknowledgement, work } = submitView(services, submitted, person);
    if (work !== undefined) {
      keep(services.inbox, body, interaction);
      // Whoever reads “Working …” is answered, whatever becomes of this process.
      await within(
        1_000,
        Promise.resolve(interaction.kept?.isFirst).catch(() => undefined),
      );
    }
    // If Slack delivers a submission again, it is acknowledged again, but done once.
    acknowledge(acknowledgement);
    if (work === undefined) return;
    const memory = memoryOf(submitted);
    const origin = originOf({ ...memory, channel: memory.channel || person.userId }, person);
    await once(services, payload, work, (why) => tellNotBegun(services, origin, why, submitted.id));
  },

  async closed(services, payload) {
    const { body } = payload;
    await once(services, payload, () => closeView(services, parseView(body.view), parseSender(body)));
  },

  async options(services, { body, acknowledge }) {
    services.observe?.saw('payloads', { kind: 'options' });
    const { view, person } = parseQuery(body);
    const [argument, query] = [String(body.block_id), String(body.value ?? '')];
    const found = view === undefined ? [] : await suggestOptions(services, view, argument, query, person);
    acknowledge({ options: optionsOf(found) });
  },

  async event(services, payload) {
    const { event } = payload.body;
    // Events that the bot did not subscribe to may have any shape.
    if (SUBSCRIBED.has(String(fieldsOf(event).type))) await receiveEvent(services, parseEvent(event), payload);
  },
};

async function receiveEvent(services: Listening, came: IncomingEvent, payload: Payload): Promise<void> {
  const { client, identity } = services.connection;
  const heard = heardIn(came, identity.userId);
  const { user = '', channel = '', thread_ts: thread } = came;
  const person = { userId: user, teamId: came.user_team ?? came.team ?? String(payload.body.team_id) };
  if (heard === undefined) return;
  if (heard === 'channel gone') return once(services, payload, () => endChannel(services, channel));
  if (heard === 'channel moved') {
    const { old_channel_id: before = '', new_channel_id: after = '', event_ts: ts } = came;
    const at = new Date(Math.round(Number(ts) * 1_000) || services.now());
    return once(services, payload, () => moveChannel(services, before, after, at, identity.teamId));
  }
  if (heard === 'uninstalled' || heard === 'revoked') return once(services, payload, () => endAll(services, heard));
  if (heard === 'home') {
    if (came.tab === 'messages') return;
    const work = () => showHome(services, person);
    return once(services, payload, work, (why) => services.outgoing.publishHome(user, why.blocks));
  }
  const origin: Origin = {
    ...person,
    place: { channelId: channel, ...(thread === undefined ? {} : { threadTs: thread }) },
    fileIds: () => fileIdsOf({ client, log: services.log }, came),
  };
  payload.interaction.kind = 'message';
  await onceFrom(services, payload, origin, async () => {
    if (came.edited !== undefined) {
      const why = note('Send the command as a new message.');
      return tell(services, origin, message('An edited message runs nothing.', why));
    }
    await runCommand(services, typedLineOf(came.text ?? '', identity.userId), origin);
  });
}

/** Handles a payload once, even if Slack delivers it again. Never throws. `notBegun` is called if the store does not answer. */
async function once(
  services: Listening,
  { body, interaction }: Payload,
  work: () => Promise<void>,
  notBegun: (why: Message) => Promise<void> = async () => undefined,
): Promise<void> {
  // Not earlier, because a form that is answered with errors is submitted again.
  keep(services.inbox, body, interaction);
  const { log, observe } = services;
  const { kept, kind } = interaction;
  services.underway += 1;
  try {
    observe?.saw('payloads', { kind });
    const isFirst = await Promise.resolve(kept?.isFirst ?? true).catch((error: unknown) => {
      log.error({ err: error, kind }, 'the store could not say whether it was delivered before');
      return message(problemOf(error).message, note('I did not run this. Anything already started is still running.'));
    });
    if (isFirst === false) noted({ outcome: 'delivered before' });
    else if (isFirst === true) await work();
    else {
      noted({ outcome: 'not begun' });
      await notBegun(isFirst);
    }
  } catch (error) {
    noted({ outcome: 'error' });
    log.error({ err: error, kind }, 'a payload could not be handled');
  } finally {
    services.underway -= 1;
    kept?.done();
  }
  ended(services, interaction);
}

/** The log line has nothing that was typed, and no names of targets. */
export function ended({ log, observe }: Pick<Bot, 'log' | 'observe'>, { kind, since, known }: Interaction): void {
  const { command = 'none', outcome = 'answered' } = known;
  const seconds = secondsSince(since);
  observe?.saw('answered', { command, outcome }, seconds);
  log.info({ kind, ...known, command, outcome, milliseconds: Math.round(seconds * 1_000) }, 'an interaction');
}

/** The same, for what a person sent, unless they sent too much. */
function onceFrom(services: Listening, payload: Payload, origin: Origin, work: () => Promise<void>): Promise<void> {
  const refuse = () => {
    noted({ outcome: 'too much' });
    const text = 'You have too much running at once. This was not started.';
    return tell(services, origin, message(text, note('Wait a few seconds, then try again.')));
  };
  const chosen = payload.isTooMuch ? refuse : work;
  return once(services, payload, chosen, (why) => tellNotBegun(services, origin, why));
}

/** Tells the sender that the store did not answer: in the view if it is still open, else in the conversation. */
async function tellNotBegun(services: Bot, origin: Origin, text: Message, viewId?: string): Promise<void> {
  if (viewId === undefined || !(await updateOpen(services, viewId, buildShownView('Edgewise', text))))
    await tell(services, origin, text);
}

async function tellLost(
  services: Listening,
  person: string | undefined,
  text: Message | undefined,
  { type, view }: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (text === undefined || person === undefined) return;
  const { id = currentInteraction()?.view } = type === 'view_submission' ? (view as { id?: string }) : {};
  if (id !== undefined) await updateOpen(services, id, buildShownView('Edgewise', text)).catch(() => undefined);
  await services.outgoing.toDirect(person, text);
}
