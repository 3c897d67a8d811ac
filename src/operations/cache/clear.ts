import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { force } from '../arguments/plain.ts';
import { nameWithId, typeable } from '../arguments/resources/look-up.ts';
import { exactPullZone } from '../arguments/resources/zones.ts';
import { defineOperation, wordsWith } from '../operation.ts';
import { zoneCost } from './cost.ts';

/** `POST /pullzone/{id}/purgeCache` without a tag. */
export const clearCache = defineOperation({
  name: 'cache clear',
  summary: 'Clear the whole cache of a zone',
  synonyms: {
    verbs: 'clean, nuke, purge, flush, empty, wipe, invalidate, drop, reset, forget, delete, remove, del, rm, clr',
    nouns: 'caches, cached, cdn, everything',
  },
  effect: 'destructive',
  emptiesCache: true,
  args: {
    zone: exactPullZone(),
    force: force(),
  },
  examples: ['cache clear shop-assets'],

  typed: ({ zone }) => typeable(zone),

  words: ({ target }) => wordsWith('Clear', 'cleared', mrkdwn`the caches of ${code(target)}`),

  preview: () => ({
    after: { cache: 'empty' },
    warnings: ['Every file will be fetched from the origin again.'],
  }),

  preflight: async ({ zone }, context) => ({ details: await zoneCost(zone, context) }),

  run: ({ zone }, { platform, signal }) => platform.pullZones.purgeCache(zone.Id, {}, { signal }),

  render: (_, { zone }) =>
    message(actions(commandButton('See the hits come back', `stats show ${zone.Id} --from 6h --hourly`))),

  elsewhere: ({ entry: { Action = '', fields }, zones: [zone] }) =>
    zone !== undefined && /purge|clear.?cache/i.test(Action) && fields.every(({ after }) => after === null)
      ? { target: nameWithId(zone), given: { zone: String(zone.Id) }, after: { cache: 'empty' } }
      : undefined,

  whenUnknown: () => message(note('You can repeat the command: clearing twice has the same effect as clearing once.')),
});
