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

/** Codes and words of SQLite, of a libSQL server and of the network. Source: sqlite.org/rescode.html, libSQL's hrana-over-http. */
const SAID: readonly [kind: StoreTrouble, pattern: RegExp][] = [
  ['locked', /^SQLITE_(BUSY|LOCKED|PROTOCOL)|database (table )?is locked/],
  ['full', /^SQLITE_(FULL|IOERR)|disk is full|disk I\/O error/],
  ['readonly', /^SQLITE_READONLY|^BLOCKED$|readonly database/],
  ['damaged', /^SQLITE_(CORRUPT|NOTADB|CANTOPEN)|image is malformed/],
  ['refused', /^AUTH/],
  // A server that fails over has forgotten the stream.
  ['away', /^(STREAM_|TRANSACTION_)|stream (not found|expired)|^fetch failed$|^terminated$|^WEBSOCKET/i],
];

/** An error of libSQL's client and what caused it, the innermost last. */
export function causesOf(error: unknown): { message: string; name: string; code?: unknown; status?: unknown }[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** The same as a StoreError, where the store is the matter; what is wrong with a statement is given back as it is. */
export function storeErrorOf(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const causes = causesOf(error);
  const status = causes.map((one) => Number(one.status)).find((one) => one > 0) ?? 0;
  const said = SAID.find(([, pattern]) =>
    causes.some(({ code, message }) => [String(code), message].some((text) => pattern.test(text))),
  );
  const { message, code } = causes.at(-1) ?? {};
  if (said !== undefined) return new StoreError(said[0], message || String(code ?? said[0]), { cause: error });
  if (status === 401 || status === 403) return new StoreError('refused', `HTTP ${status}`, { cause: error });
  if (status > 0) return new StoreError('away', `HTTP ${status}`, { cause: error });
  const isLate = causes.some(({ name }) => name === 'TimeoutError');
  return isLate ? new StoreError('slow', 'no answer in time', { cause: error }) : error;
}
