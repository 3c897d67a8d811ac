import { connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of a statement: it goes through, or its connection is cut, or the bot died and nothing goes on. */
export type Verdict = 'pass' | 'cut' | 'hold';

/** Told of each statement before it is sent, and again before its answer is passed on, and after. */
export interface StatementWatch {
  before(text: string): Verdict;
  after(): Verdict;
  answered(): void;
}

/**
 * A way to a PostgreSQL server on which each statement can be seen and stopped. Reads only where a message ends: `Q` and `S` end what a
 * client asks for, `Z` ends its answer. Source: postgresql.org/docs/current/protocol-message-formats.html.
 */
export function createStatementProxy(port: number, watch: StatementWatch): Server {
  return createServer((client) => {
    const server = connect(port, '127.0.0.1');
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.setNoDelay();
      socket.on('error', cut).on('close', cut);
    }
    let hasBegun = false;
    let isAsking = false;
    const judged = (verdict: Verdict, go: () => void): void => {
      if (verdict === 'cut') cut();
      else if (verdict === 'pass') go();
    };
    // What a client says first has no letter before its length.
    reading(
      client,
      () => (hasBegun ? 1 : 0),
      'QS',
      (asked, letter) => {
        if (letter === '') {
          hasBegun = true;
          server.write(asked);
          return;
        }
        isAsking = true;
        judged(watch.before(textOf(asked)), () => server.write(asked));
      },
    );
    reading(
      server,
      () => 1,
      'Z',
      (answer) => {
        if (!isAsking) return void client.write(answer);
        isAsking = false;
        judged(watch.after(), () => client.write(answer, () => watch.answered()));
      },
    );
  });
}

/** The first words of what is asked for. */
const textOf = (asked: Buffer): string =>
  /(BEGIN|COMMIT|ROLLBACK|SELECT|INSERT INTO|UPDATE|DELETE FROM)( \w+)?/.exec(asked.toString('latin1'))?.[0] ?? '';

/** Gives whole messages on, up to and with one of these letters. */
function reading(
  socket: Socket,
  lettersBefore: () => 0 | 1,
  ends: string,
  take: (messages: Buffer, letter: string) => void,
): void {
  let rest = Buffer.alloc(0);
  let whole = 0;
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const before = lettersBefore();
      if (rest.length < whole + before + 4) return;
      const end = whole + before + rest.readUInt32BE(whole + before);
      if (rest.length < end) return;
      const letter = before === 0 ? '' : String.fromCharCode(rest[whole]!);
      whole = end;
      if (letter !== '' && letter !== 'X' && !ends.includes(letter)) continue;
      const messages = rest.subarray(0, whole);
      rest = rest.subarray(whole);
      whole = 0;
      take(messages, letter === 'X' ? '' : letter);
    }
  });
}
