import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto';
import type { Secret } from '../secret.ts';

/** The prefix of sealed texts. */
const MARK = 'sealed:';

/** A shorter key could be guessed from a stolen store. */
export const SHORTEST_KEY = 24;

/** Protects the store from people who can read it, and detects what others wrote into it. */
export interface Seal {
  /** There is a key, so unsealed texts and unsigned rows are refused. */
  keyed: boolean;
  /** JSON for a text column, sealed if there is a key. It can be read only in this place. */
  write(value: unknown, place: string): string;
  /** Undefined: it is not sealed, or was sealed for another place or with another key. */
  read(text: string, place: string): unknown;
  /** An HMAC, hexadecimal; null without a key. */
  sign(text: string): string | null;
  /** Whether the key signed it. Always true without a key. */
  proves(text: string, mac: unknown): boolean;
}

interface Keys {
  sealing: Buffer;
  signing: Buffer;
}

/** By setting, because scrypt is slow on purpose. */
const derived = new Map<string, Keys>();

function keysOf(secret: Secret): Keys {
  const text = secret.reveal();
  const known = derived.get(text);
  if (known !== undefined) return known;
  const root = scryptSync(text, 'edgewise store', 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 });
  const keyFor = (purpose: string) => Buffer.from(hkdfSync('sha256', root, '', purpose, 32));
  const keys = { sealing: keyFor('seal'), signing: keyFor('sign') };
  derived.set(text, keys);
  return keys;
}

/** `before`: signatures of the old key count, too. Only for code that reads a store and does nothing. */
export function createSeal(secret?: Secret, before?: Secret): Seal {
  if (secret === undefined) return UNSEALED;
  return sealBy([keysOf(secret), ...(before === undefined ? [] : [keysOf(before)])]);
}

/** The first keys seal and sign. */
function sealBy(all: readonly Keys[]): Seal {
  const [present] = all;
  return {
    keyed: present !== undefined,
    write(value, place) {
      const text = JSON.stringify(value);
      return present === undefined ? text : `${MARK}${sealWith(present.sealing, text, place).toString('base64')}`;
    },
    read(text, place) {
      if (present === undefined) return text.startsWith(MARK) ? undefined : JSON.parse(text);
      if (!text.startsWith(MARK)) return undefined;
      const sealed = Buffer.from(text.slice(MARK.length), 'base64');
      const plain = all.map(({ sealing }) => openWith(sealing, sealed, place)).find((one) => one !== undefined);
      return plain === undefined ? undefined : JSON.parse(plain.toString());
    },
    sign: (text) => (present === undefined ? null : signWith(present.signing, text)),
    proves: (text, mac) => present === undefined || all.some(({ signing }) => isSame(signWith(signing, text), mac)),
  };
}

/** AES-256-GCM, bound to the place. */
function sealWith(key: Buffer, plain: string, place: string): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([cipher.getAuthTag(), iv, sealed]);
}

function openWith(key: Buffer, sealed: Buffer, place: string): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(16, 28))
      .setAAD(Buffer.from(place))
      .setAuthTag(sealed.subarray(0, 16));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
  } catch {
    return undefined;
  }
}

const signWith = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('hex');

function isSame(expected: string, mac: unknown): boolean {
  if (typeof mac !== 'string') return false;
  const [one, other] = [Buffer.from(expected), Buffer.from(mac)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export const UNSEALED = sealBy([]);
/** With keys that only this process has. */
export const OWN_SEAL = sealBy([{ sealing: randomBytes(32), signing: randomBytes(32) }]);
