/** The policy of an error. */
interface ErrorPolicy {
  /** HTTP status of the response. */
  status: number;
  /**
   * Selects what is retried: nothing; the page of a batch or crawl, a little later; or the whole activity,
   * which includes the page.
   */
  retry: 'never' | 'page' | 'activity';
  /** One sentence for the API reference. */
  summary: string;
  /** The part of a request's work that raises it, where several routes share that part. */
  stage?: ErrorStage;
  /** Credits that a failed scrape costs; none unless stated. */
  credits?: number;
  /** Seconds until a retry may succeed, for errors that do not say it themselves. */
  retryAfterSeconds?: number;
  /** Close code of a WebSocket that ends with it; 1011 (internal error) unless stated. */
  closeCode?: number;
  /**
   * The error does not concern a single page: a batch or crawl stops instead of recording the page as failed.
   */
  isJobWide?: true;
  /** The response also has the members of a result, as far as there is one. */
  hasPartialResult?: true;
  /** The service itself is at fault, which its operator should see in the log. */
  isServiceFault?: true;
}

/**
 * Starting a job, checking scrape options, fetching a URL, scraping a page, scraping a page of a batch or
 * crawl, reading an uploaded file.
 */
export type ErrorStage = 'start' | 'options' | 'fetch' | 'scrape' | 'page' | 'upload';

