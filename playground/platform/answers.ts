/** The services of the platform, one port each (every database is a service of its own port). */
export type Service = 'api' | 'origin-logs' | 'logging' | 'database';

/** An answer to a request. An object body is sent as JSON, text and bytes as they are. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent piece by piece instead of `body`. */
  stream?: Iterable<string>;
  /** True when something was changed; a 2xx to anything but GET is, unless this says otherwise. */
  applied?: boolean;
}

/** Thrown where a request is refused; carries the answer. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

/** The error body of the core routes: `{ErrorKey, Field, Message}`. */
export function coreError(status: number, ErrorKey: string, Field: string, Message: string): Answer {
  return { status, body: { ErrorKey, Field, Message } };
}

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

/** Problem details; `errorKey` is an extension member that tells conditions apart. */
export function problem(status: number, detail: string, instance: string, errorKey?: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8' },
    body: {
      type: `https://httpwg.org/specs/rfc9110.html#status.${status}`,
      title: TITLES[status] ?? 'Error',
      status,
      detail,
      instance,
      ...(errorKey === undefined ? {} : { errorKey }),
    },
  };
}

/** A validation problem of the application routes: problem details with a list of fields, and an id. */
export function validationProblem(instance: string, errors: readonly { field: string; message: string }[]): Answer {
  return {
    status: 400,
    body: {
      title: 'One or more validation errors occurred.',
      status: 400,
      detail: errors.map((error) => error.message).join(' '),
      instance,
      errors,
      id: 'val-4b1d0c',
    },
  };
}

/** The error body of the access log service: `{"error": {code, message, details}}`. */
export function logError(status: number, code: string, message: string, details: readonly string[] = []): Answer {
  return { status, body: { error: { code, message, details } } };
}

/** The error body of the database control plane and of the database hosts. */
export function databaseError(status: number, error: string, code?: string): Answer {
  return { status, body: { error, ...(code === undefined ? {} : { code }) } };
}

const part = (path: string): string => path.split('/')[1] ?? '';

/** The answer in the shape that the path's owner uses for errors of no particular route. */
export function plainError(service: Service, path: string, status: number, message: string): Answer {
  if (service === 'logging') {
    const codes: Record<number, string> = {
      401: 'unauthorized',
      403: 'forbidden',
      404: 'not_found',
      429: 'rate_limited',
    };
    return logError(status, codes[status] ?? (status < 500 ? 'invalid_request' : 'internal_error'), message);
  }
  if (service === 'database' || part(path) === 'database') {
    return databaseError(status, message);
  }
  if (part(path) === 'shield' || part(path) === 'mc') {
    return problem(status, message, path);
  }
  return { status, body: { Message: message } };
}
