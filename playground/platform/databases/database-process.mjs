// One database in a process of its own, so that SQL that people wrote can be stopped: the process is killed.
// Plain JavaScript, because it starts twice as fast as TypeScript. Speaks over IPC: {id, stream, body} in,
// {id, …} out; everything but waiting for another stream's transaction is synchronous.

// The API of node:sqlite, which Node 20 does not have.
import { DatabaseSync } from '@photostructure/sqlite';
import { isBlank, isRead, LEADING, statementsOf, wordsOf } from './sql-text.mjs';

const [file, transactionMs] = [process.argv[2], Number(process.argv[3])];
const MAX_ANSWER = 10 * 1024 * 1024;

/** Streams by name: a connection, its stored SQL, and since when it is in a transaction. */
const streams = new Map();
/** The stream whose transaction may write, and those that wait for it to end. */
let writer;
const waiting = [];

class Refused extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** A write with a token that may only read: the whole request is refused. */
class Blocked extends Error {}

function open(name, readOnly) {
  const connection = new DatabaseSync(file);
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
  if (readOnly) {
    connection.exec('PRAGMA query_only = ON');
  }
  const stream = { name, connection, readOnly, sql: new Map(), timer: undefined, expired: false };
  streams.set(name, stream);
  return stream;
}

function close(stream) {
  clearTimeout(stream.timer);
  streams.delete(stream.name);
  if (stream.connection.isTransaction) {
    stream.connection.exec('ROLLBACK');
  }
  stream.connection.close();
  release(stream);
}

function release(stream) {
  if (writer === stream) {
    writer = undefined;
    for (const wake of waiting.splice(0)) {
      setImmediate(wake);
    }
  }
}

async function exclusive(stream) {
  while (writer !== undefined && writer !== stream) {
    await new Promise((resolve) => waiting.push(resolve));
  }
}

/** After a statement: notes whether the stream holds a transaction, and bounds how long it may. */
function settle(stream, mayWrite) {
  if (!stream.connection.isTransaction) {
    clearTimeout(stream.timer);
    stream.timer = undefined;
    release(stream);
    return;
  }
  if (mayWrite) {
    writer = stream;
  }
  stream.timer ??= setTimeout(() => {
    if (stream.connection.isTransaction) {
      stream.connection.exec('ROLLBACK');
    }
    stream.timer = undefined;
    stream.expired = true;
    release(stream);
  }, transactionMs);
}

function check(stream, sql) {
  const [first] = wordsOf(sql);
  if (['ATTACH', 'DETACH'].includes(first) || /^VACUUM\b[\s\S]*\bINTO\b/i.test(sql.replace(LEADING, ''))) {
    throw new Refused(`${first} is not allowed`, 'SQLITE_AUTH');
  }
  if (stream.readOnly && first === 'PRAGMA' && /[=]|query_only/i.test(sql)) {
    throw new Blocked();
  }
}

function sqlOf(stream, { sql, sql_id: id }) {
  const text = sql ?? stream.sql.get(id);
  if (typeof text !== 'string') {
    throw new Refused('The request has neither sql nor a stored sql_id', 'SQL_NOT_FOUND');
  }
  return text;
}

function decode(value) {
  switch (value?.type) {
    case 'null':
      return null;
    case 'integer':
      return BigInt(value.value);
    case 'float':
      return Number(value.value);
    case 'text':
      return String(value.value);
    case 'blob':
      return Buffer.from(value.base64, 'base64');
    default:
      throw new Refused('An argument is not a value', 'HRANA_PROTO_ERROR');
  }
}

function encode(value) {
  if (value === null || value === undefined) {
    return { type: 'null' };
  }
  if (typeof value === 'bigint') {
    return { type: 'integer', value: String(value) };
  }
  if (typeof value === 'number') {
    return { type: 'float', value };
  }
  if (typeof value === 'string') {
    return { type: 'text', value };
  }
  return { type: 'blob', base64: Buffer.from(value).toString('base64').replace(/=+$/, '') };
}

function argumentsOf(stmt) {
  if (stmt.named_args?.length > 0) {
    return [Object.fromEntries(stmt.named_args.map(({ name, value }) => [name.replace(/^[:@$]/, ''), decode(value)]))];
  }
  return (stmt.args ?? []).map(decode);
}

