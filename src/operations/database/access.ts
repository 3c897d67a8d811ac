import { UsageError } from '../../errors.ts';
import { PlatformConnectionError, PlatformError, PlatformFailure } from '../../platform/errors.ts';
import type { TokenAuthorization } from '../../platform/resources/databases.ts';
import type { SqlTarget } from '../../platform/resources/sql.ts';
import type { Secret } from '../../secret.ts';
import { MINUTE } from '../../time.ts';
import { databaseUrl } from '../arguments/resources/database-hosts.ts';
import type { DatabaseRef } from '../arguments/resources/databases.ts';
import type { Context } from '../context.ts';

/** How long a token lives that is made for one statement. It is kept nowhere. */
export const TOKEN_MINUTES = 5;

/** The way to a database for one statement. `scope` is what the token may do, as far as it says so itself. */
export interface Access {
  target: SqlTarget;
  scope: TokenAuthorization | 'unknown';
}

/** The right that a libSQL token claims (`a`). Not checked, only read. */
function scopeOf(token: Secret): Access['scope'] {
  const [, payload = ''] = token.reveal().split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const scope = typeof claims === 'object' && claims !== null && 'a' in claims ? claims.a : undefined;
    return scope === 'ro' ? 'read-only' : scope === 'rw' ? 'full-access' : 'unknown';
  } catch {
    // No JWT, so it says nothing.
    return 'unknown';
  }
}

/** The token is only a means: whatever became of it, the statement was not sent. */
function beforeStatement(error: unknown): unknown {
  if (!(error instanceof PlatformFailure) || !error.maybeApplied) return error;
  const { service, method, path, message } = error;
  const about = { applied: 'no' as const, service, method, path, cause: error };
  return new PlatformConnectionError(`no token could be made for the statement: ${message}`, about);
}

/** The access of one context: it serves both the trial and the run. */
const made = new WeakMap<object, Map<string, Promise<Access>>>();

/** As `openAccess`, once for everything that one context does. */
export function accessTo(
  database: DatabaseRef,
  authorization: TokenAuthorization,
  context: AccessContext,
): Promise<Access> {
  const known = made.get(context) ?? new Map<string, Promise<Access>>();
  made.set(context, known);
  const key = `${authorization} ${database.id}`;
  const access = known.get(key) ?? openAccess(database, authorization, context);
  known.set(key, access);
  return access;
}

type AccessContext = Pick<Context, 'platform' | 'signal' | 'now' | 'configuredDatabase'>;

/**
 * Address and token for one statement: for the configured database those of the settings. Else a token of the given kind is
 * made now, which expires in minutes.
 */
async function openAccess(
  database: DatabaseRef,
  authorization: TokenAuthorization,
  context: AccessContext,
): Promise<Access> {
  const { platform, signal, now, configuredDatabase } = context;
  if (database.configured) {
    if (configuredDatabase === undefined) throw new UsageError('The settings give no database.');
    const { url, token } = configuredDatabase;
    return { target: { url, token }, scope: scopeOf(token) };
  }
  const url = await databaseUrl(database, context);
  const address = url === undefined ? { id: database.id } : { url };
  // No token is made for what would be sent nowhere.
  platform.sql.checkAddress(address);
  const expires = new Date(now.getTime() + TOKEN_MINUTES * MINUTE).toISOString();
  try {
    const { token } = await platform.databases.generateToken(
      database.id,
      { authorization, expires_at: expires },
      { signal },
    );
    return { target: { ...address, token }, scope: authorization };
  } catch (error) {
    // Nothing is known of this database but its id: it is the control plane that is missing, and that can be said better.
    if (!(error instanceof PlatformError) || error.status !== 404 || database.database !== undefined)
      throw beforeStatement(error);
    throw new UsageError(
      `No token can be made for the database ${database.id}: the platform does not know it, or has no database service here.`,
      {
        hint:
          configuredDatabase === undefined
            ? 'Whoever runs Edgewise can give a database in the settings (PLATFORM_DATABASE_URL and PLATFORM_DATABASE_AUTH_TOKEN); it is then named `configured`.'
            : 'The database of the settings is named `configured`.',
        argument: 'database',
      },
    );
  }
}
