import { expect, it } from 'vitest';
import { claimOf, judge } from './judge.ts';
import { plan } from './plan.ts';
import { createLedger } from './stage/ledger.ts';
import { controls, type Shown } from './stage/record.ts';

const shown = (fields: Partial<Shown>): Shown => ({
  at: Date.now(),
  via: 'response_url',
  text: '',
  buttons: [],
  inputs: [],
  raw: {},
  ...fields,
});
const nothing = { changes: [], shown: [], kills: [], storeAway: [], slots: { subscriptions: [], from: 0, to: 0 } };

it('what goes wrong is the same for the same seed, and another for another', () => {
  expect(plan(1, 600_000, 9_000)).toEqual(plan(1, 600_000, 9_000));
  expect(plan(2, 600_000, 9_000)).not.toEqual(plan(1, 600_000, 9_000));
  expect(new Set(plan(1, 600_000, 9_000).map(({ what }) => what)).size).toBe(10);
});

/** A press of Confirm that was acknowledged at 1,000. */
function confirmed() {
  const ledger = createLedger();
  const one = ledger.begin({
    kind: 'confirm',
    person: 'U1',
    what: 'presses confirm',
    channel: 'C1',
    responseId: 'R1',
    subject: 'a.example.com',
  });
  one.at = 990;
  ledger.delivered(one, { at: 990, replica: 'a', pid: 7, status: 200, ackAt: 1_000 });
  return { ledger, one };
}

it('who was acknowledged and shown a placeholder alone was left silent, unless the process was killed within 20 ms', () => {
  const { ledger, one } = confirmed();
  ledger.take(shown({ responseId: 'R1', text: 'Working on ssl force … · Working on `ssl force` …' }));
  expect(judge({ ...nothing, interactions: ledger.all }).silent).toEqual([one]);
  const kills = (at: number) => [{ pid: 7, at }];
  expect(judge({ ...nothing, interactions: ledger.all, kills: kills(1_015) })).toMatchObject({
    silent: [],
    withinGrace: [one],
  });
  expect(judge({ ...nothing, interactions: ledger.all, kills: kills(1_021) }).silent).toEqual([one]);
  ledger.take(shown({ responseId: 'R1', text: 'Done. It is in the channel for everybody.' }));
  expect(judge({ ...nothing, interactions: ledger.all }).silent).toEqual([]);
});

it('of two presses of one button each needs its own answer, in whatever turn they come', () => {
  const { ledger, one } = confirmed();
  const second = ledger.begin({ ...one, responseId: 'R2' });
  Object.assign(second, { id: 2, at: 991, deliveries: [], seen: [], ackedAt: undefined });
  ledger.delivered(second, { at: 991, replica: 'a', pid: 7, status: 200, ackAt: 1_001 });
  ledger.take(shown({ person: 'U1', via: 'chat.postMessage', text: 'Your first press counts.' }));
  expect(judge({ ...nothing, interactions: ledger.all }).silent).toEqual([second]);
  ledger.take(shown({ responseId: 'R1', text: 'Working on ssl force …' }));
  ledger.take(shown({ responseId: 'R1', text: 'Outcome unknown: a.example.com' }));
  expect(judge({ ...nothing, interactions: ledger.all }).silent).toEqual([]);
});

it('a change that arrived twice is doubled, and one that nobody asked for is named', () => {
  const { ledger } = confirmed();
  const change = { at: 1_100, subject: 'a.example.com', value: 'on', isApplied: true, answer: '204' };
  expect(judge({ ...nothing, interactions: ledger.all, changes: [change] }).doubled).toEqual([]);
  expect(judge({ ...nothing, interactions: ledger.all, changes: [change, change] }).doubled).toHaveLength(1);
  expect(judge({ ...nothing, interactions: ledger.all, changes: [{ ...change, value: 'off' }] }).doubled).toEqual([
    expect.stringContaining('asked for by nobody'),
  ]);
});

it('done is false where the platform has it not, not done where it has, and unknown never', () => {
  const change = { at: 1_100, subject: 'a.example.com', value: 'on', isApplied: true, answer: '204' };
  const falsehoods = (text: string, changes: (typeof change)[]) => {
    const { ledger } = confirmed();
    ledger.take(shown({ responseId: 'R1', text }));
    return judge({ ...nothing, interactions: ledger.all, changes }).falsehoods.length;
  };
  expect(falsehoods('Done. It is in the channel for everybody.', [])).toBe(1);
  expect(falsehoods('Done. It is in the channel for everybody.', [change])).toBe(0);
  expect(falsehoods('Slack did not answer. Nothing was done.', [change])).toBe(1);
  expect(falsehoods('Slack did not answer. Nothing was done.', [])).toBe(0);
  expect(falsehoods('The outcome is unknown.', [change])).toBe(0);
  expect(falsehoods('You may not run ssl force: people of other workspaces may not run anything.', [])).toBe(1);
  expect(falsehoods('@ada switched force HTTPS off → on for a.example.com on a (1)', [])).toBe(1);
  expect(falsehoods('@ada switched force HTTPS off → on for a.example.com on a (1)', [change])).toBe(0);
  expect(falsehoods('↩️ @ada switched force HTTPS on → off for a.example.com on a (1) · undone', [change])).toBe(1);
  const left = '@ada switched force HTTPS off → on for a.example.com on a (1) / It was not undone.';
  expect(falsehoods(left, [change])).toBe(0);
  expect(falsehoods(left, [change, { ...change, value: 'off' }])).toBe(1);
  const unsure = left.replace('It was not undone', 'It may have been undone');
  expect(falsehoods(unsure, [change, { ...change, value: 'off' }])).toBe(0);
  expect(claimOf('Being done right now: X. I won’t do it twice.')).toBe('open');
});

it('a slot without its message is missed, and one with two is doubled', () => {
  const post = (slot: string) =>
    shown({ via: 'chat.postMessage', metadata: JSON.stringify({ event_payload: { slot } }) });
  const slots = { subscriptions: ['1'], from: 0, to: 120_000 };
  const [first, second, third] = [0, 60_000, 120_000].map((at) => `1:${new Date(at).toISOString()}`) as [
    string,
    string,
    string,
  ];
  expect(
    judge({ ...nothing, interactions: [], shown: [post(first), post(second), post(second)], slots }),
  ).toMatchObject({
    missedSlots: [third],
    doubledSlots: [`${second} 2 times`],
  });
});

it('buttons and fields are found wherever they stand in a message', () => {
  const button = { type: 'button', action_id: 'confirm', value: '1', text: { type: 'plain_text', text: 'Confirm' } };
  expect(controls({ blocks: [{ type: 'actions', block_id: 'b', elements: [button] }] }).buttons).toEqual([
    { action_id: 'confirm', block_id: 'b', value: '1', text: 'Confirm', type: 'button' },
  ]);
});
