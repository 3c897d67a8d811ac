import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../../src/platform/errors.ts';
import { Secret } from '../../src/secret.ts';
import { breakOff, drop, KEY, type Reply } from './fake-server.ts';
import { failureOf, useFakeServer } from './fixture.ts';

const server = useFakeServer();

const mapping = { body: { data: [{ shieldZoneId: 1, pullZoneId: 2 }] } };

const authHeaders = (rawHeaders: string[]) =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && /^(accesskey|authorization|cookie)$/i.test(name) ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );

describe('authentication', () => {
  const jwts = { originLogsJwt: Secret.of('origin.jwt.value'), loggingJwt: Secret.of('logging.jwt.value') };

  it('sends the account key, and nothing else, to every service without a token of its own', async () => {
    const platform = server().platform();
    server().always({ body: { logs: [], data: [], items: [], Items: [], Id: 1, databases: [], token: 'tok' } });
    await platform.apiKeys.list();
    await failureOf(platform.shieldZones.uploadSpec(1, { content: 'x', enforceAuthorizationValidation: true }));
    await failureOf(platform.shieldZones.setBotCategoryAction(1, 2, 1));
    await platform.edgeScripts.addVariable(1, { Name: 'A', Required: false });
    await platform.pullZones.requestExternalDnsCertificate({ Hostname: 'a.example' });
    await platform.pullZones.setForceSSL(1, { Hostname: 'a.example', ForceSSL: true });
    await platform.statistics.get();
    await platform.statistics.optimizer(1);
    await platform.statistics.queue(1);
    await platform.statistics.safehop(1);
    await platform.apps.list();
    await platform.apps.delete('abc');
    await platform.apps.volumes('abc');
    await platform.originErrors.get(1, new Date('2020-11-20'));
    await platform.accessLogs.query(1);
    await platform.databases.list();
    await platform.databases.generateToken('db_1', { authorization: 'read-only', expires_at: null });
    expect(server().requests).toHaveLength(17);
    for (const request of server().requests) expect(authHeaders(request.rawHeaders)).toEqual([`AccessKey: ${KEY}`]);
  });

  it('sends the JWT of a service instead of the key, bare to the origin logs and as Bearer to the access logs', async () => {
    const platform = server().platform({ ...jwts, now: () => new Date('2026-11-21T12:00:00Z') });
    server().reply({ body: { logs: [] } }, { body: { data: [] } }, { body: '' }, { body: { Items: [] } });
    await platform.originErrors.get(1, new Date('2026-11-20'));
    await platform.accessLogs.query(1);
    (await platform.accessLogs.download(1, new Date('2026-11-20'))).resume();
    await platform.apiKeys.list();
    expect(server().requests.map((one) => authHeaders(one.rawHeaders))).toEqual([
      ['Authorization: origin.jwt.value'],
      ['Authorization: Bearer logging.jwt.value'],
      ['Authorization: Bearer logging.jwt.value'],
      [`AccessKey: ${KEY}`],
    ]);
  });

  it('sends a database token, and never the key, to the database', async () => {
    server().reply({ body: { results: [] } });
    await expect(
      server()
        .platform()
        .sql.execute({ url: server().url, token: Secret.of('db-token') }, ['SELECT 1']),
    ).rejects.toThrow(/not the answer of a database/);
    expect(authHeaders(server().requests[0]?.rawHeaders ?? [])).toEqual(['Authorization: Bearer db-token']);
  });
});

describe('addresses', () => {
  it('keeps the path of a base address, with or without a slash at its end', async () => {
    server().always(mapping);
    await server()
      .platform({ apiUrl: `${server().url}/edge/api/` })
      .shieldZones.mapping();
    await server()
      .platform({ apiUrl: `${server().url}/edge` })
      .shieldZones.mapping();
    expect(server().requests.map((one) => one.url)).toEqual([
      '/edge/api/shield/shield-zones/pullzone-mapping',
      '/edge/shield/shield-zones/pullzone-mapping',
    ]);
  });

  it('finds the database control plane under the management API unless it has an address of its own', async () => {
    server().always({ body: { databases: [] } });
    await server().platform().databases.list();
    await server()
      .platform({ databaseApiUrl: `${server().url}/control` })
      .databases.list();
    expect(server().requests.map((one) => one.url)).toEqual([
      '/database/v2/databases?page=1&per_page=100',
      '/control/v2/databases?page=1&per_page=100',
    ]);
  });

  it('says which address is missing', async () => {
    const failure = await failureOf(server().platform({ loggingUrl: undefined }).accessLogs.query(1));
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure.message).toContain('access log service');
  });

  it('does not follow a redirect, which would carry the key elsewhere', async () => {
    server().reply({ status: 302, headers: { location: 'http://127.0.0.1:1/' } });
    const failure = await failureOf(server().platform().shieldZones.mapping());
    expect(failure).toMatchObject({ status: 302 });
  });
});

