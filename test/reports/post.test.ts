import { expect, it } from 'vitest';
import { isGone, PostRefusedError } from '../../src/reports/post.ts';

it('a refused post says why, in words where there are some', () => {
  const known = new PostRefusedError('is_archived', 'channel gone', 'the channel is archived');
  expect([known.name, known.code, known.means, known.reason, known.message]).toEqual([
    'PostRefusedError',
    'is_archived',
    'channel gone',
    'the channel is archived',
    'the channel is archived',
  ]);
  expect(new PostRefusedError('so_it_goes')).toMatchObject({ means: 'no', message: 'Slack refuses it: so_it_goes' });
});

it('after a message is gone there is nothing left to reply to or to update', () => {
  expect(isGone(new PostRefusedError('thread_not_found', 'message gone'))).toBe(true);
  for (const means of ['no', 'later', 'channel gone', 'person gone'] as const)
    expect(isGone(new PostRefusedError('thread_not_found', means)), means).toBe(false);
});

it('only what Slack says itself counts', () => {
  expect(isGone(Object.assign(new Error('lost'), { code: 'thread_not_found', means: 'message gone' }))).toBe(false);
  expect(isGone(undefined)).toBe(false);
});
