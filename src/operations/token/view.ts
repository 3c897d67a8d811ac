import { codeBlock, type Message, message, note, type Part, section } from '../../blocks/message.ts';
import { bold, bullets, code, type Mrkdwn, moment, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { slash } from '../../own-name.ts';
import { type DatabaseRef, databaseName } from '../arguments/resources/databases.ts';
import type { Making } from './making.ts';

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