describe('reads', () => {
  it.each([
    ['a lost connection', drop],
    ['a body that breaks off', breakOff],
    ['502', { status: 502 }],
    ['503', { status: 503, body: '<html>' }],
    ['504', { status: 504 }],
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
  ] satisfies [string, Reply][])('are tried again after %s', async (_, reply) => {
    server().reply(reply, reply, mapping);
    expect(await server().platform().shieldZones.mapping()).toEqual([{ shieldZoneId: 1, pullZoneId: 2 }]);
  });

  it.each([400, 401, 403, 404, 500, 501])('are not tried again after %i', async (status) => {
    server().reply({ status });
    expect(await failureOf(server().platform().shieldZones.mapping())).toMatchObject({ status });
  });

  it('are tried three times at the most, and then say what the platform said last', async () => {
    server().reply({ status: 503 }, { status: 503 }, { status: 503, body: { Message: 'Down for repairs' } });
    const failure = await failureOf(server().platform().shieldZones.mapping());
    expect(failure).toMatchObject({ status: 503, message: 'Down for repairs' });
  });

  it('wait as long as Retry-After says, and give up when that is too long', async () => {
    server().reply({ status: 429, headers: { 'retry-after': '1' } }, mapping);
    const before = performance.now();
    await server().platform().shieldZones.mapping();
    expect(performance.now() - before).toBeGreaterThanOrEqual(990);

    server().reply({ status: 429, headers: { 'retry-after': '120' } });
    expect(await failureOf(server().platform().shieldZones.mapping())).toMatchObject({ status: 429, retryAfter: 120 });
  });

  it('stop when their caller gives up, during the request and during the pause', async () => {
    const silent: Reply = () => undefined;
    server().reply(silent);
    const first = new AbortController();
    const one = failureOf(server().platform().shieldZones.mapping({ signal: first.signal }));
    await expect.poll(() => server().requests.length).toBe(1);
    first.abort(new Error('closed the form'));
    expect((await one).message).toBe('closed the form');

    server().reply({ status: 503 });
    const second = new AbortController();
    const two = failureOf(server().platform({ retryDelay: 60_000 }).shieldZones.mapping({ signal: second.signal }));
    await expect.poll(() => server().requests.length).toBe(2);
    second.abort(new Error('closed the form'));
    expect((await two).message).toBe('closed the form');
  });

  it('fail as not understood when the answer is a web page, cut JSON or of another shape', async () => {
    const platform = server().platform();
    server().reply({ headers: { 'content-type': 'text/html' }, body: '<!doctype html><p>hello' });
    const page = await failureOf(platform.shieldZones.mapping());
    expect(page).toBeInstanceOf(PlatformShapeError);
    expect(page.message).toContain('web page');

    server().reply({ body: '{"data":[{"shieldZ' });
    const cut = await failureOf(platform.shieldZones.mapping());
    expect(cut).toBeInstanceOf(PlatformShapeError);
    expect(JSON.stringify(cut) + cut.message + String(cut.cause)).not.toContain('shieldZ');

    server().reply({ body: { data: [{ shieldZoneId: 'one' }] } });
    const shape = await failureOf(platform.shieldZones.mapping());
    expect(shape).toMatchObject({ maybeApplied: false });
    expect(shape.message).toContain('data.0.shieldZoneId');
  });

  it('read JSON whatever its content type says, packed or with a byte order mark', async () => {
    server().reply(
      { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(mapping.body) },
      { body: `\uFEFF${JSON.stringify(mapping.body)}` },
      { body: mapping.body, gzip: true },
    );
    for (let time = 0; time < 3; time += 1) {
      expect(await server().platform().shieldZones.mapping()).toHaveLength(1);
    }
  });

  it('stop reading an answer that is too large, packed ones included', async () => {
    const packed = gzipSync(Buffer.alloc(40 * 1024 * 1024, ' '));
    server().reply((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(packed);
    });
    const failure = await failureOf(server().platform().shieldZones.mapping());
    expect(failure).toBeInstanceOf(PlatformShapeError);
    expect(failure.message).toContain('too large');
  });

  it('give up when no answer comes in time', async () => {
    server().reply(() => undefined);
    const failure = await failureOf(server().platform({ timeout: 50 }).shieldZones.mapping());
    expect(failure).toBeInstanceOf(PlatformConnectionError);
    expect(failure).toMatchObject({ applied: 'no', message: expect.stringContaining('within 0.05 s') });
    expect(server().requests).toHaveLength(1);
  });
});

