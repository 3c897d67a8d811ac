import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { type Message, message } from '../../src/blocks/message.ts';
import type { Outcome } from '../../src/changes/execute.ts';
import type { ChangeServices } from '../../src/changes/services.ts';
import type { ApprovalConversation } from '../../src/slack/approval.ts';
import type { Origin } from '../../src/slack/origin.ts';
import type { Outgoing } from '../../src/slack/out/outgoing.ts';
import { createEnding } from '../../src/slack/outcome.ts';
import type { Confirmation } from '../../src/store/confirmations.ts';

const confirmation = {
  id: 'c1',
  operation: 'app delete',
  channel: 'C0OPS',
  actor: 'U0ADA',
  post: { channel: 'C0OPS', ts: '1.2' },
} as Confirmation;

it.each([
  ['read', { read: async () => Promise.reject(new Error('the store is gone')) }, {}],
  ['drawn', { read: async () => confirmation }, { refresh: async () => Promise.reject(new Error('Slack is gone')) }],
])('the end is told even where the card of the approval cannot be %s', async (_, read, refresh) => {
  const said: string[] = [];
  const logged: string[] = [];
  const told = vi.fn(async () => undefined);
  const { end } = createEnding({
    changes: {
      store: { confirmations: { ...read, told } },
      operations: [{ name: 'app delete' }],
      unnotified: new Set(['c1']),
    } as unknown as ChangeServices,
    outgoing: { toChannel: async () => ({ channel: 'C0OPS', ts: '1.3', direct: false }) } as unknown as Outgoing,
    approval: refresh as unknown as ApprovalConversation,
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    operationNamed: () => undefined,
    tell: async () => undefined,
  });
  const outcome: Outcome = { kind: 'done', confirmation, message: message('It is gone.') };
  await end(outcome, undefined, {} as Origin, undefined, async ({ text }: Message) => void said.push(text));
  expect(said).toEqual(['Done. It is in the channel for everybody.']);
  expect(told).toHaveBeenCalledWith('c1');
  expect(logged.join()).toContain('could not be brought up to date');
});
