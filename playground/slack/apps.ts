/** More than one app in a workspace: which of them is meant. */

import { type App, createSockets, createTokens, type OtherApp, type Slack } from './slack.ts';
import type { UiContainer } from './ui-types.ts';
import { addBot } from './workspace.ts';

/** Installs another app. Its record is the first one's, but for what each has of its own. */
export function installApp(slack: Slack, { name, realName, shortcuts = [], ...options }: OtherApp): Slack {
  const number = slack.apps.length + 1;
  const app: App = { id: `A0EDGEWISE${number}`, botId: `B0EDGEWISE${number}`, userId: `U0EDGEWISE${number}` };
  const own: Slack = Object.assign(Object.create(slack), {
    app,
    ...createTokens(),
    workspace: addBot(slack.workspace, { id: app.userId, name, realName }),
    options: {
      ...slack.options,
      ...options,
      shortcuts: shortcuts.map((one) => ({
        ...one,
        name: `${one.name} (${name})`,
        callbackId: `${one.callbackId} from ${app.id}`,
      })),
    },
    sockets: createSockets(),
    homes: new Map(),
    postBudgets: new Map(),
  });
  slack.apps.push(own);
  return own;
}

/** The record of an app; of the first, where none is known. */
export function recordOf(slack: Slack, app: App | undefined): Slack {
  return slack.apps.find((own) => own.app === app) ?? slack;
}

/** The record of the app to which a message or a view belongs. */
export function ownerOf(slack: Slack, at: UiContainer): Slack {
  if ('view' in at) {
    const views = [...slack.stacks.values(), ...slack.apps.map(({ homes }) => [...homes.values()])].flat();
    return recordOf(slack, views.find(({ id }) => id === at.view)?.app);
  }
  const botId = slack.workspace.message(at.channel, at.ts)?.botId;
  return slack.apps.find(({ app }) => app.botId === botId) ?? slack;
}
