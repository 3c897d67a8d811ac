import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** How long a process may take to end, in milliseconds. */
const PATIENCE = 5_000;

/** A process of its own that answers one question at a time. */
export interface Child<Question, Answer> {
  pid: number;
  ask(question: Question): Promise<Answer>;
  end(): Promise<void>;
}

/** Starts `file` (beside this one) and waits for its first message. */
export async function startChild<Question extends object, Answer>(
  file: string,
  args: readonly string[] = [],
): Promise<Child<Question, Answer> & { first: Answer }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const first = await answerOf<Answer>(child, file);
  return {
    first,
    pid: child.pid ?? 0,
    async ask(question) {
      const answer = answerOf<Answer>(child, file);
      child.send(question);
      return answer;
    },
    async end() {
      const ended = once(child, 'exit');
      // It ends on its own when nobody asks any more, and takes its files with it.
      child.disconnect();
      const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
      await ended;
      clearTimeout(late);
    },
  };
}

async function answerOf<Answer>(child: ChildProcess, file: string): Promise<Answer> {
  const ended = new AbortController();
  const onExit = () => ended.abort(new Error(`${file} ended before it answered`));
  child.once('exit', onExit);
  try {
    const [answer] = await once(child, 'message', { signal: ended.signal });
    return answer as Answer;
  } finally {
    child.off('exit', onExit);
  }
}
