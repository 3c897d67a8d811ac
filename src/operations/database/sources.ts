import {
  type AstNode,
  type Expr,
  type FromClause,
  parse,
  type ResultColumn,
  type Select,
  type Stmt,
} from 'sqlite3-parser';
import type { SqlResult } from '../../platform/resources/sql.ts';
import { SECRET_NAMES } from '../../secret.ts';

/** Asks for the SQL of all tables and views of a database. */
export const SCHEMA = "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND sql IS NOT NULL";

/** A column of a result, a table or a view. `rest` stands for any number of columns that nobody described. */
interface Column {
  name: string;
  secret: boolean;
  rest?: true;
}

/** A source behind FROM. `opaque`: whatever is read of it may be secret. */
interface Relation {
  name: string;
  columns: readonly Column[];
  opaque?: boolean;
}

interface Scope {
  /** The sources behind FROM here, then those around it. */
  relations: readonly Relation[];
  /** By its name, in lower case. */
  named: ReadonlyMap<string, readonly Column[]>;
  schema: Schema;
}

/** How many SELECTs are looked at: who nests more sees nothing but masks. */
const MOST_SELECTS = 2_000;

/** The bit of a join's type that says so. Source: sqlite3-parser, `JoinType`. */
const NATURAL = 4;

const REST: Column = { name: '', secret: false, rest: true };
const SECRET_REST: Column = { ...REST, secret: true };

const isSecretName = (name: string) => SECRET_NAMES.column.test(name);
/** A path in a JSON document, such as `$.login.token`. */
const isSecretPath = (path: string) => path.split(/[^\w]+/).some(isSecretName);
const lower = (name: string) => name.toLowerCase();
const same = (one: string, other: string) => lower(one) === lower(other);
const hasSecret = (columns: readonly Column[]) => columns.some(({ secret }) => secret);

/** The tables and views of one database, each read from its SQL when it is asked for. */
interface Schema {
  columnsOf(name: string): readonly Column[] | undefined;
  /** Counts a SELECT. Throws RangeError beyond the most. */
  count(): void;
}

function createSchema(result: SqlResult | undefined): Schema {
  const sources = new Map<string, string>();
  if (result?.kind === 'rows')
    for (const [name, sql] of result.rows)
      if (typeof name === 'string' && typeof sql === 'string') sources.set(lower(name), sql);
  const known = new Map<string, readonly Column[]>();
  let selects = 0;
  const schema: Schema = {
    columnsOf(given) {
      const name = lower(given);
      const sql = sources.get(name);
      if (sql === undefined || known.has(name)) return known.get(name);
      // A view that names itself is no view; nothing is known of it while it is read.
      known.set(name, [REST]);
      const columns = shadowed(name, schema, sources) ? [SECRET_REST] : columnsIn(sql, schema, sources);
      known.set(name, columns);
      return columns;
    },
    count() {
      selects += 1;
      if (selects > MOST_SELECTS) throw new RangeError('too many SELECTs');
    },
  };
  return schema;
}

/** A table in which a search index keeps its texts, as `docs_content` of `docs`. */
function shadowed(name: string, schema: Schema, sources: ReadonlyMap<string, string>): boolean {
  const end = name.lastIndexOf('_');
  const owner = name.slice(0, end);
  return end > 0 && /^\s*create\s+virtual/i.test(sources.get(owner) ?? '') && hasSecret(schema.columnsOf(owner) ?? []);
}

