import { quote } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import type { CrawlRequest } from '../../schemas/crawl.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { countLinks } from './crawl-rules.ts';
import { type DocumentFacts, FEW_WORDS } from './facts.ts';
import type { Fix, Verdict } from './finding.ts';
import type { Mentions } from './mentions.ts';

/** The result of a scrape that tests fixes. */
export interface Trial {
  fixes: Fix[];
  error?: { code: string; message: string };
  document?: DocumentFacts & { url: string; links: string[] };
}

/** The baseline of fixes: the document as it was delivered, the crawl, and what the question names. */
export interface Before {
  document?: DocumentFacts | undefined;
  crawl?: CrawlRequest | undefined;
  /** Number of pages that the crawl had found beside its start page. */
  found?: number | undefined;
  mentions?: Mentions | undefined;
}

/** Decides whether a scrape proves one of the fixes that it tests. */
export function judgeTrial({ fixes, error, document }: Trial, before: Before): Verdict {
  const [first] = fixes;
  if (!first) throw new Error('A trial tests at least one fix.');
  if (error) return failure(`${describe(first)} the scrape failed too: ${error.code}.`);
  if (!document)
    return { result: 'skipped', evidence: 'The scrape that was to test the fix did not end in time.' };
  const verdict =
    first.expects === 'moreLinks' ? judgeLinks(fixes, document, before) : judgePage(first, document, before);
  return { ...verdict, ...(document.hasScripts === false && { hasNoScripts: true }) };
}

function judgePage(fix: Fix, document: NonNullable<Trial['document']>, before: Before): Verdict {
  const { statusCode, words, isCopy, digest } = document;
  if (statusCode >= 300 || document.challenge !== undefined)
    return failure(`${describe(fix)} the site still responded with HTTP ${statusCode}.`);
  const earlier = before.document;
  const outcome = `HTTP ${statusCode} and ${words} words`;
  switch (fix.expects) {
    case 'page':
      return words > 0 || !document.hasText
        ? success(fix, `${describe(fix)} a scrape of the URL gave ${outcome}.`)
        : failure(`${describe(fix)} a scrape gave no content.`);
    case 'moreContent':
      return judgeContent(fix, document, before);
    case 'freshCopy':
      return !isCopy && digest !== earlier?.digest
        ? success(fix, `${describe(fix)} a scrape of the URL gave another content than the cached copy.`)
        : failure(`${describe(fix)} a scrape gave the same content as the cached copy.`);
    case 'sameContent':
      return digest === earlier?.digest
        ? success(fix, `${describe(fix)} a scrape of the URL gave the same text.`)
        : failure(`${describe(fix)} a scrape gave another text.`);
    case 'images':
      return document.replacedImages
        ? failure(`${describe(fix)} a scrape still gave placeholders.`)
        : success(fix, `${describe(fix)} a scrape of the URL gave no placeholders.`);
    case 'otherLanguage':
      return digest !== earlier?.digest && document.language !== earlier?.language
        ? success(
            fix,
            `${describe(fix)} a scrape of the URL gave a page whose language is ${document.language ?? 'not named'}.`,
          )
        : failure(`${describe(fix)} a scrape gave the same language.`);
    case 'moreLinks':
      throw new Error('Links are judged by judgeLinks.');
  }
}

/**
 * Decides whether a document has what an earlier one lacks. Where the question names something that the
 * earlier one does not have, more words prove nothing unless they include it.
 */
function judgeContent(fix: Fix, document: DocumentFacts, { document: earlier, mentions }: Before): Verdict {
  const { words } = document;
  const [before, had] = [earlier?.words ?? 0, new Set(earlier?.mentioned)];
  const missing = [...(mentions?.exact ?? []), ...(mentions?.words ?? [])].filter((each) => !had.has(each));
  const found = missing.filter((each) => document.mentioned.includes(each));
  const outcome = `HTTP ${document.statusCode} and ${words} words instead of ${before}`;
  const evidence = `${describe(fix)} a scrape of the URL gave ${outcome}, with ${quoteAll(found)}.`;
  if (found.some((each) => mentions?.exact.includes(each))) return success(fix, evidence);
  // A single word may be on a button or in the navigation.
  if (found.length && words >= before + FEW_MORE)
    return { ...success(fix, evidence), ...(before >= FEW_WORDS && { isDoubtful: true }) };
  if (!isMore(words, before))
    return failure(`${describe(fix)} a scrape gave ${words} words, no more than the ${before} before.`);
  const isThin = before < FEW_WORDS;
  if (missing.length && !isThin)
    return failure(`${describe(fix)} a scrape gave ${outcome}, but without ${quoteAll(missing)}.`);
  return {
    ...success(fix, `${describe(fix)} a scrape of the URL gave ${outcome}.`),
    ...(!isThin && { isDoubtful: true }),
  };
}

const quoteAll = (texts: string[]) => texts.map(quote).join(', ');

const success = (fix: Fix, evidence: string): Verdict => ({ result: 'success', evidence, fix });
const failure = (evidence: string): Verdict => ({ result: 'failure', evidence });

/** Words of pages vary from visit to visit, so only clearly more is more than some. */
const isMore = (words: number, earlier: number) =>
  earlier === 0 ? words > 0 : words >= earlier + FEW_MORE && words >= earlier * 1.2;
const FEW_MORE = 5;

const describe = ({ parameters }: Fix) =>
  Object.keys(parameters).length ? `With ${JSON.stringify(parameters)},` : 'With the same parameters,';

function judgeLinks(
  fixes: Fix[],
  page: NonNullable<Trial['document']>,
  { crawl, found: known = 0 }: Before,
): Verdict {
  if (!crawl) return failure('The request is not one of a crawl.');
  const isOfPage = fixes.some(({ parameters }) => parameters.scrapeOptions);
  // Where the page itself is scraped in another way, its links are compared with what the crawl had found.
  const earlier = isOfPage ? known : countLinks(crawl, page);
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
