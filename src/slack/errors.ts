export type Gone = 'channel' | 'person' | 'view' | 'file' | 'message' | 'trigger' | 'address';

/** A sentence for a person: the problem, and the next step. */
interface Said {
  readonly why: string;
  readonly next: string;
  readonly remedy?: string | undefined;
}

export type Meaning =
  /** May succeed later: `soon` in seconds. `unsure`: this call may have been carried out. */
  | ({ readonly kind: 'pass'; readonly soon?: true; readonly unsure?: true } & Said)
  /** `hidden`: perhaps only from the bot. `here`: a direct message may still arrive. */
  | ({ readonly kind: 'gone'; readonly gone: Gone; readonly hidden?: true; readonly here?: true } & Said)
  | ({ readonly kind: 'permission'; readonly needs: string; readonly here?: true } & Said)
  | ({ readonly kind: 'final' } & Said)
  | ({ readonly kind: 'shorten' } & Said)
  | ({ readonly kind: 'fall back' } & Said)
  /** A bug, or a code that people do not meet. */
  | { readonly kind: 'mistake' };

const LATER = 'try again in a few minutes';
const ADMIN = 'ask an admin of the workspace';
const COPY = 'copy the token anew';
const ALLOW = 'ask an administrator of the workspace to allow the app';

const pass = (why: string, next = LATER): Meaning => ({ kind: 'pass', why, next });
const unsure = (why: string): Meaning => ({ kind: 'pass', unsure: true, why, next: 'look before you repeat it' });
const gone = (what: Gone, why: string, next: string): Meaning => ({ kind: 'gone', gone: what, why, next });
const goneHere = (what: Gone, why: string, next: string): Meaning => ({
  ...{ kind: 'gone', gone: what, here: true },
  ...{ why, next },
});
const lacks = (needs: string, why: string, next: string, remedy?: string): Meaning => ({
  ...{ kind: 'permission', needs, why },
  ...{ next, remedy },
});
const lacksHere = (
  needs: string,
  why: string,
  next = 'ask in another channel, or in a direct message with me',
): Meaning => ({
  ...{ kind: 'permission', needs, here: true },
  ...{ why, next },
});
const final = (
  why: string,
  remedy: string,
  next = 'ask whoever runs Edgewise to reinstall the app and set the new token',
): Meaning => ({ kind: 'final', why, next, remedy });
const fallBack = (why: string, next: string): Meaning => ({ kind: 'fall back', why, next });
const tooLong: Meaning = { kind: 'shorten', why: 'Slack finds it too long', next: 'ask for less' };
const badBlocks = fallBack('Slack cannot show it', 'tell whoever runs Edgewise (the cause is in its log)');

