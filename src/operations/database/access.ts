import { UsageError } from '../../errors.ts';
import { PlatformConnectionError, PlatformError, PlatformFailure } from '../../platform/errors.ts';
import type { TokenAuthorization } from '../../platform/resources/databases.ts';
import type { SqlTarget } from '../../platform/resources/sql.ts';
import type { Secret } from '../../secret.ts';
import { MINUTE } from '../../time.ts';
import { type DatabaseRef, databaseUrl } from '../arguments/resources/databases.ts';
import { type Context, oncePerContext } from '../context.ts';

/** In minutes. The token is for one statement, and is not stored. */
export const TOKEN_MINUTES = 5;

/** `scope`: the rights that the token claims. */
interface Access {
  target: SqlTarget;
  scope: TokenAuthorization | 'unknown';
}

/** The claim `a` of a libSQL token. Only read, not verified. */
function scopeOf(token: Secret): Access['scope'] {
  const [, payload = ''] = token.reveal().split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const scope = typeof claims === 'object' && claims !== null && 'a' in claims ? claims.a : undefined;
    return scope === 'ro' ? 'read-only' : scope === 'rw' ? 'full-access' : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Whether or not a token was made, the statement was not sent. */
function beforeStatement(error: unknown): unknown {
  if (!(error instanceof PlatformFailure) || !error.maybeApplied) return error;
  const { service, method, path, message } = error;
  const about = { applied: 'no' as const, service, method, path, cause: error };
  return new PlatformConnectionError(`no token could be made for the statement: ${message}`, about);
}

/** The address and token of the settings, else a new token that expires in minutes. */
async function openAccess(context: Context, database: DatabaseRef, authorization: TokenAuthorization): Promise<Access> {
  const { platform, signal, now, configuredDatabase } = context;
  if (database.configured) {
    if (configuredDatabase === undefined) throw new UsageError('The settings give no database.');
    const { url, token } = configuredDatabase;
    return { target: { url, token }, scope: scopeOf(token) };
  }
  const url = await databaseUrl(database, context);
  const address = url === undefined ? { id: database.id } : { url };
  // Checked first, so that no useless token is made.
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
    // Only the id is known, so the control plane may be missing. A clearer message says so.
    if (!(error instanceof PlatformError) || error.status !== 404 || !database.unlisted) throw beforeStatement(error);
    throw new UsageError(
      `No token can be made for the database ${database.id}: the platform does not know it, or has no database service here.`,
      {
        hint:
          configuredDatabase === undefined
            ? 'Whoever runs Edgewise can give a database in the settings (PLATFORM_DATABASE_URL and PLATFORM_DATABASE_AUTH_TOKEN); it is then named `configured`.'
            : 'The database in the settings is named `configured`.',
        argument: 'database',
      },
    );
  }
}

/** One access per context serves both the trial and the run. */
const accessFor = (authorization: TokenAuthorization) =>
  oncePerContext((context, database: DatabaseRef) => openAccess(context, database, authorization));
export const readAccess = accessFor('read-only');
export const fullAccess = accessFor('full-access');
