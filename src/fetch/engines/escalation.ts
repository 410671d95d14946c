import { mentionsMedia } from '../../content/html/media/page-media.ts';
import { wholeText } from '../../content/source-text.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { countryWarnings, type Upstreams } from '../net/upstream-proxies.ts';
import { type Engine, type EngineResult, type PageRequest, routeOf } from './engine.ts';
import { type ExtraCredits, reserveEnhanced } from './extra-credits.ts';
import { needsOpenPage } from './opens-browser.ts';
import { challengeWarnings, isBlocked, withChallengeDetection } from './page-checks/blocked.ts';
import { needsBrowser } from './page-checks/needs-browser.ts';
import type { PageTracer } from './page-tracer.ts';

/** The page to fetch, and which engines and proxies may be used for it. */
export interface FetchOptions {
  request: PageRequest;
  /** No browser, unless the request needs an open page. */
  fastMode: boolean;
  /** `stealth` is the old name of `enhanced`. */
  proxy: 'basic' | 'stealth' | 'enhanced' | 'auto';
  /** Whether `auto` may resort to an enhanced proxy depends on it; absent if it always may. */
  extraCredits?: ExtraCredits | undefined;
}

/** The engines and proxies that the escalation chooses from. */
export interface EscalationDeps {
  /** Fetches the page without running its scripts. */
  http: Engine;
  /** Opens the page in Chromium and runs its scripts. */
  browser: Engine;
  /** The operator's proxies, as far as they decide how a page is fetched. */
  proxies: Pick<Upstreams, 'offers' | 'isElsewhere'>;
  /** Milliseconds without a response from the plain fetch after which the browser starts as well. */
  headStartMs?: number;
  /** Records the attempts; absent if nobody asks for them. */
  tracer?: PageTracer;
}

const HEAD_START_MS = 8_000;
/** Statuses that sites send to clients that do not look like a browser. */
const BROWSER_RETRY_STATUSES = new Set([401, 403, 406, 429, 503]);
/** Connection failures; a second connection may succeed. */
const RETRYABLE_ERRORS: ReadonlySet<ErrorCode> = new Set(['SCRAPE_SITE_ERROR', 'SCRAPE_DNS_SERVER_ERROR']);

const NO_ENHANCED_WARNING = 'This service has no enhanced proxies; the page was fetched without them.';
const TOO_FEW_CREDITS_WARNING =
  'The site refused the request. No enhanced proxy was tried, because the team has too few credits for one.';
const STILL_BLOCKED_WARNING =
  'The site refused the request through enhanced proxies too, so these are not billed.';
const SCRIPTS_NOT_RUN_WARNING =
  'The site refused the browser. This is the page as a plain request received it, without running its scripts.';
const FAST_MODE_ADVICE = 'Leave fastMode out, because the site may accept a browser.';
const ENHANCED_PROXY_ADVICE = 'Set proxy to "auto", because the site may accept an enhanced proxy.';

/**
 * Decides which engine fetches a page, and through which proxies. All attempts share the signal, which fires
 * at the deadline of the request.
 *
 * 1. The request needs an open page (a format is made there, actions, `mobile`, `waitFor`, `profile`): only
 *    the browser is used. When the browser meets a file to download, the plain fetch gets the file, and a
 *    warning names the formats that are missing.
 * 2. The request has `fastMode`, or wants the bytes as they are sent: only the plain fetch is used.
 * 3. Otherwise the plain fetch goes first. Its result is final when it holds the page: no shell that scripts
 *    fill, no challenge, no refusal (401, 403, 406, 429, 503). It is also final when a browser could not do
 *    better: the name does not resolve, the certificate is invalid, the file is too large or unsupported.
 *    When the request wants media, the page must also name some.
 * 4. After any other result the browser fetches the page. A temporary DNS failure is looked up again in this
 *    step. The browser also starts beside a plain fetch that has been silent for {@link HEAD_START_MS}; the
 *    first acceptable page is taken, and the other attempt is aborted.
 * 5. The browser's page is taken, unless the browser failed or was refused where the plain fetch was not.
 * 6. The site blocked us (401, 403, 429, a challenge), the request leaves the proxy to us (`auto`), and there
 *    are enhanced proxies for which the team has the credits: steps 1 to 5 run once more through those. That
 *    page is taken, and billed, if it is not blocked.
 * 7. A page that is a challenge says so in a warning and in `Snapshot.challenge`. A page without an error
 *    status that is certainly a challenge becomes an error, unless `fastMode` or the proxy `basic` prevented
 *    further attempts.
 *
 * `enhanced` and `stealth` use enhanced proxies from the start; when the service has none, they use basic
 * proxies and add a warning. A country without a proxy gets the page through another country, with a warning.
 */
