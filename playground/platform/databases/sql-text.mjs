// The text of SQL, read for the process of a database.

/** Blanks, comments and semicolons before a statement. */
export const LEADING = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|;)*/;

/** The first words of a statement, in capitals. */
export function wordsOf(sql) {
  return sql
    .replace(LEADING, '')
    .toUpperCase()
    .split(/[\s(;]+/, 4);
}

/** Recognises a statement that certainly writes nothing. */
export function isRead(sql) {
  const [first, second] = wordsOf(sql);
  if (first === 'PRAGMA') {
    return !sql.includes('=');
  }
  return (
    ['SELECT', 'VALUES', 'EXPLAIN', 'COMMIT', 'END', 'ROLLBACK', 'SAVEPOINT', 'RELEASE', ''].includes(first) ||
    (first === 'BEGIN' && !['IMMEDIATE', 'EXCLUSIVE'].includes(second))
  );
}

/** The statements of a script, cut at the semicolons that are not within quotes, comments or the body of a trigger. */
export function* statementsOf(sql) {
  const token =
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|;|\b(?:CREATE|TRIGGER|BEGIN|CASE|END)\b/gi;
  let start = 0;
  let depth = 0;
  let trigger = false;
  let word = '';
  for (const match of sql.matchAll(token)) {
    const text = match[0].toUpperCase();
    if (text === 'TRIGGER' && word === 'CREATE') {
      trigger = true;
    } else if (text === 'CASE' || (text === 'BEGIN' && trigger)) {
      depth += 1;
    } else if (text === 'END' && depth > 0) {
      depth -= 1;
    } else if (text === ';' && depth === 0) {
      yield sql.slice(start, match.index);
      start = match.index + 1;
      trigger = false;
    }
    word = /^[A-Z]+$/.test(text) ? text : word;
  }
  yield sql.slice(start);
}

/** Recognises a text without a statement. */
export const isBlank = (sql) => sql.replace(LEADING, '') === '';
