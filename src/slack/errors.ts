/** Things that a call named and that are not there any more. */
export type Gone = 'channel' | 'person' | 'view' | 'file' | 'message' | 'trigger' | 'address';

/** One sentence for a person: what is the matter, and the next step. */
interface Said {
  readonly why: string;
  readonly next: string;
  /** The step for whoever starts the bot, where no waiting makes the call succeed. */
  readonly remedy?: string | undefined;
}

/** The meaning of an error of Slack's for the bot. */
export type Meaning =
  /** The same call may succeed later: `soon` in seconds. `unsure`: this one may have been carried out. */
  | ({ readonly kind: 'pass'; readonly soon?: true; readonly unsure?: true } & Said)
  /**
   * Something is gone for good, or only `hidden` from the bot, perhaps. `here`: the conversation alone is at fault, and a direct
   * message may still arrive.
   */
  | ({ readonly kind: 'gone'; readonly gone: Gone; readonly hidden?: true; readonly here?: true } & Said)
  /** A scope or a setting is missing. `here` as above. */
  | ({ readonly kind: 'permission'; readonly needs: string; readonly here?: true } & Said)
  /** The token is good for nothing any more. */
  | ({ readonly kind: 'final' } & Said)
  /** Less text is taken. */
  | ({ readonly kind: 'shorten' } & Said)
  /** Plainer blocks are taken, without pictures. */
  | ({ readonly kind: 'fall back' } & Said)
  /** The call itself is wrong: a bug of the bot's. */
  | { readonly kind: 'mistake' };

type Meanings = Readonly<Record<string, Meaning>>;

const LATER = 'try again in a few minutes';
const ADMIN = 'ask an admin of the workspace';
const COPY = 'copy the token anew';
const SCOPES = 'give the token the scopes of manifest.yml and install the app again';
const ALLOW = 'ask an administrator of the workspace to allow the app';
const REINSTALL = 'whoever runs the bot installs the app again and gives the bot its new token';

const pass = (why: string, next = LATER): Meaning => ({ kind: 'pass', why, next });
const unsure = (why: string): Meaning => ({ kind: 'pass', unsure: true, why, next: 'look before you repeat it' });
const gone = (what: Gone, why: string, next: string): Meaning => ({ kind: 'gone', gone: what, why, next });
const goneHere = (...of: Parameters<typeof gone>) => ({ ...gone(...of), here: true }) as Meaning;
const lacks = (needs: string, why: string, next: string, remedy?: string): Meaning => ({
  kind: 'permission',
  needs,
  why,
  next,
  remedy,
});
const ELSEWHERE = 'ask in another channel, or in a direct message with me';
const lacksHere = (needs: string, why: string, next = ELSEWHERE) =>
  ({ ...lacks(needs, why, next), here: true }) as Meaning;
const final = (why: string, remedy: string, next = REINSTALL): Meaning => ({ kind: 'final', why, next, remedy });
const fallBack = (why: string, next: string): Meaning => ({ kind: 'fall back', why, next });

/** Codes that mean the same. */
const each = (codes: string, meaning: Meaning): Meanings =>
  Object.fromEntries(codes.split(' ').map((code) => [code, meaning]));
const mistakes = (codes: string): Meanings => each(codes, { kind: 'mistake' });

const TOO_LONG: Meaning = { kind: 'shorten', why: 'Slack finds it too long', next: 'ask for less' };
const BAD_BLOCKS = fallBack('Slack cannot show it', 'tell whoever runs the bot, the cause is in its log');
const OLD_PAGE = pass('the list changed while it was read', 'try again');

