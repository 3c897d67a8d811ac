import { isIP } from 'node:net';
import { UsageError } from '../errors.ts';
import { textId } from './shapes.ts';

const isLoopback = (hostname: string) =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d+){3}$/.test(hostname);

/** IPv6 keeps its brackets. */
function hostEntry(entry: string): { hostname: string; port: string } {
  const match = /^(\[[0-9a-f:]+\]|[^:/\s]+)(?::(\d+))?$/i.exec(entry.trim());
  if (!match?.[1])
    throw new UsageError(`“${entry}” is not a database host.`, { hint: 'Check PLATFORM_DATABASE_HOST.' });
  return { hostname: match[1].toLowerCase(), port: match[2] ?? '' };
}

/** Allows the entry’s host and hosts under it, and only its port if it has one. */
function isAllowed(address: URL, entry: string): boolean {
  const { hostname, port } = hostEntry(entry);
  const given = address.hostname.toLowerCase();
  const isUnder = given === hostname || (isIP(hostname) === 0 && given.endsWith(`.${hostname}`));
  const isAtPort = port ? portOf(address) === port : address.port === '' || isLoopback(given);
  return isUnder && isAtPort;
}

const portOf = (address: URL) => address.port || (address.protocol === 'https:' ? '443' : '80');

/** `http:` and `ws:` become HTTP; `libsql:` too, on this machine without `tls=1`. Everything else becomes HTTPS. */
function parseAddress(url: string): URL | undefined {
  const match = /^(libsql|wss?|https?):\/\/(.+)$/i.exec(url.trim());
  if (!match || !URL.canParse(`http://${match[2]}`)) return undefined;
  const scheme = match[1]?.toLowerCase();
  const parsed = new URL(`http://${match[2]}`);
  const isPlain =
    scheme === 'http' ||
    scheme === 'ws' ||
    (scheme === 'libsql' && isLoopback(parsed.hostname) && parsed.searchParams.get('tls') !== '1');
  return isPlain ? parsed : new URL(`https://${match[2]}`);
}

/** The database’s own URL, else `https://<id>.{first host}`. Throws `UsageError` for other hosts. Messages contain no URL, which may hold a token. */
export function databaseAddress(
  target: { url?: string | undefined; id?: string | undefined },
  hosts: readonly string[],
): URL {
  const first = hosts[0];
  if (first === undefined) {
    throw new UsageError('No database host is set, so no token may be sent anywhere.', {
      hint: 'Set PLATFORM_DATABASE_HOST.',
    });
  }
  const address = target.url === undefined ? addressOfId(target.id, first) : parseAddress(target.url);
  if (!address) throw new UsageError('The address of the database cannot be read.');
  if (address.username || address.password || address.searchParams.has('authToken')) {
    throw new UsageError(
      'The address of the database contains credentials. Take them out: the token is set separately.',
    );
  }
  if (!hosts.some((entry) => isAllowed(address, entry))) {
    throw new UsageError(`The database's host ${address.host} is not one that tokens may be sent to.`, {
      hint: 'Add it to PLATFORM_DATABASE_HOST if it is yours.',
    });
  }
  if (address.protocol === 'http:' && !isLoopback(address.hostname)) {
    throw new UsageError(`The database's address at ${address.host} is not encrypted (plain http).`);
  }
  address.search = '';
  address.hash = '';
  return address;
}

function addressOfId(id: string | undefined, entry: string): URL {
  if (id === undefined) throw new UsageError('A database is needed, by its URL or its id.', { argument: 'database' });
  const { hostname, port } = hostEntry(entry);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw new UsageError(
      'The address of this database is not known: an id leads to a host name, not to an IP address.',
      {
        hint: 'Ask whoever runs Edgewise to name a host in PLATFORM_DATABASE_HOST (on this machine `localhost:8080`, say), or to give the database in the settings.',
      },
    );
  }
  // Database ids may have underscores, which strict host labels do not allow.
  const scheme = isLoopback(hostname) ? 'http' : 'https';
  return new URL(`${scheme}://${textId(id, 'database')}.${hostname}${port ? `:${port}` : ''}`);
}
