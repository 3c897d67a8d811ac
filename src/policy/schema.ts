import * as z from 'zod';
import { HOUR, parseDuration } from '../time.ts';
import { isChannelId, isGroupId } from './names.ts';

/** Direct messages, in `channels:`. */
export const DIRECT = 'direct';
/** All channels without an entry. */
export const OTHER = 'other';

const words = <T extends string>(one: z.ZodType<T>) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(one).min(1, 'is empty'));

const word = z
  .string('has to be a word')
  .min(1, 'is empty')
  .regex(
    /^(?!\s)[^\p{Cc}\p{Cf}]*(?<!\s)$/u,
    'has to be one line of text, with no spaces at its ends and no invisible characters',
  );
const person = z
  .string('has to be a Slack user id (U…)')
  .regex(/^[UW][A-Z0-9]{2,}$/, 'has to be a Slack user id (U…): names are not unique, and people change theirs');
const group = z
  .string('has to be a user group')
  .refine((text) => isGroupId(text) || /^@?[a-z0-9][a-z0-9._-]*$/.test(text), {
    error: 'has to be the id of a user group (S…) or its "@handle" in quotes',
  })
  .transform((text) => (isGroupId(text) || text.startsWith('@') ? text : `@${text}`));
const channel = z.string('has to be a channel').refine((text) => isChannelId(text) || /^#[^\s#A-Z]+$/.test(text), {
  error: 'has to be the id of a channel (C…) or its "#name" in quotes',
});
const place = z.string().refine((text) => [DIRECT, OTHER].includes(text) || channel.safeParse(text).success, {
  error: `is not a channel: write its id (C…) or "#name" in quotes, \`${DIRECT}\` or \`${OTHER}\``,
});

const scope = {
  operations: words(word).optional(),
  effect: words(z.enum(['read', 'write', 'destructive'], 'has to be read, write or destructive')).optional(),
  except: words(word).optional(),
  where: z.record(z.string(), words(word), 'has to say what an argument is, such as zone: shop-*').optional(),
};
const what = (entry: { operations?: unknown; effect?: unknown }) =>
  entry.operations !== undefined || entry.effect !== undefined;
const WHAT = 'says neither operations nor effect';

const permission = z.preprocess(
  (value) => (typeof value === 'string' ? { operations: value } : value),
  z.strictObject(scope, 'has to be a command, or to have operations or effect').refine(what, { error: WHAT }),
);
const allow = z.array(permission, 'has to be a list of commands');

const role = z.strictObject(
  {
    people: words(person).optional(),
    groups: words(group).optional(),
    guests: z
      .enum(['true', 'false'], 'has to be true or false')
      .default('false')
      .transform((text) => text === 'true'),
    allow,
  },
  'has to have people or groups, and allow',
);

const approval = z
  .strictObject(
    {
      ...scope,
      approvers: z.strictObject(
        {
          people: words(person).optional(),
          groups: words(group).optional(),
          roles: words(word).optional(),
        },
        'has to have people, groups or roles',
      ),
      count: z
        .string('has to be a number')
        .regex(/^([1-9]|10)$/, 'has to be a whole number from 1 to 10')
        .default('1')
        .transform(Number),
      expires: z
        .string('has to be a duration such as 30m, 4h or 1d')
        .regex(/^[1-9]\d{0,3}[mhd]$/)
        .transform((text) => parseDuration(text) ?? HOUR)
        .default(HOUR),
      reason: z.enum(['required', 'optional'], 'has to be required or optional').default('optional'),
      breakGlass: z.strictObject({ channel }, 'has to have a channel').optional(),
    },
    'has to have operations or effect, and approvers',
  )
  .refine(what, { error: WHAT });

/** A message continues the name of its place. */
export const policySchema = z.strictObject(
  {
    roles: z
      .record(
        z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u, 'is not a name for a role'),
        role,
        'has to be a list of roles by name',
      )
      .default({}),
    channels: z
      .record(place, z.strictObject({ allow }, 'has to have allow'), 'has to be a list of channels')
      .default({}),
    approval: z.array(approval, 'has to be a list').default([]),
  },
  'has to have roles, channels or approval',
);

export type WrittenPolicy = z.output<typeof policySchema>;
export type WrittenScope = WrittenPolicy['roles'][string]['allow'][number];
