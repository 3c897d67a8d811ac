import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import type { TokenAuthorization } from '../../platform/resources/databases.ts';
import { isoDay, UNITS } from '../../time.ts';
import { parseMoment } from '../arguments/dates.ts';
import { flag, flagged, parsed } from '../arguments/plain.ts';
import { database, databaseName } from '../arguments/resources/databases.ts';
import { type ArgumentKind, defineOperation, wordsWith } from '../operation.ts';
import { checkedUrl, makeTokens, makingParts, savingFlags, tokenView } from './making.ts';

/** `m` is months, as on the platform's own command line. */
const EXPIRY_FORMS = '12h, 30d, 4w, 6m (months), 1y, or a date such as 2027-01-31';

/** The month's last day where it has no such day (01-31 → 02-28). */
function addMonths(from: Date, months: number): Date {
  const first = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1));
  if (Number.isNaN(first.getTime())) return first;
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const moved = new Date(from);
  moved.setUTCFullYear(first.getUTCFullYear(), first.getUTCMonth(), Math.min(from.getUTCDate(), last));
  return moved;
}

function instantOf(typed: string, now: Date): Date {
  const short = /^(\d{1,5})([hdwmy])$/i.exec(typed);
  if (short === null) {
    if (!/^\d{1,4}[-/]/.test(typed))
      throw new UsageError(`“${typed}” is not an expiry.`, { hint: `Write ${EXPIRY_FORMS}.` });
    return parseMoment(typed, now).instant;
  }
  const count = Number(short[1]);
  const unit = short[2]!.toLowerCase();
  if (unit === 'm') return addMonths(now, count);
  if (unit === 'y') return addMonths(now, count * 12);
  return new Date(now.getTime() + count * UNITS[unit as 'h' | 'd' | 'w']);
}

/** `30d` (h d w m y), a date (its start, UTC) or a date and time. The past is refused. */
export function parseExpiry(text: string, now: Date): Date {
  const instant = instantOf(text.trim(), now);
  if (Number.isNaN(instant.getTime()) || instant.getUTCFullYear() > 9999) {
    throw new UsageError(`“${text}” is too far away.`, {
      hint: 'Leave the expiry out for a token that never expires.',
    });
  }
  if (instant.getTime() <= now.getTime()) {
    throw new UsageError(`“${text}” is in the past: today is ${isoDay(now)} (UTC).`, {
      hint: `Write ${EXPIRY_FORMS}.`,
    });
  }
  return instant;
}

export function expiry(): ArgumentKind<Date> {
  return {
    ...parsed(parseExpiry, (instant) => instant.toISOString()),
    label: 'Expiry',
    hint: `${EXPIRY_FORMS}. Without it, the token never expires.`,
    fromMessage: 'lifetime',
    also: ['expires', 'valid'],
    field: { type: 'text', placeholder: '30d', maxLength: 40 },
  };
}

/** Full access by default, as on the platform's own command line. */
function authorizationsOf(given: { readOnly: boolean; fullAccess: boolean; both: boolean }): TokenAuthorization[] {
  const chosen = Object.values(given).filter(Boolean).length;
  if (chosen > 1) {
    throw new UsageError('Choose one of --read-only, --full-access and --both.', {
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

  words: ({ target, after: { access } }) =>
    wordsWith(
      'Create',
      'created',
      mrkdwn`a new ${bold(String(access).replace(' and ', ' and a new '))} token for ${code(target)}`,
    ),

  async preview({ database, expiry, saveEnv, noSave, ...chosen }, context) {
    await checkedUrl({ database, saveEnv, noSave }, context);
    const authorizations = authorizationsOf(chosen);
    return {
      before: undefined,
      after: {
        access: authorizations.join(' and '),
        expires_at: expiry?.toISOString() ?? 'never',
        ...(saveEnv ? { environment_file: `gets the ${authorizations[0]} token` } : {}),
      },
      details: message(
        mrkdwn`Existing tokens for ${databaseName(database)} stay valid.`,
        note('The new ones are shown once, to you alone.'),
      ),
    };
  },

  async run({ database, expiry, saveEnv, noSave, ...chosen }, context) {
    const url = await checkedUrl({ database, saveEnv, noSave }, context);
    const authorizations = authorizationsOf(chosen);
    const making = await makeTokens(database, { authorizations, expires: expiry, save: saveEnv, url }, context);
    // No token was made, so it fails like any request.
    if (making.made.length === 0) throw making.failed[0]?.error;
    return making;
  },

  render: (making) => message(note('Existing tokens stay valid.'), ...makingParts(making)),

  reveal: (making, { database }) => tokenView(making, database),

  whenUnknown: ({ database: id }) =>
    message(
      'The platform may have created a token that nobody saw. Existing tokens still work.',
      note('Create another one. To end the unseen one, invalidate all tokens.'),
      actions(commandButton('Create one', `token create ${id ?? ''}`)),
    ),
});
