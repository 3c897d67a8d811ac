/** Events of the Events API, each in its outer frame. */

import { deliver } from './delivery.ts';
import { nextId, nextTs } from './ids.ts';
import { VERIFICATION_TOKEN } from './payloads.ts';
import type { Slack } from './slack.ts';
import type { UiAnswer } from './ui-types.ts';
import { viewObject } from './views.ts';
import { isStranger, type User } from './workspace.ts';

/** The events of an app that says nothing about them. */
const USUAL_EVENTS = ['app_mention', 'message.im', 'app_home_opened'];

/** Sends an event, when the bot subscribed to it. */
export async function sendEvent(slack: Slack, event: Record<string, unknown>): Promise<void> {
  const name = event.type === 'message' ? `message.${String(event.channel_type)}` : String(event.type);
  if (!(slack.options.events ?? USUAL_EVENTS).includes(name)) return;
  const { team, enterprise } = slack.workspace;
  await deliver(slack, 'events_api', {
    token: VERIFICATION_TOKEN,
    team_id: team.id,
    ...(enterprise ? { enterprise_id: enterprise.id } : {}),
    context_team_id: team.id,
    context_enterprise_id: enterprise?.id ?? null,
    api_app_id: slack.app.id,
    event,
    type: 'event_callback',
    event_id: nextId(slack, 'Ev'),
    event_time: Math.floor(slack.now().getTime() / 1000),
    authorizations: [
      {
        enterprise_id: enterprise?.id ?? null,
        team_id: enterprise?.isOrgInstall ? null : team.id,
        user_id: slack.app.userId,
        is_bot: true,
        is_enterprise_install: enterprise?.isOrgInstall ?? false,
      },
    ],
    is_ext_shared_channel: isShared(slack, String(event.channel ?? '')),
    event_context: nextId(slack, '4-'),
  });
}

/** Says whether people of another workspace are in the channel. */
function isShared({ workspace }: Slack, id: string): boolean {
  const members = [...(workspace.channels.get(id)?.members ?? [])];
  return members.some((member) => {
    const user = workspace.users.get(member);
    return user !== undefined && isStranger(workspace, user);
  });
}

/** Opens the App Home. */
export async function openHome(slack: Slack, user: User, tab: 'home' | 'messages' = 'home'): Promise<UiAnswer> {
  const home = slack.homes.get(user.id);
  await sendEvent(slack, {
    type: 'app_home_opened',
    user: user.id,
    channel: slack.workspace.directMessage(user.id).id,
    tab,
    event_ts: nextTs(slack),
    ...(home && tab === 'home' ? { view: viewObject(slack, home) } : {}),
  });
  return { ok: true };
}
