import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Secret } from '../secret.ts';

/** Begins a sealed text, to tell it from a text that was kept without a key. */
const MARK = 'sealed:';

/** Keeps what people typed and were answered from whoever can read the store. AES-256-GCM, bound to the row that it stands in. */
export interface Seal {
  seal(plain: Buffer, row: string): Buffer;
  /** Undefined: sealed with another key, or for another row. */
  open(sealed: Buffer, row: string): Buffer | undefined;
}

/** The seal of a key; without one, of a key that nobody knows and that ends with the process. */
export function createSeal(secret?: Secret): Seal {
  const key = secret === undefined ? randomBytes(32) : createHash('sha256').update(secret.reveal()).digest();
  return {
    seal(plain, row) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(row));
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([cipher.getAuthTag(), iv, sealed]);
    },
    open(sealed, row) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(16, 28))
          .setAAD(Buffer.from(row))
          .setAuthTag(sealed.subarray(0, 16));
        return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/** JSON in a column of text: sealed where there is a key, else as it is, since it has to outlive the process. */
export interface SealedJson {
  write(value: unknown, row: string): string;
  /** Undefined: it was sealed with another key. */
  read(text: string, row: string): unknown;
}

/** Seals with a key of the settings; without one, texts stay as they are. */
export function createSealedJson(secret: Secret | undefined): SealedJson {
  const seal = secret === undefined ? undefined : createSeal(secret);
  return {
    write(value, row) {
      const text = JSON.stringify(value);
      return seal === undefined ? text : `${MARK}${seal.seal(Buffer.from(text), row).toString('base64')}`;
    },
    read(text, row) {
      if (!text.startsWith(MARK)) return JSON.parse(text);
      const opened = seal?.open(Buffer.from(text.slice(MARK.length), 'base64'), row);
      return opened === undefined ? undefined : JSON.parse(opened.toString());
    },
  };
}

/** For a store without a key. */
export const UNSEALED = createSealedJson(undefined);
