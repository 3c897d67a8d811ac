import { PlatformError } from '../../../platform/errors.ts';
import type { Database } from '../../../platform/resources/databases.ts';
import type { Context } from '../../context.ts';

function hostOf(address: string): { hostname: string; port: string } | undefined {
  const url = `https://${address.replace(/^[a-z]+:\/\//i, '')}`;
  if (!URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return { hostname: hostname.replace(/\.$/, ''), port: port === '80' ? '' : port };
}

/** Only on this machine do ports tell servers apart. */
export function isSameHost(one: string, other: string): boolean {
  const [a, b] = [hostOf(one), hostOf(other)];
  if (a === undefined || b === undefined || a.hostname !== b.hostname) return false;
  const isHere = /^(127\.|\[::1\]$)|(^|\.)localhost$/.test(a.hostname);
  return !isHere || a.port === b.port;
}

/** Asked for when no list gave it. Undefined: not available. */
export async function databaseUrl(
  { id, database }: { id: string; database?: Database },
  { platform, signal }: Pick<Context, 'platform' | 'signal'>,
): Promise<string | undefined> {
  if (database?.url !== undefined) return database.url;
  try {
    return (await platform.databases.get(id, { signal })).url;
  } catch (error) {
    if (error instanceof PlatformError && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}
