import type { RenderPool } from '../../content/rendering/render-pool.ts';
import {
  compileUrlPatterns,
  type PatternVerdict,
  type UrlMatcher,
  type UrlPatterns,
} from '../../patterns/url-patterns.ts';
import type { ScopeDecision } from './scope.ts';

/**
 * The most steps that are taken at once in the thread that serves all jobs: at most some 30 ms for the worst
 * patterns, and a hundredth of it for usual ones.
 */
const AT_ONCE = { steps: 1_000_000, processorMs: 0 };
/** The limits for the links of one page in a rendering thread. */
const PER_PAGE = { steps: 100_000_000, processorMs: 5_000 };

/** On whose behalf URLs are compared with patterns. */
interface PatternOptions {
  owner: string;
  /** Whether a user waits for the result. */
  urgent: boolean;
  /** Ends the work; its reason is thrown. */
  signal: AbortSignal;
}

/** The patterns `includePaths` and `excludePaths` of a crawl or map, which apply to the pages of all hosts. */
export class PathPatterns {
  readonly #patterns: UrlPatterns;
  readonly #matcher: UrlMatcher;

  /** @throws ServiceError `BAD_REQUEST` for an invalid pattern */
  constructor({ includePaths, excludePaths, regexOnFullURL }: UrlPatterns) {
    this.#patterns = { includePaths, excludePaths, regexOnFullURL };
    this.#matcher = compileUrlPatterns(this.#patterns);
  }

  /**
   * Applies the patterns to what a scope has decided about the links of one page. Patterns that may take long
   * are matched in a rendering thread.
   */
  async apply(
    decisions: ScopeDecision[],
    renderer: Pick<RenderPool, 'match'>,
    options: PatternOptions,
  ): Promise<ScopeDecision[]> {
    const urls = urlsOf(decisions);
    if (this.#matcher.countSteps(urls) <= AT_ONCE.steps) return this.applyAtOnce(decisions);
    const task = { patterns: this.#patterns, urls, limits: PER_PAGE };
    return withVerdicts(decisions, urls, await renderer.match(task, options));
  }

  /** Applies the patterns at once; URLs beyond the steps for this are `unmatched`. */
  applyAtOnce(decisions: ScopeDecision[]): ScopeDecision[] {
    const urls = urlsOf(decisions);
    return withVerdicts(decisions, urls, this.#matcher.match(urls, AT_ONCE));
  }
}

const urlsOf = (decisions: ScopeDecision[]) => [
  ...new Set(decisions.flatMap((decision) => ('url' in decision ? [decision.url] : []))),
];

function withVerdicts(
  decisions: ScopeDecision[],
  urls: string[],
  verdicts: PatternVerdict[],
): ScopeDecision[] {
  const reasons = new Map(urls.map((url, place) => [url, verdicts[place]]));
  return decisions.map((decision) => {
    const skipReason = 'url' in decision ? reasons.get(decision.url) : undefined;
    return skipReason ? { skipReason } : decision;
  });
}
