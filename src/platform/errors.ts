export interface FieldComplaint {
  message: string;
  field?: string;
}

/** `path` has no query, which may hold secrets. */
export interface FailedRequest {
  service: string;
  method: string;
  path: string;
}

/** Every failed request of the platform. */
export abstract class PlatformFailure extends Error implements FailedRequest {
  readonly service: string;
  readonly method: string;
  readonly path: string;

  constructor(message: string, { service, method, path }: FailedRequest, options?: { cause?: unknown }) {
    super(message, options);
    this.service = service;
    this.method = method;
    this.path = path;
  }

  /** The platform may have done it nevertheless. */
  abstract get maybeApplied(): boolean;
}

/** What the platform said of the error. */
export type PlatformErrorFields = FailedRequest &
  Pick<PlatformError, 'status'> & {
    [K in Exclude<keyof PlatformError, keyof PlatformFailure>]?: PlatformError[K] | undefined;
  };

/** The platform said no. Contains no secret. Source: docs/platform.md, Errors. */
export class PlatformError extends PlatformFailure {
  override name = 'PlatformError';
  /** In a 2xx answer the status in the body, else that of HTTP. */
  readonly status!: number;
  /** Differs from `status` if a 202 contains a failure. */
  readonly httpStatus!: number;
  /** `ErrorKey`, `errorKey` or `code`. */
  readonly key!: string | undefined;
  readonly field!: string | undefined;
  readonly title!: string | undefined;
  readonly detail!: string | undefined;
  readonly instance!: string | undefined;
  readonly id!: string | undefined;
  readonly errors!: readonly FieldComplaint[];
  readonly details!: readonly string[];
  /** Seconds. */
  readonly retryAfter!: number | undefined;
  /** For the platform's support. */
  readonly requestId!: string | undefined;

  constructor(message: string, fields: PlatformErrorFields) {
    super(message, fields);
    const { httpStatus = fields.status, errors = [], details = [] } = fields;
    Object.assign(this, fields, { httpStatus, errors, details });
  }

  /** A 4xx means no. For shield an error in a 2xx does, too. After faults and redirects it is unknown. */
  get maybeApplied(): boolean {
    const isNo = this.status < 300 ? this.service === 'shield' : this.status >= 400 && this.status < 500;
    return this.method !== 'GET' && !isNo;
  }
}

/** An error of one statement, inside a successful answer. Other statements ran. */
export class SqlError extends PlatformError {
  override name = 'SqlError';

  /** The answer is complete, so the statement was not applied. */
  override get maybeApplied(): boolean {
    return false;
  }
}

/** No answer came. `applied: 'no'`: certainly not applied. */
export class PlatformConnectionError extends PlatformFailure {
  override name = 'PlatformConnectionError';
  readonly applied: 'no' | 'maybe';

  constructor(message: string, fields: FailedRequest & { applied: 'no' | 'maybe'; cause?: unknown }) {
    super(message, fields, { cause: fields.cause });
    this.applied = fields.applied;
  }

  get maybeApplied(): boolean {
    return this.applied === 'maybe' && this.method !== 'GET';
  }
}

/** It may be over in a few minutes. */
export const mayPass = (error: unknown): boolean =>
  error instanceof PlatformConnectionError ||
  (error instanceof PlatformError && (error.status >= 500 || error.status === 429));

/** The fence closed right before the request would have left. */
export class NotSentError extends PlatformConnectionError {
  override name = 'NotSentError';
}

/** A success that the platform cannot have sent. The request may not even have reached it. */
export class PlatformShapeError extends PlatformFailure {
  override name = 'PlatformShapeError';

  get maybeApplied(): boolean {
    return this.method !== 'GET';
  }
}
