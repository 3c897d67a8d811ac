import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { forAWhile } from '../arguments/plain.ts';
import { script } from '../arguments/resources/kinds.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { release, releaseInWords, shortRelease as short } from '../arguments/resources/releases.ts';
import { zoneNames } from '../linked-scripts.ts';
import { defineOperation, fromTo } from '../operation.ts';

export const publishRelease = defineOperation({
  name: 'script publish',
  summary: 'Publish a release of an edge script, such as the one before',
  synonyms: {
    verbs: 'release, released, deploy, roll back, rollback, go back, bring back, revert, ship, activate',
    nouns: 'release, releases, version, previous release, deploy',
  },
  effect: 'write',
  args: { script: script(), release: release({ scriptIn: 'script' }), for: forAWhile() },
  examples: ['script publish router previous', 'script publish router 4f2a91c0'],

  words: ({ target, given, before, after }) => ({
    button: 'Publish',
    title: mrkdwn`Publish release ${code(short(after.release ?? given.release))} of ${code(target)}`,
    done: mrkdwn`published release ${fromTo(before && short(before.release), short(after.release))} of ${code(target)}`,
  }),

  preview({ script, release: { uuid, release, running, unread = 'no release runs' } }, context) {
    const names = zoneNames(script, context).slice(0, 10);
    return {
      // Dates and notes may change when it is published.
      ...(running === undefined ? { unread } : { before: { release: running.Uuid } }),
      after: { release: uuid },
      details: message(
        running && mrkdwn`${bold('Running now:')} ${releaseInWords(running)}`,
        release && mrkdwn`${bold('Then:')} ${releaseInWords(release)}`,
        names.length > 0 && note(`It serves ${names.join(', ')}.`),
      ),
    };
  },

  run: ({ script, release: { uuid, release } }, { platform, signal }) =>
    platform.edgeScripts.publish(script.Id, uuid, { Note: release?.Note }, { signal }),

  elsewhere({ entry: { Action = '' }, script, field }) {
    const { before, after } = field(/release|uuid/i) ?? {};
    if (script === undefined || !after || !/publish/i.test(Action)) return undefined;
    return {
      target: nameWithId(script),
      given: { script: String(script.Id), release: after },
      before: before ? { release: before } : undefined,
      after: { release: after },
    };
  },

  whenUnknown: ({ script }) =>
    message(
      note('Publishing the same release again does no harm.'),
      actions(commandButton('What runs?', `script releases ${script}`)),
    ),

  undo: ({ before }) => ({ release: String(before.release) }),
});
