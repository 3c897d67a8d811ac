import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note, nothing, section, sectionWith } from '../../blocks/message.ts';
import { bold, code, moment as momentOf, mrkdwn } from '../../blocks/mrkdwn.ts';
import { ForbiddenError } from '../../errors.ts';
import { DAY } from '../../time.ts';
import { moment } from '../arguments/dates.ts';
import { flagged, optional } from '../arguments/plain.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { maySeeZone, pullZone } from '../arguments/resources/zones.ts';
import { approversIn, auditLine, auditList, undoOf } from '../audit/list.ts';
import { peopleCalled } from '../context.ts';
import { defineOperation } from '../operation.ts';

/** Each is a block. */
const MOST = 30;

export const listChanges = defineOperation({
  name: 'changes list',
  summary: 'Show what was changed, by Edgewise and elsewhere',
  synonyms: {
    verbs:
      'what changed, anything change, anyone change, anybody change, someone change, somebody change, we change, people change, changed, what was changed, made, did we make, what happened, happened, touched, who touched, who changed, who modified, roll back, rollback, revert, go back, bring back',
    nouns: 'changes, change, timeline, time line, deploys, marks, dashboard, elsewhere',
  },
  effect: 'read',
  args: {
    zone: optional(pullZone()),
    since: flagged(moment('Since', { fromMessage: 'since' })),
    until: flagged(moment('Until', { fromMessage: 'until' })),
  },
  examples: ['changes list', 'changes list shop-assets', 'changes list shop-assets --since 2h'],

  target: ({ zone }) => (zone === undefined ? 'all zones' : nameWithId(zone)),

  async run({ zone, since, until }, context) {
    const { policy, catalogue, names, now } = context;
    if (!policy.may(auditList.name, {}))
      throw new ForbiddenError('You may not see here who changed what: that needs `audit list`.', 'no audit list');
    const end = until !== undefined && until.end < now ? until.end : now;
    const from = since?.instant ?? new Date(end.getTime() - DAY);
    const { changes, isCut, unread } = await context.timeLine({ zone: zone?.Id, from, to: until?.end });
    const { items } = await catalogue.zones();
    // A role may be for some zones only.
    const seen = changes.filter(({ zones }) =>
      items.every((one) => !zones.includes(one.Id) || maySeeZone(one, context)),
    );
    const shown = await Promise.all(
      seen
        .slice(0, MOST)
        .map(async (one) => (one.by === 'bot' ? { ...one, ...(await context.saidOf(one.entry)) } : one)),
    );
    const ids = shown.flatMap((one) => (one.by === 'bot' ? [one.entry.actor, ...approversIn(one.entry.detail)] : []));
    const people = await peopleCalled(ids, names);
    return { from, shown, people, zones: items, isMore: isCut || seen.length > MOST, unread };
  },

  render({ from, shown, people, zones, isMore, unread }, { zone, until }, reader) {
    const where = zone === undefined ? 'all zones' : nameWithId(zone);
    const lack = unread !== undefined && note(`Changes made elsewhere are not in it: ${unread}.`);
    const more = isMore && note(mrkdwn`There are more. ${code('--since 2h')} shows a shorter time.`);
    const isPast = until !== undefined && until.end < reader.now;
    const when = isPast ? mrkdwn`from ${momentOf(from)} to ${momentOf(until.end)}` : mrkdwn`since ${momentOf(from)}`;
    if (shown.length === 0)
      return nothing(
        mrkdwn`${isMore ? 'I found no change' : 'Nothing was changed'} on ${zone === undefined ? 'any zone' : where} ${when}.`,
        more,
        lack,
        actions(commandButton('Last 7 days', `changes list ${zone?.Id ?? ''} --since 7d`)),
      );
    return message(
      mrkdwn`Changes on ${bold(where)} ${when}, newest first`,
      ...shown.map((one) => {
        if (one.by === 'mark') {
          const of = zone === undefined && zones.find(({ Id }) => one.zones.includes(Id));
          return section(mrkdwn`${momentOf(one.at)} · ${one.words}${of ? ` on ${nameWithId(of)}` : ''}`);
        }
        if (one.by !== 'bot') return sectionWith(mrkdwn`${momentOf(one.at)} · ${one.actor} ${one.done}`, one.back);
        const lacking = one.isMissing ? ' (the platform’s audit does not have it)' : '';
        return sectionWith(mrkdwn`${auditLine(one, people, reader)}${lacking}`, undoOf(one));
      }),
      more,
      lack,
    );
  },
});
