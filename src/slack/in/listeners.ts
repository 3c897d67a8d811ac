import { App, SocketModeReceiver, type webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Secret } from '../../secret.ts';
import type { Deliveries } from '../../store/deliveries.ts';
import { createLibraryLog, type Identity, TIMEOUT } from '../clients.ts';
import type { Conversation } from '../conversation.ts';
import { CALLBACKS, memoryOf, optionsOf } from '../form.ts';

import { type Origin, originOf } from '../origin.ts';
import { fileIdsOf } from './files.ts';
import type { Route } from './http-server.ts';
import { typedLineOf } from './message-text.ts';
import { parseAction, parseAsked, parseEvent, parsePressed, parseView } from './payloads.ts';
import { createReceiver } from './receiver.ts';

const SUBSCRIBED: ReadonlySet<string> = new Set(['app_home_opened', 'app_mention', 'message']);
/** How long a stop waits for what is under way, in milliseconds. */
const DRAIN = 10_000;

/** Slack's side of the bot: takes payloads, acknowledges them, hands them on once. */
export interface Slack {
  /** For HTTP mode: where Slack's requests come in. */
  route: Route | undefined;
  start(): Promise<void>;
  /** Takes nothing new and waits for what is under way. */
  stop(): Promise<void>;
  connected(): boolean;
}

export interface SlackServices {
  botToken: Secret;
  appToken?: Secret | undefined;
  signingSecret?: Secret | undefined;
  apiUrl: string;
  identity: Identity;
  client: webApi.WebClient;
  conversation: Conversation;
  deliveries: Deliveries;
  log: Logger;
  now: () => Date;
  /** Counts what came in, by kind. */
  count(kind: string): void;
}

