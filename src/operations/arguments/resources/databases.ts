import type { Database } from '../../../platform/resources/databases.ts';
import { UNKNOWN } from '../../../policy/names.ts';
import type { ArgumentKind, Option } from '../../argument.ts';
import type { ResolveContext } from '../../context.ts';
import { isSameHost } from './database-hosts.ts';
import { checkReference, type Entry, lookUp, type Nouns, nameOrId, nameWithId, wordsFor } from './look-up.ts';

/** Only the id where no list has it. `configured`: the one of the settings. `words`: all that a policy may call it. */
export interface DatabaseRef {
  id: string;
  name?: string;
  database?: Database;
  configured?: boolean;
  words: readonly string[];
}

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

/** Only the one of the settings is called `configured`, whatever another one is named. */
function wordsOf(database: Named, settings: Settings): string[] {
  const name = database.name?.toLowerCase() === CONFIGURED ? undefined : database.name;
  return [...wordsFor(database.id, name), ...(isConfigured(database, settings) ? [CONFIGURED] : [])];
}

function isConfigured({ id, url }: Named, { configuredDatabase }: Settings): boolean {
  if (configuredDatabase === undefined) return false;
  const own = configuredDatabase.url;
  return (url !== undefined && isSameHost(url, own)) || isFirstLabel(id, own);
}

/** As on the platform, the host begins with the database's id. */
const isFirstLabel = (id: string, address: string): boolean =>
  address
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .startsWith(`${id.toLowerCase()}.`);

/** With the words of the listed database that it is, where there is exactly one. */
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
