/** One complaint of a validation answer (spec 2.11): what is wrong, and at which field of the request where that is said. */
export interface FieldComplaint {
  message: string;
  field?: string;
}

/** What a refusal of the platform carries; everything but the status and the request is there only when the platform said it. */
export interface PlatformErrorFields {
  /** The status that classifies the refusal: the body's own when the answer came as 2xx, else HTTP's. */
  status: number;
  /** The status of HTTP; differs from `status` where a failure hides in a 202. */
  httpStatus?: number | undefined;
  service: string;
  method: string;
  /** Without the query, which may carry what nobody should read. */
  path: string;
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

/** The platform said no. Carries everything it said (spec 2.11, part 7), and no secret. */
export class PlatformError extends Error {
  override name = 'PlatformError';
  readonly status: number;
  readonly httpStatus: number;
  readonly service: string;
  readonly method: string;
  readonly path: string;
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
    super(message);
    this.status = fields.status;
    this.httpStatus = fields.httpStatus ?? fields.status;
    this.service = fields.service;
    this.method = fields.method;
    this.path = fields.path;
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

  /** What was asked for does not exist, whether HTTP or only the body's key says so. */
  get notFound(): boolean {
    return this.status === 404 || this.key?.startsWith('not_found') === true;
  }

  /** A fault on its side (5xx, often only a gateway's) does not say how far a change had come by then. */
  get maybeApplied(): boolean {
    return this.method !== 'GET' && this.status >= 500;
  }
}

/** A statement failed inside an answer that HTTP calls a success (row 16). The others ran all the same. */
export class SqlError extends PlatformError {
  override name = 'SqlError';
  /** Which statement, counted from 0. */
  readonly index: number;
  /** How many of the others did not fail. */
  readonly succeeded: number;

  constructor(message: string, fields: PlatformErrorFields, index: number, succeeded: number) {
    super(message, fields);
    this.index = index;
    this.succeeded = succeeded;
  }

  /** The answer is whole: it was not. */
  override get maybeApplied(): boolean {
    return false;
  }
}

/** No answer came. `applied` says whether the platform may have done what was asked: `no` is certain, `maybe` is not. */
export class PlatformConnectionError extends Error {
  override name = 'PlatformConnectionError';
  readonly applied: 'no' | 'maybe';
  readonly service: string;
  readonly method: string;
  readonly path: string;

  constructor(
    message: string,
    fields: { applied: 'no' | 'maybe'; service: string; method: string; path: string; cause?: unknown },
  ) {
    super(message, { cause: fields.cause });
    this.applied = fields.applied;
    this.service = fields.service;
    this.method = fields.method;
    this.path = fields.path;
  }
}

/** The platform said yes in a shape that cannot be read. After a write it was done: `applied` is then `yes`. */
export class PlatformShapeError extends Error {
  override name = 'PlatformShapeError';
  readonly applied: 'no' | 'yes';
  readonly service: string;
  readonly method: string;
  readonly path: string;

  constructor(
    message: string,
    fields: { applied: 'no' | 'yes'; service: string; method: string; path: string; cause?: unknown },
  ) {
    super(message, { cause: fields.cause });
    this.applied = fields.applied;
    this.service = fields.service;
    this.method = fields.method;
    this.path = fields.path;
  }
}
