import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import type { SqlTarget } from '../../../src/platform/resources/sql.ts';
import { Secret } from '../../../src/secret.ts';
import { failureOf, useFakeServer } from '../fixture.ts';

const server = useFakeServer();
const token = Secret.of('db-token-value');
const target = (): SqlTarget => ({ url: server().url, token });
const first = () => server().requests[0];
const closed = { type: 'ok', response: { type: 'close' } };
const executed = (result: object) => ({ type: 'ok', response: { type: 'execute', result } });

describe('SQL (row 16)', () => {
  it('is sent as the specification shows it, and a close item', async () => {
    server().reply({ body: { results: [executed({ cols: [], rows: [] }), closed] } });
    const results = await server().platform().sql.execute(target(), ["SELECT 'a;b'"]);
    expect(first()).toMatchObject({
      method: 'POST',
      url: '/v2/pipeline',
      json: { requests: [{ type: 'execute', stmt: { sql: "SELECT 'a;b'" } }, { type: 'close' }] },
    });
    expect(first()?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer db-token-value',
    });
    expect(results).toHaveLength(1);
  });

  it('gives values of every type, and integers exactly', async () => {
    server().reply({
      body: {
        baton: null,
        base_url: null,
        results: [
          executed({
            cols: [{ name: 'a', decltype: 'INTEGER' }, { name: null }],
            rows: [
              [
                { type: 'integer', value: '9223372036854775807' },
                { type: 'integer', value: '-42' },
                { type: 'float', value: 1.5 },
                { type: 'text', value: 'x' },
                { type: 'null' },
                { type: 'blob', base64: 'AQI=' },
              ],
            ],
            affected_row_count: 2,
            last_insert_rowid: '7',
          }),
          closed,
        ],
      },
    });
    const [result] = await server().platform().sql.execute(target(), ['SELECT 1']);
    expect(result).toMatchObject({ affected_row_count: 2, last_insert_rowid: '7' });
    expect(result?.cols[0]).toEqual({ name: 'a' });
    expect(result?.rows[0]).toEqual([9_223_372_036_854_775_807n, -42, 1.5, 'x', null, Buffer.from([1, 2])]);
  });

  it('gives one result per statement', async () => {
    const one = executed({ cols: [{ name: 'n' }], rows: [[{ type: 'integer', value: '1' }]] });
    server().reply({ body: { results: [one, one, closed] } });
    expect(await server().platform().sql.execute(target(), ['SELECT 1', 'SELECT 1'])).toHaveLength(2);
  });

  it.each([
    ['a boolean', { type: 'boolean', value: true }],
    ['an integer with a point', { type: 'integer', value: '1.0' }],
    ['a bare null', null],
    ['a bare text', 'hunter2'],
    ['a vector', { type: 'vector', value: [1] }],
    ['a text in a wrapper of its own', { type: 'text', value: { text: 'hunter2' } }],
    ['no type', { value: 'hunter2' }],
    ['a list', ['hunter2']],
  ])('leaves a cell out that is %s, and reads the others', async (_, cell) => {
    const cols = [{ name: 'a' }, { name: 'b' }];
    server().reply({ body: { results: [executed({ cols, rows: [[cell, { type: 'text', value: 'x' }]] }), closed] } });
    const [result] = await server().platform().sql.execute(target(), ['SELECT 1']);
    expect(result?.rows).toEqual([['(not readable)', 'x']]);
  });

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['no results', { results: [] }],
    ['an error beside the protocol', { error: 'Unauthorized' }],
    ['a web page', '<!DOCTYPE html><html><body>Sign in</body></html>'],
    ['a list', [1, 2]],
    ['another slot', { results: [{ type: 'ok', response: { type: 'batch', result: {} } }] }],
    ['the end of the stream alone', { results: [closed] }],
    ['rows that are no list', { results: [executed({ cols: [], rows: { a: 1 } })] }],
    ['a row that is no list', { results: [executed({ cols: [], rows: [{ a: 'hunter2' }] })] }],
  ])('may have been done where the answer is %s', async (_, body) => {
    server().reply({ body });
    const failure = await failureOf(server().platform().sql.execute(target(), ['DELETE FROM a']));
    expect(failure).toMatchObject({ maybeApplied: true });
    expect(failure.message).not.toContain('hunter2');
  });

  it('is not failed by what becomes of its stream', async () => {
    server().reply({ body: { results: [executed({ cols: [], rows: [] }), { type: 'error', error: {} }] } });
    expect(await server().platform().sql.execute(target(), ['DELETE FROM a'])).toHaveLength(1);
  });

  it('fails by an SQL error inside a 200, and says which statement', async () => {
    server().reply({
      body: {
        results: [
          executed({ cols: [], rows: [] }),
          { type: 'error', error: { message: 'no such table: a', code: 'SQLITE_ERROR' } },
          executed({ cols: [], rows: [] }),
          closed,
        ],
      },
    });
    const failure = await failureOf(server().platform().sql.execute(target(), ['SELECT 1', 'SELECT a', 'SELECT 2']));
    expect(failure).toMatchObject({
      name: 'SqlError',
      message: 'no such table: a',
      key: 'SQLITE_ERROR',
      path: '/v2/pipeline',
    });
  });

  it.each([
    [401, { error: 'Token expired' }, 'Token expired'],
    [403, { message: 'Read only', code: 'READ_ONLY' }, 'Read only'],
    [400, 'bad request', 'bad request'],
  ])('fails by what the database says with %i', async (status, body, message) => {
    server().reply({ status, body });
    expect(await failureOf(server().platform().sql.execute(target(), ['SELECT 1']))).toMatchObject({ status, message });
  });

  it('may have been done when the answer breaks off', async () => {
    server().reply((_, response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write('{"results":', () => response.socket?.destroy());
    });
    const failure = await failureOf(server().platform().sql.execute(target(), ['DELETE FROM a']));
    expect(failure).toMatchObject({ name: 'PlatformConnectionError', applied: 'maybe' });
  });

  it('goes to a host under .localhost on this machine by the database’s id', async () => {
    server().reply({ body: { results: [executed({ cols: [], rows: [] })] } });
    const port = new URL(server().url).port;
    await server()
      .platform({ databaseHosts: [`localhost:${port}`] })
      .sql.execute({ id: 'db_01HX', token }, ['SELECT 1']);
    expect(first()?.headers.host).toBe(`db_01hx.localhost:${port}`);
  });

  it.each<[string, Partial<SqlTarget>, string[] | undefined]>([
    ['a host that is not in the settings', { url: 'https://evil.example/' }, ['db.example']],
    ['a host that only ends like one', { url: 'https://evildb.example/' }, ['db.example']],
    ['plain http to another machine', { url: 'http://a.db.example/' }, ['db.example']],
    ['another port than the settings’', { url: 'https://a.db.example:8443/' }, ['db.example']],
    ['no host in the settings', { url: 'https://a.db.example/' }, []],
    ['credentials in the address', { url: 'https://user:leak@a.db.example/' }, ['db.example']],
    ['a token in the address', { url: 'https://a.db.example/?authToken=leak' }, ['db.example']],
    ['a scheme that is none', { url: 'file:///etc/passwd' }, ['db.example']],
    ['an id that leads elsewhere', { id: 'evil.example/x' }, ['db.example']],
    ['neither a URL nor an id', {}, ['db.example']],
  ])('sends no token to %s', async (_, given, databaseHosts) => {
    const failure = await failureOf(
      server()
        .platform({ databaseHosts })
        .sql.execute({ ...given, token }, ['SELECT 1']),
    );
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure.message).not.toContain('leak');
    expect(() => server().platform({ databaseHosts }).sql.checkAddress(given)).toThrow(UsageError);
  });
});

