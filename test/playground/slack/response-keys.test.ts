import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Keys, keysOfAnswers, placed } from './answers.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);
const under = (path: string, keys: string[]): string[] => keys.map((key) => `${path}.${key}`);

const FILE = words(`
  id created updated timestamp name title mimetype filetype pretty_type user user_team source_team editable size mode
  is_external external_type is_public public_url_shared display_as_bot username url_private url_private_download
  permalink permalink_public media_display_type alt_txt is_starred has_more_shares comments_count channels groups ims
  has_rich_preview file_access edit_link preview preview_highlight preview_is_truncated lines lines_more original_w
  original_h thumb_64 thumb_360 thumb_360_w thumb_360_h shares`);
const BOT = words('id app_id user_id name deleted updated team_id icons icons.image_36 icons.image_48 icons.image_72');
const MESSAGE = [
  ...words('type user ts team text bot_id app_id bot_profile blocks edited edited.user edited.ts'),
  ...under(
    'bot_profile',
    BOT.filter((key) => key !== 'user_id'),
  ),
];
const READ_MESSAGE = [
  ...MESSAGE,
  ...words('thread_ts parent_user_id reply_count reply_users reply_users_count latest_reply subscribed is_locked'),
  ...words('reactions metadata metadata.event_type metadata.event_payload attachments files'),
  ...under('files[]', FILE),
];
const CHANNEL = words(`
  id name name_normalized created updated creator is_archived is_channel is_group is_im is_mpim is_private is_general
  is_member is_shared is_ext_shared is_org_shared is_pending_ext_shared context_team_id conversation_host_id
  shared_team_ids internal_team_ids pending_shared pending_connected_team_ids previous_names unlinked
  topic topic.value topic.creator topic.last_set purpose purpose.value num_members properties`);
const USER = words(`
  id team_id name deleted color real_name tz tz_label tz_offset is_admin is_owner is_primary_owner is_restricted
  is_ultra_restricted is_bot is_app_user is_workflow_bot is_connector_bot is_email_confirmed is_invited_user is_stranger
  updated has_2fa who_can_share_contact_card locale enterprise_user enterprise_user.id enterprise_user.enterprise_id
  enterprise_user.enterprise_name enterprise_user.is_admin enterprise_user.is_owner enterprise_user.is_primary_owner
  enterprise_user.teams enterprise_id enterprise_name teams profile profile.real_name profile.display_name profile.email
  profile.team profile.bot_id profile.api_app_id profile.image_72 profile.guest_invited_by`);
const GROUP = words(`
  id team_id is_usergroup is_subteam name description handle is_external date_create date_update date_delete
  auto_provision enterprise_subteam_id created_by updated_by deleted_by prefs prefs.channels prefs.groups users
  user_count channel_count`);
const VIEW = words(`
  id team_id app_id app_installed_team_id bot_id type title title.text submit close blocks private_metadata callback_id
  external_id state hash clear_on_close notify_on_close submit_disabled root_view_id previous_view_id`);
const REFUSED = words('ok error warning response_metadata');

/** Keys of answers by method, restated from recordings of Slack's (2026-05): those of objects that a bot may read. */
const RECORDED: Readonly<Record<string, readonly string[]>> = {
  'auth.test': words(
    'ok url team user team_id user_id bot_id enterprise_id is_enterprise_install app_id app_name error',
  ),
  'apps.connections.open': words('ok url error'),
  'chat.postMessage': [
    ...words('ok channel ts message errors needed provided'),
    ...REFUSED,
    ...under(
      'message',
      MESSAGE.filter((key) => !key.startsWith('edited')),
    ),
  ],
  'chat.postEphemeral': words('ok message_ts error needed provided warning'),
  'chat.update': [...words('ok channel ts text message needed provided'), ...REFUSED, ...under('message', MESSAGE)],
  'conversations.history': [
    ...words(
      'ok messages has_more oldest latest pin_count channel_actions_ts channel_actions_count error needed provided',
    ),
    ...words('response_metadata response_metadata.next_cursor'),
    ...under('messages[]', READ_MESSAGE),
  ],
  'conversations.replies': [
    ...words('ok messages has_more error needed provided response_metadata response_metadata.next_cursor'),
    ...under('messages[]', READ_MESSAGE),
  ],
  'conversations.info': [...words('ok channel error needed provided warning'), ...under('channel', CHANNEL)],
  'conversations.list': [
    ...words('ok channels error needed provided warning response_metadata response_metadata.next_cursor'),
    ...under('channels[]', CHANNEL),
    ...words('channels[].user channels[].is_user_deleted channels[].priority'),
  ],
  'conversations.open': words(
    'ok channel channel.id channel.user channel.is_im channel.latest no_op already_open error',
  ),
  'files.getUploadURLExternal': words('ok upload_url file_id error needed provided response_metadata.messages'),
  'files.completeUploadExternal': [...words('ok files error needed provided'), ...under('files[]', FILE)],
  'files.info': [
    ...words('ok file comments paging content is_truncated error needed provided'),
    ...under('file', FILE),
  ],
  'usergroups.list': [...words('ok usergroups error needed provided'), ...under('usergroups[]', GROUP)],
  'users.info': [...words('ok user error needed provided warning'), ...under('user', USER)],
  'views.open': [...words('ok view'), ...REFUSED, ...under('view', VIEW)],
  'views.publish': [...words('ok view'), ...REFUSED, ...under('view', VIEW)],
  'views.update': [...words('ok view'), ...REFUSED, ...under('view', VIEW)],
};

