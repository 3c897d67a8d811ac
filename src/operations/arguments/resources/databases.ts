import type { Database } from '../../../platform/resources/databases.ts';
import { UNKNOWN } from '../../../policy/names.ts';
import type { ArgumentKind, Option } from '../../argument.ts';
import type { ResolveContext } from '../../context.ts';
import { isSameHost } from './database-hosts.ts';
import { checkReference, type Entry, lookUp, type Nouns, nameOrId, nameWithId, wordsFor } from './look-up.ts';

/**
 * A database as far as it is known: only its id while the platform lists none, or not this one. `configured` is the one of the
 * settings, given as URL and token: it needs no control plane. `words` are all that a policy may call it.
 */
export interface DatabaseRef {
  id: string;
  name?: string;
  database?: Database;
  configured?: boolean;
  words: readonly string[];
}

/** The word that stands for the database of the settings. */
export const CONFIGURED = 'configured';

const DATABASES: Nouns = { one: 'database', many: 'databases', subject: 'database', command: 'database list' };

/** The form of a database's id: it is the first part of a host name (docs/platform.md, Addresses). */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** `orders (db_01H…)`, or the id while only that is known. */
export function databaseName(database: DatabaseRef): string {
  if (database.configured) return 'the database of the settings';
  return nameWithId(database.name, database.id);
}

type Settings = Pick<ResolveContext, 'configuredDatabase'>;

const databaseRefOf = (database: Database, settings: Settings): DatabaseRef => ({
  id: database.id,
  ...(database.name === undefined ? {} : { name: database.name }),
  database,
  words: wordsOf(database, settings),
});

const entryIn =
  (settings: Settings) =>
  (database: Database): Entry<Database> => ({
    id: database.id,
    name: database.name,
    description: database.storage_region,
    names: { database: [wordsOf(database, settings)] },
    thing: database,
  });

type Named = Pick<Database, 'id' | 'name' | 'url'>;

/** The id, the name, and the word for the one of the settings: only that is called so, whatever another one is named. */
function wordsOf(database: Named, settings: Settings): string[] {
  const name = database.name?.toLowerCase() === CONFIGURED ? undefined : database.name;
  return [...wordsFor(database.id, name), ...(isConfigured(database, settings) ? [CONFIGURED] : [])];
}

function isConfigured({ id, url }: Named, { configuredDatabase }: Settings): boolean {
  if (configuredDatabase === undefined) return false;
  const own = configuredDatabase.url;
  return (url !== undefined && isSameHost(url, own)) || isFirstLabel(id, own);
}

/** The host of an address begins with the id of a database, as on the platform. */
const isFirstLabel = (id: string, address: string): boolean =>
  address
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .startsWith(`${id.toLowerCase()}.`);

/** The one of the settings, with the words of the listed one that it is; a name that no list gives cannot be read. */
function configuredRef(items: readonly Database[], settings: Settings): DatabaseRef {
  const [listed, ...others] = items.filter((database) => isConfigured(database, settings));
  const words = listed === undefined || others.length > 0 ? [UNKNOWN, CONFIGURED] : wordsOf(listed, settings);
  return { id: CONFIGURED, name: CONFIGURED, configured: true, words };
}

async function resolve(text: string, context: ResolveContext): Promise<DatabaseRef> {
  const { catalogue, configuredDatabase, fresh, may } = context;
  const typed = text.trim();
  const { items, missing } = await catalogue.databases({ fresh });
  const configured = configuredRef(items, context);
  const isAlias = configuredDatabase !== undefined && typed.toLowerCase() === CONFIGURED;
  if (isAlias && may({ database: [configured.words] })) return configured;
  if (missing !== undefined && isConfigured({ id: typed, url: typed }, context)) return configured;
  const found = await lookUp(typed, catalogue.databases, entryIn(context), DATABASES, context, ID);
  return found === undefined ? { id: typed, words: wordsOf({ id: typed }, context) } : databaseRefOf(found, context);
}

/** A database by name or id; `configured` for the one of the settings. */
export function database(label = 'Database'): ArgumentKind<DatabaseRef> {
  const kind = nameOrId<DatabaseRef, Database>({
    label,
    hint: 'Name or id of a database',
    subject: 'database',
    check: (text) => checkReference(text, 'database'),
    resolve,
    textOf: ({ id }) => id,
    words: ({ words }) => words,
    entries: async (context) => (await context.catalogue.databases()).items.map(entryIn(context)),
  });
  return {
    ...kind,
    async suggest(query, context) {
      const options = await kind.suggest(query, context);
      const { items } = await context.catalogue.databases();
      const names = { database: [configuredRef(items, context).words] };
      const own: Option = { label: 'The database of the settings', value: CONFIGURED, names };
      const { configuredDatabase } = context;
      return configuredDatabase !== undefined && CONFIGURED.startsWith(query.trim().toLowerCase())
        ? [own, ...options.filter((option) => option.value !== CONFIGURED)].slice(0, 100)
        : options;
    },
  };
}
