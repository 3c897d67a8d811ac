import type { ApiKey } from './account/account.ts';
import { logError, plainError, Refusal } from './answers.ts';
import type { Incoming } from './server.ts';

/** Checks a request's credentials; throws the refusal that its service answers. */
export type Authenticate = (request: Incoming) => void;

const DENIED = 'Authorization has been denied for this request.';

/** Both ways at once are refused, so that a client that sends both is noticed. */
function refuseBoth(request: Incoming): void {
  if (request.headers.accesskey !== undefined && request.headers.authorization !== undefined) {
    const message = 'Send either AccessKey or Authorization, not both.';
    throw new Refusal(plainError(request.service, request.path, 400, message));
  }
}

/** The management API: `AccessKey` alone (spec 5). */
export function managementAuthentication(keys: readonly ApiKey[]): Authenticate {
  return (request) => {
    refuseBoth(request);
    if (!keys.some((key) => key.Key === request.headers.accesskey)) {
      throw new Refusal(plainError(request.service, request.path, 401, DENIED));
    }
  };
}

/** The origin error log service: `AccessKey`, or an `Authorization` that is the JWT and nothing else (spec 5). */
export function originLogsAuthentication(keys: readonly ApiKey[], jwt: string): Authenticate {
  return (request) => {
    refuseBoth(request);
    const { accesskey, authorization } = request.headers;
    if (!keys.some((key) => key.Key === accesskey) && authorization !== jwt) {
      throw new Refusal(plainError(request.service, request.path, 401, DENIED));
    }
  };
}

/** The access log service: `AccessKey`, or `Authorization: Bearer <JWT>`; none is 401, wrong is 403 (spec 5 and 7). */
export function loggingAuthentication(keys: readonly ApiKey[], jwt: string): Authenticate {
  return (request) => {
    refuseBoth(request);
    const { accesskey, authorization } = request.headers;
    if (accesskey === undefined && authorization === undefined) {
      throw new Refusal(logError(401, 'unauthorized', 'No credentials were provided.'));
    }
    if (!keys.some((key) => key.Key === accesskey) && authorization !== `Bearer ${jwt}`) {
      throw new Refusal(logError(403, 'forbidden', 'The credentials are not valid for this pull zone.'));
    }
  };
}
