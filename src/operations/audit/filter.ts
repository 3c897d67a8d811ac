import { flagged, text } from '../arguments/plain.ts';
import type { AuditFilter, AuditRecord } from '../operation.ts';

/** What entries are chosen by. */
export const filterArguments = {
  actor: flagged(text('Person', { hint: 'A Slack user id, or a mention', maxLength: 100 })),
  command: flagged(text('Command', { hint: 'Such as `ssl force`, or `ssl` for all of them', maxLength: 100 })),
  target: flagged(text('Target', { hint: 'A part of a zone’s, hostname’s, app’s or database’s name', maxLength: 200 })),
};

interface Typed {
  actor: string | undefined;
  command: string | undefined;
  target: string | undefined;
}

/** As typed → as the store asks. */
export function filterOf({ actor, command, target }: Typed): Omit<AuditFilter, 'limit' | 'before'> {
  return {
    actor:
      actor === undefined
        ? undefined
        : (/^<@([UW][A-Z0-9]+)(?:\|[^>]*)?>$/.exec(actor)?.[1] ?? actor.replace(/^@/, '')),
    operation: command
      ?.trim()
      .toLowerCase()
      .replace(/^\/edge\s+/, ''),
    target,
  };
}

/** The same filters on a command line. */
export function filterLine({ actor, command, target }: Typed): string {
  const flag = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`--${name} "${value.replaceAll('"', '')}"`];
  return [...flag('actor', actor), ...flag('command', command), ...flag('target', target)].join(' ');
}

/** `ForceSSL: false → true`: what was shown before it was confirmed. */
export function changeOf({ preview }: AuditRecord): string {
  if (preview === undefined) return '';
  const { before, after } = preview;
  return Object.keys(after)
    .filter((key) => before?.[key] !== after[key])
    .map((key) => {
      // What had no state before is not shown as if it had been empty.
      const from = before === undefined ? '? → ' : key in before ? `${String(before[key] ?? '–')} → ` : '';
      return `${key}: ${from}${String(after[key] ?? '–')}`;
    })
    .join(', ');
}
