import type { Process, VirtualTime } from './clock.ts';

/** What can happen where the bot waits for somebody else. */
export const FAULTS = [
  'none',
  'crash before',
  'crash after',
  'lost before',
  'lost after',
  'slow',
  'stalled',
  'late',
  'frozen',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Something that a process of the bot waits for. */
interface Waiting {
  owner: Process;
  label: string;
  readyAt: number;
  /** It was held up once already. */
  wasHeldUp: boolean;
  /** Has it done; what comes back answers it. */
  perform(): Promise<() => void>;
  /** Has it done or not, and answers that it broke off. */
  lose(isDone: boolean): Promise<void>;
}

/** Every place at which the bot waits: what goes on where, in which order, and what goes wrong, is chosen from outside. */
export interface Gates {
  /** The other side's work, done when it is its turn; `lost` makes the error of an answer that did not come. */
  pass<T>(owner: Process, label: string, work: () => Promise<T> | T, lost: () => Error): Promise<T>;
  /** Does one of what waits, if anything can be done now. */
  step(): Promise<boolean>;
  /** When the next thing can be done. */
  next(): number | undefined;
}

export interface GatesOptions {
  time: VirtualTime;
  /** From 0 up to, and without, 1. */
  choose: () => number;
  fault: (label: string) => Fault;
  crash: (owner: Process) => void;
  trace: (line: string) => void;
}

/** How long something is held up, in milliseconds: for a moment, and until every lease has run out. */
const SLOW = 4_000;
const STALLED = 150_000;

export function createGates({ time, choose, fault, crash, trace }: GatesOptions): Gates {
  let waiting: Waiting[] = [];
  /** What was done already, and is answered late. */
  let answers: { owner: Process; at: number; answer: () => void }[] = [];
  const readyAtOf = ({ readyAt, owner }: Waiting) => Math.max(readyAt, owner.frozenUntil);
  const alive = () => {
    waiting = waiting.filter(({ owner }) => owner.isAlive);
    return waiting;
  };
  return {
    pass(owner, label, work, lost) {
      return new Promise((resolve, reject) => {
        // Who is dead waits for ever.
        if (!owner.isAlive) return;
        waiting.push({
          owner,
          label,
          readyAt: time.now(),
          wasHeldUp: false,
          perform: async () => {
            try {
              const answer = await work();
              return () => resolve(answer);
            } catch (error) {
              return () => reject(error);
            }
          },
          lose: async (isDone) => {
            if (isDone) await Promise.resolve(work()).catch(() => undefined);
            reject(lost());
          },
        });
      });
    },
    async step() {
      const due = answers.find(({ at, owner }) => owner.isAlive && Math.max(at, owner.frozenUntil) <= time.now());
      if (due !== undefined) {
        answers = answers.filter((one) => one !== due);
        due.answer();
        return true;
      }
      const ready = alive().filter((waits) => readyAtOf(waits) <= time.now());
      const one = ready[Math.floor(choose() * ready.length)];
      if (one === undefined) return false;
      const what = fault(one.label);
      if ((what === 'slow' || what === 'stalled') && !one.wasHeldUp) {
        one.wasHeldUp = true;
        one.readyAt = time.now() + (what === 'slow' ? SLOW : STALLED);
        trace(`${one.label} is ${what}`);
        return true;
      }
      if (what === 'frozen') {
        one.owner.frozenUntil = time.now() + STALLED;
        trace(`${one.label}: its bot is frozen`);
        return true;
      }
      waiting = waiting.filter((other) => other !== one);
      time.pass(1);
      trace(what === 'none' ? one.label : `${one.label}: ${what}`);
      if (what === 'crash before') crash(one.owner);
      else if (what === 'lost before' || what === 'lost after') await one.lose(what === 'lost after');
      else {
        const answer = await one.perform();
        if (what === 'late') answers.push({ owner: one.owner, at: time.now() + STALLED, answer });
        else answer();
      }
      if (what === 'crash after') crash(one.owner);
      return true;
    },
    next: () =>
      [
        ...alive().map(readyAtOf),
        ...answers.filter(({ owner }) => owner.isAlive).map(({ at, owner }) => Math.max(at, owner.frozenUntil)),
      ].reduce<number | undefined>((first, at) => (first === undefined || at < first ? at : first), undefined),
  };
}
