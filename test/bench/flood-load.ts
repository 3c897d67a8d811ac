/** Those who want the bot for themselves: one member at full speed, and strangers by the thousand. A process of its own. */
import { connect, type Socket } from 'node:net';
import { signedRequest, statusOf } from './signed-command.ts';

/** Begins a flood; an empty question ends it. */
export interface FloodQuestion {
  flood?: {
    port: number;
    secret: string;
    responseUrl: string;
    /** Signed commands a second of one member; none over Socket Mode, where Slack brings them. */
    perSecond: number;
    /** Connections that strangers keep up, however often they are closed. */
    strangers: number;
  };
}

/** What became of it so far. */
export interface FloodState {
  commands: number;
  /** How often each status came in response to a command. */
  statuses: Record<string, number>;
  /** Connections of strangers: now, and opened altogether. */
  open: number;
  opened: number;
}

type Flood = NonNullable<FloodQuestion['flood']>;

/** The member's connections, each with one command at a time. */
const CONNECTIONS = 100;
/** Strangers who come in a second, until all are there. */
const COMING = 1_000;
/** How long a stranger waits before they come again, in milliseconds. */
const AGAIN = 1_000;
const SLOWLY = 1_000;
/** Of the strangers who withhold a byte, those with a body of a megabyte; the others have two kilobytes. */
const LARGE = 66;

const state: FloodState = { commands: 0, statuses: {}, open: 0, opened: 0 };
const sockets = new Set<Socket>();
let typing: NodeJS.Timeout | undefined;
let coming: NodeJS.Timeout | undefined;
let isOn = false;

function begin(flood: Flood): void {
  Object.assign(state, { commands: 0, statuses: {}, open: 0, opened: 0 });
  isOn = true;
  if (flood.perSecond > 0) typeFast(flood);
  let here = 0;
  coming = setInterval(() => {
    for (let index = 0; index < COMING / 50 && here < flood.strangers; index += 1) comeAndStay(flood, here++);
  }, 20);
}

function end(): void {
  isOn = false;
  clearInterval(typing);
  clearInterval(coming);
  for (const socket of sockets) socket.destroy();
}

/** A connection; `closed` is called when it is over and the flood goes on. */
function dial(port: number, closed: () => void): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => {
    sockets.delete(socket);
    if (isOn) closed();
  });
  return socket;
}

/** Types as many commands a second, whether the last ones were acknowledged or not. */
function typeFast(flood: Flood): void {
  const began = performance.now();
  const idle = new Set<Socket>();
  const open = () => {
    const socket = dial(flood.port, () => {
      idle.delete(socket);
      open();
    });
    let answer = '';
    socket.on('connect', () => idle.add(socket));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      const status = statusOf(answer);
      if (status === undefined) return;
      answer = '';
      state.statuses[status] = (state.statuses[status] ?? 0) + 1;
      idle.add(socket);
    });
  };
  for (let index = 0; index < CONNECTIONS; index += 1) open();
  typing = setInterval(() => {
    const due = ((performance.now() - began) / 1_000) * flood.perSecond;
    for (const socket of idle) {
      if (state.commands >= due) return;
      idle.delete(socket);
      state.commands += 1;
      const triggerId = `flood.${began}.${state.commands}`;
      const command = { text: 'help', userId: 'U0BENCHBEN1', responseUrl: `${flood.responseUrl}/flood`, triggerId };
      socket.write(signedRequest(command, flood));
    }
  }, 5);
}

/** One says nothing, one says a byte a second, one withholds the last byte. */
function comeAndStay(flood: Flood, index: number): void {
  let slowly: NodeJS.Timeout | undefined;
  let isOpen = false;
  const socket = dial(flood.port, () => {
    if (isOpen) state.open -= 1;
    setTimeout(() => isOn && comeAndStay(flood, index), AGAIN);
  });
  socket.on('close', () => clearInterval(slowly));
  socket.on('connect', () => {
    isOpen = true;
    state.open += 1;
    state.opened += 1;
    if (index % 3 === 0) return;
    const size = index % 3 === 2 && index < 3 * LARGE ? 1_000_000 : 2_000;
    socket.write(headOf(size));
    if (index % 3 === 1) slowly = setInterval(() => socket.write('x'), SLOWLY);
    else socket.write(Buffer.alloc(size - 1, 'x'));
  });
}

/** As far as its head goes it may be Slack's. */
const headOf = (size: number) =>
  [
    'POST /slack/events HTTP/1.1',
    'host: bot',
    'content-type: application/x-www-form-urlencoded',
    `x-slack-request-timestamp: ${Math.floor(Date.now() / 1000)}`,
    `x-slack-signature: v0=${'0'.repeat(64)}`,
    `content-length: ${size}`,
    '\r\n',
  ].join('\r\n');

process.on('message', ({ flood }: FloodQuestion) => {
  if (flood === undefined) end();
  else begin(flood);
  process.send?.({ ...state });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ...state });
