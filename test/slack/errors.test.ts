import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { COMMON, DOCUMENTED, DOCUMENTED_FOR_OTHERS, SEEN } from '../../playground/slack/web-api/documented-errors.ts';
import { explain } from '../../src/slack/conversation.ts';
import { type Meaning, meaningOf } from '../../src/slack/errors.ts';
import { ResponseUrlError, refusalOf, withMethod } from '../../src/slack/refusals.ts';
import type { Bot } from '../../src/slack/services.ts';
import { filesIn, read } from '../support/source.ts';

const methods = Object.keys(DOCUMENTED);

/** A step that somebody can take: it begins with a verb, or names who takes it. */
const STEP = /^(try|check|ask|use|invite|unarchive|give|name|open|do it|join|send|delete|tell)\b/;

function expectSentence(meaning: Meaning | undefined, of: string): void {
  if (meaning === undefined || meaning.kind === 'mistake') throw new Error(`${of} says nothing to anybody`);
  expect(meaning.next, of).toMatch(STEP);
  expect(meaning.why, of).toMatch(/^\S.{9,}[^.\s]$/);
  expect(`${meaning.why}: ${meaning.next}`.length, of).toBeLessThan(200);
}

const services = { log: pino({ level: 'silent' }) } as Bot;

describe('the errors that Slack documents', () => {
  it.each(methods)('tell a person the next step where %s says no for good or for now', (method) => {
    for (const code of [...(DOCUMENTED[method] ?? []), ...COMMON, ...(SEEN[method] ?? [])]) {
      const meaning = meaningOf(code, method);
      if (meaning.kind !== 'mistake') expectSentence(meaning, `${method} ${code}`);
    }
  });

  it.each([
    ['expired_trigger_id', 'views.open'],
    ['exchanged_trigger_id', 'views.open'],
    ['file_not_found', 'files.info'],
    ['file_not_found', 'files.completeUploadExternal'],
    ['file_uploads_disabled', 'files.getUploadURLExternal'],
    ['storage_limit_reached', 'files.getUploadURLExternal'],
    ['missing_scope', 'chat.postMessage'],
    ['plan_upgrade_required', 'usergroups.list'],
    ['restricted_action', 'chat.postMessage'],
    ['is_archived', 'chat.postEphemeral'],
    ['not_in_channel', 'chat.postMessage'],
    ['no_service', 'response_url'],
  ])('have a sentence for %s of %s', (code, method) => {
    expectSentence(meaningOf(code, method), code);
  });

  const PASSING = 'rate_limited ratelimited internal_error fatal_error request_timeout service_unavailable';
  it.each(methods)('pass by themselves in %s where they do, and are no word about what was asked for', (method) => {
    for (const code of PASSING.split(' ')) expect(meaningOf(code, method).kind, code).toBe('pass');
  });

  it.each([
    ['chat.postMessage', 'message_limit_exceeded', 'pass'],
    ['chat.update', 'message_limit_exceeded', 'pass'],
    ['chat.postMessage', 'team_added_to_org', 'pass'],
    ['users.info', 'org_login_required', 'pass'],
    ['chat.update', 'external_channel_migrating', 'pass'],
    ['chat.postMessage', 'invalid_blocks', 'fall back'],
    ['chat.update', 'invalid_blocks_format', 'fall back'],
    ['chat.postEphemeral', 'no_text', 'fall back'],
    ['response_url', 'invalid_payload', 'fall back'],
    ['views.update', 'invalid_arguments', 'fall back'],
    ['users.info', 'invalid_arguments', 'mistake'],
    ['chat.postMessage', 'attachment_payload_limit_exceeded', 'shorten'],
    ['chat.postMessage', 'msg_blocks_too_long', 'shorten'],
    ['chat.update', 'msg_too_long', 'shorten'],
    ['views.open', 'view_too_large', 'shorten'],
    ['chat.postMessage', 'token_revoked', 'final'],
    ['apps.connections.open', 'invalid_auth', 'final'],
    ['apps.connections.open', 'account_inactive', 'final'],
    ['users.info', 'user_not_found', 'gone'],
    ['conversations.open', 'user_disabled', 'gone'],
    ['views.update', 'not_found', 'gone'],
    ['chat.update', 'message_not_found', 'gone'],
    ['conversations.replies', 'thread_not_found', 'gone'],
    ['usergroups.list', 'plan_upgrade_required', 'permission'],
    ['conversations.list', 'missing_argument', 'mistake'],
  ])('mean in %s by %s: %s', (method, code, kind) => {
    expect(meaningOf(code, method).kind).toBe(kind);
  });

  it('are known for every method that the bot calls', () => {
    const sources = [...filesIn('src/slack'), ...filesIn('src/commands')].map(read).join('\n');
    const called = [...sources.matchAll(/\b(?:interactive|background|client)\.([a-z]+(?:\.[a-zA-Z]+)+)\(/g)].map(
      (found) => found[1]!,
    );
    if (/filesUploadV2\(/.test(sources)) called.push('files.getUploadURLExternal', 'files.completeUploadExternal');
    expect(called.length).toBeGreaterThan(10);
    expect(methods).toEqual(expect.arrayContaining(called));
  });

  const slacks = process.env.SLACK_METHODS;
  it.runIf(slacks !== undefined)('are Slack’s own, as its documentation lists them (SLACK_METHODS)', () => {
    for (const [method, listed] of Object.entries({ ...DOCUMENTED, ...DOCUMENTED_FOR_OTHERS })) {
      const file = join(slacks!, `${method}.json`);
      if (!existsSync(file)) continue;
      const { errors } = JSON.parse(readFileSync(file, 'utf8'));
      expect([...listed].sort(), method).toEqual(Object.keys(errors).sort());
    }
  });
});

describe('what Slack throws', () => {
  const refused = (error: string, more: object = {}) => new webApi.WebAPIPlatformError({ ok: false, error, ...more });

  it('means what the method that threw it means', () => {
    const inView = withMethod(refused('invalid_arguments'), 'views.open');
    expect(refusalOf(inView)).toMatchObject({ code: 'invalid_arguments', meaning: { kind: 'fall back' } });
    const elsewhere = withMethod(refused('invalid_arguments'), 'users.info');
    expect(refusalOf(elsewhere)).toMatchObject({ meaning: { kind: 'mistake' } });
  });

  it('is a form that came too late, also where Slack calls that a wrong argument', () => {
    const messages = ['[ERROR] `trigger_id` expired [json-pointer:/trigger_id]'];
    const late = withMethod(refused('invalid_arguments', { response_metadata: { messages } }), 'views.open');
    expect(refusalOf(late)).toMatchObject({ code: 'expired_trigger_id', meaning: { kind: 'gone', gone: 'trigger' } });
  });

  it('is a mistake of the bot’s when nobody has documented it', () => {
    expect(refusalOf(refused('never_heard_of'))).toEqual({
      code: 'never_heard_of',
      meaning: { kind: 'mistake' },
      retryAfter: undefined,
    });
    for (const code of ['constructor', '__proto__', 'toString'])
      expect(refusalOf(withMethod(refused(code), 'chat.update'))).toMatchObject({ meaning: { kind: 'mistake' } });
  });

  it('names the scope that is missing', () => {
    expect(refusalOf(refused('missing_scope', { needed: 'im:write', provided: 'chat:write' }))).toMatchObject({
      meaning: { kind: 'permission', why: 'the app lacks the scope im:write' },
    });
  });

  it('passes when it came too soon, in the body too, and says when to come again', () => {
    expect(refusalOf(new webApi.WebAPIRateLimitedError(7))).toMatchObject({
      code: 'ratelimited',
      meaning: { kind: 'pass' },
      retryAfter: 7,
    });
    expect(refusalOf(refused('rate_limited', { response_metadata: { retryAfter: 3 } }))).toMatchObject({
      meaning: { kind: 'pass' },
      retryAfter: 3,
    });
  });

  it.each([
    ['no answer', new webApi.WebAPIRequestError(new Error('socket hang up'))],
    ['a status of 503', new webApi.WebAPIHTTPError(503, 'Service Unavailable', {}, '')],
    ['internal_error', refused('internal_error')],
  ])('passes, and may have been carried out, after %s', (_, error) => {
    expect(refusalOf(error)?.meaning).toMatchObject({ kind: 'pass', unsure: true });
  });

  it('is understood from a response URL, whether it answers in JSON or in a word', () => {
    const answered = (text: string) => refusalOf(new ResponseUrlError(404, text));
    expect(answered('{ "ok" : false, "error": "used_url" }')).toMatchObject({ meaning: { gone: 'address' } });
    expect(answered('invalid_blocks_format')).toMatchObject({ meaning: { kind: 'fall back' } });
    expect(answered('a page of somebody else')).toBeUndefined();
  });

  it.each([
    ['expired_trigger_id', 'It took too long, so Slack won’t open the form.', 'Try again.'],
    ['exchanged_trigger_id', 'A form was already opened for that.', 'Try again.'],
    ['not_found', 'The form was closed.', 'Open it again.'],
    [
      'plan_upgrade_required',
      'User groups need a paid plan of Slack.',
      'Name people by their ids in the policy instead.',
    ],
    ['is_archived', 'The channel is archived.', 'Unarchive it, or use another channel.'],
    [
      'message_limit_exceeded',
      'The workspace has sent as many messages as its plan allows.',
      'Try again later, or ask an admin of the workspace about the plan.',
    ],
  ])('is said to a person after %s with the next step, and no reference to a log', (error, why, next) => {
    const shown = explain(services, refused(error));
    expect(shown.text).toBe(`${why}\n${next}`);
  });

  it('is a reference in the log for a person where the bot itself made a mistake', () => {
    expect(explain(services, refused('invalid_ts_oldest')).text).toMatch(/Something went wrong[\s\S]*reference/);
  });

  it('is nothing of Slack’s when it is another error', () => {
    for (const error of [new Error('is_archived'), new webApi.WebAPIHTTPError(404, 'Not Found', {}, ''), undefined])
      expect(refusalOf(error)).toBeUndefined();
  });
});
