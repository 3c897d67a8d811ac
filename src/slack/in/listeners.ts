import { App, type webApi } from '@slack/bolt';
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
import { createLibraryLog, type Identity } from '../clients.ts';
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
import type { Body, Taking } from './arrival.ts';
import { fileIdsOf } from './files.ts';
import { doKept, goOn, heardIn, type Inbox, keep, PAYLOAD } from './inbox.ts';
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

/** Socket Mode if there is an `appToken`, else signed HTTP requests. */
export interface Connection {
  botToken: Secret;
  appToken?: Secret | undefined;
  signingSecret?: Secret | undefined;
  apiUrl: string;
  identity: Identity;
  client: webApi.WebClient;
  presence: Presence;
  times?: Partial<SocketTimes> | undefined;
  allowance?: Allowance | undefined;
  observe: Observe;
}

interface Listening extends Bot, Inbox {
  connection: Connection;
  underway: number;
}

export type Slack = ReturnType<typeof createSlack>;

export function createSlack(connection: Connection, services: Bot) {
  const { botToken, appToken, signingSecret, identity, allowance } = connection;
  const allowances = createAllowances(allowance);
  const { log, now } = services;
  const logger = createLibraryLog(log);
  const listening: Listening = { ...services, connection, botUserId: identity.userId, underway: 0 };
  const kept: Record<string, (body: Body) => Promise<void>> = {
    [AFTER]: (body) => tellAfter(services, body),
    [UNDO_ENDS]: (body) => endUndo(services, body),
    [HELD]: (body) => services.outgoing.sendHeld(body),
    [ANNOUNCEMENT]: (body) => announceHeld(services, body),
    [CARD]: (body) => showCard(services, body),
    [HOME]: (body) => showHome(services, body as { userId: string; teamId: string }),
  };
  const taking = {
    now,
    log,
    allowances,
    waiting: [] as Taking['waiting'],
    keep: (body: Body, interaction: Interaction) => void keep(listening, body, interaction),
  };
  const httpReceiver =
    appToken === undefined ? createReceiver({ ...connection, ...taking, signingSecret: signingSecret! }) : undefined;
  const app = new App({
    receiver: httpReceiver ?? createSocketMode({ ...connection, ...taking, appToken: appToken! }),
    convoStore: false,
    logger,
    authorize: async () => ({
      botToken: botToken.reveal(),
      botId: identity.botId,
      botUserId: identity.userId,
      teamId: identity.teamId,
    }),
  });
  registerListeners(app, listening);
  return {
    route: httpReceiver?.route,
    underway: () => taking.waiting.length + listening.underway,
    /** Resolves once Slack can reach the bot. Throws SlackRefusedError. */
    async start() {
      await app.start();
      if (httpReceiver !== undefined) sawConnections(connection.presence, 1, now());
    },
    kinds: {
      ...Object.fromEntries(
        Object.entries(kept).map(([kind, work]) => [kind, (job: Job) => doKept(listening, work, job)]),
      ),
      [PAYLOAD]: (job: Job) => goOn(listening, app, (...lost) => tellLost(listening, ...lost), job),
    },
    /** Over HTTP: takes requests for that many more milliseconds, and then until a second passes without any. */
    refuse: async (grace: number) => httpReceiver?.refuse(grace),
    async stop() {
      connection.presence.isStopping = true;
      await app.stop();
    },
  };
}

