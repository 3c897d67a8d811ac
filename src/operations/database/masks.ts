import type { Expr, QualifiedName, ResultColumn, Select, Stmt } from 'sqlite3-parser';
import type { SqlResult } from '../../platform/resources/sql.ts';
import { isSecretName } from '../../secret-shapes.ts';
import { nodesOf, readSql } from './statement.ts';

export const SCHEMA = "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND sql IS NOT NULL";

/** Column in lower case → its plain values may be shown. */
type Columns = ReadonlyMap<string, boolean>;

/** Without `columns`, nothing is known of them. */
interface Relation {
  isTainted: boolean;
  columns?: Columns | undefined;
}

interface Source {
  name: string | undefined;
  columns: Columns | undefined;
}

/** SQLite folds ASCII letters only. */
const lower = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const nameOf = ({ dbName, objName }: QualifiedName) =>
  // It is in another database. No name here has capitals, so this one matches nothing.
  dbName === undefined || lower(dbName.text) === 'main' ? lower(objName.text) : 'ELSEWHERE';

/** `own`: defined by the text itself; `words`: columns and texts; `names`: all others. */
function namesIn(root: unknown) {
  const [tables, own, words, names] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  for (const node of nodesOf(root)) {
    if (node.type === 'QualifiedName') tables.add(nameOf(node));
    else if (node.type === 'CommonTableExpr') own.add(lower(node.tblName.text));
    else if (node.type === 'Id') words.add(node.name);
    else if (node.type === 'Name') names.add(node.text);
    else if (node.type === 'StringLiteral') words.add(node.value);
    else if (node.type === 'CreateVirtualTableStmt')
      for (const word of (node.args ?? []).join(' ').split(/\W+/)) names.add(word);
  }
  return { tables: [...tables], own, words: [...words], names: [...names] };
}

function schemaOf(result: SqlResult | undefined): (name: string) => Relation {
  const sources = new Map(
    (result?.rows ?? []).flatMap(([name, sql]) =>
      typeof name === 'string' && typeof sql === 'string' ? [[lower(name), sql] as const] : [],
    ),
  );
  const known = new Map<string, Relation>();
  const relationOf = (name: string): Relation => {
    // Known without a schema: the table of the schema itself, and functions that make rows of their arguments.
    if (/^sqlite_(schema|master)$/.test(name))
      return {
        isTainted: false,
        columns: new Map(['type', 'name', 'tbl_name', 'rootpage', 'sql'].map((name) => [name, true])),
      };
    if (/^(json_each|json_tree|generate_series)$/.test(name)) return { isTainted: false };
    const sql = sources.get(name);
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, { isTainted: true });
    const relation = sql === undefined ? { isTainted: true } : described(name, sql);
    known.set(name, relation);
    return relation;
  };
  const isTainted = (name: string) => relationOf(name).isTainted;
  /** Holds the rows of a virtual table, as `docs_content` of `docs`. */
  const isKeptFor = (name: string) =>
    [...sources].some(
      ([owner, sql]) => name.startsWith(`${owner}_`) && /^\s*create\s+virtual/i.test(sql) && isTainted(owner),
    );
  const described = (name: string, sql: string): Relation => {
    const node = readSql(sql).cmds?.[0];
    if (node?.type === 'CreateTableStmt' && node.body.type === 'ColumnsAndConstraintsCreateTableBody')
      return isKeptFor(name) ? { isTainted: true } : tableOf(node.body.columns);
    const { tables, own, words, names } = namesIn(node);
    const all = [...words, ...names];
    const isKnown =
      node?.type === 'CreateViewStmt' ||
      // Modules whose rows are those of their own columns.
      (node?.type === 'CreateVirtualTableStmt' && /^(fts[345]|rtree|rtree_i32|geopoly)$/i.test(node.moduleName.text));
    const others = [...tables, ...all.map(lower).filter((word) => sources.has(word))];
    return {
      isTainted:
        !isKnown ||
        all.some(isSecretName) ||
        others.some((other) => other !== name && (sources.has(other) || !own.has(other)) && isTainted(other)),
    };
  };
  return relationOf;
}

type ColumnDefinition = Extract<
  Extract<Stmt, { type: 'CreateTableStmt' }>['body'],
  { type: 'ColumnsAndConstraintsCreateTableBody' }
>['columns'][number];

