/**
 * Errors that Slack documents, by the method of its Web API (2026-05), for those that Edgewise calls. They are restated so that a
 * bot's own table is held against something else than itself; `SLACK_METHODS=DIR npm run test:run` compares them with Slack's.
 */
export const DOCUMENTED: Readonly<Record<string, readonly string[]>> = {
  'apps.connections.open': codes(`
    forbidden_team insecure_request missing_args`),
  'auth.test': [],
  'blocks.validate': codes(`
    invalid_blocks invalid_message invalid_view`),
  'chat.delete': codes(`
    cant_delete_message channel_not_found message_not_found`),
  'chat.postEphemeral': codes(`
    cannot_reply_to_message channel_not_found invalid_attachments invalid_blocks invalid_blocks_format
    is_archived markdown_text_conflict message_limit_exceeded messages_tab_disabled msg_too_long no_text
    not_in_channel restricted_action too_many_attachments user_not_in_channel`),
  'chat.postMessage': codes(`
    as_user_not_supported attachment_payload_limit_exceeded cannot_reply_to_message channel_not_found
    draft_already_deleted draft_already_sent draft_has_conflict draft_not_found duplicate_channel_not_found
    duplicate_message_not_found invalid_blocks invalid_blocks_format invalid_metadata_format
    invalid_metadata_schema is_archived markdown_text_conflict message_limit_exceeded messages_tab_disabled
    metadata_must_be_sent_from_app metadata_too_large missing_file_data msg_blocks_too_long no_text
    not_in_channel rate_limited restricted_action restricted_action_non_threadable_channel
    restricted_action_read_only_channel restricted_action_thread_locked restricted_action_thread_only_channel
    slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
    slack_connect_lists_sharing_blocked team_not_found too_many_attachments too_many_contact_cards`),
  'chat.update': codes(`
    as_user_not_supported block_mismatch blocked_file_type cant_broadcast_message cant_update_message
    channel_not_found edit_window_closed external_channel_migrating file_deleted file_is_deleted
    file_not_found file_share_limit_reached invalid_attachments invalid_blocks invalid_blocks_format
    invalid_metadata_format invalid_metadata_schema is_inactive markdown_text_conflict
    max_file_sharing_exceeded message_limit_exceeded message_not_found metadata_must_be_sent_from_app
    metadata_too_large msg_too_long no_dual_broadcast_content_update no_text posting_to_channel_denied
    slack_connect_blocked_file_type slack_connect_canvas_sharing_blocked slack_connect_clip_sharing_blocked
    slack_connect_file_link_sharing_blocked slack_connect_file_upload_sharing_blocked streaming_state_conflict
    team_not_found too_many_attachments unable_to_share_files update_failed`),
  'conversations.history': codes(`
    channel_is_limited_access channel_not_found invalid_cursor invalid_metadata_filter_keys invalid_ts_latest
    invalid_ts_oldest not_in_channel`),
  'conversations.info': codes(`
    channel_is_limited_access channel_not_found`),
  'conversations.list': codes(`
    invalid_cursor invalid_limit invalid_types method_not_supported_for_channel_type missing_argument`),
  'conversations.open': codes(`
    channel_not_found invalid_user_combination method_not_supported_for_channel_type not_enough_users
    too_many_users user_disabled user_not_found user_not_visible users_list_not_supplied`),
  'conversations.replies': codes(`
    channel_not_found invalid_cursor invalid_metadata_filter_keys invalid_ts_latest invalid_ts_oldest
    list_record_comment_fetch_failed method_not_supported_for_channel_type thread_not_found`),
  'files.completeUploadExternal': codes(`
    channel_not_found channels_limit_exceeded file_not_found file_type_not_allowed file_update_failed
    file_uploads_except_images_disabled invalid_blocks invalid_channel not_in_channel
    posting_to_channel_denied`),
  'files.delete': codes(`
    cant_delete_file delete_not_allowed file_deleted file_deleting_disabled file_not_found`),
  'files.getUploadURLExternal': codes(`
    alt_txt_too_large file_type_not_allowed file_upload_size_restricted file_uploads_disabled
    file_uploads_except_images_disabled missing_argument snippet_too_large storage_limit_reached
    unknown_snippet_type unknown_subtype`),
  'files.info': codes(`
    canvas_disabled_file_team canvas_disabled_user_team canvas_globally_disabled file_deleted file_not_found
    not_visible slack_connect_canvas_sharing_blocked template_not_visible`),
  'usergroups.list': codes(`
    invalid_cursor invalid_team missing_argument plan_upgrade_required users_not_found`),
  'users.info': codes(`
    too_many_users user_not_found user_not_visible`),
  'users.list': codes(`
    invalid_cursor limit_required missing_argument`),
  'views.open': codes(`
    duplicate_external_id exchanged_trigger_id expired_trigger_id invalid_trigger_id view_too_large`),
  'views.publish': codes(`
    duplicate_external_id hash_conflict missing_profile_id not_enabled not_implemented view_too_large`),
  'views.update': codes(`
    duplicate_external_id hash_conflict not_found view_too_large`),
};

