import { BUTTONS, undoButton } from '../../blocks/buttons.ts';
import { markInWords } from '../../blocks/mark.ts';
import { message, note, nothing, section, sectionWith } from '../../blocks/message.ts';
import { bold, moment as momentOf, mrkdwn } from '../../blocks/mrkdwn.ts';
import { ForbiddenError } from '../../errors.ts';
import { DAY } from '../../time.ts';
import { moment } from '../arguments/dates.ts';
import { flagged, optional } from '../arguments/plain.ts';
import { nameWithId, wordsFor } from '../arguments/resources/look-up.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import { approversIn, auditLine, auditList } from '../audit/list.ts';
import { peopleCalled } from '../context.ts';
import { defineOperation } from '../operation.ts';
import { showZone } from '../zone/show.ts';

/** Each is a block. */
const MOST = 30;

export const listChanges = defineOperation({
  name: 'changes list',
  summary: 'Show what was changed, by Edgewise and elsewhere',
  synonyms: {
    verbs: 'what changed, changed, what happened, happened, who changed',
    nouns: 'changes, change, timeline, time line, deploys',
  },
  effect: 'read',
  args: {
    zone: optional(pullZone()),
    since: flagged(moment('Since', { fromMessage: 'since' })),
  },
  examples: ['changes list', 'changes list shop-assets', 'changes list shop-assets --since 2h'],

  target: ({ zone }) => (zone === undefined ? 'all zones' : nameWithId(zone)),

  async run({ zone, since }, context) {
    const { policy, catalogue, names, now } = context;
    if (!policy.may(auditList.name, {}))
      throw new ForbiddenError('You may not see here who changed what: that needs `audit list`.', 'no audit list');
    const from = since?.instant ?? new Date(now.getTime() - DAY);
    const [{ changes, isCut }, { items }] = await Promise.all([
      context.timeLine({ zone: zone?.Id, from, to: now }),
      catalogue.zones(),
    ]);
    // A role may be for some zones only.
    const may = (id: string | undefined) => {
      const found = items.find(({ Id }) => String(Id) === id);
      return found === undefined || policy.may(showZone.name, { zone: [wordsFor(found)] });
    };
    const seen = changes.filter((one) =>
      may(one.by === 'mark' ? String(one.mark.zone) : /\((\d+)\)/.exec(one.entry.target)?.[1]),
    );
    const shown = seen.slice(0, MOST);
    const said = await Promise.all(
      shown.map(async (one) => (one.by === 'mark' ? one : { ...one, ...(await context.saidOf(one.entry)) })),
    );
    const ids = said.flatMap((one) => (one.by === 'mark' ? [] : [one.entry.actor, ...approversIn(one.entry.detail)]));
    return { said, people: await peopleCalled(ids, names), isMore: isCut || seen.length > MOST };
  },

  render({ said, people, isMore }, { zone }) {
    const where = zone === undefined ? 'all zones' : nameWithId(zone);
    if (said.length === 0) return nothing(mrkdwn`Nothing was changed on ${where} in that time.`);
    return message(
      mrkdwn`Changes on ${bold(where)}, newest first`,
      ...said.map((one) => {
        if (one.by === 'mark') return section(mrkdwn`${momentOf(one.at)} · ${markInWords(one.mark)}`);
        const line = auditLine(one, people);
        return one.undo === undefined
          ? section(line)
          : sectionWith(line, undoButton(BUTTONS.undo, one.undo, one.entry.confirmation ?? ''));
      }),
      isMore && note('There are earlier ones. `--since 2h` shows a shorter time.'),
    );
  },
});