/** Where a column is secret, computed columns are hidden too. */
function tableOf(definitions: readonly ColumnDefinition[]): Relation {
  const isTainted = definitions.some(({ colName }) => isSecretName(colName.text));
  const isComputed = ({ constraints }: ColumnDefinition) =>
    constraints.some(({ constraint }) => constraint.type === 'GeneratedColumnConstraint');
  const isShown = (one: ColumnDefinition) => !isSecretName(one.colName.text) && !(isTainted && isComputed(one));
  return { isTainted, columns: new Map(definitions.map((one) => [lower(one.colName.text), isShown(one)])) };
}

/**
 * Where no table with a secret column is read: columns with a secret name. Otherwise all but counts and plain columns
 * of described tables.
 */
export function maskedColumns(statement: Stmt, names: readonly string[], schema: SqlResult | undefined): boolean[] {
  const relationOf = schemaOf(schema);
  const { tables, own, words } = namesIn(statement);
  const isRead = (name: string) => !own.has(name) || schema?.rows.some(([other]) => lower(String(other)) === name);
  const isTainted =
    statement.type !== 'ExplainStmt' &&
    tables.length > 0 &&
    (words.some(isSecretName) || tables.some((name) => isRead(name) && relationOf(name).isTainted));
  if (!isTainted) return names.map(isSecretName);
  const arms =
    statement.type === 'SelectStmt' ? armsOf(statement.body, (name) => (own.has(name) ? {} : relationOf(name))) : [];
  const isShown = (at: number) =>
    arms.length > 0 && arms.every((arm) => arm.length === names.length && arm[at] === true);
  return names.map((name, at) => isSecretName(name) || !isShown(at));
}

const armsOf = ({ select, compounds }: Select, relationOf: (name: string) => Pick<Relation, 'columns'>): boolean[][] =>
  [select, ...(compounds ?? []).map((arm) => arm.select)].map((arm) => {
    if (arm.type !== 'SelectFrom') return [];
    const joins = arm.from?.joins ?? [];
    const tables = arm.from === undefined ? [] : [arm.from.select, ...joins.map(({ table }) => table)];
    const sources = tables.map((table): Source => {
      // Parenthesised tables keep their own names.
      const alias = table?.type === 'SubSelectTable' ? undefined : table?.alias?.name.text;
      if (table?.type !== 'TableSelectTable') return { name: alias && lower(alias), columns: undefined };
      const { columns } = relationOf(nameOf(table.tblName));
      return { name: lower(alias ?? table.tblName.objName.text), columns };
    });
    // A shared column appears once, and cannot be counted.
    const isMerged = joins.some(
      ({ operator, constraint }) =>
        constraint?.type === 'UsingJoinConstraint' ||
        // The bit for NATURAL. Source: sqlite3-parser, `JoinType`.
        (operator.type === 'TypedJoinJoinOperator' && ((operator.joinType ?? 0) & 4) !== 0),
    );
    const shown = arm.columns.map((column) => shownOf(column, sources, isMerged));
    return shown.includes(undefined) ? [] : shown.flatMap((one) => one ?? []);
  });

/** One entry per column. Undefined: their number is unknown. */
function shownOf(column: ResultColumn, sources: readonly Source[], isMerged: boolean): boolean[] | undefined {
  if (column.type === 'ExprResultColumn') return [isCount(column.expr) || isBare(column.expr, sources)];
  const table = column.type === 'TableStarResultColumn' ? lower(column.table.text) : undefined;
  const meant = sources.filter(({ name }) => table === undefined || name === undefined || name === table);
  if (meant.some(({ columns }) => columns === undefined) || (table === undefined ? isMerged : meant.length > 1))
    return undefined;
  return meant.flatMap(({ columns }) => [...(columns ?? new Map<string, boolean>()).values()]);
}

const isCount = (expr: Expr) =>
  (expr.type === 'FunctionCallStarExpr' || expr.type === 'FunctionCallExpr') && lower(expr.name.name) === 'count';

/** A named column that is shown in one described table, and hidden in none. */
function isBare(expr: Expr, sources: readonly Source[]): boolean {
  if (expr.type !== 'Id' && (expr.type !== 'QualifiedExpr' || expr.schema !== undefined)) return false;
  const [table, name] =
    expr.type === 'Id' ? [undefined, lower(expr.name)] : [lower(expr.table.text), lower(expr.column.text)];
  const meant = sources.filter((one) => table === undefined || one.name === undefined || one.name === table);
  return (
    meant.every(({ columns }) => columns !== undefined && columns.get(name) !== false) &&
    meant.some(({ columns }) => columns?.get(name) === true)
  );
}
