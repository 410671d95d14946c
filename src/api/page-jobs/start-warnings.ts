import type { PageJobKind } from '../../job-kinds.ts';
import { PathPatterns } from '../../jobs/crawl/path-patterns.ts';
import type { UrlPatterns } from '../../patterns/url-patterns.ts';
import { EVENTS_OF, narrowTarget, type WebhookTarget } from '../../schemas/webhook.ts';

/**
 * What the patterns of a crawl do that their author hardly wants, though they are valid.
 * @param start the start URL
 * @returns sentences, none for usual patterns
 */
export function warnOfPatterns(start: string, options: UrlPatterns): string[] {
  const { includePaths = [], excludePaths = [], regexOnFullURL } = options;
  const warnings: string[] = [];
  for (const [name, patterns] of Object.entries({ includePaths, excludePaths })) {
    if (patterns.includes('')) {
      const effect =
        name === 'includePaths' ? 'so nothing is left out by it' : 'so the crawl has no documents';
      warnings.push(`${name} has an empty pattern, which matches every page, ${effect}. Remove it.`);
    }
    if (!regexOnFullURL && patterns.some((pattern) => /^\^?https?:/i.test(pattern))) {
      warnings.push(
        `${name} has a whole URL, but is compared with paths such as /blog/a, so that pattern matches no page. Write the path only, or set regexOnFullURL to true.`,
      );
    }
  }
  const ofExclusion = new PathPatterns({ excludePaths, regexOnFullURL });
  const [verdict] = ofExclusion.applyAtOnce([{ url: start, depth: 0, external: false }]);
  if (verdict && 'skipReason' in verdict && verdict.skipReason === 'excluded' && !excludePaths.includes('')) {
    warnings.push(
      `excludePaths matches the start URL ${start}. Its links are followed, but the crawl has no document of it.`,
    );
  }
  return warnings;
}

/**
 * Whether a webhook is sent nothing of a job of this kind, as a sentence.
 * @returns no sentence if something is sent to it
 */
export function warnOfWebhook(webhook: WebhookTarget | undefined, kind: PageJobKind): string[] {
  if (!webhook || narrowTarget(webhook, kind).events.length) return [];
  const events = EVENTS_OF[kind].map((event) => `${kind}.${event}`).join(', ');
  return [
    `The webhook gets nothing, because webhook.events names no event of this job. Its events are ${events}; leave events out to get all.`,
  ];
}

/** Several URLs that are one entry, because a comma is a character of URLs. */
const SEVERAL_URLS = /^https?:[^,]*,\s*https?:/i;

/** Says which entries of a batch seem to have several URLs. @returns no sentence if none has */
export function warnOfUrls(urls: readonly unknown[]): string[] {
  const at = urls.findIndex((url) => typeof url === 'string' && SEVERAL_URLS.test(url));
  if (at < 0) return [];
  return [
    `urls[${at}] has a comma and a second URL behind it, and is scraped as one URL. Write each URL as an entry of its own.`,
  ];
}
