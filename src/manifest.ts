import { operations } from './operations/index.ts';
import { LOOK_INTO } from './slack/look-into.ts';

/** The methods and events that need a scope, and what fails without it. */
interface Scope {
  calls: readonly string[];
  without: string;
}

/** Slack has one scope for each kind of conversation. */
const reading = (where: string): Scope => ({
  calls: ['conversations.list', 'conversations.info'],
  without: `reports cannot be subscribed in ${where}`,
});
const looking = (where: string): Scope => ({
  calls: ['conversations.replies', 'conversations.history'],
  without: `in ${where} the file of a thread is not found, and an interrupted report may come twice`,
});

/** A test compares them with the code, in both directions. */
export const SCOPES: Readonly<Record<string, Scope>> = {
  'app_mentions:read': { calls: ['app_mention'], without: 'it does not hear mentions' },
  'channels:history': looking('public channels'),
  'channels:read': reading('public channels'),
  'chat:write': {
    calls: ['chat.postMessage', 'chat.postEphemeral', 'chat.update', 'chat.delete'],
    without: 'it can say nothing but answers to commands',
  },
  commands: { calls: ['/edge'], without: 'there is no slash command' },
  'files:read': { calls: ['files.info'], without: 'it cannot read the files that people give' },
  'files:write': {
    calls: ['files.getUploadURLExternal', 'files.completeUploadExternal'],
    without: 'attached files are missing',
  },
  'groups:history': looking('private channels'),
  'groups:read': reading('private channels'),
  'im:history': { calls: ['message.im'], without: 'it does not hear direct messages' },
  'im:read': reading('direct messages'),
  'im:write': { calls: ['conversations.open'], without: 'it can send nobody a direct message' },
  'mpim:history': {
    calls: ['message.mpim'],
    without: 'in group direct messages it may not hear mentions, and an interrupted report may come twice',
  },
  'mpim:read': reading('group direct messages'),
  'usergroups:read': { calls: ['usergroups.list'], without: 'user groups in the policy match nobody' },
  'users:read': { calls: ['users.info'], without: 'it knows nobody, and nobody may do anything' },
};

export const EVENTS = [
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'channel_archive',
  'channel_deleted',
  'channel_id_changed',
  'group_archive',
  'group_deleted',
  'message.im',
  'message.mpim',
  'tokens_revoked',
] as const;

/** A placeholder for the bot’s public address. */
export const PUBLIC_ADDRESS = 'https://your.host/slack/events';

export const MANIFESTS = { socket: 'manifest.yml', http: 'docs/manifest.http.yml' } as const;

/**
 * A test compares it with both manifests. For one workspace only, because rights, audit and subscriptions belong to its
 * members.
 */
export function buildManifest(
  mode: keyof typeof MANIFESTS,
  { command = '/edge', label }: { command?: string | undefined; label?: string | undefined } = {},
) {
  const isHttp = mode === 'http';
  const address = isHttp ? { request_url: PUBLIC_ADDRESS } : {};
  const nouns = [...new Set(operations.map((operation) => operation.name.split(' ')[0]))];
  return {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: {
      name: label === undefined ? 'Edgewise' : `Edgewise ${label}`,
      description:
        'Operates your edge platform from Slack: shows what will change, asks, does it once, remembers who did it.',
      background_color: '#14213d',
    },
    features: {
      shortcuts: [LOOK_INTO],
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: {
        display_name: label === undefined ? 'edgewise' : `edgewise-${label.toLowerCase().replaceAll(' ', '-')}`,
        always_online: true,
      },
      slash_commands: [
        {
          command,
          ...(isHttp ? { url: PUBLIC_ADDRESS } : {}),
          description: 'Operate the edge platform',
          usage_hint: `<${nouns.join(' | ')}> …`,
          should_escape: false,
        },
      ],
    },
    oauth_config: { scopes: { bot: Object.keys(SCOPES) } },
    settings: {
      event_subscriptions: { ...address, bot_events: [...EVENTS] },
      interactivity: { is_enabled: true, ...address, ...(isHttp ? { message_menu_options_url: PUBLIC_ADDRESS } : {}) },
      org_deploy_enabled: false,
      socket_mode_enabled: !isHttp,
      token_rotation_enabled: false,
    },
  };
}
