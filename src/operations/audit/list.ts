import { time } from '../../blocks/format.ts';
import { message, note } from '../../blocks/message.ts';
import { table } from '../../blocks/table.ts';
import { flagged, number, text } from '../arguments/plain.ts';
import { defineOperation } from '../operation.ts';

const MOST = 100;

export const auditList = defineOperation({
  name: 'audit list',
  summary: 'Show who did what, where, and how it ended',
  effect: 'read',
  args: {
    actor: flagged(text('Person', { hint: 'A Slack user id, or a mention', maxLength: 100 })),
    command: flagged(text('Command', { hint: 'Such as `ssl force`, or `ssl` for all of them', maxLength: 100 })),
    target: flagged(
      text('Target', { hint: 'A part of a zone’s, hostname’s, app’s or database’s name', maxLength: 200 }),
    ),
    limit: flagged(number('Limit', { minimum: 1, maximum: MOST })),
  },
  examples: ['audit list', 'audit list --target cdn.shop.example', 'audit list --command "token regenerate"'],

  target: ({ actor, command, target }) =>
    [actor, command, target].filter((part) => part !== undefined).join(' ') || 'everything',

  run: ({ actor, command, target, limit }, { audit }) =>
    audit.list({
      actor: actor === undefined ? undefined : (/^<@([UW][A-Z0-9]+)(?:\|[^>]*)?>$/.exec(actor)?.[1] ?? actor),
      operation: command
        ?.trim()
        .toLowerCase()
        .replace(/^\/edge\s+/, ''),
      target,
      limit: limit ?? 25,
    }),

  render: (entries, { limit }, reader) =>
    entries.length === 0
      ? message('Nothing is remembered that fits.')
      : message(
          table({
            caption: `Audit, newest first`,
            columns: [
              { label: 'When' },
              { label: 'Who' },
              { label: 'Command' },
              { label: 'Target' },
              { label: 'Outcome' },
              { label: 'Detail' },
            ],
            rows: entries.map((entry) => [
              time(entry.at, reader),
              entry.actor,
              entry.operation,
              entry.target,
              entry.outcome,
              entry.detail,
            ]),
          }),
          entries.length === (limit ?? 25) &&
            note(
              `The newest ${entries.length}. Older ones: \`--limit ${MOST}\`, or filter by --target, --command, --actor.`,
            ),
        ),
});
