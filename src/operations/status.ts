import { dayAndTime, duration, time } from '../blocks/format.ts';
import { fields, message } from '../blocks/message.ts';
import { bold, mrkdwn } from '../blocks/mrkdwn.ts';
import { DAY } from '../time.ts';
import type { PartState, Reader } from './context.ts';
import { troubleNow, troubleParts } from './now.ts';
import { defineOperation } from './operation.ts';

export const status = defineOperation({
  name: 'status',
  summary: 'Show whether the bot and what it depends on are well',
  synonyms: {
    verbs: 'well, alive, running, up, working',
    nouns: 'health, healthy, ok, well, state, uptime, the bot, this bot, edgewise',
  },
  effect: 'read',
  args: {},
  audited: 'never',

  target: () => 'Edgewise',

  run: async (_, { health, policy, ...context }) => ({
    parts: await health.read(),
    trouble: await troubleNow(context, policy.may),
  }),

  render: ({ parts, trouble }, _, reader) =>
    message(
      bold(parts.every((part) => part.ok) ? 'The bot is healthy.' : 'Something is wrong with the bot.'),
      ...troubleParts(trouble),
      fields(parts.map((part) => [part.name, mrkdwn`${part.ok ? '✅' : '❌'} ${detailOf(part, reader)}`])),
    ),
});

/** `Socket Mode, 2 connections; away 12 s at 10:31 AM GMT+1`. */
function detailOf({ detail, away }: PartState, reader: Reader): string {
  const state = detail instanceof Date ? dayAndTime(detail, reader) : detail;
  if (away === undefined) return state;
  const length = away.until.getTime() - away.from.getTime();
  const isRecent = reader.now.getTime() - away.from.getTime() < DAY;
  return `${state}; away ${duration(length, reader)} at ${(isRecent ? time : dayAndTime)(away.from, reader)}`;
}
