import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Somebody at a terminal, or lines from a pipe. */
export interface Terminal {
  say(text: string): void;
  /** A line of theirs, without the spaces around it; a secret is not shown while it is typed. Throws StoppedError. */
  ask(question: string, options?: { secret: boolean }): Promise<string>;
  /** Rejects with StoppedError when Ctrl-C is pressed, whatever is under way. */
  stopped: Promise<never>;
  close(): void;
}

/** Somebody pressed Ctrl-C, or there are no more lines. */
export class StoppedError extends Error {
  override name = 'StoppedError';
}

/** The two streams as a terminal. Lines that come before they are asked for are kept. */
export function createTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Terminal {
  let isHidden = false;
  const echo = new Writable({
    write(chunk, _, written) {
      if (!isHidden) output.write(chunk);
      written();
    },
  });
  const lines = createInterface({ input, output: echo, terminal: input.isTTY === true, historySize: 0 });
  const came: string[] = [];
  let isOver = false;
  let waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  lines.on('line', (line) => {
    if (waiting === undefined) came.push(line);
    else waiting.resolve(line);
  });
  lines.on('close', () => {
    isOver = true;
    waiting?.reject(new StoppedError());
  });
  // Ctrl-C at a terminal; without one the process gets the signal.
  const stopped = new Promise<never>((_, reject) => {
    for (const source of [lines, process]) source.once('SIGINT', () => reject(new StoppedError()));
  });
  stopped.catch(() => undefined);
  const next = () =>
    new Promise<string>((resolve, reject) => {
      const line = came.shift();
      if (line !== undefined) resolve(line);
      else if (isOver) reject(new StoppedError());
      else waiting = { resolve, reject };
    }).finally(() => {
      waiting = undefined;
    });
  return {
    say: (text) => void output.write(`${text}\n`),
    async ask(question, { secret } = { secret: false }) {
      output.write(`${question} `);
      isHidden = secret;
      try {
        return (await next()).trim();
      } finally {
        isHidden = false;
        if (secret) output.write('\n');
      }
    },
    stopped,
    close: () => lines.close(),
  };
}
