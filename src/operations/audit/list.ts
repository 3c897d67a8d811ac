import { BUTTONS, commandButton, formButton, undoButton } from '../../blocks/buttons.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, message, note, nothing, section, sectionWith } from '../../blocks/message.ts';
import { bold, clockOf, code, join, type Mrkdwn, moment, mrkdwn, plain, unescaped } from '../../blocks/mrkdwn.ts';
import { table } from '../../blocks/table.ts';
import type { StoredAuditEntry } from '../../store/audit-entry.ts';
import { flag, flagged, number } from '../arguments/plain.ts';
import { zonesWith } from '../arguments/resources/zones.ts';
import { type Context, peopleCalled, type Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';
import { filterArguments, filterLine, filterOf, filterWords } from './filter.ts';

const USUAL = 25;
/** More entries become a table. */
const AT_A_GLANCE = 8;

export const auditList = defineOperation({
  name: 'audit list',
  summary: 'Show who did what, where, and how it ended',
  synonyms: {
    verbs: 'who, did, done, messed with, who did, undo, revert, rollback, take back, roll back, put back',
    nouns: 'history, changes by, last change, show the audit, show me the audit, audit log, trail, audit trail',
  },
  effect: 'read',
  args: {
    ...filterArguments,
    undo: flag('Only what can be undone', {
      also: ['undo', 'revert', 'rollback', 'take back', 'roll back', 'put back'],
      hint: 'Yours, or those of the person',
    }),
    limit: flagged(number('Limit', { minimum: 1, maximum: 100, also: ['last', 'latest', 'entries', 'changes'] })),
    before: flagged(
      number('Before', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, hint: 'Only entries with a smaller number' }),
    ),
  },
  examples: [
    'audit list',
    'audit list --changes --target shop',
    'audit list --day yesterday --actor @ada',
    'audit list --command "token regenerate"',
  ],

  target: (args) => filterWords(args),

  async run({ limit, before, undo, ...args }, context) {
    const { audit, names, actor, catalogue } = context;
    const filter = await filterOf(undo ? { ...args, changes: true } : args, context);
    const whose = undo && args.actor === undefined ? { actor: actor.id } : {};
    const entries = await audit.list({ ...filter, ...whose, before, limit: limit ?? USUAL });
    const [first] = entries.length === 0 ? await audit.list({ before: 2, limit: 1 }) : [];
    const said = await Promise.all(entries.map(async (entry) => ({ entry, ...(await context.saidOf(entry)) })));
    const { items } = args.target === undefined ? { items: [] } : await catalogue.zones();
    return {
      zone: items.find(({ Name }) => Name === args.target) ?? zonesWith(items, args.target ?? '', true)[0],
      begins: first !== undefined && filter.until !== undefined && first.at >= filter.until ? first.at : undefined,
      said: undo ? said.filter(({ undo: title }) => title !== undefined) : said,
      people: await peopleCalled(
        entries.flatMap(({ actor, detail }) => [actor, ...approversIn(detail)]),
        names,
      ),
    };
  },

  render: ({ zone, said, people, begins }, { limit, before: _, undo, ...args }, reader) => {
    const elsewhere = commandButton('All changes, including those made elsewhere', `changes list ${zone?.Id ?? ''}`);
    if (said.length === 0)
      return nothing(
        undo
          ? `${args.actor === undefined ? 'You have' : `${args.actor} has`} no change that can still be undone.`
          : `No ${args.changes ? 'changes by Edgewise' : 'entries'} match.`,
        begins !== undefined && note(mrkdwn`The audit begins ${moment(begins)}.`),
        (args.changes || args.command !== undefined) && !undo && actions(elsewhere),
      );
    const lines = said.map((one) => auditLine(one, people, reader));
    const last = said.at(-1)!.entry.number;
    return message(
      undo
        ? mrkdwn`${bold(`${args.actor === undefined ? 'Your changes' : `Changes of ${args.actor}`} that can still be undone`)}, newest first`
        : mrkdwn`Audit: ${bold(filterWords(args))}, newest first`,
      ...(undo
        ? said.map((one, at) => sectionWith(lines[at]!, undoOf(one)))
        : [section(join(lines.slice(0, AT_A_GLANCE), '\n'))]),
      !undo &&
        lines.length > AT_A_GLANCE &&
        table({
          caption: 'Before that',
          columns: ['Who did what'],
          rows: lines.slice(AT_A_GLANCE).map((line) => [unescaped(plain(line))]),
        }),
      said.length === (limit ?? USUAL) &&
        actions(commandButton('Older', `audit list ${filterLine(args)} --limit ${limit ?? USUAL} --before ${last}`)),
      !undo && note('The file also has places, rules, references and entry numbers.'),
      !undo &&
        actions(
          formButton('Filter …', `audit list ${filterLine(args)}`),
          commandButton('All as a file', `audit export ${filterLine(args)}`),
          commandButton('Verify', 'audit verify'),
          args.changes
            ? elsewhere
            : commandButton('Only changes', `audit list ${filterLine({ ...args, changes: true })}`),
        ),
    );
  },
});

type Said = Awaited<ReturnType<Context['saidOf']>> & { entry: StoredAuditEntry };

const undoOf = ({ undo, entry }: Said) =>
  undo === undefined ? undefined : undoButton(BUTTONS.undo, undo, entry.confirmation ?? '');

/** Words between the person and the command. */
const STEPS: Readonly<Record<string, string>> = {
  done: 'ran',
  cancelled: 'cancelled',
  planned: 'planned',
  waiting: 'asked for approval of',
  approved: 'approved',
  rejected: 'rejected',
  previewed: 'previewed',
  noted: 'ran',
  'handed on': 'handed on',
};

/** `Today 7:32 PM · Ada switched force HTTPS off → on for …, approved by Ben` */
export function auditLine({ entry, done }: Said, people: ReadonlyMap<string, string>, reader: Reader): Mrkdwn {
  const { at, actor, operation, target, outcome, detail, agent } = entry;
  const step = STEPS[outcome];
  const on = target === '' ? '' : mrkdwn` on ${code(shorten(target, 120))}`;
  const what = done ?? mrkdwn`${step ?? 'tried'} ${code(operation)}${on}`;
  const end = done === undefined && step === undefined ? `: ${outcome}` : '';
  const by = agent === true ? ', asked by an agent' : '';
  return mrkdwn`${clockOf(at, reader)} · ${bold(people.get(actor) ?? actor)} ${what}${by}${end}${detailOf(detail, people)}`;
}

export const approversIn = (detail: string): string[] => /^approved by (.+)$/.exec(detail)?.[1]?.split(', ') ?? [];

function detailOf(detail: string, people: ReadonlyMap<string, string>): Mrkdwn | string {
  const approvers = approversIn(detail);
  if (approvers.length > 0) return `, approved by ${approvers.map((id) => people.get(id) ?? id).join(', ')}`;
  const [, why] = /^without approval: (.*)$/s.exec(detail) ?? [];
  if (why !== undefined) return mrkdwn`, *without approval*: “${shorten(why, 200)}”`;
  const [, due] = /^for (\S+Z)$/.exec(detail) ?? [];
  if (due !== undefined) return mrkdwn` for ${moment(new Date(due))}`;
  return detail === '' ? '' : `: ${shorten(detail, 200)}`;
}
