import { dayAndTime } from '../blocks/format.ts';
import { fields, message } from '../blocks/message.ts';
import { bold, mrkdwn } from '../blocks/mrkdwn.ts';
import { defineOperation } from './operation.ts';

export const status = defineOperation({
  name: 'status',
  summary: 'Show whether the bot and what it depends on are well',
  effect: 'read',
  args: {},
  audited: 'never',

  target: () => 'Edgewise',

  run: (_, { health }) => health.read(),

  render: (parts, _, reader) =>
    message(
      bold(parts.every((part) => part.ok) ? 'Everything is well.' : 'Something is wrong.'),
      fields(
        parts.map(({ name, ok, detail }) => [
          name,
          mrkdwn`${ok ? '✅' : '❌'} ${detail instanceof Date ? dayAndTime(detail, reader) : detail}`,
        ]),
      ),
    ),
});
