import type { AddressInfo } from 'node:net';
import { App, type Logger, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { type EmulatorOptions, type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';

/** An emulator with a real Bolt app behind it, over HTTP or Socket Mode. */
export interface Stage {
  slack: SlackEmulator;
  app: App;
  [Symbol.asyncDispose](): Promise<void>;
}

const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Starts both; `register` adds the app's listeners. */
export async function stage(
  register: (app: App) => void,
  options: EmulatorOptions & { socket?: boolean; clientPingTimeout?: number } = {},
): Promise<Stage> {
  const { socket = false, clientPingTimeout = 5_000, ...rest } = options;
  const slack = await startSlackEmulator({ ...rest, ...(socket ? { deliverTo: 'socket' } : {}) });
  const { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, SLACK_API_URL, SLACK_APP_TOKEN } = slack.environment;
  const app = new App({
    token: SLACK_BOT_TOKEN!,
    signingSecret: SLACK_SIGNING_SECRET!,
    ...(socket
      ? {
          receiver: new SocketModeReceiver({
            appToken: SLACK_APP_TOKEN!,
            clientPingTimeout,
            installerOptions: { clientOptions: { slackApiUrl: SLACK_API_URL! } },
            logger: quiet,
          }),
        }
      : {}),
    deferInitialization: true,
    clientOptions: { slackApiUrl: SLACK_API_URL!, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
    logger: quiet,
  });
  register(app);
  await app.init();
  const server = await app.start(0);
  if (!socket) {
    const { port } = (server as { address(): AddressInfo }).address();
    slack.deliverTo({ eventsUrl: `http://127.0.0.1:${port}/slack/events` });
  }
  return {
    slack,
    app,
    async [Symbol.asyncDispose]() {
      const stopping = app.stop();
      if (!socket) (server as { closeAllConnections(): void }).closeAllConnections();
      await stopping;
      await slack.close();
    },
  };
}
