import { BUTTONS, commandButton, formButton, undoButton } from '../../blocks/buttons.ts';
import { dayAndTime } from '../../blocks/format.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, message, note, nothing, section, sectionWith } from '../../blocks/message.ts';
import { bold, clockOf, code, join, type Mrkdwn, moment, mrkdwn, plain, unescaped } from '../../blocks/mrkdwn.ts';
import { table } from '../../blocks/table.ts';
import type { StoredAuditEntry } from '../../store/audit-entry.ts';
import { flag, flagged, number } from '../arguments/plain.ts';
import { type Context, peopleCalled, type Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';
import { filterArguments, filterLine, filterOf, filterWords } from './filter.ts';

/** More entries become a table. */
const USUAL = 10;

const isWithReads = ({ reads, changes, command }: { reads: boolean; changes: boolean; command: string | undefined }) =>
  reads || changes || command !== undefined;

const UNDOING = 'undo, revert, rollback, take back, take it back, put it back, roll it back, roll back, put back'.split(
  ', ',
);

export const auditList = defineOperation({
  name: 'audit list',
  summary: 'Show who did what, where, and how it ended',
  synonyms: {
    verbs: `who, did, done, messed with, who did, who switched, ${UNDOING.join(', ')}`,
    nouns: 'history, changes by, last change, show the audit, show me the audit, audit log, trail, audit trail',
  },
  effect: 'read',
  args: {
    ...filterArguments,
    undo: flag('Only what can be undone', {
      also: UNDOING,
      hint: 'Yours, or those of the person',
    }),
    reads: flag('Also what was only read', { also: ['reads', 'read', 'looked at'] }),
    limit: flagged(number('Limit', { minimum: 1, maximum: 100, also: ['last', 'latest', 'entries', 'changes'] })),
    before: flagged(
      number('Before', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, hint: 'Only entries with a smaller number' }),
    ),
  },
  examples: [
    'audit list',
    'audit list --changes --target shop',
    'audit list --day yesterday --actor @ada --reads',
    'audit list --command "token regenerate"',
  ],

  target: (args) => filterWords(args),

  async run({ limit, before, undo, ...args }, context) {
    const { audit, names, actor, policy } = context;
    const { zone, ...filter } = await filterOf(undo ? { ...args, changes: true } : args, context);
    const whose = undo && args.actor === undefined ? { actor: actor.id } : {};
    const reads = policy.operations().flatMap(({ name, effect }) => (effect === 'read' ? name : []));
    const without = isWithReads(args) ? undefined : reads;
    // What was done to it: a preview that was cancelled did nothing.
    const uncancelled = !args.reads && args.target !== undefined;
    const shown = { without, uncancelled, before, limit: limit ?? (undo ? 25 : USUAL) };
    const entries = await audit.list({ ...filter, ...whose, ...shown });
    const [first] = entries.length === 0 ? await audit.list({ before: 2, limit: 1 }) : [];
    const said = await Promise.all(entries.map(async (entry) => ({ entry, ...(await context.saidOf(entry)) })));
    return {
      zone,
      begins: first !== undefined && filter.until !== undefined && first.at >= filter.until ? first.at : undefined,
      said: undo ? said.filter(({ undo: title }) => title !== undefined) : said,
      people: await peopleCalled(
        entries.flatMap(({ actor, detail }) => [actor, ...approversIn(detail)]),
        names,
      ),
    };
  },

  render: ({ zone, said, people, begins }, { limit = USUAL, before: _, undo, ...args }, reader) => {
    const lines = said.map((one) => auditLine(one, people, reader));
    const elsewhere = commandButton('All changes, including those made elsewhere', `changes list ${zone?.Id ?? ''}`);
    if (undo) {
      const [whose, mine] =
        args.actor === undefined ? ['You have', 'Your changes'] : [`${args.actor} has`, `Changes of ${args.actor}`];
      if (said.length === 0) return nothing(`${whose} no change that can still be undone.`, actions(elsewhere));
      const title = mrkdwn`${bold(`${mine} that can still be undone`)}, newest first`;
      return message(title, ...said.map((one, at) => sectionWith(lines[at]!, undoOf(one))));
    }
    const isWhole = isWithReads(args);
    const line = (given: typeof args) => `audit list ${filterLine(given)}${given.reads ? ' --reads' : ''}`;
    const withReads = !isWhole && commandButton('With reads', line({ ...args, reads: true }));
    const mayBeElsewhere = args.changes || args.command !== undefined || args.target !== undefined;
    const last = said.at(-1)?.entry.number;
    if (last === undefined)
      return nothing(
        `No ${args.changes ? 'changes by Edgewise' : isWhole ? 'entries' : 'changes or decisions'} match.`,
        begins !== undefined && note(mrkdwn`The audit begins ${moment(begins)}.`),
        mayBeElsewhere && note('This is only what was done with Edgewise.'),
        actions(mayBeElsewhere && elsewhere, withReads),
      );
    const filter = filterWords(args).replace(/\b\d{4}-\d\d-\d\dT[\d:.]{8,12}Z\b/g, (instant) =>
      dayAndTime(new Date(instant), reader),
    );
    return message(
      mrkdwn`Audit${isWhole ? '' : ', without reads'}: ${bold(filter)}, newest first`,
      lines.length > USUAL
        ? table({
            caption: 'Newest first',
            columns: ['Who did what'],
            rows: lines.map((one) => [unescaped(plain(one))]),
          })
        : section(join(lines, '\n')),
      said.length === limit && actions(commandButton('Older', `${line(args)} --limit ${limit} --before ${last}`)),
      note('The file also has places, rules, references and entry numbers.'),
      actions(
        formButton('Filter …', line(args)),
        commandButton('All as a file', `audit export ${filterLine(args)}`),
        commandButton('Verify', 'audit verify'),
        args.changes ? elsewhere : commandButton('Only changes', line({ ...args, changes: true })),
        withReads,
      ),
    );
  },
});

type Said = Awaited<ReturnType<Context['saidOf']>> & { entry: StoredAuditEntry };

export const undoOf = ({ undo, entry }: Said) =>
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
  const tried = detail.startsWith('may not approve') ? 'tried to approve' : 'tried';
  const what = done ?? mrkdwn`${step ?? tried} ${code(operation)}${on}`;
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
