import { rest } from '../arguments/plain.ts';
import type { ArgumentKind } from '../operation.ts';
import { parseChange, parseQuery, withoutLiterals } from './statement.ts';

/** An SQL statement, the rest of the line as it stands; refused before anything is asked when it is not what it should be. */
export function sqlText(kind: 'query' | 'statement'): ArgumentKind<string> {
  const plain = rest('SQL', { hint: kind === 'query' ? 'One SELECT, VALUES or EXPLAIN' : 'One statement' });
  return {
    ...plain,
    check(text, now) {
      // A text field's limit is not what is wrong with a NUL.
      (kind === 'query' ? parseQuery : parseChange)(text);
      plain.check(text, now);
    },
    auditTextOf: withoutLiterals,
  };
}
