import { operations } from './operations/index.ts';

/**
 * Scopes, each with the Web API methods and events that need it. Nothing is asked for that no line of the code uses; a test
 * compares both ways.
 */
export const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'app_mentions:read': ['app_mention'],
  'channels:history': ['conversations.replies', 'conversations.history'],
  'channels:read': ['conversations.list', 'conversations.info'],
  'chat:write': ['chat.postMessage', 'chat.postEphemeral', 'chat.update'],
  commands: ['/edge'],
  'files:read': ['files.info'],
  'files:write': ['files.getUploadURLExternal', 'files.completeUploadExternal'],
  'groups:history': ['conversations.replies', 'conversations.history'],
  'groups:read': ['conversations.list', 'conversations.info'],
  'im:history': ['message.im'],
  'im:write': ['conversations.open'],
  'usergroups:read': ['usergroups.list'],
  'users:read': ['users.info'],
};

/** Events that the bot listens to. */
export const EVENTS = [
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'channel_archive',
  'channel_deleted',
  'group_archive',
  'group_deleted',
  'message.im',
  'tokens_revoked',
] as const;

/** The one slash command. */
export const COMMAND = '/edge';

/** The Slack app: `manifest.yml` is this object, and a test keeps it so. It describes Socket Mode; HTTP needs two addresses more. */
export function buildManifest() {
  const nouns = [...new Set(operations.map((operation) => operation.name.split(' ')[0]))];
  return {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: {
      name: 'Edgewise',
      description:
        'Operates your edge platform from Slack: shows what will change, asks, does it once, remembers who did it.',
      background_color: '#14213d',
    },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: 'edgewise', always_online: true },
      slash_commands: [
        {
          command: COMMAND,
          description: 'Operate the edge platform',
          usage_hint: `<${nouns.join(' | ')}> …`,
          should_escape: false,
        },
      ],
    },
    oauth_config: { scopes: { bot: Object.keys(SCOPES) } },
    settings: {
      event_subscriptions: { bot_events: [...EVENTS] },
      interactivity: { is_enabled: true },
      org_deploy_enabled: false,
      socket_mode_enabled: true,
      token_rotation_enabled: false,
    },
  };
}
