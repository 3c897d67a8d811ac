import { logError, plainError, Refusal } from './answers.ts';
import type { Incoming } from './server.ts';
import type { Simulation } from './simulation.ts';

type Credentials = Pick<Simulation, 'account' | 'jwt'>;

const DENIED = 'Authorization has been denied for this request.';

/** The management API takes `AccessKey` alone. Throws the refusal. */
export function checkManagementAccess({ account }: Credentials, request: Incoming): void {
  refuseBoth(request);
  if (!isKey(account, request.headers.accesskey)) {
    throw new Refusal(plainError(request.service, request.path, 401, DENIED));
  }
}

/** The origin error log service takes `AccessKey`, or an `Authorization` that is the JWT and nothing else. */
export function checkOriginLogsAccess({ account, jwt }: Credentials, request: Incoming): void {
  refuseBoth(request);
  const { accesskey, authorization } = request.headers;
  if (!isKey(account, accesskey) && authorization !== jwt.originLogs) {
    throw new Refusal(plainError(request.service, request.path, 401, DENIED));
  }
}

/** The access log service takes `AccessKey`, or `Authorization: Bearer <JWT>`; none is 401, wrong is 403. */
export function checkLoggingAccess({ account, jwt }: Credentials, request: Incoming): void {
  refuseBoth(request);
  const { accesskey, authorization } = request.headers;
  if (accesskey === undefined && authorization === undefined) {
    throw new Refusal(logError(401, 'unauthorized', 'No credentials were provided.'));
  }
  if (!isKey(account, accesskey) && authorization !== `Bearer ${jwt.logging}`) {
    throw new Refusal(logError(403, 'forbidden', 'The credentials are not valid for this pull zone.'));
  }
}

function isKey({ keys }: Credentials['account'], text: string | undefined): boolean {
  return keys.some((key) => key.Key === text);
}

/** Both ways at once are refused, so that a client that sends both is noticed. */
function refuseBoth(request: Incoming): void {
  if (request.headers.accesskey !== undefined && request.headers.authorization !== undefined) {
    const message = 'Send either AccessKey or Authorization, not both.';
    throw new Refusal(plainError(request.service, request.path, 400, message));
  }
}
