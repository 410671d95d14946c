import { keepCookies, READ_IMAGES } from './error-rules.ts';
import type { DocumentFacts, PageFacts } from './facts.ts';
import type { Finding, Fix } from './finding.ts';

/** A page with fewer words than this has next to no content. */
const FEW_WORDS = 25;
const WAIT_MS = 5_000;
const LONG_WAIT_MS = 15_000;

const ASKS_ABOUT_AGE =
  /\b(stale|old|older|outdated|out of date|cached?|yesterday|not (?:up.to.date|current)|latest|fresh|changed|update[sd]?)\b/i;
const ASKS_ABOUT_CONTENT =
  /\b(missing|empty|incomplete|nothing|blank|short|little|less|lacks?|without|only|no (?:content|text|markdown)|not (?:there|all|complete))\b/i;

type CompletedPage = PageFacts & { document: DocumentFacts };

/** The statuses with which sites refuse visitors. */
const REFUSALS = new Set([401, 403, 406]);

/**
 * Explains a page that was delivered, but not as expected.
 * @param question what the user asks, which decides between causes that the page itself does not tell apart
 * @returns `undefined` if there is nothing to complain about
 */
export function explainDocument(page: CompletedPage, question: string): Finding | undefined {
  const { document } = page;
  const { statusCode, words, isCopy, challenge } = document;
  if (challenge !== undefined) return explainChallenge(page, challenge);
  if (statusCode >= 300 && statusCode < 400) return explainRedirects(page);
  if (statusCode >= 400) return explainStatus(page);
  if (isCopy && (ASKS_ABOUT_AGE.test(question) || words < FEW_WORDS)) return explainCopy();
  if (isBase64(page)) return explainBase64();
  if (isUnreadScan(page)) return explainScan();
  if (/match nothing on the page/.test(document.warning ?? '')) return explainSelector(page);
  const isThin = words < FEW_WORDS;
  if (isThin || ASKS_ABOUT_CONTENT.test(question)) return explainMissingContent(page, isThin);
  return undefined;
}

const moreContent = (parameters: Fix['parameters'], effect: string): Fix => ({
  parameters,
  effect,
  expects: 'moreContent',
});

const page = (parameters: Fix['parameters'], effect: string): Fix => ({
  parameters,
  effect,
  expects: 'page',
});

/** The ways to get a page that were not tried yet. */
const untriedWays = ({ request: { fastMode, proxy, headers = {} } }: PageFacts): Fix[] => [
  ...(fastMode ? [page({ fastMode: false }, 'Without fastMode, the page may be opened in a browser.')] : []),
  ...(Object.keys(headers).length
    ? [page({ headers: {} }, 'Without the headers of the request, the site sees an ordinary visitor.')]
    : []),
  ...(proxy === 'basic'
    ? [page({ proxy: 'auto' }, 'With proxy "auto", an enhanced proxy is tried too.')]
    : []),
];

const explainChallenge = (page: CompletedPage, challenge: string): Finding => ({
  topic: 'challenge',
  cause: `The site sent a challenge (${challenge}) instead of the page, because it takes the visitor for a program.`,
  advice: 'The operator of the service can add enhanced proxies; otherwise ask the site for access.',
  fixes: untriedWays(page),
  confidence: 'high',
});

const explainRedirects = (page: CompletedPage): Finding => ({
  topic: 'redirects',
  cause: `The site redirects in a circle: after twenty redirects, its response was still HTTP ${page.document.statusCode}.`,
  advice: 'Open the page that it is meant to lead to; if the site asks for a login, use a browser profile.',
  fixes: keepCookies(page),
  confidence: 'high',
});

function explainStatus(page: CompletedPage): Finding {
  const { statusCode } = page.document;
  const isRefusal = REFUSALS.has(statusCode);
  const passes = statusCode >= 500;
  const advice = isRefusal
    ? 'Send the credentials that the site needs as headers, or scrape with a browser profile that is logged in.'
    : statusCode === 429
      ? 'Send fewer requests to the site: set delay or maxConcurrency in crawls and batches.'
      : passes
        ? 'The site itself has a fault: try again later.'
        : 'Check the URL: no parameter can help.';
  const retry: Fix = { parameters: {}, expects: 'page', effect: 'The site responds again.' };
  return {
    topic: `status ${statusCode}`,
    cause: `The site responded with HTTP ${statusCode}${isRefusal ? ', so it refuses the request' : ''}.`,
    advice,
    fixes: isRefusal ? untriedWays(page) : passes ? [...untriedWays(page), retry] : [],
    confidence: 'high',
  };
}

