import { UsageError } from '../../../errors.ts';
import type { Database } from '../../../platform/resources/databases.ts';
import type { ArgumentKind, Option } from '../../argument.ts';
import type { ResolveContext } from '../../context.ts';
import { type Entry, lookUp, type Nouns, namesUnknown, suggestEntries, typedOption, wordsFor } from './look-up.ts';
import { isSameHost, refuseOwnStore } from './own-store.ts';

/**
 * A database as far as it is known: only its id while the platform lists none, or not this one. `configured` is the one of the
 * settings, given as URL and token: it needs no control plane.
 */
export interface DatabaseRef {
  id: string;
  name?: string;
  database?: Database;
  configured?: boolean;
}

/** The word that stands for the database of the settings. */
export const CONFIGURED = 'configured';

const DATABASES: Nouns = { one: 'database', many: 'databases', command: 'database list' };

/** The form of a database's id: it is the first part of a host name (docs/platform.md, Addresses). */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** `orders (db_01H…)`, or the id while only that is known. */
export function databaseName(database: DatabaseRef): string {
  if (database.configured) return 'the database of the settings';
  return database.name === undefined ? database.id : `${database.name} (${database.id})`;
}

const databaseRefOf = (database: Database): DatabaseRef => ({
  id: database.id,
  ...(database.name === undefined ? {} : { name: database.name }),
  database,
});

const databaseEntry = (database: Database): Entry<Database> => ({
  id: database.id,
  name: database.name,
  description: database.storage_region,
  names: { database: wordsFor(database.id, database.name) },
  thing: database,
});

/** The host of an address and its first part, which may be the id; none for an address that cannot be read. */
function wordsOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { hostname } = new URL(url);
  return [hostname, hostname.split('.')[0] ?? hostname];
}

function check(text: string): void {
  if (text.trim() === '') throw new UsageError('The database is empty.', { hint: 'Give its name or its id.' });
  if (text.length > 255) throw new UsageError('The database is too long for a name or an id.');
}

async function resolve(text: string, { catalogue, configuredDatabase, fresh }: ResolveContext): Promise<DatabaseRef> {
  const typed = text.trim();
  if (configuredDatabase !== undefined && typed.toLowerCase() === CONFIGURED) {
    return { id: CONFIGURED, name: CONFIGURED, configured: true };
  }
  const { items, missing } = await catalogue.databases({ fresh });
  if (missing !== undefined) {
    if (configuredDatabase !== undefined && wordsOf(configuredDatabase.url).includes(typed.toLowerCase())) {
      return { id: CONFIGURED, name: CONFIGURED, configured: true };
    }
    if (ID.test(typed)) return { id: typed };
    throw namesUnknown(typed, missing, DATABASES);
  }
  const byId = items.find((database) => database.id === typed);
  if (byId !== undefined) return databaseRefOf(byId);
  const found = await lookUp(typed, (options) => catalogue.databases(options), databaseEntry, DATABASES, fresh, ID);
  return found === undefined ? { id: typed } : databaseRefOf(found);
}

/** A database by name or id; `configured` for the one of the settings. */
export function database(label = 'Database'): ArgumentKind<DatabaseRef> {
  return {
    label,
    hint: 'Name or id of a database',
    shape: 'word',
    required: true,
    field: { type: 'suggest', placeholder: 'Name or id' },
    check,
    async resolve(text, context) {
      const found = await resolve(text ?? '', context);
      await refuseOwnStore({ ...found, name: databaseName(found) }, context);
      return found;
    },
    textOf: ({ id }) => id,
    names: { of: ['database'], read: ({ id, name }: DatabaseRef) => ({ database: wordsFor(id, name) }) },
    async suggest(query, { catalogue, configuredDatabase, ownDatabaseHost }) {
      const isOwn = (url: string | undefined) =>
        ownDatabaseHost !== undefined && url !== undefined && isSameHost(url, ownDatabaseHost);
      const items = (await catalogue.databases()).items.filter(({ url }) => !isOwn(url));
      const options = suggestEntries(query, items.map(databaseEntry), (typed) => typedOption(typed, check));
      const own: Option = { label: 'The database of the settings', value: CONFIGURED };
      const isOffered = configuredDatabase !== undefined && !isOwn(configuredDatabase.url);
      return isOffered && CONFIGURED.startsWith(query.trim().toLowerCase())
        ? [own, ...options.filter((option) => option.value !== CONFIGURED)].slice(0, 100)
        : options;
    },
  };
}
