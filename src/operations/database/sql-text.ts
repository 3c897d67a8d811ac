import { UsageError } from '../../errors.ts';
import type { ArgumentKind } from '../argument.ts';
import { rest } from '../arguments/plain.ts';
import { parseChange, parseQuery, withoutLiterals } from './statement.ts';

function refuseFlagBehind(text: string, kind: 'query' | 'statement'): void {
  // A flag behind the SQL, where it is a comment: nobody would see that it does nothing.
  const [, typed] = /\s(--(?:csv|force|offset(?:[ =]\d+)?))\s*$/i.exec(text) ?? [];
  if (typed === undefined) return;
  throw new UsageError(`${typed} stands behind the SQL, where it is a comment and does nothing.`, {
    hint: `Flags go before it: \`/edge database ${kind === 'query' ? 'query' : 'execute'} <database> ${typed} …\``,
    argument: 'sql',
  });
}

/** An SQL statement, the rest of the line as it stands; refused before anything is asked when it is not what it should be. */
export function sqlText(kind: 'query' | 'statement'): ArgumentKind<string> {
  const parsed = kind === 'query' ? parseQuery : parseChange;
  const plain = rest('SQL', { hint: kind === 'query' ? 'One SELECT, VALUES or EXPLAIN' : 'One statement' });
  return {
    ...plain,
    fromMessage: 'SQL',
    check(text, now) {
      // A text field's limit is not what is wrong with a NUL.
      parsed(text);
      plain.check(text, now);
      refuseFlagBehind(text, kind);
    },
    // What is kept, shown and approved is what is sent.
    resolve: (text = '') => parsed(text).sql,
    auditTextOf: withoutLiterals,
  };
}
