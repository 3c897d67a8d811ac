import { BUTTONS, commandButton } from '../../blocks/buttons.ts';
import { countOf } from '../../blocks/format.ts';
import { actions, message, note, section, sectionWith } from '../../blocks/message.ts';
import { code, moment, mrkdwn, plain } from '../../blocks/mrkdwn.ts';
import { LATE, type MadeElsewhere } from '../../changed.ts';
import { slash } from '../../own-name.ts';
import { HOUR, MINUTE } from '../../time.ts';
import { defineReport, type ReportContext } from '../report.ts';

/** As many as can be read at a glance: a line each. */
const MOST = 12;

/**
 * What the bot did not do, soon after it was done. What comes late to the platform’s audit is reported when it comes.
 */
export const changes = defineReport({
  name: 'changes',
  summary: 'What was changed on the platform without Edgewise, within minutes; one message for all of a burst',
  schedule: 'every 5 minutes',
  args: {},
  needs: ['changes list', 'audit list'],
  window: { first: 15 * MINUTE, longest: 6 * HOUR, lag: 2 * MINUTE },

  async collect(_, { from, to, last, whole, timeLine, zones }: ReportContext) {
    const known: string[] = JSON.parse(last ?? '[]');
    const late = new Date(to.getTime() - LATE);
    const since = last !== undefined && late < from ? late : from;
    const line = await timeLine!({ from: since, to });
    // The same time is read again by the next slot.
    if (line.failure !== undefined) throw line.failure;
    const made = line.changes.filter((one) => one.by === 'somebody else');
    const listed: Awaited<ReturnType<typeof zones>> = made.length === 0 ? { items: [] } : await zones();
    const ids = new Set(listed.items.map(({ Id }) => Id));
    const found = made.filter((one) => (one.zones.length === 0 ? whole : one.zones.some((id) => ids.has(id))));
    // Two that are alike are both reported.
    const isNew = ({ key }: MadeElsewhere) => {
      const at = known.indexOf(key);
      return at < 0 || known.splice(at, 1).length === 0;
    };
    return {
      recent: found.filter(({ at }) => at >= late).map(({ key }) => key),
      oldestFirst: found.filter(isNew).reverse(),
      unread: [
        ...(line.unread === undefined ? [] : [`Changes made elsewhere are not known: ${line.unread}.`]),
        ...(listed.missing === undefined ? [] : [`The pull zones cannot be listed: ${listed.missing}.`]),
      ],
      isCut: line.isCut,
    };
  },

  unread: ({ unread }) => unread,

  state: ({ recent }) => JSON.stringify(recent),

  render({ oldestFirst, isCut }, _, reading) {
    if (oldestFirst.length === 0) return undefined;
    const groups = new Map<string, MadeElsewhere[]>();
    for (const one of oldestFirst.slice(0, MOST)) {
      const key = JSON.stringify([plain(one.actor), one.zones]);
      groups.set(key, [...(groups.get(key) ?? []), one]);
    }
    const more = oldestFirst.length - MOST;
    return message(
      ...[...groups.values()].flatMap((group) => {
        const { actor, zones } = group[0]!;
        const isAlone = group.length === 1;
        const who = isAlone ? mrkdwn`⚙️ ${actor}` : '•';
        return [
          !isAlone && section(mrkdwn`⚙️ ${actor} made ${countOf(group.length, 'change', reading)}:`),
          ...group.map(({ done, at, back }) => sectionWith(mrkdwn`${who} ${done}, ${moment(at)}`, back)),
          actions(commandButton(BUTTONS.lookCloser.label, ['changes list', ...zones.slice(0, 1)].join(' '))),
        ];
      }),
      more > 0 &&
        note(mrkdwn`And ${countOf(more, 'other change', reading)}: ${code(slash('changes list'))} shows all.`),
      isCut && note('There are more than I could read.'),
    );
  },
});
