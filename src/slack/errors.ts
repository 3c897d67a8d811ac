export type Gone = 'channel' | 'person' | 'view' | 'file' | 'message' | 'trigger' | 'address';

/** The problem and the next step, for a person. */
interface Said {
  readonly why: string;
  readonly next: string;
  readonly remedy?: string | undefined;
}

export type Meaning =
  /** May succeed later; `soon`: within seconds. `unsure`: Slack may have done it. */
  | ({ readonly kind: 'pass'; readonly soon?: true; readonly unsure?: true } & Said)
  /** `hidden`: perhaps only the bot cannot see it. `here`: a direct message may still arrive. */
  | ({ readonly kind: 'gone'; readonly gone: Gone; readonly hidden?: true; readonly here?: true } & Said)
  | ({ readonly kind: 'permission'; readonly here?: true } & Said)
  | ({ readonly kind: 'final' } & Said)
  | ({ readonly kind: 'shorten' } & Said)
  | ({ readonly kind: 'fall back' } & Said)
  /** A bug, or a code that people do not cause. */
  | { readonly kind: 'mistake' };

const ADMIN = 'ask an admin of the workspace';
const COPY = 'copy the token anew';
const ALLOW = 'ask an administrator of the workspace to allow the app';

const pass = (why: string, next: string): Meaning => ({ kind: 'pass', why, next });
const unsure = (why: string) => ({ ...pass(why, 'check before you repeat it'), unsure: true }) as Meaning;
const gone = (what: Gone, why: string, next: string): Meaning => ({ kind: 'gone', gone: what, why, next });
const goneHere = (what: Gone, why: string, next: string): Meaning =>
  ({ ...gone(what, why, next), here: true }) as Meaning;
const lacks = (why: string, next: string, remedy?: string): Meaning => ({ kind: 'permission', why, next, remedy });
const lacksHere = (why: string, next = 'ask in another channel, or in a direct message with me') =>
  ({ ...lacks(why, next), here: true }) as Meaning;
const final = (
  why: string,
  remedy: string,
  next = 'ask whoever runs Edgewise to reinstall the app and set the new token',
): Meaning => ({ kind: 'final', why, next, remedy });
const mayNotPost = lacksHere('the workspace does not let me post in the channel');
const tooLong: Meaning = { kind: 'shorten', why: 'Slack finds it too long', next: 'ask for less' };
const badBlocks: Meaning = {
  kind: 'fall back',
  why: 'Slack cannot show it',
  next: 'tell whoever runs Edgewise (the cause is in its log)',
};

