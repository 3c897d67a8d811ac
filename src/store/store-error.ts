/** Trouble with the store. Each kind has words for people. */
export type StoreTrouble = 'away' | 'slow' | 'locked' | 'full' | 'readonly' | 'refused' | 'damaged';

/** The store failed. The message is for the log. It is unknown whether the statement was done. */
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
  // Two statements block each other, or a lock was not given in time.
  ['locked', /^SQLITE_(BUSY|LOCKED|PROTOCOL)$|^(40001|40P01|55P03)$/],
  ['full', /^SQLITE_(FULL|IOERR)$|^(53100|53200|58030)$/],
  ['readonly', /^SQLITE_READONLY$/],
  ['damaged', /^SQLITE_(CORRUPT|NOTADB|CANTOPEN)$|^XX00[12]$/],
  ['refused', /^(28000|28P01|42501)$/],
  ['slow', /^57014$|^timeout (exceeded when trying to connect|expired)$/],
  // A server that refuses writes is a standby, or has just stopped being the primary.
  [
    'away',
    /^(08\w{3}|57P0\d|53300|25006|25P03)$|^E[A-Z]{3,}$|^Connection terminated|^Client has encountered a connection error/,
  ],
];

/** Turns an error of the store into a StoreError. Others stay as they are: the statement is wrong, not the store. */
export function storeErrorOf(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  // If a host has several addresses, each one has an error.
  const [cause = error] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const texts = [String((cause as { code?: unknown }).code ?? ''), cause.message];
  const [kind] = SAID.find(([, pattern]) => texts.some((text) => pattern.test(text))) ?? [];
  return kind === undefined ? error : new StoreError(kind, cause.message || kind, { cause: error });
}
