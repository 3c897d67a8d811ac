import { type AstNode, parse, type Stmt, tokenize, tokenName } from 'sqlite3-parser';
import { UsageError } from '../../errors.ts';

/**
 * Statements from chat, judged by SQLite's own grammar before they leave. A read-only token alone is not enough: a server
 * lets it begin a transaction and hold the lock.
 */

/** One statement that was looked at. `sql` is what would be sent: without the semicolon and what follows it. */
export interface Statement {
  sql: string;
  /** `SELECT`, `DELETE`, `CREATE TABLE` …, for people. */
  verb: string;
  /** Tables that it names, in order, once each. */
  tables: string[];
  /** A DELETE or UPDATE without WHERE. */
  everyRow: boolean;
  node: Stmt;
}

/** A page of a query, as it is sent: one row more than is shown, to know whether there are more. */
export interface Page {
  sql: string;
  /** The platform gives the rows from `offset` on; otherwise the statement cannot be paged and comes whole. */
  paged: boolean;
}

/** Rows that one answer shows: what a table in Slack takes. Another page is another query. */
export const ROWS_PER_PAGE = 100;

/** Rows that one file holds. */
export const ROWS_PER_FILE = 1_000;

const MAX_SQL_CHARACTERS = 20_000;

const VERBS: Partial<Record<Stmt['type'], string>> = {
  AlterTableStmt: 'ALTER TABLE',
  AnalyzeStmt: 'ANALYZE',
  AttachStmt: 'ATTACH',
  BeginStmt: 'BEGIN',
  CommitStmt: 'COMMIT',
  CreateIndexStmt: 'CREATE INDEX',
  CreateTableStmt: 'CREATE TABLE',
  CreateTriggerStmt: 'CREATE TRIGGER',
  CreateViewStmt: 'CREATE VIEW',
  CreateVirtualTableStmt: 'CREATE VIRTUAL TABLE',
  DeleteStmt: 'DELETE',
  DetachStmt: 'DETACH',
  DropIndexStmt: 'DROP INDEX',
  DropTableStmt: 'DROP TABLE',
  DropTriggerStmt: 'DROP TRIGGER',
  DropViewStmt: 'DROP VIEW',
  ExplainStmt: 'EXPLAIN',
  InsertStmt: 'INSERT',
  PragmaStmt: 'PRAGMA',
  ReindexStmt: 'REINDEX',
  ReleaseStmt: 'RELEASE',
  RollbackStmt: 'ROLLBACK',
  SavepointStmt: 'SAVEPOINT',
  SelectStmt: 'SELECT',
  UpdateStmt: 'UPDATE',
  VacuumStmt: 'VACUUM',
};

/** Statements that would outlive or escape a single one; refused whatever the token may do. */
const CONNECTION_BOUND: ReadonlySet<Stmt['type']> = new Set([
  'AttachStmt',
  'BeginStmt',
  'CommitStmt',
  'DetachStmt',
  'ReleaseStmt',
  'RollbackStmt',
  'SavepointStmt',
]);

/** EXPLAIN of these does nothing; of a PRAGMA it may run it. */
const EXPLAINABLE: ReadonlySet<Stmt['type']> = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']);

/**
 * Functions that load code, read and write files, run SQL that they are given, or configure the server. libSQL has most of
 * them: a query that calls `writefile` is a query all the same.
 */
const OUTSIDE_FUNCTION = /^(load_extension|readfile|writefile|edit|fts3_tokenizer|sha3_query|sqlite3mc_\w+)$/i;

/**
 * Tables that show files and pages of the server, values without their columns, or what others ask. `dbstat` has sizes alone.
 */
const OUTSIDE_TABLE =
  /^(fsdir|zipfile|sqlite_dbpage|sqlite_dbdata|sqlite_dbptr|sqlite_stat[34]|sqlite_stmt|sqlite_log|sqlite_memstat|bytecode|tables_used)$/i;

/** The modules of virtual tables that keep their rows in the database. Others read files, which a query would then reach. */
const KEPT_INSIDE = /^(fts[345]|fts5vocab|rtree|rtree_i32|geopoly)$/i;

const refuse = (message: string, hint?: string) =>
  new UsageError(message, { argument: 'sql', ...(hint === undefined ? {} : { hint }) });

const QUOTES: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛]/g, "'"],
  [/[“”„‟]/g, '"'],
];

