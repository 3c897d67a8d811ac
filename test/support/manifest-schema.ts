import { z } from 'zod';

const address = z
  .url({ protocol: /^https$/ })
  .max(3000)
  .optional();

/** The part of Slack's manifest schema 2.0 that the project uses, strict: a key that Slack does not know is refused here too. */
export const manifestSchema = z.strictObject({
  _metadata: z.strictObject({ major_version: z.literal(2), minor_version: z.int().optional() }),
  display_information: z.strictObject({
    name: z.string().min(1).max(35),
    description: z.string().max(140).optional(),
    long_description: z.string().min(175).max(4000).optional(),
    background_color: z
      .string()
      .regex(/^#[0-9a-f]{3,6}$/i)
      .optional(),
  }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    shortcuts: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(24),
          type: z.enum(['message', 'global']),
          callback_id: z.string().min(1).max(255),
          description: z.string().min(1).max(150),
        }),
      )
      .min(1)
      .max(10),
    bot_user: z.strictObject({ display_name: z.string().min(1).max(80), always_online: z.boolean() }),
    slash_commands: z
      .array(
        z.strictObject({
          command: z.string().regex(/^\/[a-z0-9_-]{1,31}$/),
          description: z.string().min(1).max(2000),
          usage_hint: z.string().max(1000).optional(),
          should_escape: z.boolean(),
          url: address,
        }),
      )
      .min(1)
      .max(50),
  }),
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: z.array(z.string()).max(255) }) }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({ request_url: address, bot_events: z.array(z.string()).max(100) }),
    interactivity: z.strictObject({
      is_enabled: z.literal(true),
      request_url: address,
      message_menu_options_url: address,
    }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});
