import { count, share } from '../blocks/format.ts';
import { type Message, message, note, section } from '../blocks/message.ts';
import { bold, code, mrkdwn } from '../blocks/mrkdwn.ts';
import { choice, forAWhile, number, text } from './arguments/plain.ts';
import { nameWithId } from './arguments/resources/look-up.ts';
import { exactPullZone, type ZoneRef } from './arguments/resources/zones.ts';
import { shieldOf, whatItStops, withoutShield } from './block.ts';
import type { Context } from './context.ts';
import { keptAddress } from './log/filters.ts';
import { defineOperation, wordsWith } from './operation.ts';
import { lastHour } from './recent-requests.ts';
import { presentState } from './unreadable.ts';

/** In seconds: the platform has these. */
const PERIODS = { '1s': 1, '10s': 10, '1m': 60, '5m': 300, '15m': 900, '1h': 3600 } as const;

const SPOKEN: Partial<Record<string, string[]>> = { '1s': ['per second'], '1m': ['per minute'], '1h': ['per hour'] };

interface Limit {
  path: string;
  requests: number;
  per: keyof typeof PERIODS;
}

/** Also tells it from other limits on the same path. */
const descriptionOf = ({ requests, per }: Limit) => `${requests} requests in ${per} for each address, by Edgewise`;

async function find(zone: ZoneRef, limit: Limit, context: Pick<Context, 'platform' | 'signal'>) {
  const shield = await shieldOf(zone, context);
  if (shield === undefined) throw withoutShield(zone, 'it can’t have limits');
  const limits = await context.platform.security.limits(shield, { signal: context.signal });
  const same = limits.find(
    ({ ruleDescription, ruleConfiguration }) =>
      ruleDescription === descriptionOf(limit) && ruleConfiguration?.value === limit.path,
  );
  return { shield, same };
}

/** What it would have refused in the last hour, by the access log. */
async function wouldRefuse(zone: ZoneRef, { path, requests, per }: Limit, context: Context): Promise<Message> {
  const read = await lastHour(zone.Id, context);
  if ('unread' in read) return message(note(`I can’t tell how many requests it would refuse: ${read.unread}.`));
  const period = PERIODS[per] * 1_000;
  const times = new Map<string, number>();
  for (const { timestamp = '', remoteIp = '', path: asked = '' } of read.records) {
    const key = `${remoteIp} ${Math.floor(Date.parse(timestamp) / period)}`;
    if (asked.startsWith(path)) times.set(key, (times.get(key) ?? 0) + 1);
  }
  const over = [...times].filter(([, many]) => many > requests);
  // Each address of a network may be below the limit.
  if (over.map(([key]) => key.split(' ')[0]!).some((address) => keptAddress(address) !== address))
    return message(note('I can’t tell how many requests it would refuse: the log keeps no whole addresses.'));
  const refused = over.reduce((sum, [, many]) => sum + many - requests, 0);
  const none = mrkdwn`It would have refused none of ${read.of}.`;
  const some = mrkdwn`It would have refused at least ${bold(`${count(refused)} of ${read.of}`)} (${share(refused, read.records.length)}).`;
  return message(section(refused === 0 ? none : some), note('Whoever exceeds it is refused for a minute.'));
}

export const limit = defineOperation({
  name: 'limit',
  summary: 'Limit how often one address may ask for a path of a zone, or lift that limit',
  synonyms: { verbs: 'rate limit, throttle, slow down, lift', nouns: 'rate limit, limits, rate, throttling' },
  effect: 'write',
  keepsOut: true,
  args: {
    action: choice('Action', [
      { value: 'add', label: 'Limit', also: ['limit', 'throttle'] },
      { value: 'remove', label: 'Lift', also: ['lift', 'unlimit', 'no longer limit'] },
    ]),
    zone: exactPullZone(),
    path: {
      ...text('Path', {
        hint: 'Everything that starts with this, such as /login; / for everything',
        placeholder: '/login',
        maxLength: 200,
        pattern: /^\/[^\s?#]*$/,
        wrong: 'A path begins with a slash, and has no spaces and no query.',
      }),
      fromMessage: 'path',
    },
    requests: {
      ...number('Requests', { minimum: 1, maximum: 1_000_000, hint: 'Of each address' }),
      fromMessage: 'number',
    },
    per: choice(
      'In',
      (Object.keys(PERIODS) as Limit['per'][]).map((value) => ({ value, also: SPOKEN[value] ?? [] })),
    ),
    for: forAWhile(),
  },
  examples: ['limit add shop /login 10 1m --for 2h', 'limit remove shop /login 10 1m'],

  target: ({ zone, path }) => `${path} on ${nameWithId(zone)}`,

  words({ target, given: { action, requests = '', per = '' } }) {
    const what = mrkdwn`${code(target)} to ${bold(`${requests} requests in ${per}`)} for each address`;
    return action === 'remove'
      ? wordsWith('Lift', 'lifted', mrkdwn`the limit of ${what}`)
      : wordsWith('Limit', 'limited', what);
  },

  async preview({ action, zone, ...limit }, context) {
    const present = await presentState(async () => ({
      limited: (await find(zone, limit, context)).same !== undefined,
    }));
    return { ...present, after: { limited: action === 'add' } };
  },

  preflight: async ({ action, zone, ...limit }, context) =>
    action === 'add' ? { details: await wouldRefuse(zone, limit, context) } : {},

  async run({ action, zone, ...limit }, context) {
    const { platform, signal } = context;
    const { shield, same } = await find(zone, limit, context);
    const { path: value, requests: requestCount, per } = limit;
    const rule = { value, requestCount, timeframe: PERIODS[per] };
    const named = { ruleName: 'Edgewise limit', ruleDescription: descriptionOf(limit) };
    if (action === 'add' && same === undefined)
      await platform.security.addLimit(shield, { ...named, ...rule }, { signal });
    if (action === 'remove' && same !== undefined) await platform.security.removeLimit(same.id, { signal });
  },

  render: (_, { action, zone }) => (action === 'add' ? whatItStops(zone) : message()),

  undo: ({ before }) => ({ action: before.limited === true ? 'add' : 'remove' }),
});