/** With straight quotation marks for what a phone makes of them; within straight ones, and in comments, all stays as typed. */
function straight(typed: string): string {
  let text = '';
  let end = 0;
  for (const { text: token, span } of tokenize(typed)) {
    const isQuoted = /^['"`[]/.test(token);
    const read = isQuoted ? token : QUOTES.reduce((left, [curly, mark]) => left.replace(curly, mark), token);
    text += typed.slice(end, span.offset) + read;
    end = span.offset + span.length;
  }
  return text + typed.slice(end);
}

/** What libSQL takes beyond SQLite's grammar, as something of the same length that does no more. */
function asSqlite(text: string): string {
  const tokens = [...tokenize(text)];
  const words = tokens.map((token) => token.text.toUpperCase());
  const inPlace = (from: number, to: number, stands: string) => {
    const [start, end] = [tokens[from]?.span.offset ?? 0, tokens[to]?.span];
    const stop = end === undefined ? start : end.offset + end.length;
    return text.slice(0, start) + stands.padStart(stop - start) + text.slice(stop);
  };
  if (words[0] === 'ALTER') {
    const alter = words.indexOf('ALTER', 1);
    const to = alter + (words[alter + 1] === 'COLUMN' ? 3 : 2);
    return alter > 0 && words[to] === 'TO' ? inPlace(alter, to, 'ADD') : text;
  }
  const random = words.lastIndexOf('RANDOM');
  return words[0] === 'CREATE' && words[random + 1] === 'ROWID' ? inPlace(random, random + 1, 'STRICT') : text;
}

/** The text as it is sent, and what SQLite's grammar makes of it. `cmds` is undefined for what is no SQL; then `why` says why. */
export function readSql(typed: string): { text: string; cmds?: readonly Stmt[]; why?: UsageError } {
  const text = straight(typed);
  // A curly mark that is left has no other one: nobody can tell where its text ends.
  if (straight(text) !== text)
    return { text, why: refuse('Its quotation marks do not match.', 'Type straight ones, text in single quotes.') };
  const parsed = parse(text);
  if (parsed.status !== 'error') return { text, cmds: parsed.root.cmds };
  const again = parse(asSqlite(text));
  if (again.status !== 'error') return { text, cmds: again.root.cmds };
  const [first] = parsed.errors;
  const where = first === undefined ? '' : ` (line ${first.span.line}, column ${first.span.col + 1})`;
  const said = `This is not SQL that SQLite understands: ${first?.message ?? 'syntax error'}${where}.`;
  return { text, why: refuse(said, hintOf(first)) };
}

/** Every node of a tree in the order of its text, whatever the property that holds it and however deep it lies. */
export function* nodesOf(root: unknown): Generator<AstNode> {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    if ('type' in value) yield value as AstNode;
    left.push(...Object.values(value).reverse());
  }
}

const reachesOutside = (name: string) =>
  refuse(`${name} is not allowed here.`, 'It reaches beyond the database, as far as the server.');

function checkNames(root: Stmt): string[] {
  const tables = new Set<string>();
  for (const node of nodesOf(root)) {
    if (node.type === 'FunctionCallExpr' && OUTSIDE_FUNCTION.test(node.name.name))
      throw reachesOutside(node.name.name.toLowerCase());
    if (node.type === 'CreateVirtualTableStmt' && !KEPT_INSIDE.test(node.moduleName.text))
      throw reachesOutside(`A virtual table of ${node.moduleName.text}`);
    if (node.type === 'VariableExpr') {
      throw refuse(
        'The statement has a parameter, and there is no value to put there.',
        "Write the value itself, text in single quotes: WHERE name = 'x'.",
      );
    }
    if (node.type !== 'QualifiedName') continue;
    if (/^pragma_/i.test(node.objName.text) && root.type !== 'PragmaStmt') {
      throw refuse(
        `The table function ${node.objName.text} is not allowed here.`,
        'Ask sqlite_schema for tables and columns: SELECT name, sql FROM sqlite_schema.',
      );
    }
    if (OUTSIDE_TABLE.test(node.objName.text)) throw reachesOutside(node.objName.text);
    // A PRAGMA's own name stands where a table's would.
    if (root.type !== 'PragmaStmt') tables.add(node.objName.text);
  }
  return [...tables];
}

/**
 * One statement, whatever it does. Throws UsageError (argument `sql`) for none, several, no SQL, and NUL bytes. The same for
 * functions and tables that reach beyond the database, pragma_… table functions, transactions and ATTACH.
 */
export function parseStatement(typed: string): Statement {
  // The parser ends at a NUL and takes what stands before it for all there is; the server might not.
  if (typed.includes('\0'))
    throw refuse('The statement contains a NUL character.', 'Type it again rather than paste it.');
  if (typed.length > MAX_SQL_CHARACTERS) throw refuse(`The statement is longer than ${MAX_SQL_CHARACTERS} characters.`);
  const { text, cmds = [], why } = readSql(typed);
  if (why !== undefined) throw why;
  const [node] = cmds;
  if (node === undefined) throw refuse('There is no statement.', 'Write one, such as SELECT name FROM sqlite_schema.');
  if (cmds.length > 1) {
    throw refuse(
      `These are ${cmds.length} statements; one at a time, please.`,
      'Remove everything after the first semicolon.',
    );
  }
  const verb = VERBS[node.type] ?? node.type;
  if (CONNECTION_BOUND.has(node.type)) {
    throw refuse(
      `${verb} is not allowed here: each statement runs on a connection of its own.`,
      'A transaction that is left open would lock everybody else out.',
    );
  }
  if (node.type === 'ExplainStmt' && !EXPLAINABLE.has(node.stmt.type)) {
    throw refuse(
      `EXPLAIN ${VERBS[node.stmt.type] ?? ''} is not allowed here: some statements run even when explained.`,
    );
  }
  const everyRow = (node.type === 'DeleteStmt' || node.type === 'UpdateStmt') && node.whereClause === undefined;
  return { sql: statementText(text, node), verb, tables: checkNames(node), everyRow, node };
}