/** One listener per kind of payload: Bolt's cost grows with each, and the map behind them is ours. */
export function createSlack(services: SlackServices): Slack {
  const { identity, conversation, deliveries, log, client, count } = services;
  const logger = createLibraryLog(log);
  const clientOptions = {
    slackApiUrl: `${services.apiUrl}/`,
    timeout: TIMEOUT,
    retryConfig: { retries: 2, minTimeout: 300, maxTimeout: 2_000 },
  };
  const httpReceiver =
    services.appToken === undefined && services.signingSecret !== undefined
      ? createReceiver({ signingSecret: services.signingSecret, now: services.now, log })
      : undefined;
  const receiver =
    httpReceiver ??
    new SocketModeReceiver({
      appToken: services.appToken?.reveal() ?? '',
      installerOptions: { clientOptions },
      logger,
    });
  const app = new App({
    receiver,
    convoStore: false,
    clientOptions,
    logger,
    authorize: async () => ({
      botToken: services.botToken.reveal(),
      botId: identity.botId,
      botUserId: identity.userId,
      teamId: identity.teamId,
    }),
  });

  let underway = 0;
  let stopping = false;

  /**
   * Hands a payload on once, whatever Slack or somebody else delivers again, and never lets an error out. `notBegun` says
   * that the store could not be asked whether it is the first time.
   */
  async function once(
    kind: string,
    key: string | undefined,
    work: () => Promise<void>,
    notBegun: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    underway += 1;
    try {
      count(kind);
      const isFirst = key === undefined || (await deliveries.first(`${kind}:${key}`).catch(notKnown(kind)));
      if (isFirst === undefined) await notBegun();
      else if (isFirst) await work();
      else log.info({ kind }, 'delivered before: dropped');
    } catch (error) {
      log.error({ err: error, kind }, 'a payload could not be handled');
    } finally {
      underway -= 1;
    }
  }

  const notKnown = (kind: string) => (error: unknown) => {
    log.error({ err: error, kind }, 'the store could not say whether it was delivered before');
    return undefined;
  };

  app.command(/.*/, async ({ command, ack }) => {
    await ack();
    const { user_id, team_id, channel_id, response_url, trigger_id, text } = command;
    const origin: Origin = {
      userId: user_id,
      teamId: team_id,
      place: { channelId: channel_id },
      responseUrl: response_url,
      triggerId: trigger_id,
    };
    await once(
      'command',
      trigger_id,
      () => conversation.typed(text ?? '', origin),
      () => conversation.notBegun(origin),
    );
  });

  app.action(/.*/, async ({ body, action, ack }) => {
    await ack();
    const one = parseAction(action);
    // Selects and inputs of a form tell of every change; only buttons mean something before the form is sent.
    const { value } = one;
    if (value === undefined) return;
    const press = parsePressed(body);
    const person = { userId: press.user.id, teamId: press.user.team_id ?? press.team?.id ?? '' };
    // What asks for something more, a form or a confirmation, stays as it is.
    const view = press.view?.callback_id === CALLBACKS.closed ? press.view : undefined;
    const remembered = view === undefined ? undefined : memoryOf(view);
    const origin: Origin = {
      ...person,
      place: { channelId: press.channel?.id ?? press.user.id, ...threadOf(press) },
      responseUrl: press.response_url,
      // A view stands in no channel: what is answered goes to where it was opened from.
      ...(remembered?.channel === undefined ? {} : originOf(remembered, person)),
      ...(view === undefined
        ? {}
        : { view: { id: view.id, title: view.title?.text ?? 'Edgewise', blocks: view.blocks ?? [] } }),
      triggerId: press.trigger_id,
    };
    await once(
      'action',
      `${press.trigger_id}:${one.action_id}`,
      () => conversation.pressed({ id: one.action_id, value }, origin),
      () => conversation.notBegun(origin),
    );
  });

  app.view(/.*/, async ({ body, view, ack }) => {
    const person = { userId: body.user.id, teamId: body.user.team_id ?? body.team?.id ?? '' };
    const { answer, work } = conversation.submitted(parseView(view), person);
    // A submission that Slack delivers again is answered again, and done once.
    await ack(answer as never);
    if (work === undefined) return;
    const origin: Origin = { ...person, place: { channelId: person.userId } };
    await once('view', `${view.id}:${view.hash}`, work, () => conversation.notBegun(origin, view.id));
  });

  app.view({ callback_id: /.*/, type: 'view_closed' }, async ({ body, view, ack }) => {
    await ack();
    const person = { userId: body.user.id, teamId: body.user.team_id ?? body.team?.id ?? '' };
    await once('closed', `${view.id}:${view.hash}`, () => conversation.closed(parseView(view), person));
  });

  app.options(/.*/, async ({ body, options, ack }) => {
    count('options');
    const { user, team, view } = parseAsked(body);
    const person = { userId: user.id, teamId: user.team_id ?? team?.id ?? '' };
    const found =
      view === undefined
        ? []
        : await conversation.suggest(view, String(options.block_id), String(options.value ?? ''), person);
    await ack({ options: optionsOf(found) });
  });

  app.event(/.*/, async ({ event, body }) => {
    // The manifest asks for no others, and others may have quite another shape.
    if (!SUBSCRIBED.has(event.type)) return;
    const came = parseEvent(event);
    const teamId = came.user_team ?? came.team ?? body.team_id;
    const { user } = came;
    if (user === undefined || came.bot_id !== undefined) return;
    if (came.type === 'app_home_opened') {
      if (came.tab !== 'messages') await once('event', body.event_id, () => conversation.home(user, teamId));
      return;
    }
    const direct =
      came.type === 'message' &&
      came.channel_type === 'im' &&
      (came.subtype === undefined || came.subtype === 'file_share');
    if ((came.type !== 'app_mention' && !direct) || came.channel === undefined) return;
    const origin: Origin = {
      userId: user,
      teamId,
      place: { channelId: came.channel, ...(came.thread_ts === undefined ? {} : { threadTs: came.thread_ts }) },
      fileIds: () => fileIdsOf({ client, log }, came),
    };
    await once(
      'event',
      body.event_id,
      () => conversation.typed(typedLineOf(came.text ?? '', identity.userId), origin),
      () => conversation.notBegun(origin),
    );
  });

  // A payload that is in no shape of Slack's ends here too.
  app.error(async (error) => {
    log.error({ err: error }, 'a payload could not be read, or Bolt met an error');
  });

  return {
    route: httpReceiver?.route,
    async start() {
      await app.start();
    },
    async stop() {
      stopping = true;
      await app.stop();
      const deadline = Date.now() + DRAIN;
      while (underway > 0 && Date.now() < deadline) await new Promise((settle) => setTimeout(settle, 25));
      if (underway > 0) log.warn({ underway }, 'stopped with work under way');
    },
    connected: () => !stopping,
  };
}

function threadOf(press: ReturnType<typeof parsePressed>): { threadTs?: string } {
  const thread = press.container?.thread_ts ?? press.message?.thread_ts;
  return thread === undefined ? {} : { threadTs: thread };
}
