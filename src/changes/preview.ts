import { duration } from '../blocks/format.ts';
import { type Message, message, note, section } from '../blocks/message.ts';
import { bold, code, join, type Mrkdwn, moment, mrkdwn, user, type Words } from '../blocks/mrkdwn.ts';
import { currentInteraction, isByAgent } from '../interaction.ts';
import type { Actor } from '../operations/context.ts';
import { troublesOf } from '../operations/now.ts';
import type { AnyOperation, Preview, State, StatedChange } from '../operations/operation.ts';
import { EMOJI } from '../operations/words/lexicon.ts';
import {
  contextOf,
  dueOf,
  durationOf,
  findConfirmation,
  inTime,
  isWatched,
  mayDecide,
  placeOf,
  type Resolved,
  resolve,
} from './context.ts';
import { namesOf } from './permission.ts';
import { type Recording, record } from './record.ts';
import type { Services } from './services.ts';
import { wordsFor } from './words.ts';

/** The state before and after the change, as the platform shows it now. */
export async function previewOf(operation: AnyOperation, { values, context }: Resolved): Promise<Preview> {
  return operation.preview?.(values, context) ?? { after: {} };
}

export async function fullPreviewOf(
  operation: AnyOperation,
  resolved: Resolved,
  read?: Preview | undefined,
): Promise<Preview> {
  const preview = read ?? (await previewOf(operation, resolved));
  const more = await operation.preflight?.(resolved.values, resolved.context);
  const company =
    resolved.context.place.external === true ? ['People from other organisations can read this channel.'] : [];
  const { told, doubts, lines } = await troublesOf(namesOf(operation, resolved.values), resolved.context);
  const fails =
    doubts.some((one) => one.fails === true) ||
    told.some(({ troubles }) => troubles.some(({ lately, measure }) => lately !== 0 && measure !== 'traffic'));
  const worsens =
    operation.emptiesCache === true && fails
      ? 'While the zone is failing, clearing makes it worse: requests that the cache still answers will go to the origin too.'
      : (preview.worsens ?? more?.worsens);
  const details = [preview.details, more?.details].filter((part) => part !== undefined);
  const texts = Object.entries(resolved.canonical).filter(([key]) => operation.args[key]?.field.type === 'text');
  const [emoji] = texts.flatMap(([, text]) => text.match(EMOJI) ?? []);
  const rewritten =
    emoji === undefined
      ? []
      : [`Slack sends emoji as their names: the value will be set to “${emoji}”, letter for letter.`];
  const final = operation.effect === 'destructive' ? ['This can’t be undone.'] : [];
  return {
    ...preview,
    worsens,
    ...(lines.length === 0 ? {} : { trouble: message(...lines) }),
    warnings: [...final, ...(preview.warnings ?? []), ...(more?.warnings ?? []), ...company, ...rewritten],
    ...(details.length === 0 ? {} : { details: message(...details) }),
  };
}

export const fromAgent = (preview: Preview): Preview => ({
  ...preview,
  warnings: ['An agent asked for this, not a person. Read it before you press.', ...(preview.warnings ?? [])],
});

/** The preview of a stored change, read again. Undefined: it does not exist, or this person may not see it. */
export async function previewAgain(services: Services, id: string, reader: Actor): Promise<Message | undefined> {
  const found = await findConfirmation(services, id);
  if (found === undefined) return undefined;
  const { confirmation, operation } = found;
  const { actor, team, given, target, approval, state } = confirmation;
  // Approvers may while it waits for them.
  if (actor !== reader.id && (state !== 'waiting' || !mayDecide(services, reader, confirmation))) return undefined;
  const requester: Actor = actor === reader.id ? reader : { id: actor, teamId: team, kind: approval?.kind ?? 'member' };
  const place = await services.seePlace(placeOf(confirmation));
  const pending = state === 'drafted' || state === 'waiting' ? 'pending' : 'given';
  return inTime(async (signal) => {
    const context = contextOf(services, {
      actor: requester,
      place,
      signal,
      approval: approval && pending,
    });
    const resolved = await resolve(operation, given, context, true);
    const full = await fullPreviewOf(operation, resolved);
    const read = confirmation.preview.agent ? fromAgent(full) : full;
    await recordRead(services, operation, { actor: reader, channel: place.channelId, target, given }, read);
    const preview = fullPreviewMessage(operation, { target, given }, resolved, read);
    const { reason = '' } = confirmation;
    return actor === reader.id
      ? preview
      : message(preview, section(mrkdwn`*Why:* ${reason === '' ? 'no reason given' : reason} (${user(actor)})`));
  });
}

/** A preview can show what not everybody may read, or be asked for by an agent. Then the audit records it. */
export async function recordRead(
  services: Services,
  operation: AnyOperation,
  shown: Pick<Recording, 'actor' | 'channel' | 'target' | 'given' | 'rule'>,
  { isRead, after }: Preview,
): Promise<void> {
  if (isRead === true || isByAgent())
    await record(services, { ...shown, operation, outcome: 'previewed', preview: { after } });
}

/** The order of fields does not matter. Two unknown states are equal, because nothing shows a change. */
export function sameState(a: Record<string, unknown> | undefined, b: Record<string, unknown> | undefined): boolean {
  return canonical(a) === canonical(b);
}

function canonical(state: Record<string, unknown> | undefined): string | undefined {
  const known = state && Object.entries(state).filter(([, value]) => value !== undefined);
  return known && JSON.stringify(known.map((field) => JSON.stringify(field)).sort());
}

/** `true` → on, nothing → –: how a value of the platform reads. */
function valueWords(value: State[string]): Words {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'boolean') return bold(value ? 'on' : 'off');
  return code(String(value));
}

