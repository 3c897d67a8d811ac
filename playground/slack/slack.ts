/** The parts of one emulator, wired. */

import { type Core, createCore } from './core.ts';
import { createDelivery, type DeliveryDesk } from './delivery.ts';
import type { Lookups } from './elements.ts';
import type { EmulatorOptions } from './emulator.ts';
import { fileObject } from './files.ts';
import { createResponseUrls, type ResponseUrls } from './response-urls.ts';
import { createSocketMode, type SocketMode } from './socket-mode.ts';
import { createTriggers, type Triggers } from './triggers.ts';
import type { UiOption, UiValues } from './ui-types.ts';
import { createViews, type Views } from './views.ts';

export interface Slack {
  core: Core;
  socket: SocketMode;
  delivery: DeliveryDesk;
  triggers: Triggers;
  responseUrls: ResponseUrls;
  views: Views;
  /** What people chose in messages: by `user channel ts`. */
  messageValues: Map<string, UiValues>;
  /** Options that external selects were given, by `block action value`. */
  suggested: Map<string, UiOption>;
  lookups: Lookups;
}

export function createSlack(options: EmulatorOptions): Slack {
  const core = createCore(options);
  const socket = createSocketMode(core);
  const triggers = createTriggers(core);
  const suggested = new Map<string, UiOption>();
  return {
    core,
    socket,
    delivery: createDelivery(core, socket),
    triggers,
    responseUrls: createResponseUrls(core),
    views: createViews(core, triggers),
    messageValues: new Map(),
    suggested,
    lookups: {
      suggested: (block, action, value) => suggested.get(`${block} ${action} ${value}`),
      file: (id) => {
        const file = core.workspace.files.get(id);
        return file && fileObject(core, file);
      },
    },
  };
}
