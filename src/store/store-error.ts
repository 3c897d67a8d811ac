/** The kinds of trouble with the store: by them people are told what happened, and what helps. */
export type StoreTrouble = 'away' | 'slow' | 'locked' | 'full' | 'readonly' | 'refused' | 'damaged';

/** The store cannot do what it was asked. The message says why, for the log; whether a statement was done is not known. */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly kind: StoreTrouble;

  constructor(kind: StoreTrouble, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * Codes of SQLite, of PostgreSQL and of the network, and words of PostgreSQL's client where it gives no code.
 * Sources: sqlite.org/rescode.html, postgresql.org/docs/current/errcodes-appendix.html, pg and pg-pool 8.
 */
const SAID: readonly [kind: StoreTrouble, pattern: RegExp][] = [
  // Refused to both for as long as they stand in each other's way; a lock that was not given in time.
  ['locked', /^SQLITE_(BUSY|LOCKED|PROTOCOL)$|^(40001|40P01|55P03)$/],
  ['full', /^SQLITE_(FULL|IOERR)$|^(53100|53200|58030)$/],
  ['readonly', /^SQLITE_READONLY$/],
  ['damaged', /^SQLITE_(CORRUPT|NOTADB|CANTOPEN)$|^XX00[12]$/],
  ['refused', /^(28000|28P01|42501)$/],
  ['slow', /^57014$|^timeout (exceeded when trying to connect|expired)$/],
  // One that takes no writes is a standby, or was the primary until a moment ago.
  [
    'away',
    /^(08\w{3}|57P0\d|53300|25006|25P03)$|^E[A-Z]{3,}$|^Connection terminated|^Client has encountered a connection error/,
  ],
];

/** The kind of trouble that an error of an engine stands for. Undefined: the statement is the matter, and not the store. */
function troubleOf(error: { message: string; code?: unknown }): StoreTrouble | undefined {
  const texts = [String(error.code ?? ''), error.message];
  return SAID.find(([, pattern]) => texts.some((text) => pattern.test(text)))?.[0];
}

/** The same as a StoreError, where the store is the matter; what is wrong with a statement is given back as it is. */
export function storeErrorOf(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  // Where a name has several addresses, each has an error of its own.
  const [cause = error] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const kind = troubleOf(cause);
  return kind === undefined ? error : new StoreError(kind, cause.message || kind, { cause: error });
}