/** The same for methods that the emulator has for other bots. */
export const DOCUMENTED_FOR_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'api.test': [],
  'bots.info': codes(`
    bot_not_found bots_not_found missing_argument team_not_found`),
  'chat.getPermalink': codes(`
    channel_not_found message_not_found`),
  'conversations.join': codes(`
    channel_not_found is_archived method_not_supported_for_channel_type`),
  'conversations.members': codes(`
    channel_not_found fetch_members_failed invalid_cursor invalid_limit
    method_not_supported_for_channel_type`),
  'reactions.add': codes(`
    already_reacted bad_timestamp channel_not_found external_channel_migrating invalid_name is_archived
    message_not_found no_access no_item_specified not_reactable thread_locked too_many_emoji
    too_many_reactions`),
  'reactions.remove': codes(`
    bad_timestamp channel_not_found external_channel_migrating file_comment_not_found file_not_found
    invalid_name message_not_found no_access no_item_specified no_reaction thread_locked`),
  'team.info': codes(`
    enterprise_not_found fail_to_get_teams_for_restricted_user missing_user org_not_found team_not_found
    team_not_on_enterprise user_not_found`),
  'usergroups.users.list': codes(`
    invalid_cursor no_such_subteam plan_upgrade_required`),
  'users.conversations': codes(`
    invalid_cursor invalid_limit invalid_types method_not_supported_for_channel_type missing_argument`),
  'users.lookupByEmail': codes(`
    users_not_found`),
  'views.push': codes(`
    duplicate_external_id exchanged_trigger_id expired_trigger_id invalid_trigger_id not_found
    push_limit_reached view_too_large`),
};

/** Errors that every method may answer with. */
export const COMMON: readonly string[] = codes(`
  access_denied accesslimited account_inactive deprecated_endpoint ekm_access_denied enterprise_is_restricted
  fatal_error free_team_not_allowed internal_error invalid_arg_name invalid_arguments invalid_array_arg
  invalid_auth invalid_charset invalid_form_data invalid_json invalid_post_type json_not_object
  method_deprecated missing_post_type missing_scope no_permission not_allowed_token_type not_authed
  org_login_required rate_limited ratelimited request_timeout service_unavailable team_access_not_granted
  team_added_to_org token_expired token_revoked two_factor_setup_required unknown_method`);

/** Errors of the address that comes with a command or a press, as incoming webhooks document them. */
export const RESPONSE_URL: readonly string[] = codes(`
  action_prohibited channel_is_archived channel_not_found expired_url invalid_attachments invalid_blocks
  invalid_payload no_active_hooks no_service no_team no_text posting_to_general_channel_denied team_disabled
  too_many_attachments used_url user_not_found`);

/** Slack answers with these too, without documenting them for the method. */
export const SEEN: Readonly<Record<string, readonly string[]>> = {
  'chat.postEphemeral': codes('invalid_arguments msg_blocks_too_long'),
  'chat.postMessage': codes('invalid_arguments invalid_attachments msg_too_long'),
  'chat.update': codes('invalid_arguments msg_blocks_too_long'),
  'conversations.open': codes('cannot_dm_bot'),
  'views.open': codes('invalid_arguments invalid_blocks'),
  'views.publish': codes('invalid_arguments invalid_blocks'),
  'views.update': codes('invalid_arguments invalid_blocks'),
};

function codes(words: string): string[] {
  return words.trim().split(/\s+/);
}
