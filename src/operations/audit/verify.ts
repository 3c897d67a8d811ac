import { message, note, section } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { defineOperation } from '../operation.ts';

const MOST_SHOWN = 20;
const WHAT = {
  changed: 'was changed after it had been written',
  missing: 'is missing',
  unsigned: 'was not written by the bot, or with another key',
  'cut off': 'is missing, and everything after it',
} as const;

export const auditVerify = defineOperation({
  name: 'audit verify',
  summary: 'Prove that no entry of the audit was changed or removed',
  effect: 'read',
  args: {},

  target: () => 'the audit',

  run: (_, { audit }) => audit.verify(),

  render: ({ entries, head, problems }) => {
    if (problems.length === 0) {
      return message(
        mrkdwn`${bold('The audit is whole:')} ${counted(entries)}, none changed, none missing.`,
        head !== undefined &&
          note(mrkdwn`Note this elsewhere; it proves later that nothing was rewritten up to now: ${code(head)}`),
      );
    }
    const further = problems.length - MOST_SHOWN;
    return message(
      ...problems.slice(0, MOST_SHOWN).map(({ number, what }) => section(bold(`Entry ${number} ${WHAT[what]}.`))),
      further > 0 && section(`There are ${further} more like that.`),
      section(
        `${counted(entries)} before ${problems.length === 1 ? 'it' : 'them'} ${entries === 1 ? 'is' : 'are'} whole.`,
      ),
      note('Whoever runs Edgewise looks at who can write to its store.'),
    );
  },
});

const counted = (entries: number) => `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
