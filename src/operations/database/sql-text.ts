import { UsageError } from '../../errors.ts';
import { toType } from '../../own-name.ts';
import { rest } from '../arguments/plain.ts';
import type { ArgumentKind } from '../operation.ts';
import { parseChange, parseQuery, withoutLiterals } from './statement.ts';

function refuseFlagBehind(text: string, kind: 'query' | 'statement'): void {
  // After the SQL a flag is a comment, and silently does nothing.
  const [, typed] = /\s(--(?:csv|force|offset(?:[ =]\d+)?))\s*$/i.exec(text) ?? [];
  if (typed === undefined) return;
  throw new UsageError(`${typed} comes after the SQL, where it is a comment and does nothing.`, {
    hint: `Flags go before it: ${toType(`database ${kind === 'query' ? 'query' : 'execute'} <database> ${typed} …`)}`,
    argument: 'sql',
  });
}

export function sqlText(kind: 'query' | 'statement'): ArgumentKind<string> {
  const parsed = kind === 'query' ? parseQuery : parseChange;
  const plain = rest('SQL', { hint: kind === 'query' ? 'One SELECT, VALUES or EXPLAIN' : 'One statement' });
  return {
    ...plain,
    fromMessage: 'SQL',
    check(text, now) {
      // Before the length: a NUL is the better complaint.
      parsed(text);
      plain.check(text, now);
      refuseFlagBehind(text, kind);
    },
    // What is shown and approved is what is sent.
    resolve: (text = '') => parsed(text).sql,
    normal: (text) => parsed(text).sql,
    auditTextOf: withoutLiterals,
  };
}
