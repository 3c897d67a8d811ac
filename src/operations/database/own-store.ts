import { UsageError } from '../../errors.ts';
import { type DatabaseRef, databaseName } from '../arguments/resources/databases.ts';

/** Host with and without its port; none for an address that cannot be read. */
export const hostsOf = (url: string): string[] => {
  if (!URL.canParse(url)) return [];
  const { host, hostname } = new URL(url);
  return [host.toLowerCase(), hostname.toLowerCase()];
};

/** A database holds the bot's own store, as far as its id and address tell. */
export function holdsOwnStore(database: DatabaseRef, url: string | undefined, ownHost: string | undefined): boolean {
  if (ownHost === undefined) return false;
  const own = ownHost.toLowerCase();
  return own.startsWith(`${database.id.toLowerCase()}.`) || (url !== undefined && hostsOf(url).includes(own));
}

/** Refuses to write into the bot's own store, where the audit is. Throws UsageError. */
export function refuseOwnStore(database: DatabaseRef, url: string | undefined, ownHost: string | undefined): void {
  if (!holdsOwnStore(database, url, ownHost)) return;
  throw new UsageError(`${databaseName(database)} holds the bot’s own store: it is not changed from here.`, {
    hint: 'The audit is in it, and nobody can change that by asking the bot.',
    argument: 'database',
  });
}
