import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { seemsToPlay } from '../html/media.ts';
import type { Route, Upstreams } from '../net/upstream.ts';
import type { Snapshot } from '../snapshot.ts';
import { type Engine, type PageRequest, routeOf } from './engine.ts';
import { needsBrowser } from './needs-browser.ts';
import { isBlocked, withChallengeDetection, challengeWarnings } from './blocked.ts';

/** A page to obtain, and what it may cost. */
export interface FetchOptions {
  request: PageRequest;
  /** No browser, unless the request needs an open page. */
  fastMode: boolean;
  /** `stealth` is the old name of `enhanced`. */
  proxy: 'basic' | 'stealth' | 'enhanced' | 'auto';
}

/** What pages are obtained with. */
export interface EscalationDeps {
  /** Fetches the page as it is sent. */
  http: Engine;
  /** Runs its scripts. */
  browser: Engine;
  /** The operator's proxies, as far as they decide how a page is obtained. */
  proxies: Pick<Upstreams, 'offers' | 'isElsewhere'>;
  /** After so long without an answer the plain fetch is no longer alone. */
  headStartMs?: number;
}

const HEAD_START_MS = 8_000;
/** Refusals with which a site may mean that it wants a browser. */
const BROWSER_RETRY_STATUSES = new Set([401, 403, 406, 429, 503]);
/** Failures of a connection: a second one may work. */
const RETRYABLE_ERRORS: ReadonlySet<ErrorCode> = new Set(['SCRAPE_SITE_ERROR', 'SCRAPE_DNS_SERVER_ERROR']);

const NO_ENHANCED_WARNING = 'This service has no enhanced proxies; the page was fetched without them.';
const STILL_BLOCKED_WARNING = 'The site refused the page by enhanced proxies too; they are not billed.';
const SCRIPTS_NOT_RUN_WARNING =
  'The site refused the page to the browser: this is the page as it was sent, without its scripts.';
const FAST_MODE_ADVICE = 'Leave fastMode out: a browser may be let in.';
const ENHANCED_PROXY_ADVICE = 'Set proxy to "auto": enhanced proxies may be let in.';

/**
 * Which engine obtains a page, and by which proxies. All attempts share the signal, which is the request's deadline.
 *
 * 1. The request needs an open page (a format is made there, actions, `mobile`, `waitFor`, `profile`): the browser alone. Where
 *    it meets a file to download, the plain fetch gets the file; what was to be seen or done on it is told.
 * 2. `fastMode`, or the bytes as they are sent are wanted: the plain fetch alone.
 * 3. Else the plain fetch first. Its answer is final when it holds the page: no shell that scripts will fill, no
 *    challenge, no refusal (401, 403, 406, 429, 503); or when no browser could do better (the name does not resolve,
 *    the certificate is bad, the file is too large or of no use). Where what the page plays is wanted, its answer has
 *    to name something.
 * 4. After any other answer, or none (a DNS server that could not say is asked again then), the browser; and beside the plain fetch, where that has been silent for
 *    {@link HEAD_START_MS}. The first acceptable page is taken, the other attempt aborted.
 * 5. What the browser brought is taken, unless it failed, or was refused where the plain fetch was not.
 * 6. The site did not let us in (401, 403, 429, a challenge), the request leaves the proxy to us (`auto`), and there
 *    are enhanced proxies: once more from 1 by those. It is taken, and billed, if it is let in.
 * 7. The page that was taken says in a warning, and in `Snapshot.challenge`, when it is a challenge. A page without an
 *    error status that is certainly one is refused when neither `fastMode` nor the proxy `basic` kept from trying more.
 *
 * `enhanced` and `stealth` go by enhanced proxies from the start; where the service has none at all, by basic ones
 * with a warning. A country without a proxy gets the page through one elsewhere, with a warning.
 */