/** Codes of every method. Source: docs.slack.dev, common errors of each method. */
const SHARED: Meanings = {
  ...each('ratelimited rate_limited', { ...pass('Slack takes no more calls for a moment'), soon: true } as Meaning),
  ...each('internal_error fatal_error', unsure('Slack had a fault of its own')),
  ...each('request_timeout service_unavailable', unsure('Slack did not answer in time')),
  team_added_to_org: pass('the workspace is moving into an organisation', 'try again when it has moved'),
  org_login_required: pass('the workspace is moving into an organisation', 'try again when it has moved'),
  accesslimited: pass('Slack limits the network that the bot runs in', `${LATER}; ${ADMIN} when it stays so`),
  ...each('token_revoked token_expired', final('the bot’s Slack token was revoked or has expired', COPY)),
  ...each('invalid_auth not_authed', final('the bot’s Slack token is not valid', COPY)),
  account_inactive: final('the app was uninstalled, or its Slack account is switched off', 'install the app again'),
  not_allowed_token_type: final(
    'the bot was given a token of the wrong kind',
    'take a token of the right kind',
    'whoever runs it looks at SLACK_BOT_TOKEN and SLACK_APP_TOKEN',
  ),
  missing_scope: lacks(
    'a scope',
    'the app lacks a scope',
    'whoever runs the bot adds it to the app’s manifest and installs the app again',
    SCOPES,
  ),
  no_permission: lacks('access', 'the app may not do this in the workspace', `${ADMIN} what the app may do`, SCOPES),
  access_denied: lacks('access', 'the workspace does not let the app do this', `${ADMIN} what the app may do`, ALLOW),
  team_access_not_granted: lacks(
    'the workspace',
    'the app is not installed here',
    `${ADMIN} to install the app`,
    ALLOW,
  ),
  enterprise_is_restricted: lacks(
    'the workspace',
    'an organisation does not let apps do this',
    `${ADMIN} for it`,
    ALLOW,
  ),
  ekm_access_denied: lacks('posting', 'admins have suspended posting', `${ADMIN} when it is let through again`),
  free_team_not_allowed: lacks('a paid plan', 'Slack’s free plan does not have this', `${ADMIN} about the plan`),
  two_factor_setup_required: lacks(
    'two-factor sign-in',
    'the account needs two-factor sign-in',
    `${ADMIN} to set it up`,
    ALLOW,
  ),
  ...mistakes('deprecated_endpoint method_deprecated unknown_method'),
  ...mistakes('invalid_arguments invalid_arg_name invalid_array_arg invalid_charset invalid_form_data'),
  ...mistakes('invalid_post_type missing_post_type invalid_json json_not_object'),
};

const NO_CHANNEL: Meanings = {
  channel_not_found: {
    kind: 'gone',
    gone: 'channel',
    hidden: true,
    here: true,
    why: 'I cannot see the channel, which was deleted or is private without me',
    next: 'invite me with `/invite`, or use another channel',
  },
};
const NOT_A_MEMBER: Meanings = {
  not_in_channel: lacksHere('membership', 'I am not a member of the channel', 'invite me with `/invite`'),
};
const LIMITED_CHANNEL: Meanings = {
  channel_is_limited_access: lacksHere('access', 'the channel is open to few people, and not to me'),
};
const OLD_CURSOR: Meanings = { invalid_cursor: OLD_PAGE };

/** A message with text and blocks, posted or put in the place of another. */
const MESSAGE: Meanings = {
  ...NO_CHANNEL,
  ...each('invalid_blocks invalid_blocks_format invalid_attachments invalid_arguments no_text', BAD_BLOCKS),
  ...each('msg_too_long msg_blocks_too_long', TOO_LONG),
  message_limit_exceeded: pass(
    'the workspace has sent as many messages as its plan lets it',
    'try again later, or ask an admin of the workspace about the plan',
  ),
  ...mistakes('markdown_text_conflict too_many_attachments'),
};
const ARCHIVED = goneHere('channel', 'the channel is archived', 'unarchive it, or use another channel');
const NO_POSTING = lacksHere('posting', 'the workspace does not let me post in the channel');
const POSTED: Meanings = {
  ...MESSAGE,
  ...NOT_A_MEMBER,
  is_archived: ARCHIVED,
  restricted_action: NO_POSTING,
  cannot_reply_to_message: goneHere('message', 'the message cannot be replied to', 'ask in the channel itself'),
  messages_tab_disabled: lacks(
    'the Messages tab',
    'direct messages with me are switched off',
    'whoever runs the bot switches the Messages tab on in the app’s settings, under App Home',
  ),
};
/** Messages that others than the bot gave files, a draft or metadata to. */
const METADATA = 'invalid_metadata_format invalid_metadata_schema metadata_must_be_sent_from_app metadata_too_large';
const DRAFTS = 'draft_already_deleted draft_already_sent draft_has_conflict draft_not_found';
const DUPLICATES = 'duplicate_channel_not_found duplicate_message_not_found';
const UNSHARED = fallBack(
  'an admin does not let this be shared with other organisations',
  'ask in a channel of your own',
);

