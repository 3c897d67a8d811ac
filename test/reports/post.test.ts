import { expect, it } from 'vitest';
import { isGone, PostRefusedError } from '../../src/reports/post.ts';

it('a refused post says why, in words where there are some', () => {
  const known = new PostRefusedError('is_archived');
  expect([known.name, known.code, known.reason, known.message]).toEqual([
    'PostRefusedError',
    'is_archived',
    'the channel is archived',
    'the channel is archived',
  ]);
  expect(new PostRefusedError('so_it_goes').message).toContain('so_it_goes');
});

it.each([
  ['not_in_channel', /not a member.*`\/invite`/],
  ['channel_not_found', /cannot see.*deleted.*private/],
  ['is_archived', /archived/],
  ['restricted_action', /workspace does not let me/],
  ['restricted_action_read_only_channel', /only some people/],
  ['account_inactive', /account is switched off/],
  ['token_revoked', /token was revoked/],
  ['invalid_auth', /token is not valid/],
])('%s is said in words', (code, words) => {
  expect(new PostRefusedError(code).reason).toMatch(words);
});

it.each([
  'thread_not_found',
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
  'cannot_reply_to_message',
])('after %s there is nothing left to reply to or to update', (code) => {
  expect(isGone(new PostRefusedError(code))).toBe(true);
});

it.each(['not_in_channel', 'some_thread_not_found', 'thread_not_found_yet'])('after %s there may be', (code) => {
  expect(isGone(new PostRefusedError(code))).toBe(false);
});

it('only what Slack says itself counts', () => {
  expect(isGone(Object.assign(new Error('lost'), { code: 'thread_not_found' }))).toBe(false);
  expect(isGone(undefined)).toBe(false);
});
