import { message, note, section } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { flagged, text } from '../arguments/plain.ts';
import { defineOperation } from '../operation.ts';

export const auditVerify = defineOperation({
  name: 'audit verify',
  summary: 'Prove that nothing was changed or removed in the audit',
  synonyms: {
    verbs: 'tampered, prove, check, intact, proof, altered, manipulated, integrity, audit ok, log ok, trail ok',
    nouns: 'audit log, trail, audit trail, chain',
  },
  effect: 'read',
  args: {
    head: flagged(
      text('Head', { hint: 'A head noted or posted earlier, to see if it is still in the audit', maxLength: 64 }),
    ),
  },
  examples: ['audit verify'],

  target: () => 'the audit',

  async run({ head }, { audit }) {
    const wanted = head?.toLowerCase();
    if (wanted !== undefined && !/^[0-9a-f]{64}$/.test(wanted)) {
      throw new UsageError('A head of the audit has 64 characters, 0 to 9 and a to f.', {
        hint: 'Copy all of it from where it was posted or noted.',
        argument: 'head',
      });
    }
    return audit.verify(wanted);
  },

  render: ({ entries, head, problems, rows = [], isHeadGone, start, doubt }, { head: wanted }) => {
    const since = start === undefined ? '' : ` since entry ${start.number}`;
    const because = start === undefined ? 'the audit was started again from scratch' : 'it is older';
    const gone =
      isHeadGone === true &&
      section(bold(`The head that you gave is not in the audit${since}: ${because}, or an older store was restored.`));
    const doubted = doubt !== undefined && section(bold(doubt));
    const removed = start !== undefined && note(`Entries up to ${start.number} were removed because of their age.`);
    if (problems.length === 0 && rows.length === 0) {
      return message(
        doubted,
        gone,
        isHeadGone === true
          ? mrkdwn`The entries that are left are consistent: ${counted(entries)}.`
          : mrkdwn`${bold('The audit is intact:')} ${counted(entries)}, none changed, none missing.${wanted === undefined ? '' : ' The head that you gave is in it.'}`,
        head !== undefined &&
          note(
            mrkdwn`Save this somewhere else. It can later prove that nothing up to now was rewritten: ${code(head)}`,
          ),
        removed,
      );
    }
    const said = {
      changed: 'was changed after it had been written',
      missing: 'is missing',
      unsigned: 'was not written by the bot, or with another key',
      'cut off': 'is missing, and everything after it',
    };
    const found = [
      ...problems.map(({ number, what }) => section(bold(`Entry ${number} ${said[what]}.`))),
      ...rows.map(({ table, key, what }) => section(mrkdwn`In ${code(table)}: ${code(key)} ${what}.`)),
    ];
    const further = found.length - 20;
    return message(
      doubted,
      gone,
      ...found.slice(0, 20),
      further > 0 && section(`There are ${further} more like that.`),
      section(
        problems.length === 0
          ? `The audit itself is intact: ${counted(entries)}.`
          : `${counted(entries)} before ${problems.length === 1 ? 'it' : 'them'} ${entries === 1 ? 'is' : 'are'} intact.`,
      ),
      note('Whoever runs Edgewise should check who can write to its store. Edgewise ignores such rows.'),
      removed,
    );
  },
});

const counted = (entries: number) => `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
