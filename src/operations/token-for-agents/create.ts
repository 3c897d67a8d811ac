import { codeBlock, message, note } from '../../blocks/message.ts';
import { bold, moment, mrkdwn } from '../../blocks/mrkdwn.ts';
import { AGENT_TOKEN_LIFETIME } from '../../store/agent-tokens.ts';
import { isoDay } from '../../time.ts';
import type { Context } from '../context.ts';
import { defineOperation, warningsOf, wordsWith } from '../operation.ts';

export const NONE = 'none';

export async function accessNow({ agentTokens, actor }: Context): Promise<{ access: string }> {
  const until = await agentTokens.until(actor);
  return { access: until === undefined ? NONE : `until ${isoDay(until)}` };
}

export const createAgentToken = defineOperation({
  name: 'token-for-agents create',
  summary: 'Make your token for agents, which read and ask in your name',
  synonyms: { verbs: 'make, new, issue', nouns: 'agent token, agents token, mcp token, mcp' },
  title: 'Token for agents',
  effect: 'write',
  args: {},
  examples: ['token-for-agents create'],

  target: () => 'token for agents',

  words: ({ target }) => wordsWith('Create', 'created', mrkdwn`a ${target}`),

  async preview(_, context) {
    const before = await accessNow(context);
    return {
      before,
      after: { access: `for ${AGENT_TOKEN_LIFETIME} days, with a new token` },
      warnings: warningsOf(before.access !== NONE && 'Your current token stops working at once.'),
      details: message(
        'With it an agent reads what you may read. What it wants to change comes to you here as a preview: nothing happens unless you press the button.',
        note('It is shown once, to you alone.'),
      ),
    };
  },

  run: (_, { agentTokens, actor }) => agentTokens.create(actor),

  render: ({ until }) => message(note(mrkdwn`It is valid until ${moment(until)}. It changes nothing by itself.`)),

  reveal: ({ token, until }) =>
    message(
      mrkdwn`${bold('Your token for agents')}, valid until ${moment(until)}\nIt is shown once, here, to you alone. Copy it now.`,
      codeBlock(`EDGEWISE_TOKEN=${token.reveal()}`),
      note('Whoever has it reads as you do. docs/agents.md says where an agent takes it.'),
    ),

  whenUnknown: () => message('A token that nobody saw may have been created. Create another one: that invalidates it.'),
});