/** Source: docs.slack.dev, reference/methods. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    'ratelimited rate_limited': {
      ...pass('Slack accepts no more calls for a moment', 'try again in a few minutes'),
      soon: true,
    } as Meaning,
    'internal_error fatal_error update_failed': unsure('Slack had a fault of its own'),
    'team_added_to_org org_login_required external_channel_migrating': pass(
      'Slack is moving the workspace or the channel to an organisation',
      'try again once the move is done',
    ),
    'request_timeout service_unavailable': unsure('Slack did not answer in time'),
    'token_revoked token_expired': final('the bot’s Slack token was revoked or has expired', COPY),
    'invalid_auth not_authed': final('the bot’s Slack token is not valid', COPY),
    account_inactive: final('the app was uninstalled, or its Slack account is switched off', 'install the app again'),
    not_allowed_token_type: final(
      'the bot was given a token of the wrong kind',
      'use a token of the right kind',
      'ask whoever runs Edgewise to check SLACK_BOT_TOKEN and SLACK_APP_TOKEN',
    ),
    forbidden_team: final('the workspace may not use Socket Mode', ALLOW, `${ADMIN}, or run the bot in HTTP mode`),
    missing_scope: lacks(
      'the app lacks a scope',
      'ask whoever runs Edgewise to add it to the app’s manifest and reinstall the app',
      'give the token the scopes of manifest.yml and install the app again',
    ),
    'no_permission access_denied enterprise_is_restricted team_access_not_granted ekm_access_denied': lacks(
      'the workspace does not let the app do this',
      `${ADMIN} what the app may do`,
      ALLOW,
    ),
    plan_upgrade_required: lacks(
      'user groups need a paid plan of Slack',
      'name people by their ids in the policy instead',
    ),
    'channel_not_found invalid_channel': {
      kind: 'gone',
      gone: 'channel',
      hidden: true,
      here: true,
      why: 'I can’t see the channel (it was deleted, or it’s private and I’m not in it)',
      next: 'invite me with `/invite`, or use another channel',
    } satisfies Meaning,
    not_in_channel: lacksHere('I am not a member of the channel', 'invite me with `/invite`'),
    user_not_in_channel: lacksHere('the person is not in the channel', 'join the channel'),
    'is_archived channel_is_archived is_inactive': goneHere(
      'channel',
      'the channel is archived',
      'unarchive it, or use another channel',
    ),
    'restricted_action action_prohibited channel_is_limited_access': mayNotPost,
    'posting_to_channel_denied posting_to_general_channel_denied': mayNotPost,
    'restricted_action_non_threadable_channel restricted_action_thread_only_channel': mayNotPost,
    restricted_action_read_only_channel: lacksHere('only some people may post in the channel'),
    'cannot_reply_to_message thread_not_found restricted_action_thread_locked': goneHere(
      'message',
      'the thread is gone or locked',
      'ask in the channel itself',
    ),
    message_not_found: gone('message', 'the message was deleted', 'ask again'),
    'cant_update_message edit_window_closed block_mismatch cant_delete_message': gone(
      'message',
      'the message cannot be changed any more',
      'ask again',
    ),
    message_limit_exceeded: pass(
      'the workspace has sent as many messages as its plan allows',
      'try again later, or ask an admin of the workspace about the plan',
    ),
    messages_tab_disabled: lacks(
      'direct messages with me are switched off',
      'ask whoever runs Edgewise to switch the Messages tab on in the app’s settings, under App Home',
    ),
    'invalid_blocks invalid_blocks_format invalid_attachments invalid_payload invalid_view no_text': badBlocks,
    'msg_too_long msg_blocks_too_long attachment_payload_limit_exceeded view_too_large snippet_too_large': tooLong,
    'used_url expired_url no_active_hooks no_service no_team team_disabled': gone(
      'address',
      'Slack no longer accepts an answer to that command or button',
      'ask again',
    ),
    'user_not_found user_not_visible': gone(
      'person',
      'Slack shows me nobody by this id',
      'name somebody of this workspace',
    ),
    'user_disabled cannot_dm_bot': gone('person', 'the person has left the workspace', 'name somebody else'),
    expired_trigger_id: gone('trigger', 'it took too long, so Slack won’t open the form', 'try again'),
    exchanged_trigger_id: gone('trigger', 'a form was already opened for that', 'try again'),
    not_found: gone('view', 'the form was closed', 'open it again'),
    'file_not_found file_deleted file_is_deleted': gone(
      'file',
      'Slack does not have the file any more',
      'give it again',
    ),
    not_visible: lacks('I may not see the file', 'send it to me directly, or share it in a channel that I am in'),
    'file_uploads_disabled file_type_not_allowed file_uploads_except_images_disabled': lacks(
      'the workspace does not take files of this kind',
      `${ADMIN} about it`,
    ),
    file_upload_size_restricted: lacks('the workspace takes no files as large as this', 'ask for less'),
    storage_limit_reached: lacks(
      'the workspace’s file storage is full',
      'delete old files, or ask an admin of the workspace for a larger plan',
    ),
  }).flatMap(([codes, meaning]) => codes.split(' ').map((code) => [code, meaning] as const)),
);

/** `method` is Slack's, or `response_url`. */
export function meaningOf(code: string, method = ''): Meaning {
  // Slack uses this code for bad blocks, and in other methods for any bad argument.
  if (code === 'invalid_arguments' && /^(chat|views)\.|^response_url$/.test(method)) return badBlocks;
  if (method === 'response_url' && code === 'user_not_found') return MEANINGS.get('used_url')!;
  return MEANINGS.get(code) ?? { kind: 'mistake' };
}
