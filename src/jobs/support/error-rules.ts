import { ERRORS, type ErrorCode, isErrorCode } from '../../errors.ts';
import type { PageFacts } from './facts.ts';
import type { Finding, Fix } from './finding.ts';
import { READ_IMAGES, selectorsOf } from './fixes.ts';

/** The longest timeout of a request. */
const MAX_TIMEOUT_MS = 300_000;
const LONGER_TIMEOUT_MS = 30_000;

/** The remedy for an error. Its cause is in the message of the error itself. */
interface ErrorRule {
  /** Advice where no parameter helps. */
  advice: string;
  fixes?: (page: PageFacts) => Fix[];
  confidence?: Finding['confidence'];
}

/** Sends the same request once more, because the error may pass. */
const RETRY: Fix = { parameters: {}, expects: 'page', effect: 'The same request may succeed later.' };
const USE_BROWSER: Fix = {
  parameters: { fastMode: false },
  expects: 'page',
  effect: 'Without fastMode, the page may be opened in a browser.',
};
const AUTO_PROXY: Fix = {
  parameters: { proxy: 'auto' },
  expects: 'page',
  effect: 'With proxy "auto", an enhanced proxy is tried where the site refuses the basic one.',
};

function longerTimeout({ request }: PageFacts): Fix[] {
  const timeout = Math.min(MAX_TIMEOUT_MS, Math.max(LONGER_TIMEOUT_MS, request.timeout * 2));
  if (timeout <= request.timeout) return [];
  return [
    {
      parameters: { timeout },
      expects: 'page',
      effect: `The page gets ${timeout} ms instead of ${request.timeout}.`,
    },
  ];
}

/** The plain response is taken where only the browser did not get done with the page. */
function withoutBrowser({ attempts, request }: PageFacts): Fix[] {
  const hadResponse = attempts.some(({ engine, result }) => engine === 'http' && result === 'HTTP 200');
  if (!hadResponse || request.fastMode) return [];
  const effect = 'With fastMode, the plain response of the site is used and its scripts are not run.';
  return [{ parameters: { fastMode: true }, expects: 'page', effect }];
}

/** Actions wait for their elements, which the page may lack. */
function withoutWaitingActions({ request }: PageFacts): Fix[] {
  const selectors = selectorsOf(request);
  if (!selectors.length) return [];
  const effect = `Without its actions, the page arrives in time: they wait for elements (${selectors.join(', ')}) that the page may lack.`;
  return [{ parameters: { actions: [] }, expects: 'page', effect }];
}

const otherWays = ({ request: { fastMode, proxy } }: PageFacts): Fix[] => [
  ...(fastMode ? [USE_BROWSER] : []),
  ...(proxy === 'basic' ? [AUTO_PROXY] : []),
];

/** A browser keeps the cookies that redirects set, which may end their circle. */
export const keepCookies = ({ attempts }: PageFacts): Fix[] =>
  attempts.some(({ engine }) => engine.startsWith('browser'))
    ? []
    : [
        {
          parameters: { fastMode: false, waitFor: 1_000 },
          expects: 'page',
          effect: 'A browser keeps the cookies that the redirects set, which may end the circle.',
        },
      ];

/** Leaves out the action that failed, or all of them where the URL is no page. */
function withoutFailedAction({ request: { actions = [] }, error }: PageFacts): Fix[] {
  // The message of the error begins with the position of the action.
  const position = Number(/^Action (\d+) /.exec(error?.message ?? '')?.[1]);
  const failed = actions[position - 1];
  if (!failed)
    return [
      { parameters: { actions: [] }, expects: 'page', effect: 'The page is scraped without its actions.' },
    ];
  return [
    {
      parameters: { actions: actions.filter((action) => action !== failed) },
      expects: 'page',
      effect: `Action ${position} (${failed.type}) is left out. If its element appears late, put an action of type wait with its selector before it instead.`,
    },
  ];
}

/** Removes the formats that a page cannot give, if others remain. */
const withoutFormat =
  (type: string) =>
  ({ request: { formats } }: PageFacts): Fix[] => {
    const rest = formats.filter((format) => format.type !== type);
    if (!rest.length) return [];
    return [
      {
        parameters: { formats: rest },
        expects: 'page',
        effect: `The page is scraped without the format ${type}.`,
      },
    ];
  };

