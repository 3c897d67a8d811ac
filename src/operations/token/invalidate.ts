import { UsageError } from '../../errors.ts';
import { flag, force } from '../arguments/plain.ts';
import { database } from '../arguments/resources/databases.ts';
import { defineOperation } from '../operation.ts';
import { ending, endingPreview, endTokens } from './ending.ts';
import { savingFlags } from './making.ts';

function endingOf<A extends { saveEnv: boolean; regenerate: boolean }>(args: A): A & { replace: boolean } {
  if (args.saveEnv && !args.regenerate) {
    throw new UsageError('--save-env needs --regenerate: without it there is no token to save.', {
      argument: 'saveEnv',
    });
  }
  return { ...args, replace: args.regenerate };
}

export const invalidateTokens = defineOperation({
  name: 'token invalidate',
  summary: 'Invalidate all tokens of a database',
  synonyms: {
    verbs: 'revoke, inval, kill, invalid, expire, delete, cancel, remove, void',
    nouns: 'tokens, access tokens, database tokens',
  },
  ...ending,
  args: {
    database: database(),
    regenerate: flag('Make new ones', { hint: 'A full-access and a read-only token, in the same step' }),
    ...savingFlags(),
    force: force(),
  },
  examples: ['token invalidate orders', 'token invalidate orders --regenerate --save-env'],
  preview: (args, context) => endingPreview(endingOf(args), context),
  run: (args, context) => endTokens(endingOf(args), context),
});
