/** How a test decides whether a fix helps. */
type Expectation =
  /** The page arrives with content. */
  | 'page'
  /** The page has more content than before. */
  | 'moreContent'
  /** A new copy of the page differs from the one that was delivered. */
  | 'freshCopy'
  /** The document has the same text as before, which shows that the parameters have no effect. */
  | 'sameContent'
  /** The document has no placeholders of images. */
  | 'images'
  /** The document is in another language. */
  | 'otherLanguage'
  /** The start page links to more pages of the crawl. */
  | 'moreLinks';

/** Parameters that may help. */
export interface Fix {
  /**
   * Parameters that replace those of the request, also in `scrapeOptions`; `null` removes one. Without any,
   * the same request is to be sent once more.
   */
  parameters: Record<string, unknown>;
  expects: Expectation;
  /** One sentence: what the parameters do. */
  effect: string;
  /** Its test only shows a cause: the parameters themselves are no remedy. */
  isProbe?: true;
  /**
   * It helps only a page with scripts, so that it is not tested once a test has shown that there are none.
   */
  needsScripts?: true;
  /** Why it is not tested, if a test would repeat a step that must not be repeated, or prove nothing. */
  untestable?: string;
}

/** Why something went as it did, and what may help. */
export interface Finding {
  /** An error code, or the name of a symptom. */
  topic: string;
  /** One or two sentences: what happened, and why. */
  cause: string;
  /** One sentence: what to do where no parameter helps. */
  advice: string;
  /** Possible fixes, the smallest change first. */
  fixes: Fix[];
  /** How certain the cause is. */
  confidence: 'high' | 'medium' | 'low';
  /**
   * Nothing but the tests tells the cause: it is one of those that the fixes are for. If no test succeeds, it
   * is not known.
   */
  isGuess?: true;
}

/** The outcome of testing one or several fixes by one scrape. */
export interface Verdict {
  result: 'success' | 'failure' | 'skipped';
  /** One sentence: what the test showed. */
  evidence: string;
  /** The fix that helps. */
  fix?: Fix;
  /** Whether the success may have another reason than the fix. */
  isDoubtful?: true;
  /** Whether the page has no scripts. */
  hasNoScripts?: boolean;
}

/** Most scrapes that test fixes for one question. */
const MAX_TRIALS = 4;

/**
 * Groups the fixes of a finding that are to be tested. Those that concern the scope of a crawl are tested
 * together, because one scrape shows all links of the start page.
 */
export function trialsOf({ fixes }: Finding): Fix[][] {
  const testable = fixes.filter(({ untestable }) => !untestable);
  const isOfScope = ({ expects, parameters }: Fix) => expects === 'moreLinks' && !parameters.scrapeOptions;
  const ofScope = testable.filter(isOfScope);
  const others = testable.filter((fix) => !isOfScope(fix)).map((fix) => [fix]);
  return [...(ofScope.length ? [ofScope] : []), ...others].slice(0, MAX_TRIALS);
}
