import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PlatformSimulator, startPlatformSimulator } from '../../../playground/platform/simulator.ts';
import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';

/** A proxy that refuses with a status, or lets all through; whoever asks it for a page gets one. */
let status = 200;
const proxy = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<html>Sign in</html>');
});
proxy.on('connect', ({ url = '' }, socket, head) => {
  if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
  const { hostname, port } = new URL(`http://${url}`);
  const target = connect(Number(port), hostname, () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    target.write(head);
    target.pipe(socket).pipe(target);
  });
  for (const [one, other] of [
    [target, socket],
    [socket, target],
  ] as const)
    one.on('error', () => other.destroy());
  return undefined;
});

describe('doctor, where only a proxy leads to Slack and the platform', () => {
  let [platform, slack]: [PlatformSimulator?, SlackEmulator?] = [];
  let address = '';
  beforeAll(async () => {
    platform = await startPlatformSimulator();
    slack = await startSlackEmulator();
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await slack?.close();
    await platform?.close();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    status = 200;
  });

  async function findings(through: string, more: Record<string, string> = {}) {
    vi.stubEnv('HTTP_PROXY', through);
    // The way is chosen once in a process.
    vi.resetModules();
    const { examine } = await import('../../../src/commands/doctor/examine.ts');
    const own = { STORE_URL: ':memory:', PORT: '1', ...more };
    const found = await examine({ ...platform?.environment, ...slack?.environment, ...own });
    return (what: string) => found.find((one) => one.what === what)?.detail;
  }

  it.each([
    [
      407,
      'The proxy wants a name and a password. Write both into HTTPS_PROXY, before the host: name, colon, password, @.',
    ],
    [403, 'The proxy lets nobody through to the other side (403). Ask whoever runs the proxy.'],
    [502, 'The proxy lets nobody through to the other side (502). Ask whoever runs the proxy.'],
  ])('says what the proxy wants that refuses with %i', async (refusal, said) => {
    status = refusal;
    const detailOf = await findings(address);
    expect([detailOf('Slack'), detailOf('Platform')]).toEqual([said, said]);
  });

  it('says that the proxy is not there', async () => {
    const detailOf = await findings('http://127.0.0.1:1');
    expect(detailOf('Slack')).toMatch(
      /^Slack could not be reached: connect ECONNREFUSED 127\.0\.0\.1:1\. Check whether/,
    );
    expect(detailOf('Platform')).toMatch(/^no answer: .*ECONNREFUSED/);
  });

  it('says that a page came where Slack should answer', async () => {
    const detailOf = await findings(address, { SLACK_API_URL: `${address}/api` });
    expect(detailOf('Slack')).toMatch(/^Slack could not be reached: a web page came, and no answer\. Check whether/);
  });

  it('says in one line that what is set is no proxy', async () => {
    const detailOf = await findings('not an address');
    expect(detailOf('Settings')).toBe(
      'HTTPS_PROXY or HTTP_PROXY is not the address of a proxy. Write it as http://proxy.example.com:3128.',
    );
  });

  it('finds nothing wrong with a proxy that lets it through', async () => {
    const detailOf = await findings(address);
    expect(detailOf('Slack')).toMatch(/^the bot is U/);
    expect(detailOf('Platform')).toMatch(/keys$/);
  });
});
