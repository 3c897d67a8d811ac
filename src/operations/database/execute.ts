import { commandButton } from '../../blocks/buttons.ts';
import { count, countOf } from '../../blocks/format.ts';
import { actions, codeBlock, message, note, type Part, section } from '../../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { force } from '../arguments/plain.ts';
import { type DatabaseRef, database, databaseName } from '../arguments/resources/databases.ts';
import { typeable } from '../arguments/resources/look-up.ts';
import { oncePerContext, type Reader } from '../context.ts';
import { defineOperation, warningsOf, wordsWith } from '../operation.ts';
import { fullAccess, TOKEN_MINUTES } from './access.ts';
import { maskedColumns } from './masks.ts';
import { columnNames, shownRows } from './rows.ts';
import { sqlText } from './sql-text.ts';
import { parseChange, ROWS_PER_PAGE, type Statement, withoutLiterals } from './statement.ts';
import { mayRead, SAMPLE, type Trial, tryStatement } from './trial.ts';

const trialOf = oncePerContext((context, database: DatabaseRef, statement: Statement) =>
  tryStatement(database, statement, context),
);

function trialParts({ isTried, touched, further, sample }: Trial, reader: Reader): Part[] {
  if (!isTried) return [section('The database accepts the statement, but it has not been tried out.')];
  const more =
    further === undefined || further === 0
      ? ''
      : `, and ${countOf(further, 'row', reader)} with them, by triggers and foreign keys`;
  const found = sample === undefined ? 0 : sample.rows.length;
  return [
    section(
      touched === undefined
        ? 'Tried and rolled back: it works.'
        : `Tried and rolled back: it would touch ${countOf(touched, 'row', reader)}${more}.`,
    ),
    ...(sample === undefined || found === 0
      ? []
      : shownRows(
          { ...sample, rows: sample.rows.slice(0, SAMPLE) },
          (shown) =>
            shown < found ? `The first ${shown} of these rows as they are now` : 'These rows as they are now',
          reader,
        ).parts),
  ];
}

export const executeStatement = defineOperation({
  name: 'database execute',
  summary: 'Run a statement that changes a database',
  synonyms: { verbs: 'run, update, insert, alter, drop, create, delete, write', nouns: 'db, sql, statement, table' },
  effect: 'destructive',
  args: { database: database(), force: force(), sql: sqlText('statement') },
  examples: ["database execute orders UPDATE orders SET state = 'paid' WHERE id = 7"],

  typed: ({ database }) => typeable(database),

  words: ({ target, after: { kind, tables } }) =>
    wordsWith('Execute', 'executed', mrkdwn`${bold(`${kind} ${tables}`.trim())} on ${code(target)}`, `Execute ${kind}`),

  async preview({ database, sql }, context) {
    const statement = parseChange(sql);
    const { verb, everyRow } = statement;
    const trial = await trialOf(context, database, statement);
    // With an approval others agree to the statement itself, so the number of rows is not compared.
    const isCompared = context.approval === undefined;
    return {
      // The only comparable state of a database is how many rows the trial touched.
      ...('unread' in trial && isCompared
        ? { unread: `the statement could not be tried beforehand, because ${trial.unread}` }
        : { before: {} }),
      // Only the statement’s shape is compared and stored.
      after: {
        statement: withoutLiterals(statement.sql),
        kind: verb,
        tables: statement.tables.join(', '),
        ...('unread' in trial || trial.touched === undefined || !isCompared ? {} : { rows_touched: trial.touched }),
      },
      isRead: !('unread' in trial) && trial.touched !== undefined,
      warnings: warningsOf(
        everyRow !== undefined && `${verb} without WHERE: it touches every row of ${everyRow}.`,
        verb.startsWith('ALTER') && 'Applications that use the table may stop working.',
      ),
    };
  },

  async preflight({ database, sql }, context) {
    const statement = parseChange(sql);
    const trial = await trialOf(context, database, statement);
    const locale = { locale: 'en-US', timezone: 'UTC', now: context.now };
    return {
      details: message(
        codeBlock(statement.sql),
        ...('unread' in trial ? [] : trialParts(trial, locale)),
        context.approval === 'pending' && note('It is tried after approval, before it runs.'),
        note(
          database.configured
            ? 'It runs with the token in the settings.'
            : `It runs with a full-access token that is made for it and expires in ${TOKEN_MINUTES} minutes.`,
        ),
      ),
    };
  },

  async run({ database, sql }, context) {
    const statement = parseChange(sql);
    const { target, scope } = await fullAccess(context, database);
    const { node } = statement;
    const returns = 'returning' in node && node.returning !== undefined;
    const trial = returns ? await trialOf(context, database, statement) : { unread: '' };
    const results = await context.platform.sql.execute(target, [statement.sql], { signal: context.signal });
    const result = results[0]!;
    const schema = 'unread' in trial ? undefined : trial.schema;
    const rows = mayRead(context, database) ? result.rows : undefined;
    return {
      result: { ...result, rows: rows ?? [], masked: maskedColumns(node, columnNames(result), schema) },
      isHidden: returns && rows === undefined,
      verb: statement.verb,
      tables: statement.tables,
      scope,
    };
  },

  render({ result, isHidden, verb, tables }, { database }, reader) {
    const what = mrkdwn`${verb} ran on ${databaseName(database)}${tables.length === 0 ? '' : mrkdwn` (${join(tables, ', ')})`}`;
    const { affected_row_count: affected, last_insert_rowid: rowId, rows } = result;
    const facts = [
      affected === undefined ? undefined : `${countOf(affected, 'row', reader)} changed`,
      // After other statements servers repeat an old rowid.
      rowId === undefined || verb !== 'INSERT' ? undefined : `last row id ${rowId}`,
    ].filter((fact) => fact !== undefined);
    const summary = mrkdwn`${what}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}.`;
    if (rows.length === 0)
      return message(summary, isHidden && note('What it returned is for those who may query the database.'));
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

  whenUnknown: ({ database: id }) =>
    message(
      note('Check whether the rows have changed before you repeat it.'),
      actions(commandButton('Look at the rows …', `database query ${id}`)),
    ),
});
