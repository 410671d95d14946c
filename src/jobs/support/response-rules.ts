import { excerpt } from '../../errors.ts';
import { keepCookies } from './error-rules.ts';
import type { CompletedPage, PageFacts } from './facts.ts';
import type { Finding, Fix } from './finding.ts';
import { page } from './fixes.ts';

/** The statuses with which sites refuse visitors. */
const REFUSALS = new Set([401, 403, 406]);
/** Paths of pages at which visitors log in. */
const LOGIN = /\b(?:log-?in|log_in|sign-?in|sign_in|signin|auth|sso|session\/new|anmelden|connexion)\b/i;

/** Explains a response that is not the page: a challenge, an error, or a login. */
export function explainResponse(page: CompletedPage): Finding | undefined {
  const { statusCode, challenge } = page.document;
  if (challenge !== undefined) return explainChallenge(page, challenge);
  if (statusCode >= 300 && statusCode < 400) return explainRedirects(page);
  if (statusCode >= 400) return explainStatus(page);
  return explainLogin(page);
}

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

/** Explains a page that led to another one, at which visitors log in. */
function explainLogin({ url, document: { finalUrl } }: CompletedPage): Finding | undefined {
  const [asked, final] = [URL.parse(url), URL.parse(finalUrl)];
  if (!asked || !final || (asked.pathname === final.pathname && asked.host === final.host)) return undefined;
  if (!LOGIN.test(final.pathname) || LOGIN.test(asked.pathname)) return undefined;
  return {
    topic: 'login',
    cause: `The site led the visitor from ${excerpt(asked.pathname)} to ${excerpt(final.pathname)}, where one logs in.`,
    advice: 'Scrape with a browser profile that is logged in, or send the cookies of a login as headers.',
    fixes: [],
    confidence: 'high',
  };
}
