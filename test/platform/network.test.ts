import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPlatform, type PlatformOptions } from '../../src/platform/client.ts';
import { Secret } from '../../src/secret.ts';
import { SELF_SIGNED } from '../support/certificate.ts';
import { failureOf } from './fixture.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0).reverse()) await close();
});

type Server = ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>;

async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('error', () => undefined));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const plain = (does: (socket: Socket) => void) => listening(createServer(does));

async function failureAt(apiUrl: string, options: Partial<PlatformOptions> = {}) {
  const platform = createPlatform({ apiUrl, accessKey: Secret.of('key'), timeout: 2_000, retries: 0, ...options });
  closing.push(() => platform.close());
  return failureOf(platform.apps.delete('abc'));
}

describe('a write whose request never left was not done', () => {
  const hello = (does: (socket: Socket) => void) => () =>
    plain((socket) => void socket.once('data', () => does(socket)));
  it.each<[string, () => Promise<number>, RegExp]>([
    ['a connection that ends in the hello', hello((socket) => socket.end()), /no connection/],
    ['a reset in the hello', hello((socket) => socket.resetAndDestroy()), /no connection/],
    ['an answer in plain text', hello((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')), /no connection/],
    ['silence in the hello', hello(() => undefined), /no connection/],
    [
      'nothing in common',
      () => listening(createTlsServer({ ...SELF_SIGNED, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })),
      /no connection/,
    ],
    [
      'a certificate of nobody',
      () => listening(createTlsServer(SELF_SIGNED)),
      /the certificate of the platform is not trusted here \(DEPTH_ZERO/,
    ],
  ])('%s', async (_, server, words) => {
    const failure = await failureAt(`https://localhost:${await server()}`, { timeout: 400 });
    expect(failure).toMatchObject({ name: 'PlatformConnectionError', applied: 'no', maybeApplied: false });
    expect(failure.message).toMatch(words);
    expect(failure.message).not.toContain('undefined');
  });

  it.each([407, 403, 502])('a proxy that refuses with %i', async (status) => {
    const port = await plain((socket) => void socket.once('data', () => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)));
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${port}`);
    const failure = await failureAt('http://platform.example');
    expect(failure).toMatchObject({ applied: 'no' });
    expect(failure.message).toBe(
      status === 407
        ? 'the proxy wants a name and a password'
        : `the proxy lets nobody through to the platform (${status})`,
    );
  });

  it('a proxy that says nothing', { timeout: 10_000 }, async () => {
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${await plain(() => undefined)}`);
    expect(await failureAt('http://platform.example', { timeout: 400 })).toMatchObject({ applied: 'no' });
  });

  it('a proxy that is not there, and a name that nobody has', async () => {
    expect(await failureAt('http://nobody.invalid')).toMatchObject({ applied: 'no' });
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
    expect(await failureAt('https://platform.example')).toMatchObject({ applied: 'no' });
  });
});

describe('a write whose request left may have been done', () => {
  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a head that is none', 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}'],
    ['half a head', 'HTTP/1.1 200 OK\r\nConte'],
    ['a status of nobody', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['nothing', ''],
  ])('with %s for an answer', async (_, answer) => {
    const port = await plain((socket) => void socket.once('data', () => socket.end(answer)));
    const failure = await failureAt(`http://127.0.0.1:${port}`);
    expect(failure).toMatchObject({ name: 'PlatformConnectionError', applied: 'maybe', maybeApplied: true });
    expect(failure.message).toMatch(/^the connection to the platform was lost/);
    expect(failure.message).not.toContain('undefined');
  });
});

it('an address that is no proxy ends the start, with what to write', () => {
  for (const wrong of ['proxy:3128', 'ftp://proxy', '//proxy']) {
    vi.stubEnv('HTTPS_PROXY', wrong);
    expect(() => createPlatform({ apiUrl: 'http://127.0.0.1:1', accessKey: Secret.of('key') })).toThrow(
      'HTTPS_PROXY or HTTP_PROXY is not the address of a proxy. Write it as http://proxy.example.com:3128.',
    );
  }
});
