import { commandButton } from '../../blocks/buttons.ts';
import { actions, extraFields, message, note, section } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { flagged } from '../arguments/plain.ts';
import { type Cached, cached } from '../arguments/resources/cached.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { addressCost } from './cost.ts';

const nameOf = (what: Cached) => ('tag' in what ? `tag:${what.tag}` : what.url);

/** `POST /purge`, and `POST /pullzone/{id}/purgeCache` with a tag. Without a `*`, one address is meant and nothing beneath it. */
export const purgeCache = defineOperation({
  name: 'cache purge',
  summary: 'Have the caches forget an address, all beneath it, or what has a tag',
  effect: 'write',
  args: {
    what: cached({ zoneIn: 'zone' }),
    zone: flagged(pullZone()),
  },
  examples: [
    'cache purge https://cdn.example.com/img/logo.png',
    'cache purge https://cdn.example.com/img/*',
    'cache purge tag:news --zone shop-assets',
  ],

  target: ({ what }) => `${nameOf(what)} on ${zoneName(what.zone)}`,

  preview: ({ what }) => ({
    unread: 'the platform does not show what its caches hold',
    after: { cache: 'purged' },
    warnings: [
      ...('tag' in what || what.isPrefix ? ['Everything that it stands for is fetched from the origin again.'] : []),
      ...('path' in what && !what.isPrefix && what.url.endsWith('/')
        ? ['Where the zone ignores query strings, the platform purges what is beneath it too.']
        : []),
    ],
  }),

  preflight: async ({ what }, context) =>
    'tag' in what
      ? { details: message(note('How much has this tag is shown by nobody: the log does not have tags.')) }
      : { details: await addressCost(what.path, what.zone, context) },

  run: ({ what }, { platform, signal }) =>
    'tag' in what
      ? platform.pullZones.purgeCache(what.zone.Id, { CacheTag: what.tag }, { signal })
      : platform.pullZones.purge({ url: what.url, exactPath: !what.isPrefix }, { signal }),

  render: ({ extra }, { what }) =>
    message(
      section(mrkdwn`${code(nameOf(what))} is purged from the caches of ${zoneName(what.zone)}.`),
      extraFields(extra),
      'path' in what &&
        actions(commandButton('See it in the log', `log search ${what.zone.Id} --from 10m --url "${what.path}"`)),
    ),

  whenUnknown: () => message(note('Purging once more does no harm: repeat the command.')),
});
