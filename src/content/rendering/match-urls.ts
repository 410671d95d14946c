import type { MatchLimits } from '../../patterns/match-limits.ts';
import {
  compileUrlPatterns,
  type PatternVerdict,
  type UrlMatcher,
  type UrlPatterns,
} from '../../patterns/url-patterns.ts';

/** URLs to compare with the patterns of a crawl or map. */
export interface MatchTask {
  patterns: UrlPatterns;
  urls: readonly string[];
  limits: MatchLimits;
}

/** The last patterns of this thread, because the pages of a crawl come one after the other. */
let last: { key: string; matcher: UrlMatcher } | undefined;

/** Compares URLs with patterns. @returns a verdict for each URL */
export function matchUrls({ patterns, urls, limits }: MatchTask): PatternVerdict[] {
  const key = JSON.stringify(patterns);
  if (last?.key !== key) last = { key, matcher: compileUrlPatterns(patterns) };
  return last.matcher.match(urls, limits);
}
