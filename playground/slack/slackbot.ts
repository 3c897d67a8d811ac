/** Slack's own words to a person, word for word where they are known. */

import { postMessage } from './messages.ts';
import type { Slack } from './slack.ts';
import { SLACKBOT_ID } from './workspace.ts';

/** Beside a form whose submission the bot did not answer, or answered wrongly. */
export const TROUBLE_CONNECTING = 'We had some trouble connecting. Try again?';

/** A line from Slackbot that only this person sees. */
export function tellFromSlackbot(slack: Slack, channel: string, user: string, text: string, threadTs?: string): void {
  postMessage(slack, { channel, user: SLACKBOT_ID, text, ephemeralTo: user, threadTs });
}

/** The reason why a command did nothing: `operation_timeout` after 3 seconds, `dispatch_failed` when the bot answered no 2xx. */
export function commandFailed(command: string, error: string): string {
  return `${command} failed with the error "${error}"`;
}

/** Beside a button or a menu whose press the bot did not answer. */
export function pressFailed(error: string): string {
  return `This app responded with an error: ${error}. Try again, or ask whoever runs it.`;
}
