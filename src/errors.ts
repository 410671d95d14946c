/** Every error a user can see: its HTTP status, and whether a job may try again after it. */
export const ERRORS = {
  BAD_REQUEST: { status: 400, retry: false },
  BAD_REQUEST_INVALID_JSON: { status: 400, retry: false },
  FEATURE_NOT_AVAILABLE: { status: 400, retry: false },
  SCRAPE_ACTIONS_NOT_SUPPORTED: { status: 400, retry: false },
  // Zero data retention, and an option that cannot do without.
  SCRAPE_ZDR_VIOLATION_ERROR: { status: 400, retry: false },
  SCRAPE_JSON_CONTENT_TOO_LARGE: { status: 400, retry: false },
  UNAUTHORIZED: { status: 401, retry: false },
  INSUFFICIENT_CREDITS: { status: 402, retry: false },
  FORBIDDEN: { status: 403, retry: false },
  unsafe_domain_blocked: { status: 403, retry: false },
  // There is a file to play, but not for us.
  SCRAPE_MEDIA_ACCESS_DENIED: { status: 403, retry: false },
  NOT_FOUND: { status: 404, retry: false },
  SCRAPE_NO_CACHED_DATA: { status: 404, retry: false },
  SCRAPE_LOCKDOWN_CACHE_MISS: { status: 404, retry: false },
  METHOD_NOT_ALLOWED: { status: 405, retry: false },
  SCRAPE_TIMEOUT: { status: 408, retry: false },
  CONCURRENCY_QUEUE_TIMEOUT: { status: 408, retry: false },
  MAP_TIMEOUT: { status: 408, retry: false },
  IDEMPOTENCY_KEY_REUSED: { status: 409, retry: false },
  // The job has ended, so it cannot be changed any more.
  JOB_ENDED: { status: 409, retry: false },
  // Somebody else saves the profile: one may at a time.
  PROFILE_LOCKED: { status: 409, retry: false },
  REQUEST_TOO_LARGE: { status: 413, retry: false },
  // A part of a file was asked for that it does not have.
  RANGE_NOT_SATISFIABLE: { status: 416, retry: false },
  RATE_LIMITED: { status: 429, retry: false },
  // The name does not resolve: the request itself was fine, so HTTP 200 with success false (compatibility 0.2, item 5).
  SCRAPE_DNS_RESOLUTION_ERROR: { status: 200, retry: false },
  // The DNS server could not say whether the name exists.
  SCRAPE_DNS_SERVER_ERROR: { status: 500, retry: false },
  SCRAPE_SSL_ERROR: { status: 500, retry: false },
  SCRAPE_SITE_ERROR: { status: 500, retry: false },
  SCRAPE_ALL_ENGINES_FAILED: { status: 500, retry: false },
  // There is no proxy of the kind that is asked for.
  SCRAPE_PROXY_SELECTION_ERROR: { status: 500, retry: false },
  SCRAPE_ACTION_ERROR: { status: 500, retry: false },
  SCRAPE_UNSUPPORTED_FILE_ERROR: { status: 500, retry: false },
  SCRAPE_CONTENT_TOO_LARGE: { status: 500, retry: false },
  // There is nothing to listen to or to watch, or nothing that can be taken.
  SCRAPE_AUDIO_UNSUPPORTED_URL: { status: 500, retry: false },
  SCRAPE_VIDEO_UNSUPPORTED_URL: { status: 500, retry: false },
  // The state of a browser could not be loaded or saved.
  PROFILE_ERROR: { status: 500, retry: false },
  SCRAPE_JOB_CANCELLED: { status: 500, retry: false },
  // A page of a crawl leads where the crawl may not go.
  CRAWL_DENIAL: { status: 500, retry: false },
  // The home page of another site, which a crawl does not take; only in lists of errors.
  EXTERNAL_LINK: { status: 500, retry: false },
  // The robots.txt of a host is unavailable, and there is no copy of it.
  ROBOTS_UNAVAILABLE: { status: 500, retry: false },
  MAP_FAILED: { status: 500, retry: false },
  // A page under which processes died again and again.
  SCRAPE_RETRY_LIMIT: { status: 500, retry: false },
  // A process that died under the job; the next attempt runs on another one.
  WORKER_LOST: { status: 500, retry: true },
  UNKNOWN_ERROR: { status: 500, retry: true },
  SERVICE_UNAVAILABLE: { status: 503, retry: true },
  // Too little room on the disk to take work on; work under way waits.
  INSUFFICIENT_STORAGE: { status: 503, retry: true },
} as const satisfies Record<string, { status: number; retry: boolean }>;

/** The code of an error, as it stands in `code` of an error answer. */
export type ErrorCode = keyof typeof ERRORS;

/** The target may answer another time: a page of a job is tried again. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set([
  'SCRAPE_SITE_ERROR',
  'SCRAPE_DNS_SERVER_ERROR',
  'SCRAPE_TIMEOUT',
  'SCRAPE_ALL_ENGINES_FAILED',
  'WORKER_LOST',
  'UNKNOWN_ERROR',
]);

/** Whether a page that failed so is worth another try, a little later. */
export const isTransient = (code: ErrorCode) => TRANSIENT.has(code);

/** Whether a string is one of our codes. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}

/** What an error answer may carry beside code and message. */
export interface ErrorExtras {
  /** Machine-readable reasons, e.g. the issues of a validation; becomes `details` of the answer. */
  details?: unknown;
  /** Seconds until a retry makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** The error underneath, for the log. */
  cause?: unknown;
}

/**
 * An error meant for the user: the message says what happened, to what, and what to do.
 * Thrown anywhere; `api/errors.ts` alone turns it into an HTTP answer.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.code = code;
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }
}

/** The code that Node, a library or the operating system gave an error, such as `ENOENT`; `undefined` without one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** A short text of anything thrown, for logs and messages. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Finds the error meant for the user in whatever was thrown. Temporal wraps failures and loses classes on the way,
 * so the cause chain is read by shape: a ServiceError, or a failure whose `type` is one of our codes.
 * Anything else becomes `UNKNOWN_ERROR`, without its text: that is for the log alone.
 */
export function toServiceError(error: unknown): ServiceError {
  for (let link = error, depth = 0; link instanceof Error && depth < 10; link = link.cause, depth++) {
    if (link instanceof ServiceError) return link;
    if ('type' in link && isErrorCode(link.type)) {
      const details = 'details' in link && Array.isArray(link.details) ? link.details[0] : undefined;
      return new ServiceError(link.type, link.message, { details: details ?? undefined, cause: error });
    }
    if ('timeoutType' in link) {
      return new ServiceError(
        'WORKER_LOST',
        'The process that ran this job was lost, several times. Try again.',
        {
          cause: error,
        },
      );
    }
  }
  return new ServiceError('UNKNOWN_ERROR', 'Something unexpected went wrong inside Winnow.', {
    cause: error,
  });
}
