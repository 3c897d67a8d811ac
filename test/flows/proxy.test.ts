import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { startTestWorkspace } from '../support/workspace.ts';

afterEach(() => vi.unstubAllEnvs());

/** A proxy that makes tunnels alone, or refuses to. */
async function startProxy(status = 200) {
  const tunnels: string[] = [];
  const server = createServer();
  server.on('connect', ({ url = '' }, socket, head) => {
    tunnels.push(url);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket);
      socket.pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('Slack, its Socket Mode and the platform are reached by the proxy of the environment, but for the hosts of NO_PROXY', async () => {
  const proxy = await startProxy();
  vi.stubEnv('HTTP_PROXY', proxy.url);
  const workspace = await startTestWorkspace({ socket: true });
  const { slack, platform } = workspace;
  const ops = slack.person('ada').in('#ops');
  const hostOf = (address = '') => new URL(address).host;
  await ops.type('/edge key list');
  await ops.expectMessage(/API keys/);
  expect(new Set(proxy.tunnels)).toEqual(new Set([hostOf(slack.environment.SLACK_API_URL), hostOf(platform.urls.api)]));
  // Two calls of Slack's Web API share a tunnel; each connection of Socket Mode has one.
  expect(proxy.tunnels.length).toBeGreaterThanOrEqual(4);

  vi.stubEnv('NO_PROXY', '127.0.0.1');
  proxy.tunnels.splice(0);
  await workspace.restart();
  await slack.connected();
  await ops.type('/edge key list');
  await ops.expectMessage(/API keys/);
  expect(proxy.tunnels).toEqual([]);
  await workspace.close();
  proxy.close();
});