describe('writes', () => {
  const everyWrite = (platform: ReturnType<ReturnType<typeof server>['platform']>) => [
    () => platform.shieldZones.uploadSpec(1, { content: 'x', enforceAuthorizationValidation: true }),
    () => platform.shieldZones.updateSpec(1, { content: 'x', enforceAuthorizationValidation: true }),
    () => platform.shieldZones.setBotCategoryAction(1, 2, 1),
    () => platform.edgeScripts.addVariable(1, { Name: 'A', Required: false }),
    () => platform.pullZones.setForceSSL(1, { Hostname: 'a.example', ForceSSL: true }),
    () => platform.pullZones.requestExternalDnsCertificate({ Hostname: 'a.example' }),
    () => platform.pullZones.completeExternalDnsCertificate({ Hostname: 'a.example' }),
    () => platform.apps.delete('abc'),
    () => platform.databases.generateToken('db_1', { authorization: 'read-only', expires_at: null }),
    () => platform.databases.revokeTokens('db_1'),
    () => platform.sql.execute({ url: server().url, token: Secret.of('t') }, ['DELETE FROM a']),
  ];

  it.each([
    ['the connection is lost', drop],
    ['429 with Retry-After 0', { status: 429, headers: { 'retry-after': '0' } }],
    ['500', { status: 500 }],
    ['502', { status: 502 }],
    ['503', { status: 503, headers: { 'retry-after': '0' } }],
    ['504', { status: 504 }],
  ] satisfies [string, Reply][])('are sent once and once only when %s', async (_, reply) => {
    server().always(reply);
    const writes = everyWrite(server().platform());
    for (const write of writes) await failureOf(write());
    expect(server().requests).toHaveLength(writes.length);
  });

  it('say that they may have been done when the connection is lost after sending', async () => {
    server().reply(drop);
    const failure = await failureOf(server().platform().apps.delete('abc'));
    expect(failure).toBeInstanceOf(PlatformConnectionError);
    expect(failure).toMatchObject({ applied: 'maybe', method: 'DELETE', path: '/mc/apps/abc' });
  });

  it('say that they may have been done when no answer comes in time, or the caller gives up', async () => {
    server().always(() => undefined);
    const late = await failureOf(server().platform({ timeout: 50 }).apps.delete('abc'));
    expect(late).toMatchObject({ applied: 'maybe', message: expect.stringContaining('within 0.05 s') });

    const controller = new AbortController();
    const given = failureOf(server().platform().apps.delete('abc', { signal: controller.signal }));
    await expect.poll(() => server().requests.length).toBe(2);
    controller.abort();
    expect(await given).toMatchObject({ name: 'PlatformConnectionError', applied: 'maybe' });
  });

  it('say that nothing was done when no connection could be made', async () => {
    const failure = await failureOf(server().platform({ apiUrl: 'http://127.0.0.1:1' }).apps.delete('abc'));
    expect(failure).toMatchObject({ name: 'PlatformConnectionError', applied: 'no' });
    expect(failure.message).toContain('ECONNREFUSED');
  });

  it('are not sent when their caller has given up before', async () => {
    const failure = await failureOf(
      server()
        .platform()
        .apps.delete('abc', { signal: AbortSignal.abort(new Error('too late')) }),
    );
    expect(failure.message).toBe('too late');
    expect(server().requests).toHaveLength(0);
  });

  it.each([
    ['nothing', { status: 204 }, {}],
    ['an empty 202', { status: 202 }, {}],
    ['an empty object', { body: {} }, {}],
    [
      'unknown fields',
      { body: { State: 'queued', n: 3, deep: { a: [1] } } },
      { State: 'queued', n: '3', deep: '{"a":[1]}' },
    ],
  ] satisfies [string, Reply, object][])('are done when a 2xx says %s', async (_, reply, extra) => {
    server().reply(reply);
    const { pullZones } = server().platform();
    expect((await pullZones.requestExternalDnsCertificate({ Hostname: 'a.example' })).extra).toEqual(extra);
  });

  it.each([
    ['a list', { body: [1, 2] }, 'another shape'],
    ['a word', { body: '"accepted"' }, 'another shape'],
    ['plain text', { body: 'OK' }, 'not the expected JSON'],
    ['a web page', { body: '<html>fine</html>' }, 'a web page, not the API'],
    ['a page that begins with a comment', { body: '<!-- proxy --><body>' }, 'a web page, not the API'],
    ['XML', { body: '<?xml version="1.0"?><ok/>' }, 'not the expected JSON'],
    ['cut JSON', { body: '{"Sta' }, 'is incomplete'],
    ['a body that breaks off', breakOff, 'was lost'],
    ['an error of the pull zones', { body: { ErrorKey: 'a.b', Field: 'c', Message: 'No such zone' } }, 'No such zone'],
    ['a message alone', { body: { Message: 'Authorization has been denied' } }, 'denied'],
    ['a problem without a status', { body: { type: 'about:blank', title: 'Forbidden' } }, 'Forbidden'],
    ['a validation problem', { body: { errors: { Name: ['is required'] } } }, 'is required'],
    ['a list of complaints', { body: [{ message: 'The app is suspended' }] }, 'suspended'],
    ['an error that is a text', { body: { error: 'unauthorized', details: null } }, 'unauthorized'],
    ['an error of the log service', { body: { error: { code: 'forbidden', message: 'Not yours' } } }, 'Not yours'],
    ['a code', { body: { code: 'forbidden' } }, '200'],
    ['an envelope without success', { body: { Success: false } }, '200'],
  ] satisfies [string, Reply, string][])('are not known when a 2xx says %s', async (_, reply, words) => {
    server().reply(reply);
    const failure = await failureOf(server().platform().apps.delete('abc'));
    expect(failure).toMatchObject({ maybeApplied: true, message: expect.stringContaining(words) });
  });

  it('are not known when the answer has another shape than the specification says', async () => {
    server().reply({ body: { surprise: true } }, { body: { data: null, error: null } });
    const platform = server().platform();
    const failures = [
      await failureOf(platform.edgeScripts.addVariable(1, { Name: 'A', Required: true })),
      await failureOf(platform.shieldZones.setBotCategoryAction(1, 2, 1)),
    ];
    expect(failures).toMatchObject([{ maybeApplied: true }, { maybeApplied: true }]);
  });

  it('are refused for certain where a problem in a 2xx has a status that says so', async () => {
    server().reply({ body: { title: 'Forbidden', status: 403 } });
    expect(await failureOf(server().platform().apps.delete('abc'))).toMatchObject({ status: 403, maybeApplied: false });
  });

  it.each([
    ['a code that is good', { code: 'ok', State: 'queued' }],
    ['a success that says so', { success: true, message: 'Deleted' }],
    ['an error that is null', { error: null, errors: [], State: 'queued' }],
  ])('are done when a 2xx has %s', async (_, body) => {
    server().reply({ body });
    expect(await server().platform().apps.delete('abc')).toHaveProperty('answer');
  });

  it('take early hints before their answer, and are not known by an answer that is no HTTP', async () => {
    server().reply(
      (_, response) => {
        response.writeEarlyHints({ link: '</a.css>; rel=preload' });
        response.writeHead(204).end();
      },
      (_, response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
    );
    const platform = server().platform();
    expect(await platform.apps.delete('abc')).toEqual({ extra: {} });
    const failure = await failureOf(platform.apps.delete('abc'));
    expect(failure).toMatchObject({ applied: 'maybe', message: 'the connection to the platform was lost' });
  });

  it('say where a redirect leads, without its query, and do not follow it', async () => {
    server().reply({ status: 303, headers: { location: 'https://user:pw@login.example/start?token=abc#x' } });
    const failure = await failureOf(server().platform().apps.delete('abc'));
    expect(failure).toMatchObject({
      status: 303,
      maybeApplied: true,
      details: ['It redirects to https://login.example/start'],
    });
  });
});

describe('secrets', () => {
  it('never leave in an error, whatever the platform repeats', async () => {
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
    server().reply({
      status: 400,
      body: {
        ErrorKey: 'x',
        Message: `The key ${KEY} is not good`,
        detail: `nor ${jwt}`,
        errors: [{ message: `see ${KEY}` }],
        details: [KEY],
      },
    });
    const failure = await failureOf(server().platform().apps.delete('abc'));
    const everything = JSON.stringify(failure) + failure.message + failure.stack;
    expect(everything).not.toContain(KEY);
    expect(everything).not.toContain(jwt);
    expect(failure.message).toBe('The key [secret] is not good');
  });

  it('never leave in what is shown of an unknown answer', async () => {
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
    server().reply(
      { body: { DeploymentKey: 'abc', note: `made ${jwt}`, inner: { password: 'p', ok: 1 } } },
      { body: `{"token":"${jwt}` },
    );
    const platform = server().platform();
    expect((await platform.pullZones.requestExternalDnsCertificate({ Hostname: 'a.example' })).extra).toEqual({
      DeploymentKey: '[secret]',
      note: 'made [secret]',
      inner: '{"password":"[secret]","ok":1}',
    });
    const cut = await failureOf(
      platform.databases.generateToken('db_1', { authorization: 'read-only', expires_at: null }),
    );
    expect(cut).toMatchObject({ name: 'PlatformShapeError', maybeApplied: true });
    expect(cut.message + JSON.stringify(cut)).not.toContain('eyJ');
  });

  it('are not in the path of an error', async () => {
    server().reply({ status: 404 });
    const failure = await failureOf(server().platform().accessLogs.query(1, { search: 'hidden-word' }));
    expect(failure).toBeInstanceOf(PlatformError);
    expect(JSON.stringify(failure) + failure.message).not.toContain('hidden-word');
    expect(failure).toMatchObject({ path: '/v2/pullzones/1/logs' });
  });
});
