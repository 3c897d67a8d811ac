import { type AstNode, parse, type Stmt, tokenize, tokenName } from 'sqlite3-parser';
import { UsageError } from '../../errors.ts';

/** Judged by SQLite's own grammar before it leaves: a read-only token can still begin a transaction and hold the lock. */

/** `sql`: what is sent, without the semicolon and what follows it. */
export interface Statement {
  sql: string;
  verb: string;
  tables: string[];
  /** The table of which it touches every row. */
  everyRow: string | undefined;
  node: Stmt;
}

/** What a table in Slack takes. */
export const ROWS_PER_PAGE = 100;

export const ROWS_PER_FILE = 1_000;

/** `AlterTableStmt` → `ALTER TABLE` */
const verbOf = ({ type }: Stmt) =>
  type
    .replace(/Stmt$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();

/** They load code, touch files, run SQL or configure the server; a query may call them. */
const OUTSIDE_FUNCTION = /^(load_extension|readfile|writefile|edit|fts3_tokenizer|sha3_query|sqlite3mc_\w+)$/i;

/** They show files and pages of the server, or what others ask. */
const OUTSIDE_TABLE =
  /^(fsdir|zipfile|sqlite_dbpage|sqlite_dbdata|sqlite_dbptr|sqlite_stat[34]|sqlite_stmt|sqlite_log|sqlite_memstat|bytecode|tables_used)$/i;

/** Modules that keep their rows in the database; others read files. */
const KEPT_INSIDE = /^(fts[345]|fts5vocab|rtree|rtree_i32|geopoly)$/i;

const refuse = (message: string, hint?: string) =>
  new UsageError(message, { argument: 'sql', ...(hint === undefined ? {} : { hint }) });

/** Outside of straight quotes and comments. */
function straight(typed: string): string {
  let text = '';
  let end = 0;
  for (const { text: token, span } of tokenize(typed)) {
    const read = token.replace(/[‘’‚‛]/g, "'").replace(/[“”„‟]/g, '"');
    text += typed.slice(end, span.offset) + (/^['"`[]/.test(token) ? token : read);
    end = span.offset + span.length;
  }
  return text + typed.slice(end);
}

/** libSQL's own syntax → SQLite of the same length with the same meaning. */
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

/** `text`: as it is sent. Without `cmds` it is no SQL, and `why` says so. */
export function readSql(typed: string): { text: string; cmds?: readonly Stmt[]; why?: UsageError } {
  const text = straight(typed);
  // An unpaired curly mark: its text has no certain end.
  if (straight(text) !== text)
    return { text, why: refuse('Its quotation marks do not match.', 'Type straight ones, text in single quotes.') };
  const parsed = parse(text);
  if (parsed.status !== 'error') return { text, cmds: parsed.root.cmds };
  const again = parse(asSqlite(text));
  if (again.status !== 'error') return { text, cmds: again.root.cmds };
  const [first] = parsed.errors;
  const where = first === undefined ? '' : ` (line ${first.span.line}, column ${first.span.col + 1})`;
  const said = `This is not SQL that SQLite understands: ${first?.message ?? 'syntax error'}${where}.`;
  const hint = first?.hints?.[0]?.message;
  return { text, why: refuse(said, hint && `${hint[0]?.toUpperCase()}${hint.slice(1)}.`) };
}

/** In the order of the text, at any depth. */
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
    // A PRAGMA's name stands where a table's would.
    if (root.type !== 'PragmaStmt') tables.add(node.objName.text);
  }
  return [...tables];
}

/** Throws UsageError (argument `sql`) for anything but one statement that stays within the database. */
export function parseStatement(typed: string): Statement {
  // The parser ends at a NUL; the server might not.
  if (typed.includes('\0'))
    throw refuse('The statement contains a NUL character.', 'Type it again rather than paste it.');
  if (typed.length > 20_000) throw refuse('The statement is longer than 20000 characters.');
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
  const verb = verbOf(node);
  // They outlive or escape a single statement.
  if (['ATTACH', 'BEGIN', 'COMMIT', 'DETACH', 'RELEASE', 'ROLLBACK', 'SAVEPOINT'].includes(verb)) {
    throw refuse(
      `${verb} is not allowed here: each statement runs on a connection of its own.`,
      'A transaction that is left open would lock everybody else out.',
    );
  }
  // EXPLAIN of these does nothing; of a PRAGMA it may run it.
  if (
    node.type === 'ExplainStmt' &&
    !['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'].includes(node.stmt.type)
  ) {
    throw refuse(`EXPLAIN ${verbOf(node.stmt)} is not allowed here: some statements run even when explained.`);
  }
  const isOfRows = node.type === 'DeleteStmt' || node.type === 'UpdateStmt';
  const everyRow = isOfRows && node.whereClause === undefined ? node.tblName.objName.text : undefined;
  // The parser's span of an EXPLAIN leaves EXPLAIN out.
  const prefix = node.type === 'ExplainStmt' ? `EXPLAIN ${node.queryPlan ? 'QUERY PLAN ' : ''}` : '';
  const sql = prefix + text.slice(node.span.offset, node.span.offset + node.span.length).trim();
  return { sql, verb, tables: checkNames(node), everyRow, node };
}

/** Throws UsageError as `parseStatement`, and for PRAGMA and VACUUM. */
export function parseChange(text: string): Statement {
  const statement = parseStatement(text);
  // No transaction takes them back, so they cannot be tried.
  if (!['PragmaStmt', 'VacuumStmt'].includes(statement.node.type)) return statement;
  throw refuse(
    `${statement.verb} is not allowed here: it cannot be rolled back, so nobody could see what it does before it is done.`,
    'Use the platform’s dashboard, or a client with a token of your own.',
  );
}

/** SELECT, VALUES or EXPLAIN. Throws UsageError for anything else. */
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

/** One row more than is shown tells whether there are more. `paged` is false where it comes whole. */
export function pageOf({ node, sql }: Statement, offset: number, rows = ROWS_PER_PAGE) {
  if (node.type !== 'SelectStmt') return { sql, paged: false };
  const { limit, select, compounds } = node.body;
  const own =
    limit?.expr.type === 'NumericLiteral' && limit.offset === undefined ? Number(limit.expr.value) : undefined;
  if (offset === 0 && own !== undefined && own <= rows) return { sql, paged: true };
  // VALUES and a query with a LIMIT go into a subquery; others keep their columns' names.
  const inner =
    limit !== undefined || [select, ...(compounds ?? []).map((arm) => arm.select)].at(-1)?.type === 'SelectValues';
  const bounds = `LIMIT ${rows + 1} OFFSET ${offset}`;
  const bounded = inner ? `SELECT * FROM (\n${sql}\n) ${bounds}` : `${sql}\n${bounds}`;
  const again = parseQuery(bounded).node;
  if (again.type !== 'SelectStmt' || again.body.limit === undefined) {
    throw refuse('I can’t add a LIMIT to this query.', 'Write a LIMIT of at most 100 into it.');
  }
  return { sql: bounded, paged: true };
}

/** Tokens that carry a value. */
const LITERALS = new Set(['STRING', 'INTEGER', 'FLOAT', 'BLOB', 'QNUMBER']);

/** Every literal as `?`: its shape, for the audit. A name in double quotes goes too where SQLite may take it for a text. */
export function withoutLiterals(typed: string): string {
  const { text: sql, cmds } = readSql(typed);
  // Nobody can tell what in it is a value.
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
