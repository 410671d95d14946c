import { explainCrawl } from './crawl-rules.ts';
import { explainDocument } from './document-rules.ts';
import { explainError } from './error-rules.ts';
import type { JobFacts, PageFacts } from './facts.ts';
import type { Finding } from './finding.ts';
import { explainResponse } from './response-rules.ts';
import { withoutRepeatedActions } from './trial.ts';

/**
 * Explains why a job went as it did.
 * @returns `undefined` if nothing about it is out of the ordinary
 */
export function explainJob(job: JobFacts, question: string): Finding | undefined {
  const finding = findCause(job, question);
  return finding && withoutRepeatedActions(finding, job);
}

function findCause(job: JobFacts, question: string): Finding | undefined {
  const { page, pages, crawl } = job;
  if (page?.isAsked) return forPages(job, explainPage(page, question));
  const isDenied = page?.error?.code === 'CRAWL_DENIAL' || page?.error?.code === 'EXTERNAL_LINK';
  if (pages && !isDenied && page?.error) {
    return forPages(job, explainPage(page, question));
  }
  // A start page that is no page explains the crawl better than its scope.
  const { document } = page ?? {};
  const response =
    pages && pages.completed <= 1 && page && document && explainResponse({ ...page, document });
  if (response) return forPages(job, response);
  // Where pages were refused, the scope of the crawl is what the question is about.
  const ofCrawl = crawl && pages && explainCrawl(crawl, pages, question);
  if (ofCrawl) return ofCrawl;
  if (job.error && !page) return explainJobError(job.error);
  if (job.status === 'scraping') return explainRunning(job);
  return page && forPages(job, explainPage(page, question));
}

function explainPage(page: PageFacts, question: string): Finding | undefined {
  const { error, document } = page;
  if (error) return explainError({ ...page, error });
  return document && explainDocument({ ...page, document }, question);
}

/** The parameters of the pages of a crawl are members of `scrapeOptions`. */
function forPages({ pages, crawl }: JobFacts, finding: Finding | undefined): Finding | undefined {
  if (!finding || !pages) return finding;
  const share = `${pages.failed} of ${pages.completed + pages.failed} pages failed`;
  return {
    ...finding,
    cause: pages.failed ? `${share}. ${finding.cause}` : finding.cause,
    fixes: finding.fixes.map((fix) =>
      crawl && Object.keys(fix.parameters).length
        ? { ...fix, parameters: { scrapeOptions: fix.parameters } }
        : fix,
    ),
  };
}

const explainJobError = ({ code, message }: { code: string; message: string }): Finding => ({
  topic: code,
  cause: `${code}: ${message}`,
  advice: 'Start the job again when the cause is gone.',
  fixes:
    code === 'ROBOTS_UNAVAILABLE'
      ? [
          {
            parameters: { ignoreRobotsTxt: true },
            expects: 'page',
            effect:
              'If you are allowed to crawl the site anyway, ignoreRobotsTxt crawls it without its robots.txt.',
          },
        ]
      : code === 'MAP_TIMEOUT'
        ? [
            {
              parameters: { timeout: 120_000 },
              expects: 'page',
              effect: 'The site gets two minutes.',
              untestable: 'A scrape of one page cannot show how long the map of a site takes.',
            },
          ]
        : [],
  confidence: 'high',
});

const explainRunning = ({ kind, pages }: JobFacts): Finding => ({
  topic: 'running',
  cause: `The ${kind.replace('_', ' ')} is still running${pages ? `: ${pages.completed} pages are completed, ${pages.failed} have failed, ${pages.open} are open` : ''}.`,
  advice: 'Wait for its end, or read its status for the pages that are done.',
  fixes: [],
  confidence: 'high',
});
