import { countOf } from './blocks/format.ts';
import { type Message, message, note } from './blocks/message.ts';
import { bullets, code, join, type Mrkdwn, mrkdwn, type Words, written } from './blocks/mrkdwn.ts';
import { ForbiddenError, UsageError } from './errors.ts';
import { currentInteraction, newReference } from './interaction.ts';
import { toRun, toType } from './own-name.ts';
import { NotSentError, PlatformConnectionError, PlatformError, PlatformFailure, SqlError } from './platform/errors.ts';
import { StoreError, type StoreTrouble } from './store/store-error.ts';

/** An error as people and the audit see it. */
export interface Problem {
  message: Message;
  /** One plain line, for the audit and for fields. */
  summary: string;
  argument?: string;
  /** What was probably meant: for the argument, or for the whole line. */
  instead?: readonly string[];
  outcome: 'usage' | 'forbidden' | 'refused' | 'unreachable' | 'error';
  /** Set for an unexpected error: the log has it, too. */
  reference?: string;
  /** The platform may have done it nevertheless. */
  maybeApplied: boolean;
}

/** Keeps `code` and escapes the rest. */
export function hintWords(hint: string): Mrkdwn {
  return join(
    hint
      .split(/(`[^`]+`)/)
      .map((part) => (part.startsWith('`') && part.endsWith('`') && part.length > 2 ? code(part.slice(1, -1)) : part)),
    '',
  );
}

/** What happened, with the hint on its own line. */
export function problemOf(error: unknown): Problem {
  if (error instanceof UsageError) return misuse(error);
  if (error instanceof ForbiddenError) {
    return {
      message: message(error.message, error.hint === undefined ? undefined : note(written(error.hint))),
      summary: error.message,
      outcome: 'forbidden',
      maybeApplied: false,
    };
  }
  if (error instanceof PlatformError) return refusal(error);
  if (error instanceof PlatformFailure) return error instanceof PlatformConnectionError ? lost(error) : unread(error);
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    const next = 'Ask for less, or try again in a while.';
    return unreachable('It took too long, and Edgewise gave up waiting.', next, 'it took too long');
  }
  if (error instanceof StoreError) return unreachable(...STORE_TROUBLES[error.kind], `the store: ${error.message}`);
  const reference = currentInteraction()?.id ?? newReference();
  return {
    message: message(
      'Something went wrong inside Edgewise.',
      note(mrkdwn`Tell whoever runs Edgewise this reference, it is in the log: ${code(reference)}`),
    ),
    summary: `unexpected error ${reference}`,
    outcome: 'error',
    reference,
    maybeApplied: true,
  };
}

const unreachable = (says: Words, next: Words, summary: string, maybeApplied = true): Problem => ({
  message: message(says, note(next)),
  summary,
  outcome: 'unreachable',
  maybeApplied,
});

const LATER = 'It keeps trying. Try again in a minute; if it stays like this, tell whoever runs Edgewise.';

/** Readers can only wait or tell somebody. */
const STORE_TROUBLES: Readonly<Record<StoreTrouble, readonly [says: string, next: string]>> = {
  away: ['Edgewise cannot reach its own store.', LATER],
  slow: ['Edgewise’s own store does not answer in time.', LATER],
  locked: [
    'Another program has locked Edgewise’s own store.',
    'Try again in a minute; if it stays like this, tell whoever runs Edgewise to end that program.',
  ],
  full: [
    'The disk of Edgewise’s own store is full or failing.',
    'Tell whoever runs Edgewise to free disk space. Until then no command works.',
  ],
  readonly: [
    'Edgewise may not write to its own store.',
    'Tell whoever runs Edgewise. Until that is fixed, no command works.',
  ],
  refused: [
    'Edgewise’s own store refuses its user or password.',
    'Tell whoever runs Edgewise to check STORE_URL and restart it.',
  ],
  damaged: ['Edgewise’s own store is damaged.', 'Tell whoever runs Edgewise to stop it and restore the last backup.'],
};

function misuse({ message: summary, hint, argument, instead }: UsageError): Problem {
  return {
    message: message(summary, hint === undefined ? undefined : note(hintWords(hint))),
    summary,
    ...(argument === undefined ? {} : { argument }),
    ...(instead.length === 0 ? {} : { instead }),
    outcome: 'usage',
    maybeApplied: false,
  };
}

function lost(error: PlatformConnectionError): Problem {
  const { message: summary, method, applied, maybeApplied } = error;
  const isSent = !(error instanceof NotSentError);
  const effect = !isSent
    ? 'Nothing was changed.'
    : method === 'GET'
      ? 'Nothing was changed. Try again in a moment.'
      : applied === 'maybe'
        ? 'It may have taken effect. Check before you repeat it.'
        : 'The request did not reach it, so nothing was changed.';
  const says = isSent
    ? mrkdwn`The platform did not answer: ${sentence(summary)}`
    : 'Edgewise was held up for too long, so the request was not sent.';
  return unreachable(says, effect, `no answer: ${summary}`, maybeApplied);
}

function unread({ message: summary, method, path, maybeApplied }: PlatformFailure): Problem {
  const says = mrkdwn`The platform’s answer cannot be read: ${sentence(summary)}`;
  const asked = mrkdwn`Asked: ${code(`${method} ${path}`)}`;
  return unreachable(says, asked, `unreadable answer: ${summary}`, maybeApplied);
}

/** Ends it with one full stop. */
const sentence = (text: string) => text.trim().replace(/(?<![.!?…])$/, '.');

/** Source: docs/platform.md, Errors. */
function adviceOf(error: PlatformError): string | undefined {
  if (error.service === 'logging') {
    if (error.status === 403)
      return 'Either the credentials of the log service are wrong, or the pull zone is suspended or disabled.';
    if (error.key === 'logging_disabled')
      return 'Logging is off for this pull zone. Switch it on in the platform’s dashboard.';
    if (error.status === 401)
      return 'Edgewise sent no credentials. Ask whoever runs it to check PLATFORM_ACCESS_KEY and PLATFORM_LOGGING_JWT.';
    if (error.status === 400) return `See what can be asked: ${toType('help log search')}`;
  }
  if (error instanceof SqlError && /no such (table|column)/i.test(error.message))
    return `See what there is: ${toType('database query <database> SELECT name, sql FROM sqlite_schema')}`;
  if (error.service === 'sql' && error.status === 504)
    return 'The query took too long, so I stopped waiting. Add a WHERE, lower the LIMIT, or index the columns you compare.';
  if (error.status === 401)
    return `The bot’s key or token is missing, wrong or revoked. Ask whoever runs Edgewise to check with \`${toRun('doctor')}\`.`;
  if (error.status === 403 && /upgrade to|plan_type/i.test(`${error.message} ${error.key}`))
    return 'Its plan does not include this. Change the plan in the platform’s dashboard.';
  if (error.status === 403)
    return 'The bot’s key or token isn’t allowed to do this, or the account is suspended. Ask whoever runs Edgewise to check PLATFORM_ACCESS_KEY.';
  if (error.status >= 300 && error.status < 400)
    return 'Something other than the platform answered (a proxy, perhaps), or the platform’s address has changed. Ask whoever runs Edgewise to check PLATFORM_API_URL.';
  if (error.status === 429) {
    return error.retryAfter === undefined
      ? 'Wait a little, then try again.'
      : `Try again in ${countOf(error.retryAfter, 'second')}. I don’t retry it for you.`;
  }
  if (error.status >= 500) return 'That is a fault on the platform’s side.';
  return undefined;
}

function refusal(error: PlatformError): Problem {
  const advice = adviceOf(error);
  const facts = [
    error.key && code(error.key),
    error.field && mrkdwn`field ${code(error.field)}`,
    // A database refuses a statement with status 200.
    (!(error instanceof SqlError) || error.status !== 200) && mrkdwn`status ${error.status}`,
    error.httpStatus !== error.status && mrkdwn`HTTP ${error.httpStatus}`,
    error.id && mrkdwn`id ${code(error.id)}`,
    error.instance && mrkdwn`instance ${code(error.instance)}`,
    error.requestId && mrkdwn`request ${code(error.requestId)}`,
  ].flatMap((fact) => fact || []);
  const more = [
    ...(error.detail === undefined || error.detail === error.message ? [] : [error.detail]),
    ...error.details,
    ...error.errors.map((one) => (one.field === undefined ? one.message : `${one.field}: ${one.message}`)),
  ];
  return {
    message: message(
      error instanceof SqlError
        ? mrkdwn`The database refused the statement: ${sentence(error.message)}`
        : mrkdwn`The platform refused it: ${sentence(error.message)}`,
      more.length > 0 && bullets(more.slice(0, 20)),
      advice !== undefined && note(hintWords(advice)),
      facts.length > 0 && note(join(facts, ' · ')),
    ),
    summary: `${error.status}${error.key === undefined ? '' : ` ${error.key}`}: ${error.message}`,
    outcome: 'refused',
    maybeApplied: error.maybeApplied,
  };
}
