import { createHash } from 'node:crypto';
import type { Random } from '../random.ts';

/** The rights of a database token. */
export type Authorization = 'full-access' | 'read-only';

/** A token that was made: its rights, its expiry, and whether it was revoked. */
export interface TokenState {
  token: string;
  authorization: Authorization;
  /** null: never. */
  expires: Date | null;
  revoked: boolean;
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

/** A text in the form of a signed JWT. Nobody checks the signature: what is valid is what is in the list. */
export function signedText(claims: object, salt: string): string {
  const signed = `${base64url({ alg: 'EdDSA', typ: 'JWT' })}.${base64url(claims)}`;
  return `${signed}.${createHash('sha512').update(signed).update(salt).digest('base64url')}`;
}

/** A database token: a JWT of about 300 characters with the claims that libSQL servers use. */
export function seedToken(
  random: Random,
  token: { id: string; groupId: string; authorization: Authorization; issued: Date; expires: Date | null },
): string {
  const claims = {
    a: token.authorization === 'full-access' ? 'rw' : 'ro',
    iat: seconds(token.issued),
    ...(token.expires === null ? {} : { exp: seconds(token.expires) }),
    id: token.id,
    gid: token.groupId,
    jti: random.text(12),
  };
  return signedText(claims, random.text(16));
}