export class Escalation {
  readonly #http: Engine;
  readonly #browser: Engine;
  readonly #proxies: EscalationDeps['proxies'];
  readonly #headStartMs: number;

  constructor({ http, browser, proxies, headStartMs = HEAD_START_MS, tracer }: EscalationDeps) {
    const prepare = (name: 'http' | 'browser', engine: Engine) => {
      const detecting = withChallengeDetection(engine);
      return tracer ? tracer.record(name, detecting) : detecting;
    };
    this.#http = prepare('http', http);
    this.#browser = prepare('browser', browser);
    this.#proxies = proxies;
    this.#headStartMs = headStartMs;
  }

  /** Takes all steps. */
  async fetchPage(options: FetchOptions, signal: AbortSignal): Promise<EngineResult> {
    const page = await this.#fetchWithProxies(options, signal);
    const route = { ...routeOf(options.request), proxy: page.proxy };
    const elsewhere = countryWarnings(this.#proxies, route, 'the page was fetched through one elsewhere');
    return withWarnings(page, ...elsewhere, ...challengeWarnings(page, this.#listUntried(options)));
  }

  /** Takes steps 1 to 6. */
  async #fetchWithProxies(options: FetchOptions, signal: AbortSignal): Promise<EngineResult> {
    const { request, proxy } = options;
    const enhanced = { ...options, request: { ...request, proxy: 'enhanced' as const } };
    if (proxy === 'enhanced' || proxy === 'stealth') {
      if (this.#proxies.offers('enhanced')) return this.#attemptFetch(enhanced, signal);
      return withWarnings(await this.#attemptFetch(options, signal), NO_ENHANCED_WARNING);
    }
    const isOnlyAttempt = proxy === 'basic' || !this.#proxies.offers('enhanced');
    const first = await this.#attemptFetch(isOnlyAttempt ? options : withMoreRequests(options), signal);
    if (isOnlyAttempt || !isBlocked(first)) return first;
    if (!(await reserveEnhanced(options.extraCredits))) return withWarnings(first, TOO_FEW_CREDITS_WARNING);
    const second = await toOutcome(this.#attemptFetch(enhanced, signal));
    signal.throwIfAborted();
    if ('page' in second)
      return isBlocked(second.page) ? withWarnings(first, STILL_BLOCKED_WARNING) : second.page;
    if (second.error instanceof ServiceError) return withWarnings(first, STILL_BLOCKED_WARNING);
    throw second.error;
  }

  /** Takes steps 1 to 5 with the proxies that the request names. */
  async #attemptFetch(options: FetchOptions, signal: AbortSignal): Promise<EngineResult> {
    const { request, fastMode } = options;
    if (needsOpenPage(request)) return this.#fetchInBrowser(request, signal);
    if (fastMode || request.wantsBody) return this.#http.fetchPage(request, signal);
    const isFinal = createFinalCheck(request);
    const finished = new AbortController();
    const eitherSignal = AbortSignal.any([signal, finished.signal]);
    const plain = toOutcome(this.#http.fetchPage(request, eitherSignal));
    const early = await withinTime(plain, this.#headStartMs);
    if (early && isFinal(early)) return unwrap(early);
    try {
      const shown = early ? request : withMoreRequests(options).request;
      const rendered = toOutcome(this.#browser.fetchPage(shown, eitherSignal));
      const taken = early ? undefined : await firstAccepted([plain, isFinal], [rendered, isAdmitted]);
      return taken ? unwrap(taken) : chooseBetter(await plain, await rendered, signal);
    } finally {
      finished.abort();
    }
  }

  /** Takes step 1. */
  async #fetchInBrowser(request: PageRequest, signal: AbortSignal): Promise<EngineResult> {
    try {
      return await this.#browser.fetchPage(request, signal);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'SCRAPE_UNSUPPORTED_FILE_ERROR') throw error;
      const warnings = warnAboutFile(request);
      return withWarnings(await this.#http.fetchPage(request, signal), ...warnings);
    }
  }

  /** Advice for the user: which options of the request prevented further attempts. */
  #listUntried({ request, fastMode, proxy }: FetchOptions): string[] {
    return [
      ...(fastMode && !needsOpenPage(request) ? [FAST_MODE_ADVICE] : []),
      ...(proxy === 'basic' && this.#proxies.offers('enhanced') ? [ENHANCED_PROXY_ADVICE] : []),
    ];
  }
}

/** The options of an attempt that may not be the last one, so that the end of its requests says nothing. */
const withMoreRequests = (options: FetchOptions): FetchOptions => ({
  ...options,
  request: { ...options.request, onRequestsEnded: undefined },
});

type Outcome = { page: EngineResult } | { error: unknown };
type Acceptance = (outcome: Outcome) => boolean;

const toOutcome = (attempt: Promise<EngineResult>): Promise<Outcome> =>
  attempt.then(
    (page) => ({ page }),
    (error) => ({ error }),
  );

function unwrap(outcome: Outcome): EngineResult {
  if ('page' in outcome) return outcome.page;
  throw outcome.error;
}

/** The outcome if it arrives within `ms` milliseconds, otherwise `undefined`. */
async function withinTime(outcome: Promise<Outcome>, ms: number): Promise<Outcome | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  return Promise.race([outcome, timeout]).finally(() => clearTimeout(timer));
}

/** The first outcome that passes its acceptance check; `undefined` when all have arrived and none passed. */
function firstAccepted(...candidates: [Promise<Outcome>, Acceptance][]): Promise<Outcome | undefined> {
  const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
  const checked = candidates.map(async ([pendingOutcome, accepts]) => {
    const outcome = await pendingOutcome;
    if (accepts(outcome)) resolve(outcome);
  });
  void Promise.all(checked).then(() => resolve(undefined));
  return promise;
}

/** Step 3: returns a check whether the result of the plain fetch is final. */
const createFinalCheck =
  ({ media }: PageRequest): Acceptance =>
  (outcome) => {
    if ('error' in outcome) {
      return !(outcome.error instanceof ServiceError) || !RETRYABLE_ERRORS.has(outcome.error.code);
    }
    const { page } = outcome;
    if (BROWSER_RETRY_STATUSES.has(page.statusCode)) return false;
    if (page.kind !== 'html' || page.unconverted) return true;
    return !page.challenge && !needsBrowser(page.text) && (!media || mentionsMedia(wholeText(page.text)));
  };

const isAdmitted: Acceptance = (outcome) => 'page' in outcome && !isBlocked(outcome.page);

/** Step 5: chooses between the plain fetch and the browser. */
function chooseBetter(plain: Outcome, rendered: Outcome, signal: AbortSignal): EngineResult {
  if ('page' in rendered) {
    const isWorse = 'page' in plain && isRefused(rendered.page) && !isRefused(plain.page);
    return isWorse ? withWarnings(plain.page, SCRIPTS_NOT_RUN_WARNING) : rendered.page;
  }
  signal.throwIfAborted();
  const { error } = rendered;
  // A browser crash says nothing about the page, so the activity retries instead of returning the unrendered
  // shell.
  const isPageFailure = error instanceof ServiceError && error.code !== 'WORKER_LOST';
  if ('page' in plain && !isPageFailure) throw error;
  return unwrap(plain);
}

const isRefused = (page: EngineResult) => page.statusCode >= 400 || page.challenge !== undefined;

/**
 * Warnings about formats that are left out because the URL is a file.
 * @throws ServiceError `SCRAPE_ACTION_ERROR` when the request has actions
 */
function warnAboutFile({ url, actions, collect }: PageRequest): string[] {
  if (actions.length) {
    throw new ServiceError(
      'SCRAPE_ACTION_ERROR',
      `${url} is a file to download, not a page: nothing can be done on it. Leave actions out.`,
    );
  }
  const formats = Object.keys(collect);
  return formats.length ? [`${url} is a file to download: there is no ${formats.join(', ')} of it.`] : [];
}

/** Adds warnings for the user to a page. */
export function withWarnings<Page extends EngineResult>(page: Page, ...warnings: string[]): Page {
  return warnings.length ? { ...page, warnings: [...(page.warnings ?? []), ...warnings] } : page;
}
