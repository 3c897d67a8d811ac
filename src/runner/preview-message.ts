import { type Message, message, note, section } from '../blocks/message.ts';
import { bold, code, join, type Mrkdwn, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import type { AnyOperation, Preview, State } from '../operations/operation.ts';

/** `true` → on, nothing → –: how a value of the platform reads. */
function valueWords(value: State[string]): Words {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'boolean') return bold(value ? 'on' : 'off');
  return code(String(value));
}

/** Two states side by side, one line a field; fields that stay are left out unless nothing changes. */
export function changesOf(before: State | undefined, after: State): Mrkdwn {
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  const changed = keys.filter((key) => before === undefined || before[key] !== after[key]);
  const shown = changed.length > 0 ? changed : keys;
  return join(
    shown.slice(0, 20).map((key) => {
      if (before === undefined || !(key in before)) return mrkdwn`${key}: ${valueWords(after[key])}`;
      return before[key] === after[key]
        ? mrkdwn`${key}: stays ${valueWords(after[key])}`
        : mrkdwn`${key}: ${valueWords(before[key])} → ${valueWords(after[key])}`;
    }),
    '\n',
  );
}

/** What whoever decides has to know besides the states. */
export function remarksOf(preview: Preview): Message {
  return message(
    preview.before === undefined &&
      note(mrkdwn`The present state is not known: ${preview.unread ?? 'the platform does not show it'}.`),
    ...(preview.warnings ?? []).map((warning) => section(mrkdwn`:warning: ${warning}`)),
  );
}

/** What a person sees before deciding. */
export function previewMessage(operation: AnyOperation, target: string, preview: Preview): Message {
  const details = preview.details;
  return message(
    section(mrkdwn`*${operation.summary}*\n${code(target)}`),
    Object.keys(preview.after).length > 0 && section(changesOf(preview.before, preview.after)),
    remarksOf(preview),
    details !== undefined && { blocks: details.blocks, text: details.text },
  );
}

/** The state changed between asking and confirming: both are shown, nothing was done. */
export function changedMessage(
  target: string,
  asked: State | undefined,
  now: State | undefined,
  unread?: string,
): Message {
  return message(
    mrkdwn`Nothing was done: ${code(target)} has changed since you asked.`,
    section(mrkdwn`*When you asked*\n${asked === undefined ? 'not known' : stateWords(asked)}`),
    section(
      mrkdwn`*Now*\n${now === undefined ? `not known: ${unread ?? 'the platform does not show it'}` : stateWords(now)}`,
    ),
    note('Look at it again, then repeat the command if you still want it.'),
  );
}

/** A state as lines. */
export function stateWords(state: State): Mrkdwn {
  return join(
    Object.entries(state)
      .slice(0, 20)
      .map(([key, value]) => mrkdwn`${key}: ${valueWords(value)}`),
    '\n',
  );
}
