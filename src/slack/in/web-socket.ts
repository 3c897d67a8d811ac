import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool, ping, WebSocket } from 'undici';
import { createRoutes } from '../../network.ts';

/** How patient one connection is, in milliseconds. */
export interface ConnectionTimes {
  /** For a connection to come about. */
  arrival: number;
  /** Between two pings. */
  beat: number;
  /** For the last bytes to leave once the connection is closed. */
  closing: number;
}

/** So many pings in a row without a byte from the other side: nobody is there any more. */
const MOST_SILENT = 3;

/** A client's close frame for code 1000, with a mask of zeros (RFC 6455, 5.5.1). */
const CLOSE_FRAME = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);

/** One WebSocket that says by itself when it is over, also when the network just falls silent. */
export interface SocketConnection {
  /** False when it could not be sent any more. */
  send(text: string): boolean;
  /** Nothing is sent any more. Resolves when Slack has closed it too: what comes until then is still heard. */
  close(): Promise<void>;
}

/** The ears of a connection. `closed` comes once, and nothing after it. */
export interface SocketListener {
  /** An error that this throws ends the connection. */
  message(text: string): void;
  closed(reason: string): void;
}

interface Link {
  readonly web: WebSocket;
  readonly agent: Dispatcher;
  readonly listener: SocketListener;
  readonly times: ConnectionTimes;
  /** Kept because undici waits for a dead peer for ever. */
  raw: Socket | undefined;
  /** Why it could not be reached, in the network's words. */
  failure: string | undefined;
  /** Pings without a byte since. */
  silent: number;
  beating: NodeJS.Timeout | undefined;
  /** Slack was told that nothing more is sent. */
  isClosing: boolean;
  isOver: boolean;
}

/** Connects to the address. Throws for what is no address; everything later comes as `closed`. */
export function openSocket(url: string, times: ConnectionTimes, listener: SocketListener): SocketConnection {
  const tls = { allowH2: false, timeout: times.arrival };
  const agent = createRoutes({
    connect: buildConnector(tls),
    requestTls: tls,
    proxyTls: tls,
    // Straight or by a proxy, the connection that comes about is looked at.
    factory: (origin, { connect, ...options }: Pool.Options) =>
      new Pool(origin, {
        ...options,
        connect: (target, connected) =>
          (connect as buildConnector.connector)(target, (...result) => {
            [link.failure, link.raw] = [result[0]?.message, result[1] ?? undefined];
            // An error that nobody listens for would end the process; the close behind it is heard.
            link.raw?.on('error', () => undefined);
            connected(...result);
          }),
      }),
  });
  const web = new WebSocket(url, { dispatcher: agent });
  const link: Link = {
    ...{ web, agent, listener, times },
    ...{ raw: undefined, failure: undefined, silent: 0, beating: undefined, isClosing: false, isOver: false },
  };
  web.addEventListener('open', () => watch(link));
  web.addEventListener('message', ({ data }) => hear(link, data));
  // The close that follows says why.
  web.addEventListener('error', () => undefined);
  web.addEventListener('close', () => end(link, link.failure ?? (link.beating ? 'dropped' : 'refused')));
  return {
    send(text) {
      if (link.isClosing || link.isOver || web.readyState !== WebSocket.OPEN) return false;
      web.send(text);
      return true;
    },
    close: () => close(link),
  };
}

/** Looks for signs of life from now on: whoever is still there answers pings. */
function watch(link: Link): void {
  link.raw?.on('data', () => {
    link.silent = 0;
    // Slack leaves the line open behind its close frame, and undici would wait for the end of it.
    if (link.web.readyState !== WebSocket.OPEN) end(link, 'closed by Slack');
  });
  link.beating = setInterval(() => beat(link), link.times.beat);
}

function beat(link: Link): void {
  link.silent += 1;
  if (link.silent > MOST_SILENT) {
    link.raw?.destroy();
    end(link, `silent for ${(MOST_SILENT * link.times.beat) / 1000} s`);
  } else ping(link.web);
}

/** Nothing that a message does may reach undici, where it would end the process. */
function hear(link: Link, data: unknown): void {
  if (link.isOver || typeof data !== 'string') return;
  try {
    link.listener.message(data);
  } catch (error) {
    end(link, `a message could not be taken: ${String(error)}`);
  }
}

/** Slack hears of the close a little later than it is sent. undici would drop what comes meanwhile, so the frame is ours. */
async function close(link: Link): Promise<void> {
  const { raw, web, times, isClosing, isOver } = link;
  if (raw === undefined || raw.closed || isOver || web.readyState !== WebSocket.OPEN) end(link, 'closed');
  else if (!isClosing) raw.write(CLOSE_FRAME);
  link.isClosing = true;
  if (raw === undefined || raw.closed) return;
  let patience: NodeJS.Timeout | undefined;
  await new Promise((resolve) => {
    raw.once('close', resolve);
    patience = setTimeout(resolve, times.closing);
  });
  clearTimeout(patience);
  end(link, 'closed');
}

/** The end, whoever wanted it. Bytes that were sent still leave, for as long as somebody takes them. */
function end(link: Link, reason: string): void {
  if (link.isOver) return;
  link.isOver = true;
  const { web, agent, raw, times, listener, beating } = link;
  clearInterval(beating);
  web.close(1000);
  raw?.destroySoon();
  setTimeout(() => raw?.destroy(), times.closing);
  agent.destroy().catch(() => undefined);
  listener.closed(reason);
}