/** The columns of a CREATE statement. */
function columnsIn(sql: string, schema: Schema, sources: ReadonlyMap<string, string>): readonly Column[] {
  const parsed = parse(sql);
  const node = parsed.status === 'error' ? undefined : parsed.root.cmds[0];
  const named = (name: string): Column => ({ name, secret: isSecretName(name) });
  if (node?.type === 'CreateTableStmt' && node.body.type === 'ColumnsAndConstraintsCreateTableBody')
    return node.body.columns.map(({ colName }) => named(colName.text));
  if (node?.type === 'CreateViewStmt')
    return renamed(outputOf(node.select, { relations: [], named: new Map(), schema }), node.columns);
  if (node?.type !== 'CreateVirtualTableStmt') return [REST];
  const args = (node.args ?? []).map((arg) => arg.replace(/["'`[\]]/g, ''));
  if (/^fts[345]$/i.test(node.moduleName.text))
    return args.filter((arg) => !arg.includes('=')).map((arg) => named(arg.replace(/unindexed$/i, '')));
  // A module that shows another table in a way of its own, as the words of a search index.
  return args.some((arg) => sources.has(lower(arg)) && hasSecret(schema.columnsOf(arg) ?? [])) ? [SECRET_REST] : [REST];
}

const renamed = (columns: readonly Column[], names: readonly { colName: { text: string } }[] | undefined) =>
  names === undefined || columns.some(({ rest }) => rest)
    ? columns
    : columns.map((column, at) => ({ ...column, name: names[at]?.colName.text ?? column.name }));

/** The columns of a query's answer. */
function outputOf(select: Select, given: Scope): readonly Column[] {
  given.schema.count();
  const named = new Map(given.named);
  const scope = { ...given, named };
  for (const { tblName, columns, select: body } of select.with?.ctes ?? []) {
    const name = lower(tblName.text);
    // A recursive one is read until no more of its columns are found to be secret.
    for (let before = -1, secrets = 0; secrets > before; ) {
      before = secrets;
      const output = renamed(outputOf(body, scope), columns);
      secrets = output.filter(({ secret }) => secret).length;
      named.set(name, output);
      if (!mentions(body, name)) break;
    }
  }
  const arms = [select.select, ...(select.compounds ?? []).map((arm) => arm.select)].map((arm) => {
    if (arm.type === 'SelectFrom') return selected(arm.columns, relationsOf(arm.from, scope), scope);
    return inOne(
      arm.values.map(({ values }) =>
        values.map((value, at): Column => ({ name: `column${at + 1}`, secret: isSecret(value, scope) })),
      ),
    );
  });
  return inOne(arms);
}

/** Rows of several kinds under each other: a column is secret where any of them is. */
function inOne(arms: readonly (readonly Column[])[]): readonly Column[] {
  const [first = [], ...others] = arms;
  if (others.length === 0) return first;
  const isEven = arms.every((arm) => arm.length === first.length && !arm.some(({ rest }) => rest));
  if (!isEven) return [SECRET_REST];
  return first.map((column, at) => ({ ...column, secret: arms.some((arm) => arm[at]?.secret) }));
}

function mentions(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((one) => mentions(one, name));
  if (typeof value !== 'object' || value === null) return false;
  const node = value as AstNode;
  if (node.type === 'QualifiedName' && same(node.objName.text, name)) return true;
  return Object.values(node).some((one) => mentions(one, name));
}

/** The columns that are selected of relations. */
function selected(columns: readonly ResultColumn[], own: readonly Relation[], outer: Scope): readonly Column[] {
  const scope = { ...outer, relations: [...own, ...outer.relations] };
  return columns.flatMap((column): readonly Column[] => {
    if (column.type === 'StarResultColumn') return own.flatMap((relation) => relation.columns);
    if (column.type === 'TableStarResultColumn')
      return own.find(({ name }) => same(name, column.table.text))?.columns ?? [REST];
    const { expr, alias } = column;
    const name =
      alias?.name.text ?? (expr.type === 'Id' ? expr.name : expr.type === 'QualifiedExpr' ? expr.column.text : '');
    return [{ name, secret: isSecret(expr, scope) }];
  });
}

/** The sources behind FROM, joins included. `USING` and `NATURAL` show a column of both once. */
function relationsOf(from: FromClause | undefined, outer: Scope): Relation[] {
  const relations: Relation[] = [];
  const add = (table: FromClause['select'], without: (name: string) => boolean) => {
    for (const relation of relationsIn(table, { ...outer, relations: [...relations, ...outer.relations] }))
      relations.push({ ...relation, columns: relation.columns.filter(({ name, rest }) => rest || !without(name)) });
  };
  add(from?.select, () => false);
  for (const { table, operator, constraint } of from?.joins ?? []) {
    const isNatural = operator.type === 'TypedJoinJoinOperator' && ((operator.joinType ?? 0) & NATURAL) !== 0;
    const shared = constraint?.type === 'UsingJoinConstraint' ? constraint.columns.map(({ text }) => text) : [];
    const before = relations.flatMap(({ columns }) => columns);
    add(table, (name) =>
      isNatural ? before.some((one) => same(one.name, name)) : shared.some((one) => same(one, name)),
    );
  }
  return relations;
}

function relationsIn(table: FromClause['select'], scope: Scope): Relation[] {
  if (table === undefined) return [];
  if (table.type === 'SubSelectTable') return relationsOf(table.from, scope);
  const alias = table.alias?.name.text;
  if (table.type === 'SelectSelectTable') return [{ name: alias ?? '', columns: outputOf(table.select, scope) }];
  const known = table.tblName.objName.text;
  const name = alias ?? known;
  // A table function shows what it is given, in columns of its own.
  if (table.type === 'TableCallSelectTable' && isSecret(table.args, scope))
    return [{ name, columns: [SECRET_REST], opaque: true }];
  const columns = scope.named.get(lower(known)) ?? scope.schema.columnsOf(known) ?? [REST];
  return [{ name, columns, opaque: columns.some(({ rest, secret }) => rest && secret) }];
}

/** An expression in which something secret is named, however deep; a query in it by what it gives. */
function isSecret(value: Expr | unknown, scope: Scope): boolean {
  if (Array.isArray(value)) return value.some((one) => isSecret(one, scope));
  if (typeof value !== 'object' || value === null) return false;
  const node = value as AstNode;
  if (node.type === 'Select') return hasSecret(outputOf(node, scope));
  if (node.type === 'Id') return refersTo(node.name, scope);
  if (node.type === 'Name') return refersTo(node.text, scope);
  if (node.type === 'StringLiteral') return isSecretPath(node.value);
  return Object.values(node).some((one) => isSecret(one, scope));
}

const refersTo = (name: string, { relations }: Scope): boolean =>
  isSecretName(name) ||
  relations.some(
    (relation) =>
      relation.opaque === true ||
      relation.columns.some((column) => column.secret && same(column.name, name)) ||
      // A search index can be named as a whole, as in `snippet(docs, …)`.
      (same(relation.name, name) && hasSecret(relation.columns)),
  );

/**
 * Which columns of an answer are not shown: those with a name that says that they are secret, and those that are made of one,
 * whatever they are called. Without a statement the names alone count. `schema` is the answer to SCHEMA; without it views and `*` count by the names of the answer.
 */
export function maskedColumns(statement: Stmt | undefined, names: readonly string[], schema?: SqlResult): boolean[] {
  let columns: readonly Column[];
  try {
    const scope = { relations: [], named: new Map(), schema: createSchema(schema) };
    if (statement?.type === 'SelectStmt') columns = outputOf(statement.body, scope);
    else if (statement !== undefined && 'returning' in statement && 'tblName' in statement)
      columns = selected(statement.returning ?? [], [{ name: statement.tblName.objName.text, columns: [REST] }], scope);
    else columns = [REST];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    columns = [SECRET_REST];
  }
  return names.map((name, at) => isSecretName(name) || isSecretAt(columns, at, name, names.length));
}

/** Counted from the front before what nobody described, and from the back behind it; by its name in between. */
function isSecretAt(columns: readonly Column[], at: number, name: string, count: number): boolean {
  const first = columns.findIndex(({ rest }) => rest);
  if (first < 0 && columns.length === count) return columns[at]?.secret === true;
  const last = columns.findLastIndex(({ rest }) => rest);
  if (at < first) return columns[at]?.secret === true;
  const fromBack = columns.length - count + at;
  if (first >= 0 && fromBack > last) return columns[fromBack]?.secret === true;
  const between = first < 0 ? columns : columns.slice(first, last + 1);
  return between.some((column) => column.secret && (column.rest || column.name === '' || same(column.name, name)));
}