/** As `valueWords`, with times in the reader’s time zone. Not for states that may differ by seconds. */
function readableWords(value: State[string]): Words {
  const isTime =
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(value) &&
    !Number.isNaN(Date.parse(value));
  return isTime ? moment(new Date(value)) : valueWords(value);
}

/** A field's name as a person would write it: `ForceSSL` → `Force SSL`, `expires_at` → `Expires at`. */
function fieldWords(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/ [A-Z](?=[a-z])/g, (initial) => initial.toLowerCase());
  const spelled: Record<string, string> = { openapi: 'OpenAPI', sha256: 'SHA-256', ForceSSL: 'Force HTTPS' };
  return spelled[name] ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** The fields that change, or all if none does. */
export function keysShown(before: State | undefined, after: State): string[] {
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  const changed = keys.filter((key) => before === undefined || before[key] !== after[key]);
  return changed.length > 0 ? changed : keys;
}

/** One line for each field, at most `most`. */
export function changesOf(before: State | undefined, after: State, most = 20): Mrkdwn {
  const shown = keysShown(before, after);
  const lines = shown.length > most ? shown.slice(0, most - 1) : shown;
  const left = shown.length - lines.length;
  const said = join(
    lines
      .map((key) => {
        const name = fieldWords(key);
        if (before === undefined || !(key in before)) return mrkdwn`${name}: ${readableWords(after[key])}`;
        return before[key] === after[key]
          ? mrkdwn`${name}: stays ${readableWords(after[key])}`
          : mrkdwn`${name}: ${readableWords(before[key])} → ${readableWords(after[key])}`;
      })
      .concat(left > 0 ? mrkdwn`and ${left} more` : []),
    '\n',
  );
  return before === undefined ? mrkdwn`*After:*\n${said}` : said;
}

/** The state is known, and the change would change nothing. */
export function isSoAlready({ before, after }: Preview): boolean {
  const keys = Object.keys({ ...before, ...after });
  return before !== undefined && keys.length > 0 && keys.every((key) => before[key] === after[key]);
}

/**
 * The answer if nothing has to be done. `until`: when the clock ends that state.
 * After a crash the change may have been confirmed meanwhile, so the answer does not deny it.
 */
export function soAlreadyMessage(target: string, state: State, until?: Date): Message {
  const isAgain = currentInteraction()?.isAgain === true;
  const [first, ...more] = Object.entries(state);
  const when = isAgain ? 'now' : 'already';
  const isOne = first !== undefined && more.length === 0;
  return message(
    isOne
      ? mrkdwn`${fieldWords(first[0])} is ${when} ${valueWords(first[1])} for ${code(target)}.`
      : mrkdwn`${code(target)} is ${when} set that way.`,
    !isOne && section(stateWords(state)),
    until !== undefined && section(mrkdwn`⏳ Temporary: switches back ${moment(until)}.`),
    isAgain && note('Edgewise was restarted in between, and looked again.'),
  );
}

/** The incident of its zone and the warnings, which approvers read too. */
export function remarksOf(preview: Preview): Message {
  return message(
    preview.trouble,
    preview.worsens !== undefined && section(mrkdwn`⛔ ${preview.worsens}`),
    preview.before === undefined &&
      preview.unread !== undefined &&
      note(mrkdwn`Current state unknown: ${preview.unread}.`),
    ...(preview.warnings ?? []).map((warning) => section(mrkdwn`⚠️ ${warning}`)),
  );
}

/** The preview and, with `--for`, what comes after it. */
export function fullPreviewMessage(
  operation: AnyOperation,
  change: Pick<StatedChange, 'target' | 'given'>,
  { values }: Pick<Resolved, 'values'>,
  preview: Preview,
): Message {
  const until = durationOf(operation, values);
  const due = dueOf(operation, values);
  return message(
    previewMessage(wordsFor(operation, { ...change, ...preview }).title, preview),
    until !== undefined &&
      section(
        mrkdwn`${bold(`Switches back after ${duration(until)}`)}\n${changesOf(preview.after, preview.before ?? {})}`,
      ),
    until !== undefined && note('Unless somebody changes it before then.'),
    due !== undefined && section(mrkdwn`🕑 *Runs later: ${moment(due)}*`),
    due !== undefined &&
      note('I’ll check everything again then. If anything has changed, I won’t do it, and I’ll tell you.'),
    isWatched(operation, values) &&
      note('I’ll watch it for ten minutes and undo it if far more requests fail (5xx) than in the hours before.'),
  );
}

export function previewMessage(title: Words, preview: Preview): Message {
  const details = preview.details;
  return message(
    section(mrkdwn`${title}?`),
    Object.keys(preview.after).length > 0 && section(changesOf(preview.before, preview.after)),
    remarksOf(preview),
    details !== undefined && { blocks: details.blocks, text: details.text },
  );
}

/** Not done, or not undone: the state is not the one that was shown or made, or cannot be read. */
export function changedMessage(
  title: Words,
  then: State | undefined,
  { before: now, unread }: Pick<Preview, 'before' | 'unread'>,
  end = 'done',
): Message {
  const why = now === undefined ? 'I can’t read the current state, so it may have changed' : 'It has changed since';
  return message(
    mrkdwn`Not ${end}: ${title}. ${why}.`,
    then !== undefined && section(mrkdwn`*Then*\n${stateWords(then)}`),
    now !== undefined && section(mrkdwn`*Now*\n${stateWords(now)}`),
    now === undefined && unread !== undefined && note(mrkdwn`Not read: ${unread}.`),
    note('If you still want it, type the command that does it.'),
  );
}

export function stateWords(state: State): Mrkdwn {
  return join(
    Object.entries(state)
      .slice(0, 20)
      .map(([key, value]) => mrkdwn`${fieldWords(key)}: ${valueWords(value)}`),
    '\n',
  );
}
