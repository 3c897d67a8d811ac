import { inspect } from 'node:util';

/** In place of a secret. */
export const HIDDEN = '[secret]';
/** In place of a value that is not for everybody. */
export const MASK = '••••';

/** Source: docs/platform.md, Secrets in answers. */
export const SECRET_FIELD = /(key|password|secret|token)$|^authorization/i;

/** Prints `[secret]` everywhere; `.reveal()` is the one way out, and can be searched for. */
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

  /** The last four characters; short values show nothing. */
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
