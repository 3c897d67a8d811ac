/** The sender of signed slash commands: a process of its own, whose requests are all made and signed before the clock runs. */
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';

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

function requestsOf({ count, port, secret, responseUrl, text, name }: Burst): Buffer[] {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return Array.from({ length: count }, (_, index) => {
    const body = new URLSearchParams({
      token: 'deprecated',
      team_id: 'T0BENCH0001',
      team_domain: 'bench',
      channel_id: 'C0BENCH0001',
      channel_name: 'ops',
      user_id: `U0BENCH${String(index % 500).padStart(4, '0')}`,
      user_name: 'ada',
      command: '/edge',
      text,
      api_app_id: 'A0BENCH0001',
      is_enterprise_install: 'false',
      response_url: `${responseUrl}/${name}-${index}`,
      trigger_id: `${name}.${index}.0123456789abcdef`,
    }).toString();
    const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
    return Buffer.from(
      [
        'POST /slack/events HTTP/1.1',
        `host: 127.0.0.1:${port}`,
        'user-agent: Slackbot 1.0 (+https://api.slack.com/robots)',
        'accept: application/json,*/*',
        'content-type: application/x-www-form-urlencoded',
        `x-slack-request-timestamp: ${timestamp}`,
        `x-slack-signature: v0=${signature}`,
        `content-length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
  });
}

/** The status of a whole answer; undefined while more of it has to come. */
function statusOf(answer: string): string | undefined {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = answer.slice(0, end).toLowerCase();
  const body = answer.slice(end + 4);
  const whole = head.includes('transfer-encoding: chunked')
    ? body.endsWith('0\r\n\r\n')
    : body.length >= Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  return whole ? head.split(' ', 2)[1] : undefined;
}

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
