import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As little of Slack as the bot needs to start and to answer: it counts the answers that reach response URLs. */
export interface SlackStandIn {
  port: number;
  /** Answers that came so far, each counted when it has been read to its end. */
  answers(): number;
  /** Settles once that many answers have come; rejects when none comes for ten seconds. */
  until(count: number): Promise<void>;
  /** The answers by the path of their response URL, with when each came: milliseconds of `performance.now()`. */
  heard: ReadonlyMap<string, { at: number; text: string }>;
  /** For connections of Socket Mode, whose address it gives. */
  server: Server;
  close(): void;
}

const PATIENCE = 10_000;

export async function startSlackStandIn(): Promise<SlackStandIn> {
  let answered = 0;
  let lastAt = performance.now();
  const heard = new Map<string, { at: number; text: string }>();
  const methods: Record<string, object> = {
    '/api/auth.test': { ok: true, team_id: 'T0BENCH0001', user_id: 'U0BENCH0BOT', bot_id: 'B0BENCH0001' },
    '/api/users.info': { ok: true, user: { id: 'U0BENCH0001', team_id: 'T0BENCH0001', name: 'ada', locale: 'en-US' } },
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      if (path.startsWith('/response/')) {
        // What is not an answer with blocks does not count as work done.
        if (!text.includes('"blocks":[{')) return response.writeHead(400).end('invalid_payload');
        answered += 1;
        lastAt = performance.now();
        heard.set(path, { at: lastAt, text });
        return response.writeHead(200, { 'content-length': 2 }).end('ok');
      }
      const answer = JSON.stringify(methods[path] ?? { ok: false, error: 'unknown_method' });
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  methods['/api/apps.connections.open'] = { ok: true, url: `ws://127.0.0.1:${port}/link` };
  return {
    port,
    server,
    heard,
    answers: () => answered,
    async until(count) {
      lastAt = performance.now();
      while (answered < count) {
        if (performance.now() - lastAt > PATIENCE) throw new Error(`${count - answered} answers never came`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
