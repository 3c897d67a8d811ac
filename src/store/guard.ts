import { AsyncLocalStorage } from 'node:async_hooks';
import { currentInteraction, type Interaction } from '../interaction.ts';
import { unlessAborted } from '../time.ts';
import { StoreError, storeErrorOf } from './store-error.ts';

/** In milliseconds. */
export const PATIENCE = {
  /** For a statement that somebody waits for. A payload may wait for two: the one before it and its own. */
  statement: 1_000,
  /** For a statement that nobody waits for, or that takes long. */
  unhurried: 10_000,
  /** For all statements of an interaction, beyond what each ordinarily takes. */
  interaction: 1_900,
  ordinary: 50,
  /** After `failures` in a row, only a probe is sent, every `probe` milliseconds. */
  failures: 2,
  probe: 1_000,
};

/** What a guard needs to know of its store. */
export interface Guarded {
  /** An embedded store answers on this thread, so there is no waiting for it. */
  isServer: boolean;
  /** Tries a write that changes nothing. */
  probe: () => Promise<unknown>;
  /** Called with the trouble when an outage begins, and without it when the store answers again. */
  onTrouble?: ((trouble?: StoreError) => void) | undefined;
  patience?: Partial<typeof PATIENCE> | undefined;
}

const unhurriedWork = new AsyncLocalStorage<number>();
const givenUp = new AsyncLocalStorage<AbortSignal>();
/** In milliseconds. How much longer than ordinary the statements of an interaction have taken. */
const taken = new WeakMap<Interaction, number>();

/** Gives each statement inside `work` that much time, whatever the interaction has left. */
export const unhurried = <T>(work: () => T, limit = PATIENCE.unhurried): T => unhurriedWork.run(limit, work);

/** Aborts when the present statement is given up. Undefined: there is none. */
export const statementSignal = (): AbortSignal | undefined => givenUp.getStore();

/** Passes statements to a store, or refuses them at once while the store is known not to work. */
export type Guard = ReturnType<typeof createGuard>;

export function createGuard({ isServer, probe, onTrouble, patience }: Guarded) {
  const limits = { ...PATIENCE, ...patience };
  let failures = 0;
  /** When the store last answered, or last failed, by `performance.now()`. */
  let heard = 0;
  let trouble: StoreError | undefined;
  let isClosed = false;

  /** Probes one after the other until one succeeds. */
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
    // Statements that waited through the same slow second count as one failure; as none if others were answered meanwhile.
    // A statement may also be slow only because its interaction had too little time left.
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
    /** Throws StoreError if the store is the cause. */
    async run<T>(statement: () => Promise<T>): Promise<T> {
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
        const more = performance.now() - begun - limits.ordinary;
        const asking = currentInteraction();
        if (asking !== undefined && more > 0 && unhurriedWork.getStore() === undefined)
          taken.set(asking, (taken.get(asking) ?? 0) + more);
      }
    },
    close() {
      isClosed = true;
    },
  };
}

function timeFor({ statement, interaction }: typeof PATIENCE): number {
  const long = unhurriedWork.getStore();
  if (long !== undefined) return long;
  const asking = currentInteraction();
  if (asking === undefined) return statement;
  // It has already waited for the statement that stored its payload.
  if (!taken.has(asking)) taken.set(asking, Math.min(performance.now() - asking.since, statement));
  return Math.min(statement, interaction - taken.get(asking)!);
}

const late = (limit: number) => new StoreError('slow', `no answer in ${Math.max(0, Math.round(limit))} ms`);

/** Gives a statement up after `limit` milliseconds, and aborts it. */
async function within<T>(statement: () => Promise<T>, limit: number): Promise<T> {
  if (limit <= 0) throw late(limit);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(late(limit)), limit);
  try {
    return await unlessAborted(givenUp.run(stop.signal, statement), stop.signal);
  } finally {
    clearTimeout(timer);
  }
}
