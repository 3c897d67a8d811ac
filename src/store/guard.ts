import { AsyncLocalStorage } from 'node:async_hooks';
import { currentInteraction, type Interaction } from '../interaction.ts';
import { StoreError, storeErrorOf } from './store-error.ts';

/** How long the store may take, in milliseconds. */
export const PATIENCE = {
  /** With a statement that somebody waits for: a payload may wait for two, for the one before it and for its own. */
  statement: 1_000,
  /** With one that nobody waits for, or that is known to take long. */
  unhurried: 10_000,
  /** With all statements of an interaction, beyond what each may take in ordinary times. */
  interaction: 1_900,
  ordinary: 50,
  /** So many failures without a success in between, and nothing is asked but one probe at a time, this often. */
  failures: 2,
  probe: 1_000,
};

/** Lets statements through to a store, and turns them back at once while it is known that it does nothing. */
export interface Guard {
  /** Throws StoreError where the store is the matter. */
  run<T>(statement: () => Promise<T>): Promise<T>;
  /** Ends the probing. */
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

export function createGuard({ isServer, probe, onTrouble, patience }: Guarded): Guard {
  const limits = { ...PATIENCE, ...patience };
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
        onTrouble?.();
      }, probeLater);
    setTimeout(ask, limits.probe).unref();
  }

  function failed(error: unknown, begun: number): unknown {
    const found = storeErrorOf(error);
    if (!(found instanceof StoreError) || !['away', 'slow', 'locked'].includes(found.kind)) return found;
    const now = performance.now();
    // Of all that wait through one slow second one counts, and none where others were answered meanwhile. An interaction may
    // have too little left for a store that is well.
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
    async run(statement) {
      if (trouble !== undefined) throw trouble;
      const begun = performance.now();
      const limit = timeFor(limits);
      try {
        const result = isServer ? await within(statement, limit) : await statement();
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
async function within<T>(statement: () => Promise<T>, limit: number): Promise<T> {
  if (limit <= 0) throw late(limit);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(late(limit)), limit);
  const stopped = new Promise<never>((_, reject) =>
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true }),
  );
  try {
    return await Promise.race([givenUp.run(stop.signal, statement), stopped]);
  } finally {
    clearTimeout(timer);
  }
}
