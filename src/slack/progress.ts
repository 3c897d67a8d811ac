import { randomBytes } from 'node:crypto';
import { BUTTONS, button } from '../blocks/buttons.ts';
import { bytes, count } from '../blocks/format.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import type { AskResult, Following, Request } from '../changes/ask.ts';
import { logged, RestartingError, StoppedError } from '../errors.ts';
import type { Actor } from '../operations/context.ts';
import { problemOf } from '../problem.ts';
import { tell } from './conversation.ts';
import type { Bot, Origin, Running } from './services.ts';

/** Shows progress once, or with `again` at every change: a view takes any number of updates, a response URL five answers. */
export async function follow(
  services: Bot,
  { operation, actor }: Pick<Request, 'operation' | 'actor'>,
  work: (following: Following) => Promise<AskResult>,
  show: (text: Message) => Promise<void>,
  { again = false } = {},
) {
  const id = randomBytes(12).toString('base64url');
  const controller = new AbortController();
  const running: Running = { id, operation, asker: actor.id, controller, reached: undefined, pressed: undefined };
  services.running.set(id, running);
  const silence = keepShowing(services, running, show, again);
  try {
    const working = work({
      stop: controller.signal,
      progress: (done, total, unit) => {
        running.reached = reachedOf(done, total, unit);
      },
    });
    const asked = await Promise.race([working, restarting(controller.signal)]);
    const isRestarting = asked.kind === 'problem' && controller.signal.reason instanceof RestartingError;
    return { asked, inPlaceOf: running.pressed, isRestarting };
  } finally {
    services.running.delete(id);
    await silence();
  }
}

/** Shows progress until the returned function is called. */
function keepShowing(
  { log }: Bot,
  running: Running,
  show: (text: Message) => Promise<void>,
  again: boolean,
): () => Promise<void> {
  let shown: string | undefined;
  let isOver = false;
  let looking = Promise.resolve();
  const look = async () => {
    const reached = running.reached ?? '';
    if (shown === undefined || (again && shown !== reached)) {
      shown = reached;
      await show(progressMessage(running, again));
    }
  };
  let timer = setTimeout(function tick() {
    looking = look()
      .catch(logged(log, 'info', 'could not report that work goes on'))
      .finally(() => {
        if (!isOver) timer = setTimeout(tick, 2_000);
      });
  }, 2_500);
  return async () => {
    isOver = true;
    clearTimeout(timer);
    // A progress message under way must not arrive after the answer.
    await looking;
  };
}

export async function howFar(services: Bot, id: string, origin: Origin, actor: Actor): Promise<void> {
  const running = services.running.get(id);
  if (running === undefined) {
    return tell(services, origin, message(note('It has ended, or another process runs it: its answer comes here.')));
  }
  if (running.asker !== actor.id) return tell(services, origin, notTheirs(running));
  running.pressed = origin;
  await tell(services, origin, progressMessage(running, false), { replace: true });
}

export async function stopRunning(services: Bot, id: string, origin: Origin, actor: Actor): Promise<void> {
  const running = services.running.get(id);
  if (running !== undefined && running.asker !== actor.id) return tell(services, origin, notTheirs(running));
  if (running !== undefined) {
    running.pressed = origin;
    return stop(running);
  }
  // Another replica may run it.
  await services.store.jobs.add({ kind: 'stop', key: keyOf(id, actor.id) });
  await services.store.database.tell();
  await tell(services, origin, message('Stopping, unless it has just ended.'), { replace: true });
}

export async function stopPressed({ running, store }: Bot): Promise<void> {
  for (const one of running.values()) if (await store.jobs.seen(keyOf(one.id, one.asker))) stop(one);
}

const notTheirs = ({ asker }: Running): Message => message(mrkdwn`${user(asker)} asked for this, and has the answer.`);

const keyOf = (id: string, asker: string) => `stopped:${id}:${asker}`;

function stop({ controller, reached, operation }: Running): void {
  const until = reached === undefined ? '' : ` after ${reached}`;
  controller.abort(new StoppedError(`You stopped ${operation.name}${until}. Nothing was changed.`));
}

/** Resolves when the process stops. A read that others wait for goes on. */
function restarting(signal: AbortSignal): Promise<AskResult> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      if (!(signal.reason instanceof RestartingError)) return;
      const { message: text, summary, outcome } = problemOf(signal.reason);
      resolve({ kind: 'problem', message: text, summary, outcome });
    });
  });
}

export function abortReads(running: Bot['running']): void {
  for (const { controller, operation } of running.values())
    controller.abort(
      new RestartingError(`Edgewise is being restarted, and stopped ${operation.name}. Nothing was changed.`, {
        hint: 'Start it again in a moment.',
      }),
    );
}

/** In the default locale, because only the asker reads it. */
function reachedOf(done: number, total: number | undefined, unit: 'bytes' | 'records' | undefined): string {
  if (unit === 'bytes') return total === undefined ? bytes(done) : `${bytes(done)} of ${bytes(total)}`;
  const of = total === undefined ? '' : ` of ${count(total)}`;
  return `${count(done)}${of} ${unit ?? 'steps'}`;
}

/** Nobody removes this message later, so its words have to stay true. */
function progressMessage({ id, operation, reached }: Running, inView: boolean): Message {
  const where = inView ? '' : ' The answer comes below.';
  return message(
    note(mrkdwn`${code(operation.name)} takes a moment.${where}${reached === undefined ? '' : ` ${reached} so far.`}`),
    actions(button(BUTTONS.howFar, id), button(BUTTONS.stop, id)),
  );
}