/** One listener for each kind of payload, because each listener slows Bolt down. */
function registerListeners(app: App, services: Listening): void {
  app.command(/.*/, async ({ command, ack }) => {
    await ack();
    const { line, origin } = parseCommand(command);
    await onceFrom(services, origin, () => runCommand(services, line, origin));
  });

  app.action(/.*/, async ({ body, action, ack }) => {
    await ack();
    const press = parsePress(body, action);
    if (press === undefined) return;
    const { button, origin, isOnHome } = press;
    const run = () => runAction(services, button, origin);
    // The Home tab has no message to answer in, so it is drawn again.
    const andShow = () => run().then(() => showHome(services, origin));
    const isOver =
      isOnHome &&
      [BUTTONS.putBackNow.id, BUTTONS.runBeside.id, BUTTONS.cancelBeside.id].some((one) => one === button.id);
    await onceFrom(services, origin, isOver ? andShow : run);
  });

  app.shortcut(/.*/, async ({ body, ack }) => {
    await ack();
    const came = parseMessageShortcut(body);
    if (came?.callbackId !== LOOK_INTO.callback_id) return;
    const { message: shown, origin } = came;
    await onceFrom(services, origin, () => lookInto(services, shown, origin));
  });

  app.view(/.*/, async ({ body, view, ack }) => {
    const person = parseSender(body);
    const submitted = parseView(view);
    const { acknowledgement, work } = submitView(services, submitted, person);
    if (work !== undefined) {
      // Not earlier, because a form that is answered with errors is submitted again.
      const isFirst = keep(services, { ...body }, currentInteraction()!)?.isFirst;
      // Whoever reads “Working …” is answered, whatever becomes of this process.
      await within(
        1_000,
        Promise.resolve(isFirst).catch(() => undefined),
      );
    }
    // If Slack delivers a submission again, it is acknowledged again, but done once.
    await ack(acknowledgement as never);
    if (work === undefined) return;
    const memory = memoryOf(submitted);
    const origin = originOf({ ...memory, channel: memory.channel || person.userId }, person);
    await once(services, work, (why) => tellNotBegun(services, origin, why, view.id));
  });

  app.view({ callback_id: /.*/, type: 'view_closed' }, async ({ body, view, ack }) => {
    await ack();
    const work = () => closeView(services, parseView(view), parseSender(body));
    await once(services, work);
  });

  app.options(/.*/, async ({ body, options, ack }) => {
    services.observe?.saw('payloads', { kind: 'options' });
    const { view, person } = parseQuery(body);
    const [argument, query] = [String(options.block_id), String(options.value ?? '')];
    const found = view === undefined ? [] : await suggestOptions(services, view, argument, query, person);
    await ack({ options: optionsOf(found) });
  });

  app.event(/.*/, async ({ event, body }) => {
    await receiveEvent(services, parseEvent(event), String(body.team_id));
  });

  // Payloads whose shape is wrong also end here.
  app.error(async (error) => {
    services.log.error({ err: error }, 'a payload could not be read, or Bolt met an error');
  });
}

async function receiveEvent(services: Listening, came: IncomingEvent, teamId: string): Promise<void> {
  const { client, identity } = services.connection;
  const heard = heardIn(came, identity.userId);
  const { user = '', channel = '', thread_ts: thread } = came;
  const person = { userId: user, teamId: came.user_team ?? came.team ?? teamId };
  if (heard === undefined) return;
  if (heard === 'channel gone') return once(services, () => endChannel(services, channel));
  if (heard === 'channel moved') {
    const { old_channel_id: before = '', new_channel_id: after = '', event_ts: ts } = came;
    const at = new Date(Math.round(Number(ts) * 1_000) || services.now());
    return once(services, () => moveChannel(services, before, after, at, identity.teamId));
  }
  if (heard === 'uninstalled' || heard === 'revoked') return once(services, () => endAll(services, heard));
  if (heard === 'home') {
    if (came.tab === 'messages') return;
    const work = () => showHome(services, person);
    return once(services, work, (why) => services.outgoing.publishHome(user, why.blocks));
  }
  const origin: Origin = {
    ...person,
    place: { channelId: channel, ...(thread === undefined ? {} : { threadTs: thread }) },
    fileIds: () => fileIdsOf({ client, log: services.log }, came),
  };
  currentInteraction()!.kind = 'message';
  await onceFrom(services, origin, async () => {
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
  work: () => Promise<void>,
  notBegun: (why: Message) => Promise<void> = async () => undefined,
): Promise<void> {
  const { log, observe } = services;
  const interaction = currentInteraction()!;
  const { kind, kept } = interaction;
  services.underway += 1;
  try {
    observe?.saw('payloads', { kind });
    const isFirst = await Promise.resolve(kept?.isFirst ?? true).catch((error: unknown) => {
      log.error({ err: error, kind }, 'the store could not say whether it was delivered before');
      return message(problemOf(error).message, note('I did not run this. Anything already started is still running.'));
    });
    if (isFirst === true) await work();
    else noted({ outcome: isFirst === false ? 'delivered before' : 'not begun' });
    if (typeof isFirst === 'object') await notBegun(isFirst);
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
function onceFrom(services: Listening, origin: Origin, work: () => Promise<void>): Promise<void> {
  const refuse = () => {
    noted({ outcome: 'too much' });
    const text = 'You have too much running at once. This was not started.';
    return tell(services, origin, message(text, note('Wait a few seconds, then try again.')));
  };
  const chosen = currentInteraction()!.isTooMuch === true ? refuse : work;
  return once(services, chosen, (why) => tellNotBegun(services, origin, why));
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
