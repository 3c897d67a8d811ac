/** One complaint of a validation answer, and the field of the request where that is said. */
export interface FieldComplaint {
  message: string;
  field?: string;
}

/** The request that failed. `path` is without the query, which may carry what nobody should read. */
export interface FailedRequest {
  service: string;
  method: string;
  path: string;
}

/** The fields of a refusal; all but the status and the request are there only when the platform said them. */
export interface PlatformErrorFields extends FailedRequest {
  /** The status that classifies the refusal: the body's own when the answer came as 2xx, else HTTP's. */
  status: number;
  /** The status of HTTP; differs from `status` where a failure hides in a 202. */
  httpStatus?: number | undefined;
  /** `ErrorKey`, `errorKey` or `code`, whichever the body has. */
  key?: string | undefined;
  field?: string | undefined;
  title?: string | undefined;
  detail?: string | undefined;
  instance?: string | undefined;
  id?: string | undefined;
  errors?: FieldComplaint[] | undefined;
  details?: string[] | undefined;
  /** Seconds, from the `Retry-After` header. */
  retryAfter?: number | undefined;
  /** The `cdn-requestid` header, which the platform's support asks for. */
  requestId?: string | undefined;
}

/** Everything that a request of the platform can fail with is one of these. */
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

  /** The platform may have done what was asked all the same. */
  abstract get maybeApplied(): boolean;
}

/** The platform said no. Carries everything it said, and no secret. Source: docs/platform.md, Errors. */
export class PlatformError extends PlatformFailure {
  override name = 'PlatformError';
  readonly status: number;
  readonly httpStatus: number;
  readonly key: string | undefined;
  readonly field: string | undefined;
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly instance: string | undefined;
  readonly id: string | undefined;
  readonly errors: readonly FieldComplaint[];
  readonly details: readonly string[];
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, fields: PlatformErrorFields) {
    super(message, fields);
    this.status = fields.status;
    this.httpStatus = fields.httpStatus ?? fields.status;
    this.key = fields.key;
    this.field = fields.field;
    this.title = fields.title;
    this.detail = fields.detail;
    this.instance = fields.instance;
    this.id = fields.id;
    this.errors = fields.errors ?? [];
    this.details = fields.details ?? [];
    this.retryAfter = fields.retryAfter;
    this.requestId = fields.requestId;
  }

  /**
   * A 4xx is a no, and of shield a complaint in a 2xx too. A fault (5xx, often only a gateway's), a redirect and a complaint in
   * another 2xx do not say how far a change had come.
   */
  get maybeApplied(): boolean {
    const isNo = this.status < 300 ? this.service === 'shield' : this.status >= 400 && this.status < 500;
    return this.method !== 'GET' && !isNo;
  }
}

/** A statement failed inside an answer that HTTP calls a success. The others ran all the same. */
export class SqlError extends PlatformError {
  override name = 'SqlError';

  /** The answer is whole: it was not. */
  override get maybeApplied(): boolean {
    return false;
  }
}

/** No answer came. `applied` says whether the platform may have done what was asked: `no` is certain, `maybe` is not. */
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

/** The fence of a change was closed: its request was given up right before it would have left. */
export class NotSentError extends PlatformConnectionError {
  override name = 'NotSentError';
}

/** A success that is no answer of the platform's: whoever gave it may not even have passed the request on. */
export class PlatformShapeError extends PlatformFailure {
  override name = 'PlatformShapeError';

  get maybeApplied(): boolean {
    return this.method !== 'GET';
  }
}