let announced;

/** Says which request runs, before it blocks this process: it is the one to blame when that takes too long. */
function announce(id) {
  if (announced !== id) {
    announced = id;
    process.send({ running: id });
  }
}

async function run(stream, stmt, budget) {
  const sql = sqlOf(stream, stmt);
  check(stream, sql);
  const statements = [...statementsOf(sql)].filter((part) => !isBlank(part));
  if (statements.length > 1) {
    throw new Refused('SQL string contains more than one statement', 'SQL_MANY_STATEMENTS');
  }
  if (statements.length === 0) {
    throw new Refused('SQL string does not contain any statement', 'SQL_NO_STATEMENT');
  }
  if (stream.expired) {
    stream.expired = false;
    throw new Refused('Transaction timed out', 'TRANSACTION_TIMEOUT');
  }
  const read = isRead(sql);
  if (!read) {
    await exclusive(stream);
  }
  announce(budget.id);
  const began = performance.now();
  const { connection } = stream;
  try {
    const prepared = connection.prepare(sql);
    const columns = prepared.columns();
    const before = changes(connection);
    const rows = columns.length > 0 ? rowsOf(prepared, stmt, budget) : [];
    const affected =
      columns.length === 0
        ? prepared.run(...argumentsOf(stmt)).changes
        : read
          ? 0
          : Math.max(0, changes(connection) - before);
    const [first, second] = wordsOf(sql);
    const wroteRow = /^(INSERT|REPLACE|WITH)$/.test(first) && affected > 0;
    if (first === 'BEGIN') {
      budget.begun = budget.wrote;
    } else if (first === 'ROLLBACK' && second !== 'TO') {
      // Nothing that was rolled back was written.
      budget.wrote = budget.begun ?? budget.wrote;
    } else {
      // A WITH that changed no row wrote nothing; everything else that is not a read counts.
      budget.wrote ||= !read && (affected > 0 || first !== 'WITH');
    }
    return {
      cols: columns.map(({ name, type }) => ({ name, decltype: type })),
      rows,
      affected_row_count: affected,
      last_insert_rowid: wroteRow ? rowid(connection) : null,
      replication_index: null,
      rows_read: rows.length,
      rows_written: affected,
      query_duration_ms: Math.round((performance.now() - began) * 1000) / 1000,
    };
  } catch (error) {
    if (stream.readOnly && codeOf(error) === 'SQLITE_READONLY') {
      throw new Blocked();
    }
    throw error;
  } finally {
    settle(stream, !read);
  }
}

function rowsOf(prepared, stmt, budget) {
  prepared.setReturnArrays(true);
  prepared.setReadBigInts(true);
  const rows = [];
  for (const row of prepared.iterate(...argumentsOf(stmt))) {
    if (stmt.want_rows === false) continue;
    const encoded = row.map(encode);
    budget.left -= JSON.stringify(encoded).length;
    if (budget.left < 0) throw new Refused('Response is too large', 'RESPONSE_TOO_LARGE');
    rows.push(encoded);
  }
  return rows;
}

function changes(connection) {
  return connection.prepare('SELECT total_changes() AS changes').get().changes;
}

function rowid(connection) {
  return connection.prepare('SELECT CAST(last_insert_rowid() AS TEXT) AS rowid').get().rowid;
}

function holds(condition, stream, results, errors) {
  switch (condition?.type) {
    case undefined:
      return true;
    case 'ok':
      return results[condition.step] != null;
    case 'error':
      return errors[condition.step] != null;
    case 'not':
      return !holds(condition.cond, stream, results, errors);
    case 'and':
      return condition.conds.every((each) => holds(each, stream, results, errors));
    case 'or':
      return condition.conds.some((each) => holds(each, stream, results, errors));
    case 'is_autocommit':
      return !stream.connection.isTransaction;
    default:
      throw new Refused('Unknown condition', 'HRANA_PROTO_ERROR');
  }
}

