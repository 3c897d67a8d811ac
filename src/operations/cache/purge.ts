import { commandButton } from '../../blocks/buttons.ts';
import { actions, type Message, message, note, section } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { flagged } from '../arguments/plain.ts';
import { type Cached, cached } from '../arguments/resources/cached.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { exactPullZone } from '../arguments/resources/zones.ts';
import { quoted } from '../grammar.ts';
import { defineOperation, warningsOf, wordsWith } from '../operation.ts';
import { addressCost } from './cost.ts';

/** The platform compares the whole CDN-Tag header, so a tag among several needs stars. */
function tagCost({ tag, zone }: Extract<Cached, { tag: string }>): Message {
  const several = `*${tag}*`;
  return message(
    note('I can’t tell how many requests have this tag: the log doesn’t show tags.'),
    ...(tag.includes('*')
      ? []
      : [
          section(
            mrkdwn`This purges only files whose CDN-Tag header is exactly this tag. To include files with more tags, use ${code(several)}: it purges everything with ${code(tag)} anywhere in its tags.`,
          ),
          actions(
            commandButton(`Purge ${several} instead`, `cache purge ${quoted(`tag:${several}`)} --zone ${zone.Id}`),
          ),
        ]),
  );
}

const nameOf = (address: Cached) => ('tag' in address ? `tag:${address.tag}` : address.url);

/** `POST /purge`, and `POST /pullzone/{id}/purgeCache` with a tag. */
export const purgeCache = defineOperation({
  name: 'cache purge',
  summary: 'Purge an address, all beneath it, or a tag from the cache',
  synonyms: {
    verbs: 'clean, clear, remove, delete, drop, flush, invalidate, expire, evict, refresh, forget',
    nouns: 'caches, cached, cdn, url, tag, address, page, file, cache',
  },
  effect: 'write',
  emptiesCache: true,
  args: {
    address: cached({ zoneIn: 'zone' }),
    zone: flagged(exactPullZone()),
  },
  examples: [
    'cache purge https://cdn.example.com/img/logo.png',
    'cache purge https://cdn.example.com/img/*',
    'cache purge tag:news --zone shop-assets',
  ],

  target: ({ address }) => `${nameOf(address)} on ${nameWithId(address.zone)}`,

  words: ({ target }) => wordsWith('Purge', 'purged', mrkdwn`${code(target)} from the caches`),

  preview: ({ address }) => ({
    after: { cache: 'purged' },
    warnings: warningsOf(
      ('tag' in address || address.isPrefix) && 'Everything it matches will be fetched from the origin again.',
      'path' in address &&
        !address.isPrefix &&
        address.url.endsWith('/') &&
        'If the zone ignores query strings, everything under it is purged too.',
    ),
  }),

  preflight: async ({ address }, context) => ({
    details: 'tag' in address ? tagCost(address) : await addressCost(address, context),
  }),

  run: ({ address }, { platform, signal }) =>
    'tag' in address
      ? platform.pullZones.purgeCache(address.zone.Id, { CacheTag: address.tag }, { signal })
      : platform.pullZones.purge({ url: address.url, exactPath: !address.isPrefix }, { signal }),

  render: (_, { address }) =>
    message(
      'path' in address &&
        actions(commandButton('See it in the log', `log search ${address.zone.Id} --from 1h --url "${address.path}"`)),
    ),

  elsewhere({ entry: { Action = '' }, zones: [zone], field }) {
    const tag = field(/(?:^|\.)(?:cache_?)?tag$/i)?.after;
    const what = tag ? `tag:${tag}` : field(/(?:^|\.)url$/i)?.after;
    if (zone === undefined || !what || !/purge/i.test(Action)) return undefined;
    return {
      target: `${what} on ${nameWithId(zone)}`,
      given: { address: what, zone: String(zone.Id) },
      after: { cache: 'purged' },
    };
  },

  whenUnknown: () => message(note('Purging once more does no harm: repeat the command.')),
});
