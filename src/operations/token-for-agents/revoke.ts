import { message, note } from '../../blocks/message.ts';
import { defineOperation } from '../operation.ts';
import { accessNow, NONE } from './create.ts';

export const revokeAgentToken = defineOperation({
  name: 'token-for-agents revoke',
  summary: 'End your token for agents at once',
  synonyms: { verbs: 'end, delete, remove, invalidate', nouns: 'agent token, agents token, mcp token, mcp' },
  title: 'Token for agents',
  effect: 'write',
  args: {},
  examples: ['token-for-agents revoke'],

  target: () => 'token for agents',

  words: ({ target }) => ({ button: 'Revoke', title: `Revoke your ${target}`, done: `revoked their ${target}` }),

  preview: async (_, context) => ({ before: await accessNow(context), after: { access: NONE } }),

  run: (_, { agentTokens, actor }) => agentTokens.revoke(actor),

  render: () => message(note('Whatever used it is refused from now on.')),

  whenUnknown: () => message('The token may still work. Revoke it again.'),
});