async function runBatch(stream, { steps }, budget) {
  const results = [];
  const errors = [];
  for (const [index, { stmt, condition }] of steps.entries()) {
    results[index] = null;
    errors[index] = null;
    if (holds(condition, stream, results, errors)) {
      try {
        results[index] = await run(stream, stmt, budget);
      } catch (error) {
        errors[index] = errorOf(error);
      }
    }
  }
  return { step_results: results, step_errors: errors };
}

async function runSequence(stream, request, budget) {
  for (const sql of statementsOf(sqlOf(stream, request))) {
    if (!isBlank(sql)) {
      await run(stream, { sql, want_rows: false }, budget);
    }
  }
}

function describe(stream, request) {
  const sql = sqlOf(stream, request);
  check(stream, sql);
  const prepared = stream.connection.prepare(sql);
  const names = [...new Set(sql.match(/\?\d*|[:@$]\w+/g) ?? [])];
  return {
    params: names.map((name) => ({ name: name === '?' ? null : name })),
    cols: prepared.columns().map(({ name, type }) => ({ name, decltype: type })),
    is_explain: wordsOf(sql)[0] === 'EXPLAIN',
    is_readonly: isRead(sql),
  };
}

function errorOf(error) {
  if (error instanceof Blocked) {
    throw error;
  }
  if (error instanceof Refused) return { message: error.message, code: error.code };
  return { message: `SQLite error: ${error?.message ?? error}`, code: codeOf(error) };
}

/** The code of SQLite; of what a reading statement says, the library knows the message alone. */
function codeOf({ sqliteCodeName, message = '' }) {
  // SQLITE_CONSTRAINT_UNIQUE and the like are told by their first two words, as servers do.
  if (sqliteCodeName) return sqliteCodeName.split('_', 2).join('_');
  if (/\bconstraint failed\b/.test(message)) return 'SQLITE_CONSTRAINT';
  return message === 'attempt to write a readonly database' ? 'SQLITE_READONLY' : 'SQLITE_ERROR';
}

async function respond(stream, request, budget) {
  switch (request?.type) {
    case 'execute':
      return { type: 'execute', result: await run(stream, request.stmt ?? {}, budget) };
    case 'batch':
      return { type: 'batch', result: await runBatch(stream, request.batch, budget) };
    case 'sequence':
      await runSequence(stream, request, budget);
      return { type: 'sequence' };
    case 'describe':
      return { type: 'describe', result: describe(stream, request) };
    case 'store_sql':
      stream.sql.set(request.sql_id, request.sql);
      return { type: 'store_sql' };
    case 'close_sql':
      stream.sql.delete(request.sql_id);
      return { type: 'close_sql' };
    case 'get_autocommit':
      return { type: 'get_autocommit', is_autocommit: !stream.connection.isTransaction };
    case 'close':
      close(stream);
      return { type: 'close' };
    default:
      throw new Refused('Unknown request type', 'HRANA_PROTO_ERROR');
  }
}

async function answer({ id, stream: name, isNew, readOnly, requests }) {
  const stream = isNew ? open(name, readOnly) : streams.get(name);
  if (!stream) {
    return { id, missing: true };
  }
  process.send({ id, started: true });
  const budget = { id, left: MAX_ANSWER, wrote: false };
  const results = [];
  try {
    for (const request of requests) {
      try {
        results.push({ type: 'ok', response: await respond(stream, request, budget) });
      } catch (error) {
        results.push({ type: 'error', error: errorOf(error) });
      }
    }
  } catch (error) {
    if (!(error instanceof Blocked)) {
      throw error;
    }
    close(stream);
    return { id, blocked: true, wrote: budget.wrote };
  }
  return { id, results, open: streams.has(name), wrote: budget.wrote };
}

process.on('message', (message) => {
  if (message.ping !== undefined) {
    process.send({ pong: message.ping });
  } else if (message.close !== undefined) {
    const stream = streams.get(message.close);
    if (stream) {
      close(stream);
    }
  } else {
    // Each in a turn of its own: what is done is answered before the next request can block this process.
    setImmediate(() =>
      answer(message).then(
        (reply) => process.send(reply),
        (error) => process.send({ id: message.id, failed: String(error?.message ?? error) }),
      ),
    );
  }
});
process.on('disconnect', () => process.exit());
process.send({ ready: true });
