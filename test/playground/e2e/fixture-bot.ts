/** A small bot of the tests' own: it posts every kind of block and opens every kind of form, so that the page is tried without Edgewise. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, LogLevel } from '@slack/bolt';
import { chartBlocks, elementBlocks, moreChartBlocks, tableBlocks, textBlocks } from './fixture-blocks.ts';
import { formView, homeBlocks, loadingView, stackedView } from './fixture-views.ts';

export interface FixtureBot {
  eventsUrl: string;
  /** Lets `/edge slow`, which waits for it, answer. */
  goOn(): void;
  close(): Promise<void>;
}

/** The commands it knows, for the emulator. */
export const fixtureCommands = [
  {
    command: '/edge',
    description: 'Try the page',
    usageHint: 'text | elements | charts | tables | form | stack | secret | slow | file | say <words>',
  },
];

/** Starts it on a free port with the emulator's environment. */
export async function startFixtureBot(environment: Record<string, string>): Promise<FixtureBot> {
  const app = new App({
    token: environment.SLACK_BOT_TOKEN ?? '',
    signingSecret: environment.SLACK_SIGNING_SECRET ?? '',
    deferInitialization: true,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: environment.SLACK_API_URL ?? '', retryConfig: { retries: 0 } },
  });

  let goOn = () => {};
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve;
  });

  registerCommand(app, waiting);
  registerElements(app);
  registerViews(app);
  registerEvents(app);

  await app.init();
  const server = (await app.start(0)) as Server;
  return {
    eventsUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`,
    goOn: () => goOn(),
    async close() {
      goOn();
      server.closeAllConnections();
      await app.stop();
    },
  };
}

/** Each word after `/edge` posts or opens something else. */
function registerCommand(app: App, waiting: Promise<void>): void {
  app.command('/edge', async ({ ack, command, client, respond }) => {
    // Not even an ack: the person waits for Slack, as they would.
    if (command.text === 'slow') await waiting;
    await ack();
    const { channel_id: channel, user_id: user, trigger_id } = command;
    const [word = '', ...rest] = command.text.split(' ');
    const post = { text: 'Blocks for the page', channel };
    if (word === 'text') await client.chat.postMessage({ ...post, blocks: textBlocks });
    else if (word === 'elements') await client.chat.postMessage({ ...post, blocks: elementBlocks });
    else if (word === 'charts') await client.chat.postMessage({ ...post, blocks: chartBlocks });
    else if (word === 'more-charts') await client.chat.postMessage({ ...post, blocks: moreChartBlocks });
    else if (word === 'tables') await client.chat.postMessage({ ...post, blocks: tableBlocks });
    else if (word === 'form') {
      const opened = await client.views.open({ trigger_id, view: loadingView });
      await client.views.update({ view_id: opened.view?.id ?? '', view: { ...formView, private_metadata: channel } });
    } else if (word === 'stack') await client.views.open({ trigger_id, view: stackedView(1) });
    else if (word === 'file')
      await client.filesUploadV2({
        channel_id: channel,
        filename: 'access.csv',
        title: 'Access log',
        file: Buffer.from('path,requests\n/,42\n'),
      });
    else if (word === 'slow') await respond({ text: 'That took its time.', response_type: 'ephemeral' });
    else if (word === 'secret')
      await client.chat.postEphemeral({ channel, user, text: `A word for <@${user}> alone.` });
    else if (word === 'say') await respond({ response_type: 'in_channel', text: rest.join(' ') });
    else await respond({ text: `\`${word}\` is not a command. Did you mean \`form\`?`, response_type: 'ephemeral' });
  });
}

/** Buttons and menus say that they were used; external selects have scripts. */
function registerElements(app: App): void {
  app.action(/.*/, async ({ ack, body, action, client, respond }) => {
    await ack();
    const id = 'action_id' in action ? action.action_id : '';
    if (id === 'push' && 'trigger_id' in body && 'value' in action) {
      await client.views.push({ trigger_id: body.trigger_id, view: stackedView(Number(action.value)) });
      return;
    }
    const said = JSON.stringify(chosenOf(action));
    if (body.type === 'block_actions' && body.message && id === 'run')
      await client.chat.update({
        channel: body.channel?.id ?? '',
        ts: body.message.ts ?? '',
        text: 'Done.',
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text: `:white_check_mark: Run by <@${body.user.id}>` } }],
      });
    else if (body.type === 'block_actions' && body.message)
      await respond({ text: `You used \`${id}\`: ${said}`, response_type: 'ephemeral', replace_original: false });
  });

  app.options(/.*/, async ({ ack, options }) => {
    const names = ['checkout-redirects', 'image-resizer', 'geo-router', 'header-rewriter', 'ab-test'];
    await ack({
      options: names
        .filter((name) => name.includes(options.value))
        .map((name, at) => ({ text: { type: 'plain_text', text: name }, value: String(4100 + at) })),
    });
  });
}

/** The form wants a hostname with a dot. */
function registerViews(app: App): void {
  app.view('form', async ({ ack, view, body, client }) => {
    const hostname = view.state.values.hostname?.value?.value ?? '';
    if (!hostname.includes('.')) {
      await ack({ response_action: 'errors', errors: { hostname: `${hostname || 'That'} is not a hostname.` } });
      return;
    }
    await ack();
    const file = view.state.values.file?.value as { files?: { name: string }[] } | undefined;
    const state = view.state.values.state?.value?.selected_option?.value;
    await client.chat.postMessage({
      channel: view.private_metadata,
      text: `<@${body.user.id}> sent ${hostname} ${state}${file?.files?.[0] ? ` with ${file.files[0].name}` : ''}`,
    });
  });
}

/** Mentions are answered in their thread, and the home is published when it is opened. */
function registerEvents(app: App): void {
  app.event('app_mention', async ({ event, client }) => {
    await client.chat.postMessage({
      channel: event.channel,
      thread_ts: event.thread_ts ?? event.ts,
      text: `You said: ${event.text}`,
    });
  });

  app.event('app_home_opened', async ({ event, client }) => {
    if (event.tab === 'home')
      await client.views.publish({ user_id: event.user, view: { type: 'home', blocks: homeBlocks } });
  });
}

function chosenOf(action: object): unknown {
  const all = action as Record<string, unknown>;
  const option = (value: unknown) => (value as { value?: string } | null)?.value;
  if (all.selected_options) return (all.selected_options as unknown[]).map(option);
  return option(all.selected_option) ?? all.selected_date ?? all.selected_time ?? all.selected_user ?? all.value;
}