/** Every error that users can see, with its policy. */
export const ERRORS = {
  BAD_REQUEST: {
    status: 400,
    retry: 'never',
    closeCode: 1008,
    summary: 'The request does not match its schema',
  },
  BAD_REQUEST_INVALID_JSON: { status: 400, retry: 'never', summary: 'The body is not valid JSON' },
  FEATURE_NOT_AVAILABLE: {
    status: 400,
    retry: 'never',
    stage: 'start',
    summary: 'The request requires a feature that this version does not have',
  },
  SCRAPE_ACTIONS_NOT_SUPPORTED: {
    status: 400,
    retry: 'never',
    stage: 'options',
    summary: 'Actions cannot be combined with the other options of the request',
  },
  SCRAPE_ZDR_VIOLATION_ERROR: {
    status: 400,
    retry: 'never',
    stage: 'options',
    summary: 'An option needs stored data, which zero data retention forbids',
  },
  SCRAPE_JSON_CONTENT_TOO_LARGE: {
    status: 400,
    retry: 'never',
    stage: 'scrape',
    summary: 'The page is too long for the language model to extract json from it',
  },
  SCRAPE_CONVERSION_TOO_LONG: {
    status: 400,
    retry: 'never',
    stage: 'scrape',
    summary: 'Deriving the formats took more processor time than one page may take',
  },
  SCRAPE_PAGE_MEMORY_EXCEEDED: {
    status: 400,
    retry: 'never',
    stage: 'fetch',
    summary: 'The scripts of the page took more memory than a page may have in the browser',
  },
  SCRAPE_DOCUMENT_ENCRYPTED: {
    status: 400,
    retry: 'never',
    stage: 'fetch',
    summary: 'The document needs a password',
  },
  SCRAPE_DOCUMENT_UNREADABLE: {
    status: 400,
    retry: 'never',
    stage: 'fetch',
    summary: 'Nothing of the document can be read: it is damaged, or exceeds a limit of its parser',
  },
  SCRAPE_PDF_OCR_REQUIRED: {
    status: 400,
    retry: 'never',
    stage: 'fetch',
    summary: 'The PDF has no text but that in its images, and the mode "fast" does not recognise it',
  },
  exchange_not_enabled: {
    status: 400,
    retry: 'never',
    summary: 'The request is for a marketplace of data, which this service does not have',
  },
  threads_disabled: {
    status: 400,
    retry: 'never',
    summary: 'The request continues a thread of an agent, and threads are disabled',
  },
  PARSE_UNSUPPORTED_OPTIONS: {
    status: 400,
    retry: 'never',
    summary: 'The request has an option or format that is for pages of sites, not for uploaded files',
  },
  UNSUPPORTED_FILE_TYPE: {
    status: 400,
    retry: 'never',
    stage: 'upload',
    summary: 'The uploaded file is of a type that cannot be parsed',
  },
  UNAUTHORIZED: {
    status: 401,
    retry: 'never',
    closeCode: 3000,
    summary: 'The API key is missing, unknown or revoked',
  },
  INSUFFICIENT_CREDITS: { status: 402, retry: 'never', summary: 'The team has too few credits left' },
  FORBIDDEN: {
    status: 403,
    retry: 'never',
    closeCode: 3003,
    stage: 'start',
    summary: 'The resource belongs to another team, or the option is not enabled on this service',
  },
  unsafe_domain_blocked: {
    status: 403,
    retry: 'never',
    stage: 'fetch',
    summary: 'The URL leads to an IP address that may not be fetched',
  },
  UNTRUSTED_ORIGIN: {
    status: 403,
    retry: 'never',
    summary: 'The service has no authentication, and a page of another site may have sent the request',
  },
  SCRAPE_PROMPT_INJECTION_DETECTED: {
    status: 403,
    retry: 'never',
    stage: 'scrape',
    summary: 'The page contains instructions for language models, and checkPromptInjection is set',
  },
  SCRAPE_MEDIA_ACCESS_DENIED: {
    status: 403,
    retry: 'never',
    stage: 'scrape',
    summary: 'The site restricts access to the media file',
  },
  NOT_FOUND: {
    status: 404,
    retry: 'never',
    closeCode: 1008,
    summary: 'The resource does not exist or has expired',
  },
  SCRAPE_NO_CACHED_DATA: {
    status: 404,
    retry: 'never',
    stage: 'scrape',
    summary: 'The cache has no copy of the page that is old enough',
  },
  SCRAPE_LOCKDOWN_CACHE_MISS: {
    status: 404,
    retry: 'never',
    stage: 'scrape',
    credits: 1,
    summary: 'The cache has no copy of the page, and lockdown forbids fetching it',
  },
  METHOD_NOT_ALLOWED: { status: 405, retry: 'never', summary: 'The path does not support the method' },
  SCRAPE_TIMEOUT: {
    status: 408,
    retry: 'page',
    stage: 'fetch',
    summary: 'The page took longer than the timeout of the request',
  },
  REQUEST_TOO_SLOW: {
    status: 408,
    retry: 'never',
    summary: 'The request arrived so slowly that it was not waited for any longer',
  },
  UPLOAD_TOO_SLOW: {
    status: 408,
    retry: 'never',
    stage: 'upload',
    summary: 'The file arrived so slowly that its upload was ended',
  },
  CONCURRENCY_QUEUE_TIMEOUT: {
    status: 408,
    retry: 'never',
    stage: 'scrape',
    summary: 'No slot of the team became free in time',
  },
  MAP_TIMEOUT: {
    status: 408,
    retry: 'never',
    summary: 'The site could not be mapped, or the web searched, within the timeout of the request',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    retry: 'never',
    summary: 'The idempotency key was used with another body',
  },
  JOB_RUNNING: { status: 409, retry: 'never', summary: 'The job has not ended yet' },
  JOB_ENDED: { status: 409, retry: 'never', summary: 'The job has ended and cannot be changed any more' },
  UPLOAD_IN_USE: {
    status: 409,
    retry: 'never',
    summary: 'The uploaded file is being parsed and cannot be replaced',
  },
  PROFILE_LOCKED: {
    status: 409,
    retry: 'never',
    stage: 'scrape',
    summary: 'Another request is saving the browser profile',
  },
  INTERACT_REPLAY_UNAVAILABLE: {
    status: 409,
    retry: 'never',
    summary: 'The scrape cannot be continued in a browser session; run it again',
  },
  SESSION_DESTROYED: { status: 410, retry: 'never', summary: 'The browser session has ended' },
  REQUEST_TOO_LARGE: { status: 413, retry: 'never', summary: 'The body of the request is too large' },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    retry: 'never',
    summary: 'The file does not have the requested range',
  },
  REQUEST_HEADER_TOO_LARGE: {
    status: 431,
    retry: 'never',
    summary: 'The URL and the headers of the request are too long',
  },
  RATE_LIMITED: {
    status: 429,
    retry: 'never',
    summary: 'The API key sent too many requests, or has too many open; Retry-After says when to continue',
  },
  JOB_LIMIT_REACHED: {
    status: 429,
    retry: 'never',
    retryAfterSeconds: 30,
    stage: 'start',
    summary: 'The team has as many open batches, crawls, agents and extracts as it may have',
  },
  STORAGE_LIMIT_REACHED: {
    status: 429,
    retry: 'never',
    retryAfterSeconds: 600,
    stage: 'start',
    summary: 'The results of the team take as much storage as they may',
  },
  MONITOR_LIMIT_REACHED: {
    status: 403,
    retry: 'never',
    summary: 'The team has as many monitors as it may have',
  },
  SOCKET_LIMIT_REACHED: {
    status: 429,
    retry: 'never',
    // Try again later (IANA registry).
    closeCode: 1013,
    summary: 'The team, its API key or the browser session has as many WebSockets open as it may have',
  },
  SESSION_LIMIT_REACHED: {
    status: 429,
    retry: 'never',
    retryAfterSeconds: 30,
    summary: 'The team, or every host, has as many browser sessions as it may have',
  },
  SCRAPE_DNS_RESOLUTION_ERROR: {
    status: 200,
    retry: 'never',
    stage: 'fetch',
    credits: 1,
    summary:
      'The host name does not exist (HTTP 200 with success false, because the request itself was valid)',
  },
  SCRAPE_DNS_SERVER_ERROR: {
    status: 500,
    retry: 'page',
    stage: 'fetch',
    summary: 'The DNS server could not say whether the host name exists',
  },
  SCRAPE_SSL_ERROR: {
    status: 500,
    retry: 'never',
    stage: 'fetch',
    summary: 'The TLS certificate or connection of the site is invalid',
  },
  SCRAPE_SITE_ERROR: {
    status: 500,
    retry: 'page',
    stage: 'fetch',
    summary: 'The site could not be reached or broke off the response',
  },
  SCRAPE_ALL_ENGINES_FAILED: {
    status: 500,
    retry: 'page',
    stage: 'fetch',
    summary: 'No engine or proxy could fetch the page',
  },
  SCRAPE_PROXY_SELECTION_ERROR: {
    status: 500,
    retry: 'never',
    stage: 'fetch',
    summary: 'The service has no proxy of the requested kind',
  },
  SCRAPE_ACTION_ERROR: {
    status: 500,
    retry: 'never',
    stage: 'scrape',
    summary: 'An action could not be performed on the page',
  },
  SCRAPE_UNSUPPORTED_FILE_ERROR: {
    status: 500,
    retry: 'never',
    stage: 'fetch',
    summary: 'The URL leads to a file of a type that cannot be read',
  },
  SCRAPE_CONTENT_TOO_LARGE: {
    status: 500,
    retry: 'never',
    stage: 'fetch',
    summary: 'The page or file is larger than the service allows',
  },
  SCRAPE_AUDIO_UNSUPPORTED_URL: {
    status: 500,
    retry: 'never',
    stage: 'scrape',
    summary: 'The page has no audio that can be extracted',
  },
  SCRAPE_VIDEO_UNSUPPORTED_URL: {
    status: 500,
    retry: 'never',
    stage: 'scrape',
    summary: 'The page has no video that can be extracted',
  },
  PROFILE_ERROR: {
    status: 500,
    retry: 'never',
    stage: 'scrape',
    summary: 'The browser profile could not be loaded or saved',
  },
  SCRAPE_JOB_CANCELLED: { status: 500, retry: 'never', summary: 'The job was cancelled' },
  CRAWL_DENIAL: {
    status: 500,
    retry: 'never',
    stage: 'page',
    summary: 'The page leads to a URL outside the crawl',
  },
  EXTERNAL_LINK: {
    status: 500,
    retry: 'never',
    stage: 'page',
    summary: 'The URL is the home page of another site, which crawls skip',
  },
  ROBOTS_UNAVAILABLE: {
    status: 500,
    retry: 'never',
    stage: 'page',
    isJobWide: true,
    summary: 'The robots.txt of the host is unavailable, and there is no copy of it',
  },
  SCRAPE_RETRY_LIMIT: {
    status: 500,
    retry: 'never',
    stage: 'page',
    summary: 'The processes that scraped the page died again and again',
  },
  WORKER_LOST: {
    status: 500,
    retry: 'activity',
    stage: 'fetch',
    isServiceFault: true,
    summary: 'The process that ran the job died; the next attempt runs in another one',
  },
  UNKNOWN_ERROR: {
    status: 500,
    retry: 'activity',
    isServiceFault: true,
    summary: 'An unexpected error occurred inside the service',
  },
  MODEL_PROMPT_WITHHELD: {
    status: 400,
    retry: 'never',
    summary: 'The prompt contained a key, a setting or a path of the service, so no language model got it',
  },
  MODEL_BUDGET_EXCEEDED: {
    status: 429,
    retry: 'never',
    summary: 'The team has used up its language model tokens of the day',
  },
  MODEL_RESPONSE_UNUSABLE: {
    status: 502,
    retry: 'never',
    summary: 'The response of the language model was empty, cut, or not what was asked for',
  },
  MODEL_UNAVAILABLE: {
    status: 503,
    retry: 'never',
    summary: 'The endpoint of the language model does not respond, or does not accept the service',
  },
  SESSION_FAILED: {
    status: 502,
    retry: 'never',
    isServiceFault: true,
    summary: 'The browser of the session could not be started or does not respond; nothing was done',
  },
  SESSIONS_UNAVAILABLE: {
    status: 503,
    retry: 'never',
    summary: 'No worker of the service can run browser sessions',
  },
  SEARCH_UNAVAILABLE: {
    status: 503,
    retry: 'never',
    isServiceFault: true,
    summary: 'The SearXNG of the service does not respond or refuses searches',
  },
  MODEL_NOT_CONFIGURED: {
    status: 503,
    retry: 'never',
    summary: 'The request needs a language model, and the service has none',
  },
  LANGUAGE_NOT_AVAILABLE: {
    status: 503,
    retry: 'never',
    summary: 'The service cannot execute code in the language, because something is not installed',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    retry: 'activity',
    isJobWide: true,
    summary: 'A part of the service does not respond',
  },
  LOST_IN_RESTORE: {
    status: 503,
    retry: 'never',
    summary: 'The service was restored from a backup that was made while the job ran; send the request again',
  },
  INSUFFICIENT_STORAGE: {
    status: 503,
    retry: 'activity',
    stage: 'start',
    isJobWide: true,
    summary: 'The disk of the service is nearly full, so it accepts no new work',
  },
  INSUFFICIENT_MEMORY: {
    status: 503,
    retry: 'page',
    stage: 'fetch',
    isServiceFault: true,
    retryAfterSeconds: 30,
    summary: 'The machine of the service had too little memory to convert the document',
  },
  SUPPORT_TIMEOUT: {
    status: 504,
    retry: 'never',
    hasPartialResult: true,
    summary:
      'The support question could not be answered within 60 seconds; the response has the partial answer',
  },
} as const satisfies Record<string, ErrorPolicy>;

