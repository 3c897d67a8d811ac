import type { Secret } from '../../secret.ts';
import { SocketClient } from './socket-client.ts';
import { SOCKET_TIMES } from './socket-mode.ts';

/** Besides its own. Source: docs.slack.dev, Socket Mode, `num_connections` of `hello`. A payload sent over it meanwhile is lost. */
export async function countConnections(appToken: Secret, apiUrl: string): Promise<number> {
  let all = 0;
  const client = new SocketClient({
    ...{ appToken, apiUrl, times: SOCKET_TIMES },
    hear(message) {
      if (message.kind === 'hello') all = message.connections;
      if (message.kind === 'disconnect') client.end(message.reason);
    },
  });
  await client.open();
  await client.close();
  return all - 1;
}