/** Views of every kind. Slack says `invalid_arguments` for blocks that it does not take. */
const VIEW: Meanings = {
  duplicate_external_id: { kind: 'mistake' },
  view_too_large: TOO_LONG,
  ...each('invalid_arguments invalid_blocks', BAD_BLOCKS),
};
const NEWER_VIEW: Meanings = { hash_conflict: gone('view', 'something newer is shown there', 'open it again') };

const NO_UPLOADS: Meanings = {
  file_uploads_except_images_disabled: lacks(
    'uploads',
    'the workspace takes no files but pictures',
    `${ADMIN} about it`,
  ),
  file_type_not_allowed: lacks('uploads', 'the workspace does not take files of this kind', `${ADMIN} about it`),
};
const NO_PERSON: Meanings = {
  user_not_found: gone('person', 'Slack knows nobody by this id', 'name somebody of this workspace'),
  user_not_visible: gone('person', 'I cannot see this person', 'name somebody of this workspace'),
};

/** The meaning of each error by the method that says it, besides the shared ones. Source: docs.slack.dev, reference/methods. */
const METHODS = {
  'apps.connections.open': {
    forbidden_team: final('the workspace may not use Socket Mode', ALLOW, `${ADMIN}, or run the bot in HTTP mode`),
    missing_args: final('the bot has no app-level token', COPY, 'whoever runs it sets SLACK_APP_TOKEN'),
    ...mistakes('insecure_request'),
  },
  'auth.test': {},
  'blocks.validate': each('invalid_blocks invalid_message invalid_view', BAD_BLOCKS),
  'chat.delete': {
    ...NO_CHANNEL,
    cant_delete_message: gone('message', 'the message is not mine', 'look at it'),
    message_not_found: gone('message', 'the message was deleted', 'ask again'),
  },
  'chat.postEphemeral': {
    ...POSTED,
    user_not_in_channel: lacksHere('membership', 'the person is not in the channel', 'join the channel'),
  },
  'chat.postMessage': {
    ...POSTED,
    restricted_action_read_only_channel: lacksHere('posting', 'only some people may post in the channel'),
    restricted_action_non_threadable_channel: lacksHere(
      'threads',
      'the channel has no threads',
      'ask in the channel itself',
    ),
    restricted_action_thread_locked: goneHere('message', 'admins have locked the thread', 'ask in the channel itself'),
    restricted_action_thread_only_channel: lacksHere(
      'threads',
      'the channel takes replies in threads only',
      'ask in a thread',
    ),
    attachment_payload_limit_exceeded: TOO_LONG,
    ...each('slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked', UNSHARED),
    slack_connect_lists_sharing_blocked: UNSHARED,
    missing_file_data: fallBack('a file in the message cannot be shown', 'ask again'),
    ...mistakes(`${METADATA} ${DRAFTS} ${DUPLICATES}`),
    ...mistakes('as_user_not_supported team_not_found too_many_contact_cards'),
  },
  'chat.update': {
    ...MESSAGE,
    is_inactive: goneHere(
      'channel',
      'the channel is archived, frozen or deleted',
      'unarchive it, or use another channel',
    ),
    message_not_found: gone('message', 'the message was deleted', 'ask again'),
    cant_update_message: gone('message', 'the message is not mine any more', 'ask again'),
    edit_window_closed: gone('message', 'the workspace lets nobody change a message so late', 'ask again'),
    // A new message can be of any kind.
    block_mismatch: gone('message', 'the message cannot be changed into this', 'ask again'),
    external_channel_migrating: pass('the channel is moving to another workspace', 'try again when it has moved'),
    update_failed: unsure('Slack had a fault of its own'),
    posting_to_channel_denied: lacksHere('files', 'files may not be shared in the channel'),
    ...each('file_deleted file_is_deleted file_not_found', fallBack('a picture in the message is gone', 'ask again')),
    ...each(
      'blocked_file_type file_share_limit_reached max_file_sharing_exceeded unable_to_share_files',
      fallBack('a picture in the message may not be shown', `${ADMIN} about files`),
    ),
    ...each('slack_connect_blocked_file_type slack_connect_canvas_sharing_blocked', UNSHARED),
    ...each('slack_connect_clip_sharing_blocked slack_connect_file_link_sharing_blocked', UNSHARED),
    slack_connect_file_upload_sharing_blocked: UNSHARED,
    ...mistakes(`${METADATA} as_user_not_supported cant_broadcast_message no_dual_broadcast_content_update`),
    ...mistakes('streaming_state_conflict team_not_found'),
  },
  'conversations.history': {
    ...NO_CHANNEL,
    ...NOT_A_MEMBER,
    ...LIMITED_CHANNEL,
    ...OLD_CURSOR,
    ...mistakes('invalid_metadata_filter_keys invalid_ts_latest invalid_ts_oldest'),
  },
  'conversations.info': { ...NO_CHANNEL, ...LIMITED_CHANNEL },
  'conversations.list': {
    ...OLD_CURSOR,
    invalid_types: lacks(
      'channels:read, groups:read',
      'the app may not list this kind of channel',
      'whoever runs the bot compares the app’s scopes with the manifest',
    ),
    ...mistakes('invalid_limit method_not_supported_for_channel_type missing_argument'),
  },
  'conversations.open': {
    ...NO_CHANNEL,
    ...NO_PERSON,
    user_disabled: gone('person', 'the person has left the workspace', 'name somebody else'),
    // Seen, and not documented.
    cannot_dm_bot: gone('person', 'Slack opens no direct message between bots', 'name a person'),
    invalid_user_combination: lacks(
      'a shared channel',
      'Slack opens no direct message with somebody of another organisation',
      'ask in a channel that both are in',
    ),
    ...mistakes('method_not_supported_for_channel_type not_enough_users too_many_users users_list_not_supplied'),
  },
  'conversations.replies': {
    ...NO_CHANNEL,
    ...OLD_CURSOR,
    thread_not_found: goneHere('message', 'the thread is gone', 'ask in the channel itself'),
    list_record_comment_fetch_failed: pass('Slack could not read the thread'),
    ...mistakes(
      'invalid_metadata_filter_keys invalid_ts_latest invalid_ts_oldest method_not_supported_for_channel_type',
    ),
  },
  'files.completeUploadExternal': {
    ...NO_CHANNEL,
    ...NOT_A_MEMBER,
    ...NO_UPLOADS,
    file_not_found: gone('file', 'Slack lost the file on its way', 'ask again'),
    file_update_failed: unsure('Slack could not keep the file'),
    invalid_channel: goneHere('channel', 'I cannot see the channel', 'use another channel'),
    posting_to_channel_denied: lacksHere('files', 'files may not be shared in the channel'),
    invalid_blocks: BAD_BLOCKS,
    ...mistakes('channels_limit_exceeded'),
  },
  'files.delete': {
    ...each('file_deleted file_not_found', gone('file', 'the file is gone', 'give it again')),
    ...each(
      'cant_delete_file delete_not_allowed file_deleting_disabled',
      lacks('files', 'I may not delete the file', 'delete it yourself'),
    ),
  },
  'files.getUploadURLExternal': {
    ...NO_UPLOADS,
    file_uploads_disabled: lacks('uploads', 'the workspace takes no files', `${ADMIN} about it`),
    file_upload_size_restricted: lacks('uploads', 'the workspace takes no files as large as this', 'ask for less'),
    storage_limit_reached: lacks(
      'storage',
      'the workspace’s file storage is full',
      'delete old files, or ask an admin of the workspace for a larger plan',
    ),
    ...each('snippet_too_large alt_txt_too_large', TOO_LONG),
    ...mistakes('missing_argument unknown_snippet_type unknown_subtype'),
  },
  'files.info': {
    ...each('file_not_found file_deleted', gone('file', 'the file is gone', 'give it again')),
    not_visible: lacks(
      'access',
      'I may not see the file',
      'send it to me directly, or share it in a channel that I am in',
    ),
    template_not_visible: lacks('access', 'I may not see the template', 'give it as a file'),
    ...each(
      'canvas_disabled_file_team canvas_disabled_user_team canvas_globally_disabled slack_connect_canvas_sharing_blocked',
      lacks('canvases', 'the canvas may not be read here', 'give it as a file'),
    ),
  },
  'usergroups.list': {
    ...OLD_CURSOR,
    plan_upgrade_required: lacks(
      'a paid plan',
      'user groups need a paid plan of Slack',
      'name people by their ids in the policy instead',
    ),
    ...mistakes('invalid_team missing_argument users_not_found'),
  },
  'users.info': { ...NO_PERSON, ...mistakes('too_many_users') },
  'users.list': { ...OLD_CURSOR, ...mistakes('limit_required missing_argument') },
  'views.open': {
    ...VIEW,
    expired_trigger_id: gone(
      'trigger',
      'it took too long, and Slack opens no form for that any more',
      'do it once more',
    ),
    exchanged_trigger_id: gone('trigger', 'a form was already opened for that', 'do it once more'),
    ...mistakes('invalid_trigger_id'),
  },
  'views.publish': {
    ...VIEW,
    ...NEWER_VIEW,
    not_enabled: lacks(
      'the Home tab',
      'the Home tab is switched off',
      'whoever runs the bot switches it on in the app’s settings, under App Home',
    ),
    ...mistakes('missing_profile_id not_implemented'),
  },
  'views.update': { ...VIEW, ...NEWER_VIEW, not_found: gone('view', 'the form was closed', 'open it again') },
  /** Not a method: the address that came with a command or a press. */
  response_url: {
    ...MESSAGE,
    invalid_payload: BAD_BLOCKS,
    ...each('used_url expired_url', gone('address', 'Slack takes no more answers to that', 'ask again')),
    ...each(
      'no_active_hooks no_service no_team team_disabled user_not_found',
      gone('address', 'Slack takes no answers there', 'ask again'),
    ),
    channel_is_archived: ARCHIVED,
    ...each('action_prohibited posting_to_general_channel_denied', NO_POSTING),
  },
} satisfies Readonly<Record<string, Meanings>>;

/** A method of the Web API that the bot calls. */
export type Method = keyof typeof METHODS;

/** Everything that a method may say, with what it means. */
export function errorsOf(method: Method): Meanings {
  return { ...SHARED, ...METHODS[method] };
}

/** By code alone, for what a method says that is documented for others only. */
const ANYWHERE: Meanings = Object.assign({}, ...Object.values(METHODS).toReversed(), SHARED);

/** The meaning of a code, by the method that says it where that is known. A code that is documented nowhere is our mistake. */
export function meaningOf(code: string, method = ''): Meaning {
  const own = Object.hasOwn(METHODS, method) ? errorsOf(method as Method) : ANYWHERE;
  const known = [own, ANYWHERE].find((meanings) => Object.hasOwn(meanings, code));
  return known?.[code] ?? { kind: 'mistake' };
}
