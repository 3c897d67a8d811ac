import { message, note } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { defineOperation } from '../operation.ts';

const WHAT = {
  changed: 'was changed after it had been written',
  missing: 'is missing',
  'cut off': 'is missing, and everything after it',
} as const;

export const auditVerify = defineOperation({
  name: 'audit verify',
  summary: 'Prove that no entry of the audit was changed or removed',
  effect: 'read',
  args: {},

  target: () => 'the audit',

  run: (_, { audit }) => audit.verify(),

  render: ({ entries, head, problem }) =>
    problem === undefined
      ? message(
          mrkdwn`${bold('The audit is whole:')} ${entries} entries, none changed, none missing.`,
          head !== undefined &&
            note(mrkdwn`Note this elsewhere; it proves later that nothing was rewritten up to now: ${code(head)}`),
        )
      : message(
          mrkdwn`${bold(`Entry ${problem.number} ${WHAT[problem.what]}.`)} ${entries} entries before it are whole.`,
          note('Whoever runs Edgewise looks at who can write to its store.'),
        ),
});
