import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { type Message, message } from '../../src/blocks/message.ts';
import type { Outcome } from '../../src/changes/execute.ts';
import { showOutcome } from '../../src/slack/outcome.ts';
import type { Bot, Origin } from '../../src/slack/services.ts';
import type { Confirmation } from '../../src/store/confirmations.ts';

const confirmation = {
  id: 'c1',
  operation: 'app delete',
  channel: 'C0OPS',
  actor: 'U0ADA',
  post: { channel: 'C0OPS', ts: '1.2' },
} as Confirmation;

it.each([
  ['read', async () => Promise.reject(new Error('the store is gone'))],
  ['drawn', async () => confirmation],
])('the end is told even where the card of the approval cannot be %s', async (_, read) => {
  const said: string[] = [];
  const logged: string[] = [];
  const notified = vi.fn(async () => undefined);
  const services = {
    store: {
      confirmations: { read, notified },
      approvals: { verdicts: async () => Promise.reject(new Error('the verdicts are gone')) },
    },
    operations: [{ name: 'app delete', args: {} }],
    policy: { approvalFor: () => undefined, decide: () => ({ allowed: true }) },
    actorNow: async () => ({}),
    seePlace: async () => ({ external: false }),
    unnotified: new Set(['c1']),
    outgoing: { toChannel: async () => ({ channel: 'C0OPS', ts: '1.3', direct: false }) },
    log: pino({}, { write: (line: string) => void logged.push(line) }),
  } as unknown as Bot;
  const origin = { place: { channelId: 'C0OPS' } } as Origin;
  const outcome: Outcome = { kind: 'done', confirmation, message: message('It is gone.') };
  const say = async ({ text }: Message) => void said.push(text);
  const remove = vi.fn(async () => undefined);
  await showOutcome(services, outcome, { origin, operation: undefined, say, remove });
  // It stands in the channel, before their eyes.
  expect([said, remove.mock.calls.length]).toEqual([[], 1]);
  expect(notified).toHaveBeenCalledWith('c1');
  expect(logged.join()).toContain('could not be brought up to date');
});