export function createEscalation(deps: EscalationDeps) {
  const { proxies, headStartMs = HEAD_START_MS } = deps;
  const http = withChallengeDetection(deps.http);
  const browser = withChallengeDetection(deps.browser);

  /** Rows 1 to 5, by the proxies that the request names. */
  async function attemptFetch({ request, fastMode }: FetchOptions, signal: AbortSignal): Promise<Snapshot> {
    if (needsOpenPage(request)) return fetchInBrowser(request, signal);
    if (fastMode || request.base64 === 'everything') return http.fetchPage(request, signal);
    const isFinal = createFinalCheck(request);
    const finished = new AbortController();
    const eitherSignal = AbortSignal.any([signal, finished.signal]);
    try {
      const plain = toOutcome(http.fetchPage(request, eitherSignal));
      const early = await withinTime(plain, headStartMs);
      if (early && isFinal(early)) return unwrap(early);
      const rendered = toOutcome(browser.fetchPage(request, eitherSignal));
      const taken = early ? undefined : await firstAccepted([plain, isFinal], [rendered, isAdmitted]);
      return taken ? unwrap(taken) : chooseBetter(await plain, await rendered, signal);
    } finally {
      finished.abort();
    }
  }

  async function fetchInBrowser(request: PageRequest, signal: AbortSignal): Promise<Snapshot> {
    try {
      return await browser.fetchPage(request, signal);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'SCRAPE_UNSUPPORTED_FILE_ERROR') throw error;
      const warnings = warnAboutFile(request);
      return withWarnings(await http.fetchPage(request, signal), ...warnings);
    }
  }

  /** Rows 1 to 6. */
  async function fetchWithProxies(options: FetchOptions, signal: AbortSignal): Promise<Snapshot> {
    const { request, proxy } = options;
    const enhanced = { ...options, request: { ...request, proxy: 'enhanced' as const } };
    if (proxy === 'enhanced' || proxy === 'stealth') {
      if (proxies.offers('enhanced')) return attemptFetch(enhanced, signal);
      return withWarnings(await attemptFetch(options, signal), NO_ENHANCED_WARNING);
    }
    const first = await attemptFetch(options, signal);
    if (proxy === 'basic' || !proxies.offers('enhanced') || !isBlocked(first)) return first;
    const second = await toOutcome(attemptFetch(enhanced, signal));
    signal.throwIfAborted();
    if ('page' in second) return isBlocked(second.page) ? withWarnings(first, STILL_BLOCKED_WARNING) : second.page;
    if (second.error instanceof ServiceError) return withWarnings(first, STILL_BLOCKED_WARNING);
    throw second.error;
  }

  /** What the request kept from being tried, as advice for the user. */
  const listUntried = ({ request, fastMode, proxy }: FetchOptions) => [
    ...(fastMode && !needsOpenPage(request) ? [FAST_MODE_ADVICE] : []),
    ...(proxy === 'basic' && proxies.offers('enhanced') ? [ENHANCED_PROXY_ADVICE] : []),
  ];

  return async function obtain(options: FetchOptions, signal: AbortSignal): Promise<Snapshot> {
    const page = await fetchWithProxies(options, signal);
    const route = { ...routeOf(options.request), proxy: page.proxy };
    const countryWarnings = proxies.isElsewhere(route) ? [otherCountryWarning(route)] : [];
    return withWarnings(page, ...countryWarnings, ...challengeWarnings(page, listUntried(options)));
  };
}

const otherCountryWarning = ({ proxy, country }: Route) =>
  `There is no ${proxy} proxy in ${country?.toUpperCase()}: the page was fetched through one elsewhere.`;

type Outcome = { page: Snapshot } | { error: unknown };
type Acceptance = (outcome: Outcome) => boolean;

const toOutcome = (attemptFetch: Promise<Snapshot>): Promise<Outcome> =>
  attemptFetch.then(
    (page) => ({ page }),
    (error) => ({ error }),
  );

function unwrap(outcome: Outcome): Snapshot {
  if ('page' in outcome) return outcome.page;
  throw outcome.error;
}

/** What settles within so many milliseconds. */
async function withinTime(outcome: Promise<Outcome>, ms: number): Promise<Outcome | undefined> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  return Promise.race([outcome, late]).finally(() => timer.abort());
}

/** The first outcome to come that its judge accepts; `undefined` when all have come and none was accepted. */
function firstAccepted(...candidates: [Promise<Outcome>, Acceptance][]): Promise<Outcome | undefined> {
  const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
  const checked = candidates.map(async ([pendingOutcome, accepts]) => {
    const outcome = await pendingOutcome;
    if (accepts(outcome)) resolve(outcome);
  });
  void Promise.all(checked).then(() => resolve(undefined));
  return promise;
}

/** Row 3: what the plain fetch brought needs no browser. */
const createFinalCheck =
  ({ media }: PageRequest): Acceptance =>
  (outcome) => {
    if ('error' in outcome) {
      return !(outcome.error instanceof ServiceError) || !RETRYABLE_ERRORS.has(outcome.error.code);
    }
    const { page } = outcome;
    if (BROWSER_RETRY_STATUSES.has(page.statusCode)) return false;
    if (page.kind !== 'html') return true;
    return !page.challenge && needsBrowser(page.text) && (!media || seemsToPlay(page.text));
  };

const isAdmitted: Acceptance = (outcome) => 'page' in outcome && !isBlocked(outcome.page);

/** Row 5. */
function chooseBetter(plain: Outcome, rendered: Outcome, signal: AbortSignal): Snapshot {
  if ('page' in rendered) {
    const isWorse = 'page' in plain && isRefused(rendered.page) && !isRefused(plain.page);
    return isWorse ? withWarnings(plain.page, SCRIPTS_NOT_RUN_WARNING) : rendered.page;
  }
  signal.throwIfAborted();
  const { error } = rendered;
  // A browser that died says nothing of the page: it is asked again, instead of taking the shell for it.
  const isPageFailure = error instanceof ServiceError && error.code !== 'WORKER_LOST';
  if ('page' in plain && !isPageFailure) throw error;
  return unwrap(plain);
}

const isRefused = (page: Snapshot) => page.statusCode >= 400 || page.challenge !== undefined;

type OpenPageNeeds = Pick<PageRequest, 'collect' | 'actions' | 'mobile' | 'waitForMs'> & { profile?: unknown };

/** Row 1. */
export function needsOpenPage({ collect, actions, mobile, waitForMs, profile }: OpenPageNeeds): boolean {
  const isMade = Object.keys(collect).length > 0 || actions.length > 0;
  return isMade || mobile || waitForMs > 0 || profile !== undefined;
}

/**
 * What has to be left out because the address is a file.
 * @throws ServiceError `SCRAPE_ACTION_ERROR` when something was to be done on it
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

function withWarnings(page: Snapshot, ...warnings: string[]): Snapshot {
  return warnings.length ? { ...page, warnings: [...(page.warnings ?? []), ...warnings] } : page;
}
