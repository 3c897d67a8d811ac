import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { BUTTONS, button } from '../blocks/buttons.ts';
import { bytes, count } from '../blocks/format.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import type { Answer, Following } from '../changes/ask.ts';
import { StoppedError } from '../errors.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Deliveries } from '../store/deliveries.ts';
import type { Origin } from './origin.ts';

/** After this long without an answer the person is told that work goes on, in milliseconds. */
const PATIENCE = 2_500;
/** How often a view says how far it is, and how often it is looked up whether another replica was told to stop, in milliseconds. */
const PAUSE = 2_000;

/** One that has not been answered yet. */
interface Going {
  operation: AnyOperation;
  controller: AbortController;
  /** How far it is, in words; undefined before anything was reported. */
  reached: string | undefined;
  /** The press whose message shows how far it is: the answer takes that message's place. */
  pressed: Origin | undefined;
}

/** What came of it, and where the answer belongs. */
export interface Followed {
  answer: Answer;
  /** Set when a message that says how far it is should become the answer. */
  inPlaceOf: Origin | undefined;
}

/** What people wait for: it says that it goes on and how far it is, and can be stopped while nothing was changed. */
export type Underway = ReturnType<typeof createUnderway>;

export function createUnderway(services: {
  deliveries: Deliveries;
  tell(origin: Origin, text: Message, options?: { replace?: boolean }): Promise<void>;
  log: Logger;
}) {
  const { deliveries, tell, log } = services;
  const goingById = new Map<string, Going>();

  /**
   * Does the work. What takes a while is shown once; `again`: and whenever it has come further, where that can be done without
   * end (a message for one person's eyes takes five answers, a view any number).
   */
  async function follow(
    operation: AnyOperation,
    work: (following: Following) => Promise<Answer>,
    show: (text: Message) => Promise<void>,
    { again = false } = {},
  ): Promise<Followed> {
    const id = randomBytes(12).toString('base64url');
    const going: Going = { operation, controller: new AbortController(), reached: undefined, pressed: undefined };
    goingById.set(id, going);
    let shown: string | undefined;
    let looking = Promise.resolve();
    const look = async () => {
      const reached = going.reached ?? '';
      if (shown === undefined || (again && shown !== reached)) {
        shown = reached;
        await show(stateOf(id, going, again));
      }
      if (await deliveries.seen(keyOf(id))) stop(going);
    };
    let timer = setTimeout(function tick() {
      looking = look()
        .catch((error: unknown) => log.info({ err: error }, 'could not say that work goes on'))
        .finally(() => {
          if (goingById.has(id)) timer = setTimeout(tick, PAUSE);
        });
    }, PATIENCE);
    try {
      const answer = await work({
        stop: going.controller.signal,
        progress: (done, total, unit) => {
          going.reached = reachedOf(done, total, unit);
        },
      });
      return { answer, inPlaceOf: going.pressed };
    } finally {
      goingById.delete(id);
      clearTimeout(timer);
      // What is being said now must not come after the answer.
      await looking;
    }
  }

  /** `How far is it?`: in the place of the message that it was asked in. */
  async function howFar(id: string, origin: Origin): Promise<void> {
    const going = goingById.get(id);
    if (going === undefined) return tell(origin, OVER, { replace: true });
    going.pressed = origin;
    await tell(origin, stateOf(id, going, false), { replace: true });
  }

  /** `Cancel`: the work ends, and says so in the place of the message. */
  async function cancel(id: string, origin: Origin): Promise<void> {
    const going = goingById.get(id);
    if (going !== undefined) {
      going.pressed = origin;
      return stop(going);
    }
    // Another replica may be at it: it looks here.
    await deliveries.first(keyOf(id));
    await tell(origin, message('It stops, if it has not ended yet.'), { replace: true });
  }

  return { follow, howFar, cancel };
}

const OVER = message(note('It is not under way any more.'));

const keyOf = (id: string) => `stopped:${id}`;

function stop({ controller, reached, operation }: Going): void {
  const until = reached === undefined ? '' : ` after ${reached}`;
  controller.abort(new StoppedError(`You stopped ${operation.name}${until}. Nothing was changed.`));
}

/** Only the one who asked sees it, so the numbers are written as everywhere else for nobody in particular. */
function reachedOf(done: number, total: number | undefined, unit: 'bytes' | 'records' | undefined): string {
  if (unit === 'bytes') return total === undefined ? bytes(done) : `${bytes(done)} of ${bytes(total)}`;
  const of = total === undefined ? '' : ` of ${count(total)}`;
  return `${count(done)}${of} ${unit ?? 'steps'}`;
}

/** In words that stay true: nothing takes a message away again that nobody has pressed. */
function stateOf(id: string, { operation, reached }: Going, inView: boolean): Message {
  const where = inView ? '' : ' The answer comes below.';
  return message(
    note(mrkdwn`${code(operation.name)} takes a moment.${where}${reached === undefined ? '' : ` ${reached} so far.`}`),
    actions(button(BUTTONS.howFar, id), button(BUTTONS.stop, id)),
  );
}
