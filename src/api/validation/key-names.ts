/** A name that a request may not have at some place, and what to write instead. */
interface Replacement {
  names: readonly string[];
  /** The option that the place must know for the advice to fit. */
  beside: string;
  /** What to do, as a sentence. */
  advice: string;
}

const asFormat = (type: string, member: string) =>
  `Ask for it in formats: [{"type": "${type}", ${JSON.stringify(member)}: …}].`;

/**
 * Names of older versions of this API and of other clients and tools. Names that differ only a little from
 * an option, such as `max_age`, need no line.
 */
export const REPLACEMENTS: readonly Replacement[] = [
  {
    names: ['url'],
    beside: 'uploadRef',
    advice: 'This endpoint takes a file. Send a URL to POST /v2/scrape.',
  },
  {
    names: ['urls'],
    beside: 'url',
    advice: 'Use url for one URL, and POST /v2/batch/scrape for several.',
  },
  { names: ['url'], beside: 'urls', advice: 'Use urls, a list such as ["https://example.com"].' },
  { names: ['maxDepth', 'depth'], beside: 'maxDiscoveryDepth', advice: 'Use maxDiscoveryDepth.' },
  {
    names: ['ignoreSitemap', 'sitemapOnly'],
    beside: 'sitemap',
    advice: 'Use sitemap, which is "skip", "include" or "only".',
  },
  { names: ['allowBackwardLinks'], beside: 'crawlEntireDomain', advice: 'Use crawlEntireDomain.' },
  {
    names: ['allowExternalContentLinks', 'followExternalLinks'],
    beside: 'allowExternalLinks',
    advice: 'Use allowExternalLinks.',
  },
  { names: ['includes'], beside: 'includePaths', advice: 'Use includePaths.' },
  { names: ['excludes'], beside: 'excludePaths', advice: 'Use excludePaths.' },
  {
    names: ['maxPages', 'maxUrls', 'maxCrawlPages', 'numResults', 'maxResults', 'num'],
    beside: 'limit',
    advice: 'Use limit.',
  },
  { names: ['concurrency'], beside: 'maxConcurrency', advice: 'Use maxConcurrency.' },
  { names: ['webhookUrl', 'callback'], beside: 'webhook', advice: 'Use webhook: {"url": …}.' },
  { names: ['q'], beside: 'query', advice: 'Use query.' },
  {
    names: ['jsonOptions', 'extract', 'extractorOptions'],
    beside: 'formats',
    advice: asFormat('json', 'schema'),
  },
  { names: ['changeTrackingOptions'], beside: 'formats', advice: asFormat('changeTracking', 'modes') },
  {
    names: ['screenshot', 'fullPageScreenshot'],
    beside: 'formats',
    advice: asFormat('screenshot', 'fullPage'),
  },
  {
    names: ['format', 'output', 'outputFormat'],
    beside: 'formats',
    advice: 'Use formats, a list such as ["markdown"].',
  },
  {
    names: ['parsePDF'],
    beside: 'parsers',
    advice: 'Use parsers: ["pdf"] to convert a PDF, [] to get it as base64.',
  },
  { names: ['geolocation'], beside: 'location', advice: 'Use location, such as {"country": "DE"}.' },
  { names: ['country'], beside: 'location', advice: 'Use location, such as {"country": "DE"}.' },
  { names: ['wait', 'delayMs', 'waitMs'], beside: 'waitFor', advice: 'Use waitFor, in milliseconds.' },
  { names: ['timeoutMs', 'pageTimeout'], beside: 'timeout', advice: 'Use timeout, in milliseconds.' },
  {
    names: ['selector', 'cssSelector', 'onlyIncludeTags', 'targetSelector'],
    beside: 'includeTags',
    advice: 'Use includeTags, a list of CSS selectors.',
  },
  {
    names: ['removeTags', 'excludedTags', 'removeSelector'],
    beside: 'excludeTags',
    advice: 'Use excludeTags, a list of CSS selectors.',
  },
  { names: ['userAgent'], beside: 'headers', advice: 'Use headers: {"User-Agent": …}.' },
  { names: ['cookies', 'cookie'], beside: 'headers', advice: 'Use headers: {"Cookie": "name=value"}.' },
  {
    names: ['lang', 'languages', 'language'],
    beside: 'location',
    advice: 'Use location: {"languages": ["de"]}.',
  },
];
