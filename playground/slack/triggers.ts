/** Trigger ids: proof that a person has just done something. They live 3 seconds and open one view. */

import { randomUUID } from 'node:crypto';
import { addProblem } from './changes.ts';
import { nextId } from './ids.ts';
import { type Slack, SlackError } from './slack.ts';

const LIFETIME_MS = 3_000;

/** A trigger id for what the person did; `view` is the view they did it in. */
export function issueTrigger(slack: Slack, user: string, view?: string): string {
  const now = slack.now().getTime();
  const id = `${Math.floor(now / 1000)}.${nextId(slack, '')}.${randomUUID().replaceAll('-', '')}`;
  slack.triggers.set(id, { app: slack.app, user, view, expires: now + LIFETIME_MS, isUsed: false });
  return id;
}

/** Uses the trigger up, or throws the error that Slack answers. */
export function takeTrigger(slack: Slack, id: string): { user: string; view: string | undefined } {
  const trigger = slack.triggers.get(id);
  const refuse = (error: string): never => {
    addProblem(slack, `a view was opened with a trigger id that Slack refuses: ${error}`);
    throw new SlackError(error);
  };
  // A trigger is for the app that got it.
  if (trigger?.app !== slack.app) return refuse('invalid_trigger_id');
  if (trigger.isUsed) return refuse('exchanged_trigger_id');
  if (slack.now().getTime() > trigger.expires) return refuse('expired_trigger_id');
  trigger.isUsed = true;
  return { user: trigger.user, view: trigger.view };
}
