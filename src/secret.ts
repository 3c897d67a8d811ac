import { inspect } from 'node:util';

/** Shown in place of a secret. */
export const HIDDEN = '[secret]';
/** Shown in place of a value that not everybody may read. */
export const MASK = '••••';

/** Source: docs/platform.md, Secrets in answers. */
export const SECRET_FIELD = /(key|password|secret|token)$|^authorization/i;

/** Prints `[secret]` everywhere. Only `.reveal()` returns the value, which makes its uses easy to find. */
export class Secret {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  static of(value: string): Secret {
    return new Secret(value);
  }

  /** For a header, a connection, or the one view of a new token. */
  reveal(): string {
    return this.#value;
  }

  /** The last four characters. A short value shows nothing. */
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
