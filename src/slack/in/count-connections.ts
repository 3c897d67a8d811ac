import { readMessage } from './envelopes.ts';
import { SOCKET_TIMES } from './socket-connections.ts';
import { openSocket } from './web-socket.ts';

/**
 * How many connections of Socket Mode the app has, whoever holds them, besides the one that is opened to learn it. Source:
 * docs.slack.dev, Socket Mode, `num_connections` of a `hello`. A payload that Slack sends over that one, in its few milliseconds, is lost.
 */
export function countConnections(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(url, SOCKET_TIMES, {
      message(text) {
        const said = readMessage(text);
        if (said.kind === 'hello') resolve(said.connections - 1);
        else reject(new Error(said.kind === 'disconnect' ? said.reason : 'Slack does not greet'));
        void socket.close();
      },
      closed: (reason) => reject(new Error(reason)),
    });
  });
}
