import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { createStatementProxy } from './statements.ts';

/** When the bot dies: before its request is passed on, after the other side has done it, or once the answer has arrived. */
const DEATHS = ['before', 'applied', 'answered'] as const;
/** What happens to a request of a bot that lives on: it never arrives, or it is done and the answer never comes. */
const LOSSES = ['unsent', 'lost'] as const;
export const PHASES = [...DEATHS, ...LOSSES] as const;
export type Phase = (typeof PHASES)[number];
export const isDeath = (phase: Phase): boolean => (DEATHS as readonly Phase[]).includes(phase);

/** What goes wrong: at which of the bot's requests, counted from 1, and how. */
export interface Fault {
  step: number;
  phase: Phase;
  /** Called once, where the bot is to die; nothing of it is passed on afterwards. */
  kill(): void;
}

/** Everything that the bot says goes through here and is counted: one request is one step. */
export interface CountingProxy {
  /** Another way out: what comes to the address that is returned (no slash at the end) goes to `target`. */
  open(name: string, target: string): Promise<string>;
  /** The way to the store, a PostgreSQL server; each statement is a step. Returns the URL to use. */
  openStore(target: string): Promise<string>;
  /** The way named so goes somewhere else from now on. */
  redirect(name: string, target: string): void;
  /** Counts from 1 again; with a fault, it happens there. */
  count(fault?: Fault): void;
  /** What went through since then, as `name METHOD path`. */
  readonly steps: readonly string[];
  /** Resolves when the bot has died, or when nothing has gone through for so many milliseconds; fewer once it `isOver`. */
  quiet(milliseconds: number, isOver?: () => boolean): Promise<void>;
  /** Whether the bot has died since then. */
  readonly isDead: boolean;
  /** Whether the fault has happened since then. */
  readonly wasHit: boolean;
  close(): Promise<void>;
}

const LOOK_EVERY = 20;
/** How long what comes after the end may take to begin, in milliseconds. */
const QUIET_AFTER_END = 1_000;
/** A bot looks into its store all the time: with nothing but that for so long it waits, in milliseconds. */
const ONLY_LOOKS = 5_000;
const HOP_BY_HOP = /^(connection|keep-alive|transfer-encoding|upgrade|host|content-length|expect)$/;

export function createCountingProxy(): CountingProxy {
  const agent = new Agent({ connections: 64 });
  const servers: NetServer[] = [];
  const open = new Set<Socket>();
  const targets = new Map<string, string>();
  let steps: string[] = [];
  let fault: Fault | undefined;
  let isDead = false;
  let wasHit = false;
  /** Requests, and connections with a statement. */
  const underWay = new Set<object>();
  let lastAt = performance.now();
  let lastBesideStoreAt = lastAt;

  function watched(server: NetServer): void {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
  }

  function die(): void {
    isDead = true;
    fault?.kill();
  }

  /** Counts a step of the bot's; undefined: it goes through. */
  function begun(step: string): Phase | undefined {
    steps.push(step);
    const phase = steps.length === fault?.step ? fault.phase : undefined;
    wasHit ||= phase !== undefined;
    if (phase === 'before') die();
    return phase;
  }

  async function pass(name: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (isDead) return void incoming.socket.destroy();
    const { method = 'GET', url = '/' } = incoming;
    const phase = begun(`${name} ${method} ${url.split('?', 1)[0]}`);
    if (phase === 'before') return;
    if (phase === 'unsent') return void incoming.socket.destroy();
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk as Buffer);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([header, value]) => value !== undefined && !HOP_BY_HOP.test(header)),
    );
    const answer = await request(`${targets.get(name)}${url}`, {
      method: method as 'GET',
      headers: headers as Record<string, string>,
      body: body.length === 0 ? null : Buffer.concat(body),
      dispatcher: agent,
    });
    const content = Buffer.from(await answer.body.arrayBuffer());
    if (phase === 'applied') return die();
    if (isDead || phase === 'lost') return void incoming.socket.destroy();
    for (const [header, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !HOP_BY_HOP.test(header)) outgoing.setHeader(header, value);
    }
    outgoing.writeHead(answer.statusCode, { 'content-length': content.length });
    outgoing.end(content, () => phase === 'answered' && die());
  }

  return {
    async open(name, target) {
      targets.set(name, target);
      const server = createServer((incoming, outgoing) => {
        // A bot that dies in the middle of its own request is what this is for.
        underWay.add(incoming);
        pass(name, incoming, outgoing)
          .catch(() => incoming.socket.destroy())
          .finally(() => {
            underWay.delete(incoming);
            lastAt = performance.now();
            if (name !== 'store') lastBesideStoreAt = lastAt;
          });
      });
      watched(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async openStore(target) {
      const address = new URL(target);
      const port = Number(address.port);
      const server = createNetServer((client) => {
        // One statement at a time on a connection. Of one that breaks no answer comes.
        let phase: Phase | undefined;
        client.on('close', () => underWay.delete(client));
        const proxied = createStatementProxy(port, {
          before(text) {
            if (isDead) return 'cut';
            phase = begun(`store ${text}`);
            if (phase === 'before') return 'hold';
            if (phase === 'unsent') return 'cut';
            underWay.add(client);
            return 'pass';
          },
          after() {
            underWay.delete(client);
            lastAt = performance.now();
            if (phase === 'applied') die();
            if (isDead) return 'hold';
            return phase === 'lost' ? 'cut' : 'pass';
          },
          answered: () => phase === 'answered' && die(),
        });
        proxied.emit('connection', client);
      });
      watched(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      address.port = String((server.address() as AddressInfo).port);
      return address.href;
    },
    redirect: (name, target) => void targets.set(name, target),
    count(next) {
      steps = [];
      fault = next;
      isDead = false;
      wasHit = false;
    },
    async quiet(milliseconds, isOver = () => false) {
      lastAt = performance.now();
      lastBesideStoreAt = lastAt;
      const isQuiet = (): boolean => {
        const now = performance.now();
        const since = now - lastAt;
        const isWaiting = now - lastBesideStoreAt >= Math.max(milliseconds, ONLY_LOOKS);
        return underWay.size === 0 && (since >= milliseconds || isWaiting || (since >= QUIET_AFTER_END && isOver()));
      };
      while (!isDead && !isQuiet()) await sleep(LOOK_EVERY);
    },
    get steps() {
      return steps;
    },
    get isDead() {
      return isDead;
    },
    get wasHit() {
      return wasHit;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await Promise.all(
        servers.map((server) => {
          return new Promise((resolve) => server.close(resolve));
        }),
      );
      await agent.destroy();
    },
  };
}
