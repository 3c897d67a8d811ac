import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll } from 'vitest';
import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';

export const OPS = 'C0OPS000001';
export const ADA = 'U0ADA000001';
export const BOT = 'U0EDGEWISE1';

/** A clock that only moves when told. */
export function clock() {
  let at = Date.parse('2026-03-01T12:00:00Z');
  return {
    now: () => new Date(at),
    pass: (milliseconds: number) => {
      at += milliseconds;
    },
  };
}

const none = (): void => undefined;

/** The real web client of the bot's token, or of another. */
export function clientOf(slack: SlackEmulator, token = slack.environment.SLACK_BOT_TOKEN ?? ''): WebClient {
  return new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: {
      debug: none,
      info: none,
      warn: none,
      error: none,
      setLevel: none,
      getLevel: () => 'error' as never,
      setName: none,
    },
  });
}
/** The error that Slack answered, with what came along. */
export async function refusal(call: Promise<unknown>): Promise<{ error?: string; [field: string]: unknown }> {
  return call.then(
    () => ({ error: 'nothing was refused' }),
    (failure: { data?: { error?: string }; retryAfter?: number }) => failure.data ?? { retryAfter: failure.retryAfter },
  );
}

/** An emulator for the tests of one file, with the bot's web client and a clock that only moves when told. */
export function useWebApi() {
  const time = clock();
  const started: { slack?: SlackEmulator; client?: WebClient } = {};
  beforeAll(async () => {
    started.slack = await startSlackEmulator({ now: time.now });
    started.client = clientOf(started.slack);
  });
  afterAll(() => started.slack?.close());
  return {
    time,
    get slack() {
      return started.slack as SlackEmulator;
    },
    get client() {
      return started.client as WebClient;
    },
  };
}
