import { force } from '../arguments/plain.ts';
import { database } from '../arguments/resources/databases.ts';
import { defineOperation } from '../operation.ts';
import { ending, endingPreview, endTokens } from './ending.ts';
import { savingFlags } from './making.ts';

export const regenerateTokens = defineOperation({
  name: 'token regenerate',
  summary: 'Invalidate all tokens of a database and make a full-access and a read-only one',
  synonyms: {
    verbs: 'rotate, regen, renew, replace, refresh, reissue, roll, cycle',
    nouns: 'access tokens, database tokens',
  },
  ...ending,
  args: { database: database(), ...savingFlags(), force: force() },
  examples: ['token regenerate orders', 'token regenerate orders --save-env'],
  words: (change) => ({ ...ending.words(change), button: 'Regenerate' }),
  preview: (args, context) => endingPreview({ ...args, replace: true }, context),
  run: (args, context) => endTokens({ ...args, replace: true }, context),
});
