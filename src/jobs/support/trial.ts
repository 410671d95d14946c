import type { Action } from '../../schemas/actions.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { JobFacts } from './facts.ts';
import type { Finding, Fix } from './finding.ts';
import { mergeParameters } from './verdict.ts';

/** Whether an action may change something at the site, so that a test must not repeat it. */
const CHANGES_SITE: Record<Action['type'], boolean> = {
  wait: false,
  click: true,
  write: true,
  press: true,
  scroll: false,
  screenshot: false,
  scrape: false,
  executeJavascript: true,
  pdf: false,
};

/**
 * Returns the request by which a fix is tested: that of the page, or of the pages of the crawl, with the
 * parameters of the fix.
 * @returns `undefined` if the page cannot be scraped again
 */
export function requestOfTrial({ page, crawl }: JobFacts, fix: Fix): ScrapeRequest | undefined {
  const options = page?.request ?? crawl?.request.scrapeOptions;
  // The file of a parse is deleted when its job has ended.
  if (!options || page?.request.upload) return undefined;
  const url = crawl && fix.expects === 'moreLinks' ? crawl.start : (page?.url ?? crawl?.request.url);
  const parameters = crawl ? ((fix.parameters.scrapeOptions ?? {}) as Fix['parameters']) : fix.parameters;
  return mergeParameters({ ...(options as ScrapeRequest), url: url ?? '' }, parameters);
}

/** Marks the fixes whose test would click, type or run a script at the site once more. */
export const withoutRepeatedActions = (finding: Finding, job: JobFacts): Finding => ({
  ...finding,
  fixes: finding.fixes.map((fix) => {
    const { actions = [] } = requestOfTrial(job, fix) ?? {};
    if (fix.untestable || !actions.some(({ type }) => CHANGES_SITE[type])) return fix;
    return { ...fix, untestable: 'A test would repeat the clicks, the typing or a script of the request.' };
  }),
});