/** The errors of pages for which there is more to say than their message and their entry in the reference. */
const RULES: Partial<Record<ErrorCode, ErrorRule>> = {
  SCRAPE_TIMEOUT: {
    advice: 'Set a longer timeout, or ask for less: fewer formats, a shorter waitFor, fewer actions.',
    fixes: (page) => [
      ...withoutWaitingActions(page),
      ...(page.request.timeout < LONGER_TIMEOUT_MS
        ? [...longerTimeout(page), ...withoutBrowser(page)]
        : [...withoutBrowser(page), ...longerTimeout(page)]),
    ],
  },
  SCRAPE_SSL_ERROR: {
    advice: 'The operator of the site has to repair its certificate.',
    fixes: ({ request: { skipTlsVerification } }) =>
      skipTlsVerification
        ? []
        : [
            {
              parameters: { skipTlsVerification: true },
              expects: 'page',
              effect: 'The page is fetched although its certificate cannot be trusted.',
            },
          ],
  },
  SCRAPE_SITE_ERROR: {
    advice: 'Try again later: the site itself does not respond as it should.',
    fixes: (page) => (/redirects more than/.test(page.error?.message ?? '') ? keepCookies(page) : [RETRY]),
  },
  SCRAPE_ALL_ENGINES_FAILED: {
    advice: 'The site refuses automated visitors. Ask its operator for access, or use an enhanced proxy.',
    fixes: (page) => (otherWays(page).length ? otherWays(page) : [RETRY]),
    confidence: 'medium',
  },
  SCRAPE_DNS_SERVER_ERROR: { advice: 'Try again later.', fixes: () => [RETRY] },
  SCRAPE_DNS_RESOLUTION_ERROR: { advice: 'Check the spelling of the host: no parameter can help.' },
  SCRAPE_PROXY_SELECTION_ERROR: {
    advice: 'Ask the operator of this service which proxies it has.',
    fixes: ({ request: { proxy, location } }) => [
      ...(proxy === 'auto' ? [] : [AUTO_PROXY]),
      ...(location
        ? [{ parameters: { location: null }, expects: 'page', effect: 'Any proxy is used.' } as const]
        : []),
    ],
  },
  unsafe_domain_blocked: {
    advice:
      'No parameter can change that. The operator of the service can allow private addresses with WINNOW_ALLOW_PRIVATE.',
  },
  SCRAPE_NO_CACHED_DATA: {
    advice: 'Scrape the page once without minAge, so that there is a copy.',
    fixes: () => [
      {
        parameters: { minAge: null },
        expects: 'page',
        effect: 'Without minAge, the page is fetched from the site.',
      },
    ],
  },
  SCRAPE_PDF_OCR_REQUIRED: {
    advice: 'Use a mode of the PDF parser that recognises text in images.',
    fixes: () => [READ_IMAGES],
  },
  SCRAPE_CONVERSION_TOO_LONG: {
    advice:
      'Send fewer or simpler selectors and a smaller JSON Schema. The operator of the service can raise WINNOW_MAX_CONVERSION_SECONDS.',
  },
  SCRAPE_PAGE_MEMORY_EXCEEDED: {
    advice:
      'Read the page without its scripts (fastMode), or leave out actions that make it larger. The operator of the service can raise WINNOW_MAX_PAGE_MEMORY_MB.',
  },
  SCRAPE_DOCUMENT_ENCRYPTED: {
    advice: 'Remove the password from the document: there is no parameter for it.',
  },
  SCRAPE_DOCUMENT_UNREADABLE: { advice: 'Check whether another program can open the document.' },
  INSUFFICIENT_MEMORY: {
    advice:
      'The service was short of memory while it converted the document. Try again later, or convert only its first pages (maxPages). The operator of the service can give it more memory.',
  },
  SCRAPE_UNSUPPORTED_FILE_ERROR: { advice: 'No parameter can help: choose a page or a document instead.' },
  SCRAPE_CONTENT_TOO_LARGE: {
    advice: 'No parameter can help. The operator of the service can raise WINNOW_MAX_BODY_MB.',
  },
  SCRAPE_ACTION_ERROR: {
    advice: 'Check the selectors of the actions against the page.',
    fixes: withoutFailedAction,
    confidence: 'medium',
  },
  SCRAPE_AUDIO_UNSUPPORTED_URL: { advice: 'Choose a page with audio.', fixes: withoutFormat('audio') },
  SCRAPE_VIDEO_UNSUPPORTED_URL: { advice: 'Choose a page with a video.', fixes: withoutFormat('video') },
  SCRAPE_MEDIA_ACCESS_DENIED: { advice: 'The site does not give this file away: no parameter can help.' },
  PROFILE_LOCKED: {
    advice: 'Wait until the other request has ended.',
    fixes: ({ request: { profile } }) =>
      profile
        ? [
            {
              parameters: { profile: { name: profile.name, saveChanges: false } },
              expects: 'page',
              effect: 'Any number of requests may use a profile that they do not save.',
            },
          ]
        : [],
  },
  CONCURRENCY_QUEUE_TIMEOUT: {
    advice: 'Send fewer requests at once, or ask your operator for more concurrency.',
    fixes: () => [RETRY],
  },
  WORKER_LOST: { advice: 'Try again later.', fixes: () => [RETRY] },
  UNKNOWN_ERROR: {
    advice: 'Tell the operator of the service the id in the message.',
    fixes: () => [RETRY],
    confidence: 'low',
  },
};

/** Explains the error of a page. */
export function explainError(page: PageFacts & { error: NonNullable<PageFacts['error']> }): Finding {
  const { code, message } = page.error;
  const rule = isErrorCode(code) ? RULES[code] : undefined;
  const summary = isErrorCode(code) ? `${ERRORS[code].summary}.` : '';
  return {
    topic: code,
    cause: `${code}: ${message || summary}`,
    advice: rule?.advice ?? summary,
    fixes: rule?.fixes?.(page) ?? [],
    confidence: rule?.confidence ?? 'high',
  };
}