/** Recorded keys that no answer of the emulator has, and why. */
const ABSENT: readonly (readonly [why: string, keys: RegExp])[] = [
  ['nobody starts a huddle', /\.room(\.|$)/],
  ['there are no threads of assistants', /assistant_app_thread/],
  ['there are no lists and no canvases', /list_|canvas|quip|template_|title_blocks|is_channel_space|linked_channel_id/],
  [
    'the same',
    /show_badge|sharing_enabled|update_notification|_access\b|_access_count|team_pref|teams_shared|files?(\[\])?\.(access|last_read)$/,
  ],
  ['the same', /dm_mpdm|channel_actions_|\.editors?$|last_editor|edit_timestamp|non_owner_editable/],
  [
    'nobody forwards mail to Slack',
    /\.(cc|to|from|headers|subject|plain_text|preview_plain_text|simplified_html|has_more|sent_to_self)(\b|$)|original_attachment/,
  ],
  [
    'files are texts, PNG pictures and others that Slack does not look into',
    /mp4|hls|vtt|transcription|duration_ms|media_progress|thumb_(video|pdf)|_gif|deanimate|converted_pdf|pjpeg|exif|thumb_gif/,
  ],
  [
    'files of other apps and places are not shared',
    /external_(id|url)|files?(\[\])?\.(app_id|app_name|bot_id|subtype)$|url_static_preview/,
  ],
  [
    'nobody stars, pins, saves or comments a file',
    /num_stars|favorites|saved|pinned_to|files?(\[\])?\.reactions|comment(\.|s\[|$)/,
  ],
  [
    'the app is not of the old kind, with a name and an icon for each message',
    /\.icons(\.emoji|\.image_\d+)?$|\.username$|display_as_bot|\.upload$|x_files|root\.(subtype|parent_user_id)|latest\.subtype/,
  ],
  ['nobody joins while it is looked, or changes a topic', /\.(inviter|topic|purpose)$/],
  ['they are for those who look for faults in Slack', /^(arg|callstack|deprecated_argument)$/],
  ['channels have no tabs, no limits and no canvases', /properties\./],
  ['nobody has a status', /status_emoji_display_info/],
  ['views stand beside no link', /view\.(app_unfurl_url|entity_url|external_ref|channel|message_ts|thread_ts)/],
  ['the token does not expire', /^expires_in$/],
  ['a home has no buttons of a form', /view\.(submit|close)\./],
];
/** Methods that need no scope, or an app-level token, which has one. */
const WITHOUT_SCOPES = words('auth.test apps.connections.open views.open views.publish views.update');

describe('the answers of the emulator', () => {
  let keys: Keys;
  beforeAll(async () => {
    keys = await keysOfAnswers();
  });

  it.each(Object.entries(RECORDED))('to %s have every key that Slack’s have', (method, recorded) => {
    expect(recorded.filter((key) => !keys.get(method)?.has(key))).toEqual([]);
  });

  const file = join(process.env.SLACK_PAYLOADS ?? '', '..', 'response-keys.json');
  it.skipIf(process.env.SLACK_PAYLOADS === undefined || !existsSync(file))(
    'have every recorded key, but for those of what the emulator does not have (SLACK_PAYLOADS)',
    () => {
      const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>;
      const missing = Object.keys(RECORDED).flatMap((method) =>
        (recorded[method] ?? [])
          .map(placed)
          .filter((key) => !keys.get(method)?.has(key))
          .filter(
            (key) => !(WITHOUT_SCOPES.includes(method) && /^(needed|provided|response_metadata\.messages)$/.test(key)),
          )
          .filter((key) => !ABSENT.some(([, pattern]) => pattern.test(key)))
          .map((key) => `${method} ${key}`),
      );
      expect(missing).toEqual([]);
    },
  );
});
