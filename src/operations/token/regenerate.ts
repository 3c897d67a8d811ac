import { force } from '../arguments/plain.ts';
import { database, databaseName } from '../arguments/resources/databases.ts';
import { typeable } from '../arguments/resources/look-up.ts';
import { defineOperation } from '../operation.ts';
import { endingMessage, endingPreview, endingUnknown, endingWords, endTokens } from './ending.ts';
import { savingFlags } from './making.ts';
import { tokenView } from './view.ts';

export const regenerateTokens = defineOperation({
  name: 'token regenerate',
  summary: 'Invalidate all tokens of a database and make a full-access and a read-only one',
  synonyms: {
    verbs: 'rotate, renew, replace, refresh, reissue, roll, cycle',
    nouns: 'tokens, access tokens, database tokens',
  },
  effect: 'destructive',
  args: {
    database: database(),
    ...savingFlags(),
    force: force(),
  },
  examples: ['token regenerate orders', 'token regenerate orders --save-env'],

  target: ({ database }) => databaseName(database),

  typed: ({ database }) => typeable(database),

  words: (change) => ({ ...endingWords(change), button: 'Regenerate' }),

  preview: ({ database, saveEnv, noSave }, context) =>
    endingPreview({ database, replace: true, saveEnv, noSave }, context),

  run: ({ database, saveEnv, noSave }, context) => endTokens({ database, replace: true, saveEnv, noSave }, context),

  render: (making, { database }) => endingMessage(making, database),

  reveal: (making, { database }) => tokenView(making, database),

  whenUnknown: endingUnknown,
});
