import { insteadOf } from '../../../errors.ts';
import { PlatformError } from '../../../platform/errors.ts';
import type { Database } from '../../../platform/resources/databases.ts';
import { UNKNOWN } from '../../../policy/names.ts';
import type { Context, ResolveContext } from '../../context.ts';
import type { ArgumentKind, Option } from '../../operation.ts';
import { type Kind, lookUp, nameOrId, nameWithId, type Settings, wordsFor } from './look-up.ts';

/** `configured`: the database of the settings. `words`: what a policy may call it. */
export type DatabaseRef = Partial<Database> & {
  id: string;
  unlisted?: true;
  configured?: true;
  words: readonly string[];
};

export const CONFIGURED = 'configured';

export const DATABASES: Kind<Database> = {
  label: 'Database',
  hint: 'Name or id of a database',
  one: 'database',
  subject: 'database',
  command: 'database list',
  // It is the first part of a host name (docs/platform.md, Addresses).
  ids: /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/,
  list: ({ databases }) => databases,
  description: ({ storage_region }) => storage_region,
  words: wordsOf,
};

export const databaseName = (database: DatabaseRef): string =>
  database.configured ? 'the database in the settings' : nameWithId(database);

type Addressed = Pick<Database, 'id' | 'name' | 'url'>;

/** Only the database of the settings is `configured`, whatever others are named. */
function wordsOf(database: Addressed, settings: Settings): string[] {
  const name = database.name?.toLowerCase() === CONFIGURED ? undefined : database.name;
  return [...wordsFor({ ...database, name }), ...(isConfigured(database, settings) ? [CONFIGURED] : [])];
}

function isConfigured({ id, url }: Addressed, { configuredDatabase }: Settings): boolean {
  if (configuredDatabase === undefined) return false;
  const own = configuredDatabase.url;
  // As on the platform, the host begins with the database’s id.
  const address = own.toLowerCase().replace(/^[a-z]+:\/\//, '');
  return (url !== undefined && isSameHost(url, own)) || address.startsWith(`${id.toLowerCase()}.`);
}

/** If exactly one listed database is the configured one, its words count, too. */
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
  const found = await lookUp(typed, DATABASES, context);
  return found === undefined
    ? { id: typed, unlisted: true, words: wordsOf({ id: typed }, context) }
    : { ...found, words: wordsOf(found, context) };
}

export function database(): ArgumentKind<DatabaseRef> {
  const kind = nameOrId(DATABASES, { resolve, words: ({ words }) => words });
  return {
    ...kind,
    called: databaseName,
    async suggest(query, context) {
      const options = await kind.suggest(query, context);
      const { items } = await context.catalogue.databases();
      const names = { database: [configuredRef(items, context).words] };
      const own: Option = { label: 'The database in the settings', value: CONFIGURED, names };
      return context.configuredDatabase !== undefined && CONFIGURED.startsWith(query.trim().toLowerCase())
        ? [own, ...options.filter((option) => option.value !== CONFIGURED)].slice(0, 100)
        : options;
    },
  };
}

function hostOf(address: string): { hostname: string; port: string } | undefined {
  const url = `https://${address.replace(/^[a-z]+:\/\//i, '')}`;
  if (!URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return { hostname: hostname.replace(/\.$/, ''), port: port === '80' ? '' : port };
}

/** Ports distinguish servers only on this machine. */
export function isSameHost(one: string, other: string): boolean {
  const [a, b] = [hostOf(one), hostOf(other)];
  if (a === undefined || b === undefined || a.hostname !== b.hostname) return false;
  const isHere = /^(127\.|\[::1\]$)|(^|\.)localhost$/.test(a.hostname);
  return !isHere || a.port === b.port;
}

/** Asks the platform if no list had it. Undefined: it is not available. */
export async function databaseUrl(
  { id, url }: DatabaseRef,
  { platform, signal }: Pick<Context, 'platform' | 'signal'>,
): Promise<string | undefined> {
  if (url !== undefined) return url;
  const isRefused = (error: unknown) => error instanceof PlatformError && error.status >= 400 && error.status < 500;
  return (await platform.databases.get(id, { signal }).catch(insteadOf(isRefused, undefined)))?.url;
}
