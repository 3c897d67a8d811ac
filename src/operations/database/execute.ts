import { count } from '../../blocks/format.ts';
import { codeBlock, message, note } from '../../blocks/message.ts';
import { join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { flag } from '../arguments/plain.ts';
import { database, databaseName } from '../arguments/resources/databases.ts';
import { defineOperation } from '../operation.ts';
import { accessTo, TOKEN_MINUTES } from './access.ts';
import { otherPart, shownRows } from './rows.ts';
import { sqlText } from './sql-text.ts';
import { parseStatement, ROWS_PER_PAGE, type Statement, withoutLiterals } from './statement.ts';

/** What is worth knowing of a statement before it runs. */
function warningsOf({ verb, tables, everyRow }: Statement): string[] {
  const [name] = tables;
  return [
    everyRow && `${verb} without WHERE: it touches every row of ${name ?? 'the table'}.`,
    verb.startsWith('DROP') && `${verb} cannot be taken back.`,
    verb.startsWith('ALTER') && 'Applications that use the table may stop working.',
    verb === 'PRAGMA' && 'A PRAGMA may change how the whole database works.',
    verb === 'VACUUM' && 'VACUUM rewrites the whole database and locks it meanwhile.',
    'There is no undo: keep a copy of what matters.',
  ].filter((warning) => warning !== false);
}

/** A paragraph in Slack has 3,000 characters, escapes counted. */
const piecesOf = (sql: string) => sql.match(/[\s\S]{1,2000}/g) ?? [];

export const executeStatement = defineOperation({
  name: 'database execute',
  summary: 'Run a statement that changes a database',
  effect: 'destructive',
  args: {
    database: database(),
    force: flag('Without typing the name', { hint: 'The button is still asked for' }),
    sql: sqlText('statement'),
  },
  examples: ["database execute orders UPDATE orders SET state = 'paid' WHERE id = 7"],

  target: ({ database }) => database.name ?? database.id,

  preview({ database, sql }) {
    const statement = parseStatement(sql);
    return {
      before: undefined,
      unread: 'what the statement would change is not tried beforehand',
      // Compared and kept: the shape alone. The whole statement is below it, for the one who asks.
      after: { statement: withoutLiterals(statement.sql), kind: statement.verb, tables: statement.tables.join(', ') },
      warnings: warningsOf(statement),
      details: message(
        ...piecesOf(statement.sql).map(codeBlock),
        note(
          database.configured
            ? 'It runs with the token of the settings.'
            : `It runs with a full-access token that is made for it and expires in ${TOKEN_MINUTES} minutes.`,
        ),
      ),
    };
  },

  async run({ database, sql }, context) {
    const statement = parseStatement(sql);
    const { target, scope } = await accessTo(database, 'full-access', context);
    const [result] = await context.platform.sql.execute(target, statement.sql, { signal: context.signal });
    return {
      result: result ?? { kind: 'other' as const, body: null },
      verb: statement.verb,
      tables: statement.tables,
      scope,
    };
  },

  render({ result, verb, tables }, { database }, reader) {
    const what = mrkdwn`${verb} ran on ${databaseName(database)}${tables.length === 0 ? '' : mrkdwn` (${join(tables, ', ')})`}`;
    if (result.kind === 'other') return message(mrkdwn`${what}.`, ...otherPart(result.body));
    const { affected_row_count: affected, last_insert_rowid: rowId, rows } = result;
    const facts = [
      affected === undefined ? undefined : `${count(affected, reader)} ${affected === 1 ? 'row' : 'rows'} changed`,
      // Servers repeat the last rowid after statements that inserted nothing.
      rowId === undefined || verb !== 'INSERT' ? undefined : `last row id ${rowId}`,
    ].filter((fact) => fact !== undefined);
    const summary = mrkdwn`${what}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}.`;
    if (rows.length === 0) return message(summary);
    const { parts, shown } = shownRows(
      { ...result, rows: rows.slice(0, ROWS_PER_PAGE) },
      () => 'What it returned',
      reader,
    );
    return message(
      summary,
      ...parts,
      shown < rows.length && note(`Cut after ${count(shown, reader)} of ${count(rows.length, reader)} rows.`),
    );
  },
});
