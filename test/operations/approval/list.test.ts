import { expect, it } from 'vitest';
import { message } from '../../../src/blocks/message.ts';
import { listApprovals } from '../../../src/operations/approval/list.ts';
import { blockText, NOW } from '../performing.ts';

it('approval list says how many it leaves out, also if it is one', () => {
  const one = {
    id: 'a',
    title: 'x',
    actor: 'U0ADA',
    approvedBy: [],
    needs: 'ben',
    reason: '',
    askedAt: NOW,
    until: NOW,
  };
  const planned = Array.from({ length: 11 }, () => message('planned').blocks[0]!);
  const waiting = Array.from({ length: 21 }, () => one);
  const own = { runnable: [], expired: [] };
  const all = { own, waiting, planned: planned.map((block) => ({ blocks: [block], text: '' })), people: new Map() };
  const said = blockText(listApprovals.render(all as never, {}, { locale: 'en-US', timezone: 'UTC', now: NOW }));
  expect(said).toMatch(/\nAnd 1 more later\.\n/);
  expect(said).toMatch(/\nAnd 1 more, shown here once these are decided\.$/);
});
