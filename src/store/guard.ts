import { AsyncLocalStorage } from 'node:async_hooks';
import { currentInteraction, type Interaction } from '../interaction.ts';
import { StoreError, storeErrorOf } from './store-error.ts';

/** How long the store may take, in milliseconds, and how much waits for it. */
export const PATIENCE = {
  /** With a statement that somebody waits for: a payload may wait for two, for the one before it and for its own. */
  statement: 1_000,
  /** With one that nobody waits for, or that is known to take long. */
  unhurried: 10_000,
  /** With all statements of an interaction, beyond what each may take in ordinary times. */
  interaction: 1_900,
  ordinary: 50,
  /** Statements at a server at once that read: the others wait here, each no longer than it may take. */
  atOnce: 20,
  /** And that write, of each replica: a dozen writers bring sqld 0.24.32 to a stand (docs/operating.md has the figures). */
  writesAtOnce: 1,
  /** Of each kind. */
  mostWaiting: 500,
  /** A statement that is given up runs on at the server, and keeps its turn until it ends, or so long. */
  abandoned: 5_000,
  /** So many failures without a success in between, and nothing is asked but one probe at a time, this often. */
  failures: 2,
  probe: 1_000,
};

/** Statements that write have a line of their own. */
export type StatementKind = 'read' | 'write';

/** Lets statements through to a store, and turns them back at once while it is known that it does nothing. */
export interface Guard {
  /** Throws StoreError where the store is the matter. */
  run<T>(statement: () => Promise<T>, kind: StatementKind): Promise<T>;
  /** Ends what still waits, and the probing. */
  close(): void;
}

/** A store, as far as its guard has to know it. */
export interface Guarded {
  /** An embedded store answers on this very thread: nothing can be waited for meanwhile. */
  isServer: boolean;
  /** Asks it for something that needs to write, and changes nothing. */
  probe: () => Promise<unknown>;
  /** Told when it is turned to no more, and, with nothing, when it answers again. */
  onTrouble?: ((trouble?: StoreError) => void) | undefined;
  patience?: Partial<typeof PATIENCE> | undefined;
}

const unhurriedWork = new AsyncLocalStorage<number>();
const givenUp = new AsyncLocalStorage<AbortSignal>();
/** How much longer than usual the statements of an interaction have taken, in milliseconds. */
const taken = new WeakMap<Interaction, number>();

/** Does work whose statements may take so long each, whatever the interaction has left: much is read, or has to be written. */
export const unhurried = <T>(work: () => T, limit = PATIENCE.unhurried): T => unhurriedWork.run(limit, work);

/** Aborts when the statement that this is part of is given up. Undefined: this is part of none. */
export const statementSignal = (): AbortSignal | undefined => givenUp.getStore();

/** A guard of one store. */
export function createGuard({ isServer, probe, onTrouble, patience }: Guarded): Guard {
  const limits = { ...PATIENCE, ...patience };
  const lines = { read: createTurns(limits, limits.atOnce), write: createTurns(limits, limits.writesAtOnce) };
  let failures = 0;
  /** When the store last answered, or was last found not to, by `performance.now()`. */
  let heard = 0;
  let trouble: StoreError | undefined;
  let isClosed = false;

  /** One probe after the other, until one succeeds. */
  function probeLater(): void {
    if (isClosed) return;
    const ask = () =>
      within(probe, limits.statement).then(() => {
        [trouble, failures] = [undefined, 0];
        for (const line of Object.values(lines)) line.forget();
        onTrouble?.();
      }, probeLater);
    setTimeout(ask, limits.probe).unref();
  }

  function failed(error: unknown, begun: number): unknown {
    const found = storeErrorOf(error);
    if (!(found instanceof StoreError) || !['away', 'slow', 'locked'].includes(found.kind)) return found;
    const now = performance.now();
    // Of all that wait through one slow second one counts, and none where others were answered meanwhile. An interaction may
    // have too little left for a store that is well, and the line may be full.
    if (found.kind === 'slow' && (begun < heard || Math.ceil(now - begun) < limits.statement)) return found;
    heard = now;
    failures += 1;
    if (failures >= limits.failures && trouble === undefined) {
      trouble = found;
      onTrouble?.(found);
      probeLater();
    }
    return found;
  }

  return {
    async run(statement, kind) {
      if (trouble !== undefined) throw trouble;
      const begun = performance.now();
      const limit = timeFor(limits);
      try {
        const result = isServer ? await lines[kind].take(statement, limit) : await statement();
        [failures, heard] = [0, performance.now()];
        return result;
      } catch (error) {
        throw failed(error, begun);
      } finally {
        charge(performance.now() - begun - limits.ordinary);
      }
    },
    close() {
      isClosed = true;
      for (const line of Object.values(lines)) line.close();
    },
  };
}

