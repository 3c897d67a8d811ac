import { bytes, countOf, dayAndTime } from '../../blocks/format.ts';
import { actions, message, nothing } from '../../blocks/message.ts';
import { mrkdwn } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { toType } from '../../own-name.ts';
import { publishedAt } from '../../platform/resources/edge-scripts.ts';
import { script } from '../arguments/resources/kinds.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { backTo, isRunning, releaseBefore, releaseInWords, releaseName } from '../arguments/resources/releases.ts';
import { defineOperation } from '../operation.ts';
import { shown } from '../unreadable.ts';

export const listReleases = defineOperation({
  name: 'script releases',
  summary: 'List the releases of an edge script, and which one runs',
  synonyms: { verbs: 'versions, history, deploys, live, released, what runs', nouns: 'release, versions, deploys' },
  effect: 'read',
  args: { script: script() },
  examples: ['script releases router'],

  run: ({ script }, { platform, signal }) =>
    shown('releases', `${toType('script list')} lists the scripts.`, () =>
      platform.edgeScripts.releases(script.Id, { signal }),
    ),

  render(releases, { script }, reader) {
    const name = nameWithId(script);
    if (releases.length === 0) return nothing(`${name} has no releases.`);
    const [running, before] = [releases.find(isRunning), releaseBefore(releases)];
    return message(
      mrkdwn`${name} runs ${running === undefined ? 'no release' : releaseInWords(running)}.`,
      table({
        caption: countOf(releases.length, 'release', reader),
        // Phones show the first two.
        columns: ['Release', 'Published', 'Author', 'Commit', right('Size')],
        rows: releases.map((one) => [
          `${releaseName(one)}${isRunning(one) ? ', runs' : ''}`,
          publishedAt(one) && dayAndTime(publishedAt(one)!, reader),
          one.Author || undefined,
          one.CommitSha?.slice(0, 8) || undefined,
          numberCell(one.size, bytes, reader),
        ]),
      }),
      actions(before && backTo(before, script)),
    );
  },
});