function hintOf(diagnostic: { hints?: readonly { message: string }[] | undefined } | undefined): string | undefined {
  const hint = diagnostic?.hints?.[0]?.message;
  return hint === undefined ? undefined : `${hint[0]?.toUpperCase()}${hint.slice(1)}.`;
}

/** The statement's own text, from its first to its last word: no comments before or after it, no semicolon. */
function statementText(text: string, node: Stmt): string {
  // The parser's span of an EXPLAIN is that of what it explains.
  const prefix = node.type === 'ExplainStmt' ? `EXPLAIN ${node.queryPlan ? 'QUERY PLAN ' : ''}` : '';
  return prefix + text.slice(node.span.offset, node.span.offset + node.span.length).trim();
}

/** Statements that no transaction takes back: they cannot be tried before they are done. */
const NOT_ROLLED_BACK: ReadonlySet<Stmt['type']> = new Set(['PragmaStmt', 'VacuumStmt']);

/** One statement that can be tried and rolled back. Throws UsageError as `parseStatement`, and for PRAGMA and VACUUM. */
export function parseChange(text: string): Statement {
  const statement = parseStatement(text);
  if (!NOT_ROLLED_BACK.has(statement.node.type)) return statement;
  throw refuse(
    `${statement.verb} is not allowed here: it cannot be rolled back, so nobody could see what it does before it is done.`,
    'Use the platform’s dashboard, or a client with a token of your own.',
  );
}

/** One statement that only reads: SELECT (WITH … SELECT too), VALUES or EXPLAIN. Throws UsageError for anything else. */
export function parseQuery(text: string): Statement {
  const statement = parseStatement(text);
  const { node, verb } = statement;
  if (node.type === 'SelectStmt' || node.type === 'ExplainStmt') return statement;
  throw refuse(
    `${verb} is no query: this command only reads.`,
    node.type === 'PragmaStmt'
      ? 'Ask sqlite_schema for tables and columns: SELECT name, sql FROM sqlite_schema.'
      : 'To change something, use database execute: it shows what would happen and asks.',
  );
}

/** The statement as it is sent for one page: bounded by a LIMIT of ours, so that no answer is larger than what is shown. */
export function pageOf({ node, sql }: Statement, offset: number, rows = ROWS_PER_PAGE): Page {
  if (node.type !== 'SelectStmt') return { sql, paged: false };
  const { limit, select, compounds } = node.body;
  const own =
    limit?.expr.type === 'NumericLiteral' && limit.offset === undefined ? Number(limit.expr.value) : undefined;
  if (offset === 0 && own !== undefined && own <= rows) return { sql, paged: true };
  // VALUES takes no LIMIT, and a second one is no SQL: these go into a subquery, the others keep their columns' names.
  const inner =
    limit !== undefined || [select, ...(compounds ?? []).map((arm) => arm.select)].at(-1)?.type === 'SelectValues';
  const bounds = `LIMIT ${rows + 1} OFFSET ${offset}`;
  const bounded = inner ? `SELECT * FROM (\n${sql}\n) ${bounds}` : `${sql}\n${bounds}`;
  const again = parseQuery(bounded).node;
  if (again.type !== 'SelectStmt' || again.body.limit === undefined) {
    throw refuse('This query cannot be bounded.', 'Write a LIMIT of at most 100 into it.');
  }
  return { sql: bounded, paged: true };
}

/** Kinds of tokens that carry a value. A name may be written as a string; then it goes too. */
const LITERALS = new Set(['STRING', 'INTEGER', 'FLOAT', 'BLOB', 'QNUMBER']);

/**
 * The statement with every literal as `?` and without comments: its shape, for the audit and for previews that are compared. A
 * name in double quotes goes too where a column could stand: SQLite takes it for a text when there is no
 * such column.
 */
export function withoutLiterals(typed: string): string {
  const { text: sql, cmds } = readSql(typed);
  // Stands for a text that is no SQL, of which nobody can tell what in it is a value.
  if (cmds === undefined) return '(not readable as SQL)';
  const doubted = new Set(
    [...nodesOf(cmds)].flatMap((node) =>
      node.type === 'Id' && sql[node.span.offset] === '"' ? [node.span.offset] : [],
    ),
  );
  let kept = '';
  let end = 0;
  for (const { type, text, span } of tokenize(sql)) {
    if (kept !== '' && span.offset > end) kept += ' ';
    kept += LITERALS.has(tokenName(type) ?? '') || doubted.has(span.offset) ? '?' : text;
    end = span.offset + span.length;
  }
  return kept;
}
