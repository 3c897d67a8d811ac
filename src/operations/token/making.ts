import { codeBlock, type Message, message, note, type Part, section } from '../../blocks/message.ts';
import { bold, bullets, code, type Mrkdwn, moment, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { slash, toType } from '../../own-name.ts';
import { type PlatformError, PlatformFailure } from '../../platform/errors.ts';
import type { TokenAuthorization } from '../../platform/resources/databases.ts';
import type { Secret } from '../../secret.ts';
import { flag } from '../arguments/plain.ts';
import { type DatabaseRef, databaseName, databaseUrl } from '../arguments/resources/databases.ts';
import type { Context } from '../context.ts';
import { failureWords } from '../unreadable.ts';

/** `lost`: there was no clear answer, so an unseen token may exist. */
interface FailedPart {
  what: string;
  why: string;
  lost: boolean;
  error: unknown;
  /** Undefined: saving to the file failed. */
  authorization?: TokenAuthorization;
}

export interface Making {
  made: { authorization: TokenAuthorization; token: Secret; expires: Date | undefined }[];
  failed: FailedPart[];
  /** Undefined: the platform does not tell it. */
  url: string | undefined;
  saved: { authorization: TokenAuthorization; wroteUrl: boolean; isOtherUrl: boolean } | undefined;
}

/** File errors show only their code, because their messages contain paths of the host. */
function failureOf(what: string, error: unknown): FailedPart {
  const part = (why: string, lost = false): FailedPart => ({ what, why, lost, error });
  if (error instanceof PlatformFailure) {
    const { message, maybeApplied } = error;
    const refused = ({ status }: PlatformError) => `${message.replace(/\.$/, '')} (status ${status})`;
    return part(failureWords(error, { refused, unanswered: message, unreadable: message }), maybeApplied);
  }
  if (error instanceof Error && 'code' in error) return part(String(error.code));
  return part(error instanceof Error ? error.message : 'an unknown fault');
}

/** All checks that change nothing, for preview and run. Returns the database’s address, if it is known. */
export async function checkedUrl(
  { database, saveEnv, noSave }: { database: DatabaseRef; saveEnv: boolean; noSave: boolean },
  context: Pick<Context, 'environmentFile' | 'platform' | 'signal'>,
): Promise<string | undefined> {
  // Its tokens do not belong to this account.
  if (database.configured) {
    throw new UsageError(
      'Tokens of the database in the settings cannot be created or invalidated here: only its URL and token are known.',
      { hint: `Name the database by its id: ${toType('database list')}.`, argument: 'database' },
    );
  }
  if (saveEnv && noSave) {
    throw new UsageError('--save-env and --no-save contradict each other.', {
      hint: 'Not saving is the default.',
      argument: 'saveEnv',
    });
  }
  if (saveEnv && context.environmentFile === undefined) {
    throw new UsageError('There is no environment file to write to.', {
      hint: 'Ask whoever runs Edgewise to set TOKEN_ENV_FILE; without it, copy the two lines that are shown.',
      argument: 'saveEnv',
    });
  }
  const url = await databaseUrl(database, context);
  if (saveEnv && url !== undefined) context.environmentFile?.check(url);
  return url;
}

/** Continues after a failure and never throws, because tokens that were made have to be shown. */
export async function makeTokens(
  database: DatabaseRef,
  wanted: {
    authorizations: readonly TokenAuthorization[];
    expires?: Date | undefined;
    save: boolean;
    url: string | undefined;
  },
  { platform, environmentFile, progress }: Pick<Context, 'platform' | 'environmentFile' | 'progress'>,
): Promise<Making> {
  const { authorizations, expires, save, url } = wanted;
  const making: Making = { made: [], failed: [], url, saved: undefined };
  for (const [index, authorization] of authorizations.entries()) {
    try {
      // Without the signal, because stopping halfway would leave no token.
      const { token } = await platform.databases.generateToken(database.id, {
        authorization,
        expires_at: expires?.toISOString() ?? null,
      });
      making.made.push({ authorization, token, expires });
    } catch (error) {
      making.failed.push({ ...failureOf(`the ${authorization} token`, error), authorization });
    }
    progress(index + 1, authorizations.length);
  }
  const [first] = making.made;
  if (!save || environmentFile === undefined || first === undefined) return making;
  try {
    const written = await environmentFile.save({ token: first.token.reveal(), url });
    making.saved = { authorization: first.authorization, ...written };
  } catch (error) {
    making.failed.push(failureOf('writing the environment file', error));
  }
  return making;
}

/** `--no-save` is accepted, too. It is the default. */
export const savingFlags = () => ({
  saveEnv: flag('Save', {
    hint: 'Write it to the operator’s environment file',
    also: ['save it', 'env file', 'environment file'],
  }),
  noSave: flag('Do not save', { hint: 'The default', also: ['dont save', 'not save', 'without saving', 'no save'] }),
});

const untilWords = ({ expires }: Making['made'][number]): Words =>
  expires === undefined ? 'never expires' : mrkdwn`expires ${moment(expires)}`;

/** For when all tokens were invalidated and no new one was made. */
export const remainsWords = (failed: Making['failed']): Mrkdwn =>
  failed.some(({ lost }) => lost)
    ? mrkdwn`*No token that anybody has seen is valid.*`
    : mrkdwn`*No valid token remains.*`;

/** For the channel, without the tokens. */
export const makingParts = ({ made, failed, saved }: Omit<Making, 'url'>) => [
  made.length > 0 &&
    section(
      mrkdwn`*Made*\n${bullets(made.map((token) => mrkdwn`a ${token.authorization} token, ${untilWords(token)}`))}`,
    ),
  failed.length > 0 && section(mrkdwn`⚠️ *Failed*\n${bullets(failed.map(({ what, why }) => mrkdwn`${what}: ${why}`))}`),
  failed.some(({ lost }) => lost) &&
    note(
      'Where the answer was unclear, the platform may have created a token that nobody saw. To end it, invalidate all tokens.',
    ),
  saved &&
    note(
      `The ${saved.authorization} token was written to the operator’s environment file${
        saved.wroteUrl ? ', and the URL, which was missing there' : ''
      }.`,
    ),
  saved?.isOtherUrl &&
    section(
      '⚠️ PLATFORM_DATABASE_URL in that file is the address of another database. I left it unchanged: the token does not work with that database.',
    ),
];

/** The only view with the tokens. */
export function tokenView({ made, failed, url, saved }: Making, database: DatabaseRef): Message {
  if (made.length === 0) {
    return message(
      mrkdwn`No token was made for ${databaseName(database)}, so there is none to show. ${remainsWords(failed)}`,
      ...makingParts({ made, failed, saved }),
      note(
        mrkdwn`Make new ones with the buttons in the channel, or with ${code(slash(`token create ${database.id} --both`))}.`,
      ),
    );
  }
  return message(
    mrkdwn`${bold(`New tokens for ${databaseName(database)}`)}\nThey are shown once, here, to you alone. Copy them now.`,
    ...made.flatMap((token): Part[] => {
      const lines = [
        `PLATFORM_DATABASE_AUTH_TOKEN=${token.token.reveal()}`,
        ...(url === undefined ? [] : [`PLATFORM_DATABASE_URL=${url}`]),
      ];
      return [section(mrkdwn`${bold(token.authorization)}, ${untilWords(token)}`), codeBlock(lines.join('\n'))];
    }),
    url === undefined &&
      note(
        mrkdwn`The platform does not give the database’s address: ${code('PLATFORM_DATABASE_URL')} is yours to add.`,
      ),
    ...makingParts({ made: [], failed, saved }),
  );
}