describe('rehearsing a statement', () => {
  const step = (sql: string, after: number, more: object = {}) => ({
    stmt: { sql, ...more },
    condition: { type: 'ok', step: after },
  });
  const rows = { cols: [{ name: 'n' }], rows: [[{ type: 'integer', value: '3' }]], affected_row_count: 2 };
  const answering = (step_results: unknown[], step_errors: unknown[]) =>
    server().reply({
      body: { results: [{ type: 'ok', response: { type: 'batch', result: { step_results, step_errors } } }] },
    });

  it('is one request in which nothing runs without its transaction, and which always rolls back', async () => {
    answering([null, rows, null, null], [null, null, { message: 'no such table: t', code: 'SQLITE_ERROR' }, null]);
    const tried = await server()
      .platform()
      .sql.rehearse(target(), [
        { sql: 'SELECT 1', optional: true },
        { sql: 'DELETE FROM t', withoutRows: true },
        { sql: 'SELECT 2', optional: true },
      ]);
    expect(first()?.json).toEqual({
      requests: [
        {
          type: 'batch',
          batch: {
            steps: [
              { stmt: { sql: 'BEGIN' } },
              step('SELECT 1', 0),
              step('DELETE FROM t', 0, { want_rows: false }),
              step('SELECT 2', 2),
              step('ROLLBACK', 0),
            ],
          },
        },
        { type: 'close' },
      ],
    });
    expect(server().requests).toHaveLength(1);
    expect(tried).toMatchObject([
      { kind: 'rows', result: { rows: [[3]], affected_row_count: 2 } },
      { kind: 'failed', message: 'no such table: t', code: 'SQLITE_ERROR' },
      { kind: 'skipped' },
    ]);
  });

  it.each([
    { results: [{ type: 'error', error: { message: 'Unknown request type' } }] },
    { results: [] },
    { strange: true },
  ])('says that the platform knows no batches: %#', async (body) => {
    server().reply({ body });
    expect(
      await server()
        .platform()
        .sql.rehearse(target(), [{ sql: 'DELETE FROM t' }]),
    ).toBeUndefined();
  });
});
