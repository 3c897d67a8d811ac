import { commandButton } from '../../blocks/buttons.ts';
import { actions, type Message, message, note } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import type { TokenAuthorization } from '../../platform/resources/databases.ts';
import { type DatabaseRef, isSameHost } from '../arguments/resources/databases.ts';
import { typeable } from '../arguments/resources/look-up.ts';
import type { Context } from '../context.ts';
import { type ChangeWords, type Given, type Preview, type StatedChange, warningsOf, wordsWith } from '../operation.ts';
import { checkedUrl, type Making, makeTokens, makingParts, remainsWords, tokenView } from './making.ts';

/** docs/platform.md, Database tokens. `--save-env` saves the first one. */
const REPLACEMENTS: readonly TokenAuthorization[] = ['full-access', 'read-only'];

type Ending = Parameters<typeof checkedUrl>[0] & { replace: boolean };

/** Shared by `token regenerate` and `token invalidate`. */
export const ending = {
  effect: 'destructive' as const,
  typed: ({ database }: { database: DatabaseRef }) => typeable(database),
  words({ target, after }: StatedChange): ChangeWords {
    const words = wordsWith('Invalidate', 'invalidated', mrkdwn`${bold('all tokens')} of ${code(target)}`);
    return after.new_tokens === 'none' ? words : { ...words, title: mrkdwn`${words.title} and make new ones` };
  },
  render: endingMessage,
  // Without new tokens there is no secret to show.
  reveal: (making: Making, { database }: { database: DatabaseRef }) =>
    making.made.length + making.failed.length === 0 ? undefined : tokenView(making, database),
  whenUnknown: endingUnknown,
};

export async function endingPreview(ending: Ending, context: Context): Promise<Preview> {
  const url = await checkedUrl(ending, context);
  const { configuredDatabase } = context;
  return {
    before: undefined,
    after: {
      existing_tokens: 'all invalid',
      new_tokens: ending.replace ? `${REPLACEMENTS.join(' and ')}, never expiring` : 'none',
      ...(ending.saveEnv ? { environment_file: `gets the ${REPLACEMENTS[0]} token` } : {}),
    },
    warnings: warningsOf(
      'All existing tokens stop working at once.',
      'Applications that use them can’t connect until they get new ones.',
      'Expect the tokens of all databases to stop working: the platform’s dashboard says so. Its command-line tool says that only this database’s will.',
      !ending.replace && 'No valid token remains.',
      configuredDatabase !== undefined &&
        url !== undefined &&
        isSameHost(url, configuredDatabase.url) &&
        'The token in the bot’s settings is one of them: whoever runs Edgewise has to replace it.',
    ),
  };
}

/** Throws only before the tokens are revoked. */
export async function endTokens(ending: Ending, context: Context): Promise<Making> {
  const url = await checkedUrl(ending, context);
  const { database, replace, saveEnv } = ending;
  await context.platform.databases.revokeTokens(database.id, { signal: context.signal });
  return makeTokens(database, { authorizations: replace ? REPLACEMENTS : [], save: saveEnv, url }, context);
}

const createButtons = (id: string) =>
  actions(
    commandButton('Create both tokens', `token create ${id} --both`),
    commandButton('Create one', `token create ${id} --full-access`),
  );

/** What people read if the outcome is unknown: the old tokens may be revoked, and the new ones not made or never shown. */
function endingUnknown({ database: id = '' }: Given): Message {
  return message(
    'The old tokens may be gone, and any new one is lost unless you saw it. Create one.',
    createButtons(id),
    note(
      'Existing tokens stay valid when another one is created. Only invalidating all tokens ends the ones that nobody saw.',
    ),
  );
}

function endingMessage(making: Making, { database }: { database: DatabaseRef }): Message {
  const { made, failed } = making;
  const missing =
    made.length === 0 ? [] : failed.map(({ authorization }) => authorization).filter((one) => one !== undefined);
  return message(
    'Applications that use them can’t connect.',
    ...makingParts(making),
    made.length === 0 && remainsWords(failed),
    made.length === 0 && createButtons(database.id),
    missing.length > 0 &&
      actions(
        ...missing.map((authorization) =>
          commandButton(`Create the ${authorization} token`, `token create ${database.id} --${authorization}`),
        ),
      ),
    note(
      'Containers and scripts with this database attached read PLATFORM_DATABASE_AUTH_TOKEN from their environment.',
    ),
  );
}
