import { isJsonObject } from '../../json/json-object.ts';
import type { CrawlRequest } from '../../schemas/crawl.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { countLinks } from './crawl-rules.ts';
import type { DocumentFacts } from './facts.ts';
import type { Fix, Verdict } from './finding.ts';

/** The result of a scrape that tests fixes. */
export interface Trial {
  fixes: Fix[];
  error?: { code: string; message: string };
  document?: DocumentFacts & { url: string; links: string[] };
}

/** The baseline of fixes: the document as it was delivered, and the request of the crawl. */
export interface Before {
  document?: DocumentFacts | undefined;
  crawl?: CrawlRequest | undefined;
}

/** Decides whether a scrape proves one of the fixes that it tests. */
export function judgeTrial({ fixes, error, document }: Trial, before: Before): Verdict {
  const [first] = fixes;
  if (!first) throw new Error('A trial tests at least one fix.');
  if (error) return failure(`${describe(first)} the scrape failed too: ${error.code}.`);
  if (!document)
    return { result: 'skipped', evidence: 'The scrape that was to test the fix did not end in time.' };
  const { statusCode, words, isCopy, digest } = document;
  if (first.expects === 'moreLinks') return judgeLinks(fixes, document, before.crawl);
  if (statusCode >= 300 || document.challenge !== undefined)
    return failure(`${describe(first)} the site still responded with HTTP ${statusCode}.`);
  const earlier = before.document?.words ?? 0;
  const outcome = `HTTP ${statusCode} and ${words} words`;
  switch (first.expects) {
    case 'page':
      return words > 0
        ? success(first, `${describe(first)} a scrape of the URL gave ${outcome}.`)
        : failure(`${describe(first)} a scrape gave no content.`);
    case 'moreContent':
      return isMore(words, earlier)
        ? success(first, `${describe(first)} a scrape of the URL gave ${outcome} instead of ${earlier}.`)
        : failure(`${describe(first)} a scrape gave ${words} words, no more than the ${earlier} before.`);
    case 'freshCopy':
      return !isCopy && digest !== before.document?.digest
        ? success(first, `${describe(first)} a scrape of the URL gave another content than the cached copy.`)
        : failure(`${describe(first)} a scrape gave the same content as the cached copy.`);
  }
}

const success = (fix: Fix, evidence: string): Verdict => ({ result: 'success', evidence, fix });
const failure = (evidence: string): Verdict => ({ result: 'failure', evidence });

/** Words of pages vary from visit to visit, so only clearly more is more. */
const isMore = (words: number, earlier: number) => words >= earlier + 5 && words >= earlier * 1.2;

const describe = ({ parameters }: Fix) =>
  Object.keys(parameters).length ? `With ${JSON.stringify(parameters)},` : 'With the same parameters,';

function judgeLinks(
  fixes: Fix[],
  page: NonNullable<Trial['document']>,
  crawl: CrawlRequest | undefined,
): Verdict {
  if (!crawl) return failure('The request is not one of a crawl.');
  const earlier = countLinks(crawl, page);
  for (const fix of fixes) {
    const merged = mergeParameters(crawl, fix.parameters);
    const found = countLinks(merged, page);
    if (found > earlier) {
      const evidence = `A scrape of the start URL found ${found} links that are pages of the crawl with ${JSON.stringify(fix.parameters)}, and ${earlier} without.`;
      return success(fix, evidence);
    }
  }
  return failure(
    `A scrape of the start URL found ${page.links.length} links; none of them becomes a page of the crawl by another option.`,
  );
}

/**
 * Merges parameters into a request: each replaces that of the request, also in `scrapeOptions`; `null`
 * removes it.
 */
export function mergeParameters<Request extends CrawlRequest | ScrapeRequest>(
  request: Request,
  { scrapeOptions, ...parameters }: Fix['parameters'],
): Request {
  const merged: Record<string, unknown> = { ...request, ...parameters };
  if (isJsonObject(scrapeOptions) && isJsonObject(merged.scrapeOptions))
    merged.scrapeOptions = { ...merged.scrapeOptions, ...scrapeOptions };
  for (const name of Object.keys(parameters)) if (parameters[name] === null) delete merged[name];
  // A fix only names options of the request that it is for.
  return merged as Request;
}
