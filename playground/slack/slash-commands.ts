/** Slash commands, and what the person sees when the bot answers none. */

import { deliver } from './delivery.ts';
import { channelName, VERIFICATION_TOKEN } from './payloads.ts';
import { applyResponse, issueResponseUrl, type Response } from './response-urls.ts';
import type { Slack } from './slack.ts';
import { commandFailed, tellFromSlackbot } from './slackbot.ts';
import { issueTrigger } from './triggers.ts';
import type { UiAnswer } from './ui-types.ts';
import { isStranger, type User, type Workspace } from './workspace.ts';

/** Runs a slash command; every trouble is told by Slackbot. */
export async function runCommand(
  any: Slack,
  user: User,
  input: { channel: string; text: string; thread?: string | undefined },
): Promise<UiAnswer> {
  const [, command = '', text = ''] = /^(\/\S*)\s*([\s\S]*)$/.exec(input.text) ?? [];
  const has = ({ options }: Slack): boolean => options.commands?.some((each) => each.command === command) === true;
  // The one that was installed last has it.
  const slack = any.apps.findLast(has) ?? any;
  const { workspace } = slack;
  const channel = workspace.channel(input.channel);
  if (input.thread !== undefined) {
    tellFromSlackbot(slack, channel.id, user.id, `${command} is not supported in threads. Sorry!`, input.thread);
    return { ok: true };
  }
  if (slack.options.commands && !has(slack)) {
    const sorry = `${command} is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.`;
    tellFromSlackbot(slack, channel.id, user.id, sorry);
    return { ok: true };
  }
  const ack = await deliver(slack, 'slash_commands', {
    token: VERIFICATION_TOKEN,
    ...placeOf(workspace, user),
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: user.id,
    user_name: user.name,
    command,
    text: text.trim(),
    api_app_id: slack.app.id,
    is_enterprise_install: String(workspace.enterprise?.isOrgInstall ?? false),
    response_url: issueResponseUrl(slack, channel.id, user.id),
    trigger_id: issueTrigger(slack, user.id),
  });
  if (!ack.ok) {
    tellFromSlackbot(slack, channel.id, user.id, commandFailed(command, ack.error));
    return { ok: true };
  }
  const response = responseOf(ack.body);
  if (response) {
    try {
      applyResponse(slack, response, { channel: channel.id, user: user.id });
    } catch {
      tellFromSlackbot(slack, channel.id, user.id, commandFailed(command, 'invalid_command_response'));
    }
  }
  return { ok: true };
}

/** Where a command was typed: for people of elsewhere that is their own workspace. */
function placeOf(workspace: Workspace, user: User): Record<string, string> {
  const { team, otherTeam, enterprise } = workspace;
  const isForeign = isStranger(workspace, user);
  if (enterprise === undefined || (isForeign && user.teams === undefined)) {
    return isForeign
      ? { team_id: user.teamId, team_domain: otherTeam.domain }
      : { team_id: team.id, team_domain: team.domain };
  }
  const { id, domain } = isForeign ? enterprise.sister : team;
  return { team_id: id, team_domain: domain, enterprise_id: enterprise.id, enterprise_name: enterprise.name };
}

function responseOf(body: unknown): Response | undefined {
  if (typeof body === 'string') return { text: body };
  if (typeof body !== 'object' || body === null) return undefined;
  const response = body as Response;
  return response.text !== undefined || response.blocks !== undefined ? response : undefined;
}