/** How long this statement may take, in milliseconds. */
function timeFor({ statement, interaction }: typeof PATIENCE): number {
  const long = unhurriedWork.getStore();
  if (long !== undefined) return long;
  const asking = currentInteraction();
  if (asking === undefined) return statement;
  // Before the first one of its own it has waited for the one that noted its payload.
  if (!taken.has(asking)) taken.set(asking, Math.min(performance.now() - asking.since, statement));
  return Math.min(statement, interaction - taken.get(asking)!);
}

function charge(more: number): void {
  const asking = currentInteraction();
  if (asking !== undefined && more > 0 && unhurriedWork.getStore() === undefined)
    taken.set(asking, (taken.get(asking) ?? 0) + more);
}

const late = (limit: number) => new StoreError('slow', `no answer in ${Math.max(0, Math.round(limit))} ms`);

/** Runs a statement that is given up, and said to be, after so many milliseconds. */
async function within<T>(statement: () => Promise<T>, limit: number, whole = limit): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(late(whole)), Math.max(0, limit));
  const stopped = new Promise<never>((_, reject) =>
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true }),
  );
  try {
    return await Promise.race([givenUp.run(stop.signal, statement), stopped]);
  } finally {
    clearTimeout(timer);
  }
}

/** Of many statements so many at once; the others wait in a line that has an end. */
function createTurns({ mostWaiting, abandoned }: typeof PATIENCE, atOnce: number) {
  const line = new Set<{ begin: () => void; leave: (why: StoreError) => void }>();
  /** How to give back each turn of a statement that was given up and has not ended. */
  const givenUpTurns = new Set<() => void>();
  let underway = 0;

  function turn(limit: number): Promise<void> {
    if (limit <= 0) throw late(limit);
    if (underway < atOnce) {
      underway += 1;
      return Promise.resolve();
    }
    if (line.size >= mostWaiting) throw new StoreError('slow', `${line.size} statements wait for it already`);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiting.leave(late(limit)), limit);
      const waiting = {
        begin() {
          clearTimeout(timer);
          line.delete(waiting);
          resolve();
        },
        leave(why: StoreError) {
          clearTimeout(timer);
          line.delete(waiting);
          reject(why);
        },
      };
      line.add(waiting);
    });
  }

  function next(): void {
    const [first] = line;
    if (first === undefined) underway -= 1;
    else first.begin();
  }

  /** Gives the turn back when the statement ends, or is forgotten, whatever is first. */
  function giveBackAfter(ended: Promise<unknown>): void {
    const giveBack = () => {
      if (!givenUpTurns.delete(giveBack)) return;
      clearTimeout(timer);
      next();
    };
    givenUpTurns.add(giveBack);
    const timer = setTimeout(giveBack, abandoned).unref();
    ended.then(giveBack, giveBack);
  }

  return {
    async take<T>(statement: () => Promise<T>, limit: number): Promise<T> {
      const begun = performance.now();
      await turn(limit);
      let ended: Promise<T> | undefined;
      let isOver = false;
      const watched = () => {
        ended = statement().finally(() => {
          isOver = true;
        });
        return ended;
      };
      try {
        return await within(watched, limit - (performance.now() - begun), limit);
      } finally {
        if (isOver || ended === undefined) next();
        else giveBackAfter(ended);
      }
    },
    /** The server answers again: what was given up before is no measure of what it has to do. */
    forget() {
      for (const giveBack of [...givenUpTurns]) giveBack();
    },
    close() {
      for (const waiting of line) waiting.leave(new StoreError('away', 'the store was closed'));
    },
  };
}
