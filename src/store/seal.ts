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
  /** The same for bytes. Without a key they are sealed with one that only this process has. */
  seal(plain: Buffer, place: string): Buffer;
  open(sealed: Buffer, place: string): Buffer | undefined;
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
  const present = secret === undefined ? undefined : keysOf(secret);
  const all = present === undefined ? [] : [present, ...(before === undefined ? [] : [keysOf(before)])];
  const sealing = present?.sealing ?? randomBytes(32);
  const openings = all.length === 0 ? [sealing] : all.map((one) => one.sealing);
  const opened = (sealed: Buffer, place: string) =>
    openings.map((key) => openWith(key, sealed, place)).find((plain) => plain !== undefined);
  const keyed = present !== undefined;
  return {
    keyed,
    seal: (plain, place) => sealWith(sealing, plain, place),
    open: opened,
    write(value, place) {
      const text = JSON.stringify(value);
      return keyed ? `${MARK}${sealWith(sealing, Buffer.from(text), place).toString('base64')}` : text;
    },
    read(text, place) {
      if (!keyed) return text.startsWith(MARK) ? undefined : JSON.parse(text);
      const plain = text.startsWith(MARK) ? opened(Buffer.from(text.slice(MARK.length), 'base64'), place) : undefined;
      return plain === undefined ? undefined : JSON.parse(plain.toString());
    },
    sign: (text) => (present === undefined ? null : signWith(present.signing, text)),
    proves: (text, mac) => !keyed || all.some(({ signing }) => isSame(signWith(signing, text), mac)),
  };
}

/** AES-256-GCM, bound to the place. */
function sealWith(key: Buffer, plain: Buffer, place: string): Buffer {
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

export const UNSEALED = createSeal();