/** An error code, which is the `code` of an error response. */
export type ErrorCode = keyof typeof ERRORS;

/** Returns the policy of an error, including its optional members. */
export const policyOf = (code: ErrorCode): ErrorPolicy => ERRORS[code];

/** Lists the codes that the given stages raise, in the order of the table. */
export function errorsRaisedBy(...stages: ErrorStage[]): ErrorCode[] {
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => {
    const { stage } = policyOf(code);
    return stage !== undefined && stages.includes(stage);
  });
}

/** Whether a value is a code of the table. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}

/** Optional members of an error, in addition to its code and message. */
export interface ErrorExtras {
  /** Machine-readable reasons, such as the issues of a validation. They become `details` of the response. */
  details?: unknown;
  /** Seconds until a retry may succeed. They become the header `Retry-After`. */
  retryAfterSeconds?: number;
  /** The partial result of the request. Its members become members of the response. */
  partialResult?: object;
  /** The underlying error, for the log. */
  cause?: unknown;
  /** `false` if no retry can succeed, although other errors with the code are retried. */
  isRetryable?: boolean;
}

/**
 * An error meant for the user: its message says what happened, to what, and what to do about it. It may be
 * thrown anywhere; only `api/http/error-responses.ts` converts it to an HTTP response.
 * @example
 * throw new ServiceError('BAD_REQUEST', `The file ${name} is empty. Send one with content.`);
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;
  readonly partialResult: object | undefined;
  /** Whether the activity that fails with it is to be repeated. */
  readonly isRetryable: boolean;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.code = code;
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds ?? policyOf(code).retryAfterSeconds;
    this.partialResult = extras.partialResult;
    this.isRetryable = policyOf(code).retry === 'activity' && extras.isRetryable !== false;
  }
}

/** Returns the code that Node, a library or the operating system gave an error, such as `ENOENT`, if any. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/**
 * The beginning of a text from outside, for a message.
 * @param characters the most that are repeated
 */
export const excerpt = (text: string, characters = 200): string =>
  text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : text;

/** The beginning of a text from outside in quotes, with escapes as in JSON, for a message. */
export const quote = (text: string): string => JSON.stringify(excerpt(text));

/** Returns a short text for anything thrown, for logs and messages. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Finds the error meant for the user in the cause chain of anything thrown. Temporal wraps failures and does
 * not preserve their classes, so the chain is searched for a ServiceError or a failure whose `type` is a code
 * of the table. Anything else becomes `UNKNOWN_ERROR` without its message, which is for the log only.
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