/** Source: docs.slack.dev, reference/methods. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    'ratelimited rate_limited': {
      kind: 'pass',
      soon: true,
      why: 'Slack takes no more calls for a moment',
      next: LATER,
    } satisfies Meaning,
    'internal_error fatal_error update_failed': unsure('Slack had a fault of its own'),
    'request_timeout service_unavailable': unsure('Slack did not answer in time'),
    'team_added_to_org org_login_required external_channel_migrating': pass(
      'the workspace or the channel is moving',
      'try again when it has moved',
    ),
    invalid_cursor: pass('the list changed while it was read', 'try again'),
    accesslimited: pass('Slack limits the network that the bot runs in', `${LATER}; ${ADMIN} if that doesn’t stop`),
    'token_revoked token_expired': final('the bot’s Slack token was revoked or has expired', COPY),
    'invalid_auth not_authed': final('the bot’s Slack token is not valid', COPY),
    account_inactive: final('the app was uninstalled, or its Slack account is switched off', 'install the app again'),
    not_allowed_token_type: final(
      'the bot was given a token of the wrong kind',
      'take a token of the right kind',
      'ask whoever runs Edgewise to check SLACK_BOT_TOKEN and SLACK_APP_TOKEN',
    ),
    forbidden_team: final('the workspace may not use Socket Mode', ALLOW, `${ADMIN}, or run the bot in HTTP mode`),
    missing_scope: lacks(
      'a scope',
      'the app lacks a scope',
      'ask whoever runs Edgewise to add it to the app’s manifest and reinstall the app',
      'give the token the scopes of manifest.yml and install the app again',
    ),
    'no_permission access_denied enterprise_is_restricted': lacks(
      'access',
      'the workspace does not let the app do this',
      `${ADMIN} what the app may do`,
      ALLOW,
    ),
    team_access_not_granted: lacks(
      'the workspace',
      'the app is not installed here',
      `${ADMIN} to install the app`,
      ALLOW,
    ),
    ekm_access_denied: lacks('posting', 'admins have suspended posting', `${ADMIN} when it is let through again`),
    plan_upgrade_required: lacks(
      'a paid plan',
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
    not_in_channel: lacksHere('membership', 'I am not a member of the channel', 'invite me with `/invite`'),
    user_not_in_channel: lacksHere('membership', 'the person is not in the channel', 'join the channel'),
    channel_is_limited_access: lacksHere('access', 'the channel is open to few people, and not to me'),
    'is_archived channel_is_archived is_inactive': goneHere(
      'channel',
      'the channel is archived',
      'unarchive it, or use another channel',
    ),
    'restricted_action action_prohibited posting_to_general_channel_denied': lacksHere(
      'posting',
      'the workspace does not let me post in the channel',
    ),
    restricted_action_read_only_channel: lacksHere('posting', 'only some people may post in the channel'),
    restricted_action_non_threadable_channel: lacksHere(
      'threads',
      'the channel has no threads',
      'ask in the channel itself',
    ),
    restricted_action_thread_only_channel: lacksHere(
      'threads',
      'the channel takes replies in threads only',
      'ask in a thread',
    ),
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
      'the workspace has sent as many messages as its plan lets it',
      'try again later, or ask an admin of the workspace about the plan',
    ),
    messages_tab_disabled: lacks(
      'the Messages tab',
      'direct messages with me are switched off',
      'ask whoever runs Edgewise to switch the Messages tab on in the app’s settings, under App Home',
    ),
    'invalid_blocks invalid_blocks_format invalid_attachments invalid_payload invalid_view no_text': badBlocks,
    'msg_too_long msg_blocks_too_long attachment_payload_limit_exceeded view_too_large snippet_too_large': tooLong,
    'slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked': fallBack(
      'an admin does not let this be shared with other organisations',
      'ask in a channel of your own',
    ),
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
    invalid_user_combination: lacks(
      'a shared channel',
      'Slack opens no direct message with somebody of another organisation',
      'ask in a channel that both are in',
    ),
    expired_trigger_id: gone('trigger', 'it took too long, so Slack won’t open the form', 'try again'),
    exchanged_trigger_id: gone('trigger', 'a form was already opened for that', 'try again'),
    not_found: gone('view', 'the form was closed', 'open it again'),
    hash_conflict: gone('view', 'something newer is shown there', 'open it again'),
    not_enabled: lacks(
      'the Home tab',
      'the Home tab is switched off',
      'ask whoever runs Edgewise to switch it on in the app’s settings, under App Home',
    ),
    'file_not_found file_deleted file_is_deleted': gone(
      'file',
      'Slack does not have the file any more',
      'give it again',
    ),
    not_visible: lacks(
      'access',
      'I may not see the file',
      'send it to me directly, or share it in a channel that I am in',
    ),
    'file_uploads_disabled file_type_not_allowed file_uploads_except_images_disabled': lacks(
      'uploads',
      'the workspace does not take files of this kind',
      `${ADMIN} about it`,
    ),
    file_upload_size_restricted: lacks('uploads', 'the workspace takes no files as large as this', 'ask for less'),
    storage_limit_reached: lacks(
      'storage',
      'the workspace’s file storage is full',
      'delete old files, or ask an admin of the workspace for a larger plan',
    ),
    posting_to_channel_denied: lacksHere('files', 'files may not be shared in the channel'),
    'cant_delete_file delete_not_allowed file_deleting_disabled': lacks(
      'files',
      'I may not delete the file',
      'delete it yourself',
    ),
  }).flatMap(([codes, meaning]) => codes.split(' ').map((code) => [code, meaning] as const)),
);

/** `method` is Slack's, or `response_url`. */
export function meaningOf(code: string, method = ''): Meaning {
  // For blocks that Slack does not take, and for any argument of other methods.
  if (code === 'invalid_arguments' && /^(chat|views)\.|^response_url$/.test(method)) return badBlocks;
  if (method === 'response_url' && code === 'user_not_found') return MEANINGS.get('used_url')!;
  return MEANINGS.get(code) ?? { kind: 'mistake' };
}
