/** The sender of signed slash commands: a process of its own, whose requests are all made and signed before the clock runs. */
import { connect, type Socket } from 'node:net';
import { signedRequest, statusOf } from './signed-command.ts';

/** One burst: `count` different requests over `connections` kept-alive connections, each with one request at a time. */
export interface Burst {
  port: number;
  connections: number;
  count: number;
  secret: string;
  /** Where the work behind the ack may answer; a number is appended. */
  responseUrl: string;
  /** What is typed after the command. */
  text: string;
  /** Makes trigger ids differ from those of other bursts. */
  name: string;
}

export interface BurstResult {
  /** From the first byte sent to the last acknowledgement, in milliseconds. */
  elapsed: number;
  /** Of each request, in milliseconds. */
  latencies: number[];
  /** How often each status came. */
  statuses: Record<string, number>;
}

const requestsOf = ({ count, responseUrl, text, name, ...to }: Burst): Buffer[] =>
  Array.from({ length: count }, (_, index) =>
    signedRequest(
      {
        text,
        userId: `U0BENCH${String(index % 500).padStart(4, '0')}`,
        responseUrl: `${responseUrl}/${name}-${index}`,
        triggerId: `${name}.${index}.0123456789abcdef`,
      },
      to,
    ),
  );

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

async function send(burst: Burst): Promise<BurstResult> {
  const requests = requestsOf(burst);
  const sockets = await Promise.all(Array.from({ length: burst.connections }, () => open(burst.port)));
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let next = 0;
  const start = performance.now();
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          let sentAt = 0;
          let answer = '';
          const more = () => {
            const request = requests[next];
            next += 1;
            if (request === undefined) return resolve();
            answer = '';
            sentAt = performance.now();
            socket.write(request);
          };
          socket.on('error', reject);
          socket.on('close', () => reject(new Error('the server closed a connection')));
          socket.on('data', (chunk) => {
            answer += chunk.toString('latin1');
            const status = statusOf(answer);
            if (status === undefined) return;
            latencies.push(performance.now() - sentAt);
            statuses[status] = (statuses[status] ?? 0) + 1;
            more();
          });
          more();
        }),
    ),
  );
  const elapsed = performance.now() - start;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return { elapsed, latencies, statuses };
}

process.on('message', (burst: Burst) => {
  send(burst).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.send?.('ready');
