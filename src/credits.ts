import { recordsOf } from './content/formats/index.ts';
import type { Snapshot } from './content/snapshot.ts';

/** How many tokens one credit equals in the reports of token usage. */
export const TOKENS_PER_CREDIT = 15;

/** Credits of a page. */
export const PAGE = 1;
/** Credits of a page that was fetched through an enhanced proxy, in place of `PAGE`. */
export const ENHANCED_PAGE = 5;
/** Credits of a map, regardless of the number of links. */
export const MAP_CREDITS = 1;
/** Credits of a change that a language model judges by the goal of a monitor. */
export const JUDGED_PAGE = 1;
/** Credits of a question about the history of a page. */
export const HISTORY_QUESTION = 4;
/** Credits of a search for each started ten results, in addition to those of its scrapes. */
const TEN_RESULTS = 2;
/** Credits that feedback on a search gives back, once for each search. */
export const FEEDBACK_REFUND = 1;
/** Credits that feedback gives back to a team at most on a day (UTC). */
export const FEEDBACK_DAILY_CAP = 100;
/** Credits of a page with `lockdown`, which is always served from the cache, in place of `PAGE`. */
const LOCKDOWN_HIT = 5;
/** Credits of zero data retention, in addition to those of the page. */
const ZERO_DATA_RETENTION = 1;
/** Credits of `redactPII` for a page, and for each further page of a document. */
const REDACTED_PAGE = 4;
/** Credits of each page of a document after the first one, which is part of the page's own price. */
const DOCUMENT_PAGE = 1;

/** Calculates the credits of a search, without those of its scrapes. @param results number of all results */
export const priceOfSearch = (results: number): number => TEN_RESULTS * Math.ceil(results / 10);

/** A part of the price of a page, and the rule that it follows. */
export interface RuleCredits {
  rule: string;
  credits: number;
}

/** Adds up the parts of a price. */
export const sumOfCredits = (rules: readonly RuleCredits[]): number =>
  rules.reduce((sum, { credits }) => sum + credits, 0);

/** The options of a request, as far as the price of its page depends on them. */
interface PricedRequest {
  lockdown: boolean;
  zeroDataRetention?: boolean;
  /** The option `redactPII`, which is `false` where nothing is replaced. */
  redactPII?: unknown;
}

/** A delivered page, as far as its price depends on it. */
interface PricedPage {
  snapshot: Pick<Snapshot, 'proxy' | 'document'>;
  cacheState: 'hit' | 'miss' | undefined;
  made?: string[];
}

/**
 * Calculates the credits of a delivered page.
 * @param page.cacheState whether the page came from the cache; the price of a hit ignores the proxy of the
 *   copy
 * @param page.made types of the formats that have a value in the document; each is charged once
 */
export function priceOf(request: PricedRequest, page: PricedPage): number {
  return sumOfCredits(creditsByRule(request, page));
}

/** Calculates the credits of a delivered page as {@link priceOf} does, by the rules that they follow. */
export function creditsByRule(
  request: PricedRequest,
  { snapshot, cacheState, made = [] }: PricedPage,
): RuleCredits[] {
  const isEnhanced = snapshot.proxy === 'enhanced' && cacheState !== 'hit';
  const pages = Math.max(0, (snapshot.document?.numPages ?? 1) - 1);
  const formats = recordsOf([...new Set(made)].map((type) => ({ type })));
  const rules = [
    request.lockdown
      ? { rule: 'page with lockdown', credits: LOCKDOWN_HIT }
      : isEnhanced
        ? { rule: 'page through an enhanced proxy', credits: ENHANCED_PAGE }
        : { rule: 'page', credits: PAGE },
    { rule: `${pages} more pages of the document`, credits: DOCUMENT_PAGE * pages },
    {
      rule: 'redactPII',
      credits: (request.redactPII ?? false) === false ? 0 : REDACTED_PAGE * (1 + pages),
    },
    ...formats.map(({ format, request: { type } }) => ({
      rule: `format ${type}`,
      credits: format.credits ?? 0,
    })),
    {
      rule: 'zero data retention',
      credits: request.zeroDataRetention && !request.lockdown ? ZERO_DATA_RETENTION : 0,
    },
  ];
  return rules.filter(({ credits }) => credits > 0);
}

/** The options of a request that decide what its page costs, as far as that is known before. */
export interface PricedOptions {
  lockdown?: boolean | undefined;
  zeroDataRetention?: boolean | undefined;
  proxy?: string | undefined;
  redactPII?: unknown;
  formats: readonly { type: string; modes?: readonly string[] | undefined }[];
}

/**
 * Calculates the credits of a page whose formats all get a value. More pages of a document cost more, and so
 * does an enhanced proxy that `auto` resorts to; neither is known before the page is fetched.
 */
export function expectedPriceOf({
  lockdown = false,
  zeroDataRetention,
  proxy,
  redactPII,
  formats,
}: PricedOptions): number {
  const isEnhanced = proxy === 'enhanced' || proxy === 'stealth';
  const isComparingData = formats.some(
    ({ type, modes }) => type === 'changeTracking' && modes?.includes('json'),
  );
  return priceOf(
    { lockdown, redactPII, ...(zeroDataRetention !== undefined && { zeroDataRetention }) },
    {
      snapshot: { proxy: isEnhanced ? 'enhanced' : 'basic' },
      cacheState: undefined,
      made: [...formats.map(({ type }) => type), ...(isComparingData ? ['json'] : [])],
    },
  );
}

/** Credits for a minute of a browser session that is driven by code or a protocol client. */
export const SESSION_MINUTE = 2;
/** Credits for a minute of a browser session in which a prompt was used, in place of `SESSION_MINUTE`. */
export const PROMPTED_SESSION_MINUTE = 7;
/** Credits that a team must have left to start a browser session. */
export const SESSION_MIN_CREDITS = priceOfSession({ durationMs: 0, prompted: false });
/** Credits that a team must have left to use the first prompt in a browser session. */
export const PROMPT_MIN_CREDITS = priceOfSession({ durationMs: 0, prompted: true });

/**
 * Calculates the credits of a browser session. It is measured by the second, costs at least one minute, and
 * is rounded up to whole credits.
 * @param durationMs milliseconds in which the browser could be used
 */
export function priceOfSession({ durationMs, prompted }: { durationMs: number; prompted: boolean }): number {
  const perMinute = prompted ? PROMPTED_SESSION_MINUTE : SESSION_MINUTE;
  const minutes = Math.max(1, Math.ceil(durationMs / 1000) / 60);
  return Math.ceil(perMinute * minutes);
}
