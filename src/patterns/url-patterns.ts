import { type Candidate, compareWithin, type MatchLimits } from './match-limits.ts';
import { compilePatterns } from './pattern-list.ts';

/** The patterns of a request that decide which URLs belong to a crawl or map. */
export interface UrlPatterns {
  includePaths?: readonly string[] | undefined;
  excludePaths?: readonly string[] | undefined;
  /** Whether the patterns apply to whole URLs rather than to paths. */
  regexOnFullURL?: boolean | undefined;
}

/**
 * Why patterns leave out a URL; `undefined` if they do not. `unmatched` URLs were not compared with the
 * patterns, because that would have taken too many steps.
 */
export type PatternVerdict = 'excluded' | 'notIncluded' | 'unmatched' | undefined;

/** Compiled {@link UrlPatterns}. */
export interface UrlMatcher {
  /** The most steps that the patterns take for these URLs: the size of the patterns times that of the URLs. */
  countSteps(urls: readonly string[]): number;
  /** Compares URLs with the patterns, the shortest first, within the limits. @returns a verdict for each URL */
  match(urls: readonly string[], limits: MatchLimits): PatternVerdict[];
}

/**
 * Compiles the patterns of a crawl or map.
 * @throws ServiceError `BAD_REQUEST` for an invalid pattern
 */
export function compileUrlPatterns(patterns: UrlPatterns): UrlMatcher {
  const { includePaths = [], excludePaths = [], regexOnFullURL } = patterns;
  const included = compilePatterns(includePaths);
  const excluded = compilePatterns(excludePaths);
  const spellingsOf = (url: string): string[] => {
    const text = regexOnFullURL ? url : new URL(url).pathname;
    return text.includes('%') ? [text, decodePath(text)] : [text];
  };
  const verdictOf = (spellings: string[]): PatternVerdict => {
    if (spellings.some(excluded.matches)) return 'excluded';
    return includePaths.length === 0 || spellings.some(included.matches) ? undefined : 'notIncluded';
  };
  const stepsOf = (spellings: string[]) =>
    (included.steps + excluded.steps) * spellings.reduce((sum, { length }) => sum + length + 1, 0);
  return {
    countSteps: (urls) => urls.reduce((sum, url) => sum + stepsOf(spellingsOf(url)), 0),
    match(urls, limits) {
      const verdicts = urls.map((): PatternVerdict => 'unmatched');
      const shortestFirst = [...urls.entries()].sort(([, one], [, other]) => one.length - other.length);
      function* candidates(): Iterable<Candidate> {
        for (const [place, url] of shortestFirst) {
          const spellings = spellingsOf(url);
          const compare = () => {
            verdicts[place] = verdictOf(spellings);
          };
          yield { steps: stepsOf(spellings), compare };
        }
      }
      compareWithin(candidates(), limits);
      return verdicts;
    },
  };
}

/**
 * Percent-decodes a path, because users write patterns in decoded form. An invalid path is returned
 * unchanged.
 */
function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
