/** Trigger ids: proof that a person has just done something. They live 3 seconds and open one view. */

import { type Core, SlackError } from './core.ts';

const LIFETIME_MS = 3_000;

interface Trigger {
  user: string;
  /** The view the person acted in; only such a trigger may push. */
  view: string | undefined;
  expires: number;
  isUsed: boolean;
}

export interface Triggers {
  issue(user: string, view?: string): string;
  /** Uses the trigger up, or throws the error that Slack answers. */
  take(id: string): { user: string; view: string | undefined };
}

export function createTriggers(core: Core): Triggers {
  const triggers = new Map<string, Trigger>();
  return {
    issue(user, view) {
      const id = `${Math.floor(core.now().getTime() / 1000)}.${core.nextId('')}.${crypto.randomUUID().replaceAll('-', '')}`;
      triggers.set(id, { user, view, expires: core.now().getTime() + LIFETIME_MS, isUsed: false });
      return id;
    },
    take(id) {
      const trigger = triggers.get(id);
      const refuse = (error: string): never => {
        core.problem(`a view was opened with a trigger id that Slack refuses: ${error}`);
        throw new SlackError(error);
      };
      if (!trigger) return refuse('invalid_trigger_id');
      if (trigger.isUsed) return refuse('exchanged_trigger_id');
      if (core.now().getTime() > trigger.expires) return refuse('expired_trigger_id');
      trigger.isUsed = true;
      return { user: trigger.user, view: trigger.view };
    },
  };
}
