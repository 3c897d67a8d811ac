import { type AstNode, parse, type Stmt, tokenize, tokenName } from 'sqlite3-parser';
import { UsageError } from '../../errors.ts';

/** SQLite's own grammar checks each statement before it is sent: a read-only token can still take and hold the lock. */

/** `sql`: the text to send, without the semicolon and what follows it. */
export interface Statement {
  sql: string;
  verb: string;
  tables: string[];
  /** The table whose every row it changes or deletes. */
  everyRow: string | undefined;
  node: Stmt;
}

/** As many as a table in Slack takes. */
export const ROWS_PER_PAGE = 100;

export const ROWS_PER_FILE = 1_000;

/** `AlterTableStmt` → `ALTER TABLE` */
const verbOf = ({ type }: Stmt) =>
  type
    .replace(/Stmt$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();

const refuse = (message: string, hint?: string) =>
  new UsageError(message, { argument: 'sql', ...(hint === undefined ? {} : { hint }) });

/** Straightens quotation marks outside of straight quotes and comments. */
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

/** `text`: as it is sent. If it is not SQL, `why` says so, and there are no `cmds`. */
export function readSql(typed: string): { text: string; cmds?: readonly Stmt[]; why?: UsageError } {
  const text = straight(typed);
  // A curly mark has no partner, so nobody knows where its text ends.
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

/** All nodes at any depth, in the order of the text. */
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
  // Functions that load code, touch files, run SQL or configure the server. A query could call them.
  const isFunctionOutside = /^(load_extension|readfile|writefile|edit|fts3_tokenizer|sha3_query|sqlite3mc_\w+)$/i;
  // Tables that show files or pages of the server, or the queries of others.
  const isTableOutside =
    /^(fsdir|zipfile|sqlite_dbpage|sqlite_dbdata|sqlite_dbptr|sqlite_stat[34]|sqlite_stmt|sqlite_log|sqlite_memstat|bytecode|tables_used)$/i;
  // These keep their rows in the database. Others read files.
  const isKeptInside = /^(fts[345]|fts5vocab|rtree|rtree_i32|geopoly)$/i;
  for (const node of nodesOf(root)) {
    if (node.type === 'FunctionCallExpr' && isFunctionOutside.test(node.name.name))
      throw reachesOutside(node.name.name.toLowerCase());
    if (node.type === 'CreateVirtualTableStmt' && !isKeptInside.test(node.moduleName.text))
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
    if (isTableOutside.test(node.objName.text)) throw reachesOutside(node.objName.text);
    // The name of a PRAGMA is not a table.
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
  // These outlive or escape a single statement.
  if (['ATTACH', 'BEGIN', 'COMMIT', 'DETACH', 'RELEASE', 'ROLLBACK', 'SAVEPOINT'].includes(verb)) {
    throw refuse(
      `${verb} is not allowed here: each statement runs on a connection of its own.`,
      'A transaction that is left open would lock everybody else out.',
    );
  }
  // EXPLAIN runs none of these. EXPLAIN of a PRAGMA may run it.
  if (
    node.type === 'ExplainStmt' &&
    !['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'].includes(node.stmt.type)
  ) {
    throw refuse(`EXPLAIN ${verbOf(node.stmt)} is not allowed here: some statements run even when explained.`);
  }
  const isOfRows = node.type === 'DeleteStmt' || node.type === 'UpdateStmt';
  const everyRow = isOfRows && node.whereClause === undefined ? node.tblName.objName.text : undefined;
  // The parser's span of an EXPLAIN does not include the word EXPLAIN.
  const prefix = node.type === 'ExplainStmt' ? `EXPLAIN ${node.queryPlan ? 'QUERY PLAN ' : ''}` : '';
  const sql = prefix + text.slice(node.span.offset, node.span.offset + node.span.length).trim();
  return { sql, verb, tables: checkNames(node), everyRow, node };
}

/** Throws UsageError for PRAGMA and VACUUM, and where `parseStatement` does. */
export function parseChange(text: string): Statement {
  const statement = parseStatement(text);
  // A transaction cannot roll these back, so they cannot be tried.
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
    `${verb} is not a query: this command only reads.`,
    node.type === 'PragmaStmt'
      ? 'Ask sqlite_schema for tables and columns: SELECT name, sql FROM sqlite_schema.'
      : 'To change something, use database execute: it shows what would happen and asks.',
  );
}

/** Asks for one row too many, to know whether there are more. `paged` false: the result comes whole. */
export function pageOf({ node, sql }: Statement, offset: number, rows = ROWS_PER_PAGE) {
  if (node.type !== 'SelectStmt') return { sql, paged: false };
  const { limit, select, compounds } = node.body;
  const own =
    limit?.expr.type === 'NumericLiteral' && limit.offset === undefined ? Number(limit.expr.value) : undefined;
  if (offset === 0 && own !== undefined && own <= rows) return { sql, paged: true };
  // VALUES and a query with a LIMIT become a subquery. Other queries do not, so their columns keep their names.
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

/** The statement with `?` for each literal, for the audit; also for a name in double quotes that may be text. */
export function withoutLiterals(typed: string): string {
  const { text: sql, cmds } = readSql(typed);
  // Without a parse, values cannot be told from the rest.
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
    const isValue = ['STRING', 'INTEGER', 'FLOAT', 'BLOB', 'QNUMBER'].includes(tokenName(type) ?? '');
    kept += isValue || doubted.has(span.offset) ? '?' : text;
    end = span.offset + span.length;
  }
  return kept;
}
