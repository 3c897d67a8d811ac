import { message, note } from '../blocks/message.ts';
import { bold, code, mrkdwn, written } from '../blocks/mrkdwn.ts';
import { rest } from './arguments/plain.ts';
import { defineOperation } from './operation.ts';

export const canI = defineOperation({
  name: 'can-i',
  summary: 'Say whether you may run a command here, and by which rule',
  synonyms: { verbs: 'may, allowed, permitted, permission, permissions, right, rights, able, forbidden, denied' },
  effect: 'read',
  args: {
    command: {
      ...rest('Command', { hint: 'Such as ssl force; with its arguments, for that target' }),
      fromMessage: 'command',
    },
  },
  examples: ['can-i ssl force', 'can-i ssl force cdn.example.com on'],
  title: 'Can I',
  permission: 'every member',

  target: ({ command }) => command,

  run: ({ command }, { policy }) => policy.check(command),

  render: ({ operation, allowed, rule, tentative, approval, hint }, { command }) =>
    message(
      mrkdwn`${bold(allowed ? 'Yes' : 'No')}, you ${allowed ? 'may' : 'may not'} run ${code(operation)} here: ${rule}.`,
      tentative &&
        note(mrkdwn`It depends on the target. Ask again with the full command: ${code(command)} and its arguments.`),
      approval !== undefined && note(mrkdwn`It needs ${written(approval)}.`),
      hint !== undefined && note(written(hint)),
    ),
});
