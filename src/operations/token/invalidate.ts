import { UsageError } from '../../errors.ts';
import { flag, force } from '../arguments/plain.ts';
import { database, databaseName } from '../arguments/resources/databases.ts';
import { typeable } from '../arguments/resources/look-up.ts';
import { defineOperation } from '../operation.ts';
import { type Ending, endingMessage, endingPreview, endingUnknown, endingWords, endTokens } from './ending.ts';
import { savingFlags } from './making.ts';
import { tokenView } from './view.ts';

function endingOf({ regenerate, ...given }: Omit<Ending, 'replace'> & { regenerate: boolean }): Ending {
  if (given.saveEnv && !regenerate) {
    throw new UsageError('--save-env needs --regenerate: without it there is no token to save.', {
      argument: 'saveEnv',
    });
  }
  return { ...given, replace: regenerate };
}

export const invalidateTokens = defineOperation({
  name: 'token invalidate',
  summary: 'Invalidate all tokens of a database',
  synonyms: {
    verbs: 'revoke, kill, invalid, expire, delete, cancel, remove, void',
    nouns: 'tokens, access tokens, database tokens',
  },
  effect: 'destructive',
  args: {
    database: database(),
    regenerate: flag('Make new ones', { hint: 'A full-access and a read-only token, in the same step' }),
    ...savingFlags(),
    force: force(),
  },
  examples: ['token invalidate orders', 'token invalidate orders --regenerate --save-env'],

  target: ({ database }) => databaseName(database),

  typed: ({ database }) => typeable(database),

  words: endingWords,

  preview: (args, context) => endingPreview(endingOf(args), context),

  run: (args, context) => endTokens(endingOf(args), context),

  render: (making, { database }) => endingMessage(making, database),

  // No new tokens, no secret to show.
  reveal: (making, { database, regenerate }) => (regenerate ? tokenView(making, database) : undefined),

  whenUnknown: endingUnknown,
});
