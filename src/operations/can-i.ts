import { message, note } from '../blocks/message.ts';
import { bold, code, join, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { rest } from './arguments/plain.ts';
import { defineOperation } from './operation.ts';

export const canI = defineOperation({
  name: 'can-i',
  summary: 'Say whether you may run a command here, and by which rule',
  effect: 'read',
  args: { command: rest('Command', { hint: 'Such as ssl force' }) },
  examples: ['can-i ssl force'],

  target: ({ command }) => command,

  run: async ({ command }, { policy }) => {
    const words = command
      .trim()
      .toLowerCase()
      .replace(/^\/edge\s+/, '')
      .split(/\s+/);
    const name = policy.all().find(({ name }) => name === words.slice(0, 2).join(' ') || name === words[0])?.name;
    return { name: name ?? words.join(' '), ...policy.decide(name ?? words.join(' ')) };
  },

  render: ({ name, allowed, rule, whom }) =>
    message(
      mrkdwn`${bold(allowed ? 'Yes' : 'No')}, you ${allowed ? 'may' : 'may not'} run ${code(name)} here: ${rule}.`,
      !allowed && whom.length > 0 && note(mrkdwn`Ask ${join(whom.slice(0, 5).map(user), ', ')}.`),
    ),
});
