import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { SubmittedView } from '../views.ts';

/** Slack sends null where it has nothing, as in `team` of an installation for a whole organisation. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
const text = z.string();
const withId = z.object({ id: text });
const user = z.object({ id: text, team_id: optional(text) });
const inThread = optional(z.object({ thread_ts: optional(text) }));
const option = z.object({ value: text });

/** What Slack sends of one input. */
const input = z.object({
  value: text.nullish(),
  selected_option: option.nullish(),
  selected_options: z.array(option).optional(),
  selected_date: text.nullish(),
  selected_conversation: text.nullish(),
  files: z.array(withId).optional(),
});

const view = z
  .object({
    id: text,
    callback_id: text,
    private_metadata: optional(text),
    state: optional(z.object({ values: optional(z.record(text, z.record(text, input))) })),
  })
  .transform(
    ({ id, callback_id, private_metadata, state }): SubmittedView => ({
      id,
      callback_id,
      private_metadata,
      values: state?.values ?? {},
    }),
  );

/** What a button stood in. The blocks are Slack's own, as they were sent to it. */
const standing = z.object({
  id: text,
  callback_id: optional(text),
  private_metadata: optional(text),
  title: optional(z.object({ text })),
  blocks: optional(z.array(z.custom<KnownBlock>((block) => typeof block === 'object' && block !== null))),
});

const pressed = z.object({
  user,
  team: optional(withId),
  view: optional(standing),
  channel: optional(withId),
  trigger_id: text,
  response_url: optional(text),
  container: inThread,
  message: inThread,
});

const action = z.object({ action_id: text, value: optional(text) });

const asked = z.object({ user, team: optional(withId), view: optional(view) });

const event = z.object({
  type: text,
  subtype: optional(text),
  user: optional(text),
  user_team: optional(text),
  team: optional(text),
  bot_id: optional(text),
  channel: optional(text),
  channel_type: optional(text),
  thread_ts: optional(text),
  text: optional(text),
  tab: optional(text),
  files: optional(z.array(withId)),
});

/** An event that people cause: a mention, a direct message, a look at the Home tab. */
export type IncomingEvent = z.output<typeof event>;

/*
 * Slack's payloads as far as the bot reads them, checked: Bolt's types promise more than Slack sends. All throw ZodError for
 * what is none.
 */
export const parsePressed = (body: unknown) => pressed.parse(body);
export const parseAction = (given: unknown) => action.parse(given);
export const parseView = (given: unknown): SubmittedView => view.parse(given);
export const parseAsked = (body: unknown) => asked.parse(body);
export const parseEvent = (given: unknown): IncomingEvent => event.parse(given);
