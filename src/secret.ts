import { inspect } from 'node:util';

/** Stands where a secret stood. */
export const HIDDEN = '[secret]';
/** Stands where a value stood that is not for everybody. */
export const MASK = '••••';

/** A field of the platform's answers whose value is secret. Source: docs/platform.md, Secrets in answers. */
export const SECRET_FIELD = /(key|password|secret|token)$|^authorization/i;

/**
 * A value that must never be seen: an access key, a token, a signing secret. It prints `[secret]` in strings, JSON, logs and
 * the inspector; `.reveal()` is the one way out, so that every use can be found by searching for it.
 */
export class Secret {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  static of(value: string): Secret {
    return new Secret(value);
  }

  /** The value itself. Only for a header, a connection, or the one view that shows a new token. */
  reveal(): string {
    return this.#value;
  }

  /** The last four characters behind dots: enough to tell two keys apart. Short values show nothing. */
  masked(): string {
    return this.#value.length >= 12 ? `${MASK}${this.#value.slice(-4)}` : MASK;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
