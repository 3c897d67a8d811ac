import { commandButton } from '../../blocks/buttons.ts';
import { count, countOf } from '../../blocks/format.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, message, note, nothing, section } from '../../blocks/message.ts';
import { code } from '../../blocks/mrkdwn.ts';
import { csvField, csvLines, fileName } from '../../blocks/table.ts';
import { MASK } from '../../secret.ts';
import { flag, flagged, number } from '../arguments/plain.ts';
import { database, databaseName } from '../arguments/resources/databases.ts';
import { defineOperation } from '../operation.ts';
import { readAccess } from './access.ts';
import { maskedColumns, SCHEMA } from './masks.ts';
import { columnNames, type Rows, shownRows } from './rows.ts';
import { sqlText } from './sql-text.ts';
import { pageOf, parseQuery, ROWS_PER_FILE, ROWS_PER_PAGE, withoutLiterals } from './statement.ts';

/** NULL becomes nothing, numbers keep every digit, blobs become Base64. */
export function rowsAsCsv({ cols, rows, masked }: Pick<Rows, 'cols' | 'rows' | 'masked'>): string {
  const names = columnNames({ cols });
  const lines = rows.map((row) =>
    names.map((_, index) => {
      const value = row[index] ?? null;
      if (value === null) return '';
      if (masked[index]) return csvField(MASK);
      if (typeof value === 'number' || typeof value === 'bigint') return String(value);
      return csvField(typeof value === 'string' ? value : Buffer.from(value).toString('base64'));
    }),
  );
  return csvLines([names.map(csvField), ...lines]);
}

/** In milliseconds. The server does not learn that the bot stopped waiting. */
export const WAIT = 15_000;

const mostRows = (csv: boolean) => (csv ? ROWS_PER_FILE : ROWS_PER_PAGE);

/** Goes to whoever asked, in a direct message. */
function fileOf(page: Rows, caption: (rows: number) => string) {
  const title = caption(page.rows.length);
  const file = { name: `${fileName(title)}.csv`, title, content: rowsAsCsv(page) };
  const masked = page.masked.includes(true);
  const parts = [
    { ...section(title), files: [file] },
    note(
      `Cells that a spreadsheet would run start with an apostrophe.${masked ? ' Values that look secret, or may come from one, are masked.' : ''}`,
    ),
  ];
  return { parts, shown: page.rows.length };
}

export const queryDatabase = defineOperation({
  name: 'database query',
  summary: 'Run a query on a database, reading only',
  synonyms: { verbs: 'select, run, ask, read', nouns: 'databases, db, sql, rows, table, tables' },
  effect: 'read',
  makesToken: true,
  args: {
    database: database(),
    offset: flagged(number('Offset', { minimum: 0, maximum: 1_000_000_000, hint: 'Rows to skip' })),
    csv: flag('As a CSV file', { hint: `Up to ${ROWS_PER_FILE} rows, in a direct message to you` }),
    sql: sqlText('query'),
  },
  examples: [
    'database query orders SELECT name, sql FROM sqlite_schema',
    'database query orders --csv SELECT * FROM customers ORDER BY id',
  ],

  async run({ database, offset = 0, csv, sql }, context) {
    const most = mostRows(csv);
    const query = parseQuery(sql);
    const page = pageOf(query, offset, most);
    // The schema shows what a view or a star stands for.
    const schema = query.tables.length === 0 ? [] : [SCHEMA];
    const { target, scope } = await readAccess(context, database);
    const limit = AbortSignal.timeout(WAIT);
    try {
      const signal = AbortSignal.any([context.signal, limit]);
      const results = await context.platform.sql.execute(target, [...schema, page.sql], { signal });
      const result = results.at(-1)!;
      const described = schema.length > 0 ? results[0] : undefined;
      return {
        result: { ...result, masked: maskedColumns(query.node, columnNames(result), described) },
        more: page.paged && result.rows.length > most,
        paged: page.paged,
        fullAccess: scope !== 'read-only',
      };
    } catch (error) {
      if (limit.aborted) return 'late' as const;
      throw error;
    }
  },

  render(answer, { database, offset = 0, csv, sql }, reader) {
    if (answer === 'late') {
      return message(
        `The database did not answer within ${WAIT / 1000} seconds. I stopped waiting, but the server may still be working on it.`,
        note('Add a WHERE, lower the LIMIT, or index the columns you compare. EXPLAIN QUERY PLAN shows how it reads.'),
      );
    }
    const { result, more, paged, fullAccess } = answer;
    const warning =
      fullAccess &&
      note(
        'The token in the settings can write. Only my check that this is a single query keeps it from changing data.',
      );
    if (result.rows.length === 0) {
      return nothing(offset > 0 ? `There are no rows after the first ${count(offset, reader)}.` : 'No rows.', warning);
    }
    const page = { ...result, rows: result.rows.slice(0, mostRows(csv)) };
    const caption = (rows: number) =>
      `${databaseName(database).replace(/^the /, 'The ')}: ${offset === 0 ? countOf(rows, 'row', reader) : `rows ${count(offset + 1, reader)} to ${count(offset + rows, reader)}`}`;
    const { parts, shown } = csv ? fileOf(page, caption) : shownRows(page, caption, reader);
    const left = more || shown < result.rows.length;
    const next = `database query ${database.id} --offset ${offset + shown} ${csv ? '--csv ' : ''}${sql}`;
    // A button holds 2,000 characters.
    const hasNext = left && paged && next.length <= 2_000;
    return message(
      ...parts,
      // A shared answer shows the statement without its values.
      note(code(shorten(withoutLiterals(sql).replace(/\s+/g, ' ').trim(), 300))),
      left &&
        note(
          paged
            ? `Cut after ${countOf(shown, 'row', reader)}; there are more${hasNext ? '' : `: add --offset ${offset + shown}`}. Only an ORDER BY keeps the order from page to page.`
            : `Cut after ${count(shown, reader)} of ${count(result.rows.length, reader)} rows.`,
        ),
      warning,
      hasNext && actions(commandButton('More', next)),
    );
  },
});
