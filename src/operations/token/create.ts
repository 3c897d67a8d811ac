import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import type { TokenAuthorization } from '../../platform/resources/databases.ts';
import { flag, flagged } from '../arguments/plain.ts';
import { database, databaseName } from '../arguments/resources/databases.ts';
import { defineOperation, wordsWith } from '../operation.ts';
import { expiry } from './expiry.ts';
import { checkedUrl, makeTokens, savingFlags } from './making.ts';
import { makingParts, tokenView } from './view.ts';

/** Which kinds were chosen for: full access when nothing was said, as on the platform's own command line. */
function authorizationsOf(given: { readOnly: boolean; fullAccess: boolean; both: boolean }): TokenAuthorization[] {
  const chosen = Object.values(given).filter(Boolean).length;
  if (chosen > 1) {
    throw new UsageError('One of --read-only, --full-access and --both, please.', {
      hint: 'Use `--both` for one of each.',
      argument: 'both',
    });
  }
  if (given.both) return ['full-access', 'read-only'];
  return [given.readOnly ? 'read-only' : 'full-access'];
}

export const createToken = defineOperation({
  name: 'token create',
  summary: 'Make access tokens for a database; existing ones stay valid',
  synonyms: {
    verbs: 'make, new, issue, generate, get, give, need, want',
    nouns: 'tokens, access token, access tokens, database token, credentials',
  },
  effect: 'write',
  args: {
    database: database(),
    readOnly: flag('Read only', { also: ['readonly', 'ro'], hint: 'SELECT queries and read operations only' }),
    fullAccess: flag('Full access', { also: ['rw', 'read write'], hint: 'Read and write; the default' }),
    both: flag('One of each', { also: ['both kinds'] }),
    expiry: flagged(expiry()),
    ...savingFlags(),
  },
  examples: ['token create orders --read-only --expiry 30d', 'token create orders --both --expiry 2027-01-31'],

  target: ({ database }) => databaseName(database),

  words: ({ target, after: { authorization } }) =>
    wordsWith('Create', 'created', mrkdwn`a new ${bold(String(authorization))} token for ${code(target)}`),

  async preview({ database, readOnly, fullAccess, both, expiry, saveEnv, noSave }, context) {
    await checkedUrl({ database, saveEnv, noSave }, context);
    const authorizations = authorizationsOf({ readOnly, fullAccess, both });
    return {
      before: undefined,
      unread: 'the platform does not list the tokens that exist',
      after: {
        authorization: authorizations.join(' and '),
        expires_at: expiry === undefined ? 'never' : expiry.instant.toISOString(),
        ...(saveEnv ? { environment_file: `gets the ${authorizations[0]} token` } : {}),
      },
      details: message(
        mrkdwn`Existing tokens for ${databaseName(database)} stay valid.`,
        note('The new ones are shown once, to you alone.'),
      ),
    };
  },

  async run({ database, readOnly, fullAccess, both, expiry, saveEnv, noSave }, context) {
    const url = await checkedUrl({ database, saveEnv, noSave }, context);
    const authorizations = authorizationsOf({ readOnly, fullAccess, both });
    const making = await makeTokens(
      database,
      { authorizations, expires: expiry?.instant, save: saveEnv, url },
      context,
    );
    // Nothing exists that would have to be shown: it failed as any request does.
    if (making.made.length === 0) throw making.failed[0]?.error;
    return making;
  },

  render: (making) => message(note('Existing tokens stay valid.'), ...makingParts(making)),

  reveal: (making, { database }) => tokenView(making, database),

  whenUnknown: ({ database: id }) =>
    message(
      'A token may have been made that nobody has seen. Existing tokens are as they were.',
      note('Create another one; only invalidating all tokens ends the one that nobody saw.'),
      actions(commandButton('Create one', `token create ${id ?? ''}`)),
    ),
});