const explainCopy = (): Finding => ({
  topic: 'cache',
  cause:
    'The document was made from a cached copy of the page, because maxAge accepts copies of up to two days by default.',
  advice: 'The page has not changed since, so the copy is as good as a new one.',
  fixes: [
    {
      parameters: { maxAge: 0 },
      expects: 'freshCopy',
      effect: 'With maxAge 0, the page is always fetched anew.',
    },
  ],
  confidence: 'high',
});

/** Whether a file was requested as it is, instead of its text. */
const isBase64 = ({ request: { parsers }, document: { contentType = '' } }: CompletedPage) =>
  /pdf/.test(contentType) && parsers?.length === 0;

const explainBase64 = (): Finding => ({
  topic: 'parsers',
  cause: 'The request has an empty list of parsers, so the PDF was returned as it is, in Base64.',
  advice: 'Leave parsers out.',
  fixes: [page({ parsers: ['pdf'] }, 'With the parser "pdf", its text becomes markdown.')],
  confidence: 'high',
});

/** Whether the text of a PDF is in images, and the request is for the fast mode, which does not read them. */
const isUnreadScan = ({ request: { parsers }, document: { contentType = '', words } }: CompletedPage) =>
  /pdf/.test(contentType) &&
  words < FEW_WORDS &&
  parsers?.some((parser) => typeof parser === 'object' && 'mode' in parser && parser.mode === 'fast');

const explainScan = (): Finding => ({
  topic: 'scan',
  cause: 'The PDF has next to no text but that in its images, which the mode "fast" does not recognise.',
  advice: 'Leave the mode out.',
  fixes: [READ_IMAGES],
  confidence: 'high',
});

/** The page may lack the elements, or have them only later. */
const explainSelector = ({ request }: CompletedPage): Finding => ({
  topic: 'includeTags',
  cause: `No element of the page matches includeTags (${request.includeTags?.join(', ')}), so nothing of it was kept.`,
  advice: 'Check the selectors against the page.',
  fixes: [
    ...(request.waitFor < WAIT_MS && !request.fastMode ? [waitLonger(request, WAIT_MS)] : []),
    moreContent({ includeTags: [] }, 'Without includeTags, the main content of the page is kept.'),
  ],
  confidence: 'high',
});

function waitLonger({ timeout }: PageFacts['request'], waitFor: number): Fix {
  const longEnough = timeout >= 2 * waitFor ? {} : { timeout: 3 * waitFor };
  return moreContent(
    { waitFor, ...longEnough },
    `The page brings its content late: waitFor ${waitFor} gives its scripts ${waitFor / 1000} seconds.`,
  );
}

function explainMissingContent({ request, document, attempts }: CompletedPage, isThin: boolean): Finding {
  const { excludeTags = [], includeTags = [], fastMode, waitFor, onlyMainContent } = request;
  const fixes = [
    ...(excludeTags.length
      ? [moreContent({ excludeTags: [] }, `excludeTags (${excludeTags.join(', ')}) removes the content.`)]
      : []),
    ...(includeTags.length
      ? [
          moreContent(
            { includeTags: [] },
            `includeTags (${includeTags.join(', ')}) keeps too little of the page.`,
          ),
        ]
      : []),
    ...(fastMode
      ? [moreContent({ fastMode: false }, 'Scripts bring the content, and fastMode does not run them.')]
      : []),
    ...(waitFor < WAIT_MS && !fastMode ? [waitLonger(request, WAIT_MS)] : []),
    ...(onlyMainContent
      ? [
          moreContent(
            { onlyMainContent: false },
            'The content is where pages usually have navigation or footers.',
          ),
        ]
      : []),
    ...(isThin && waitFor < LONG_WAIT_MS && !fastMode ? [waitLonger(request, LONG_WAIT_MS)] : []),
  ];
  const engine = attempts.at(-1)?.engine;
  return {
    topic: 'content',
    cause: `The document has ${document.words} words${engine ? `; the page came from the engine ${engine}` : ''}.`,
    advice: 'The page itself seems to have no more content than that.',
    fixes,
    confidence: isThin ? 'medium' : 'low',
  };
}
