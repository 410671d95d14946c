import type { CDPSession } from 'playwright-core';
import { mayShare } from '../url.ts';

/** A request that a page is about to send. */
export interface OutgoingRequest {
  url: string;
  /** As CDP calls it: `Script`, `Image`, …; `Document` is always a frame's. */
  type: string;
  /** Of the page. */
  pageUrl: string;
}

/** What becomes of a page's requests. */
export interface RequestRules {
  /** Sent with requests to one origin only: third parties must not see a user's secrets, not even after a redirect. */
  headers?: { origin: URL; values: Record<string, string> } | undefined;
  /** Says which requests are not sent at all. */
  isUnwanted?: ((request: OutgoingRequest) => boolean) | undefined;
}

/** Style sheets and fonts are no advertisements: each type left out is a round trip less for each of its requests. */
const REFUSABLE = ['Document', 'Script', 'Image', 'Media', 'XHR', 'Fetch', 'Ping'] as const;

/**
 * Applies the rules to every request of a page, redirects included. One handler does all of it, because two that hold
 * the same request would each wait for the other; CDP's own, because Playwright's routes hold every request, show
 * headers to whom a request is redirected, and cost three times as much.
 */
export async function ruleRequests(
  session: CDPSession,
  { headers, isUnwanted }: RequestRules,
): Promise<void> {
  const patterns = [
    ...(headers
      ? ['http', 'https'].map((scheme) => ({ urlPattern: `${scheme}://${headers.origin.host}/*` }))
      : []),
    ...(isUnwanted ? REFUSABLE.map((resourceType) => ({ resourceType })) : []),
  ];
  if (!patterns.length) return;
  let mainFrame: string | undefined;
  let pageUrl = '';
  session.on('Fetch.requestPaused', ({ requestId, request, resourceType: type, frameId }) => {
    if (type === 'Document') mainFrame ??= frameId;
    const isPage = type === 'Document' && frameId === mainFrame;
    if (isPage) pageUrl = request.url;
    const answer =
      !isPage && isUnwanted?.({ url: request.url, type, pageUrl })
        ? session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
        : session.send('Fetch.continueRequest', {
            requestId,
            ...(headers &&
              mayShare(headers.origin, new URL(request.url)) && {
                headers: Object.entries({ ...lowerCased(request.headers), ...headers.values }).map(
                  ([name, value]) => ({ name, value }),
                ),
              }),
          });
    // A page that was closed meanwhile needs no answer.
    answer.catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns });
}

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
