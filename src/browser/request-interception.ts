import { mayShare } from '../url.ts';
import type { Session } from './cdp.ts';
import type { Tab } from './tab.ts';

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
  isBlocked?: ((request: OutgoingRequest) => boolean) | undefined;
}

/** Style sheets and fonts are no advertisements: each type left out is a round trip less for each of its requests. */
const BLOCKABLE_TYPES = ['Document', 'Script', 'Image', 'Media', 'XHR', 'Fetch', 'Ping'] as const;

/**
 * Applies the rules to every request of a page, redirects included. One handler does all of it, because two that hold
 * the same request would each wait for the other.
 */
export async function interceptRequests(tab: Tab, { headers, isBlocked }: RequestRules): Promise<void> {
  const blockablePatterns = isBlocked ? BLOCKABLE_TYPES.map((resourceType) => ({ resourceType })) : [];
  const ownPatterns = headers
    ? ['http', 'https'].map((scheme) => ({ urlPattern: `${scheme}://${headers.origin.host}/*` }))
    : [];
  if (!blockablePatterns.length && !ownPatterns.length) return;
  let pageUrl = '';
  const handlePaused =
    (session: Session) =>
    ({ requestId, request, resourceType: type, frameId }: PausedRequest) => {
      const isPage = type === 'Document' && frameId === tab.frameId;
      if (isPage) pageUrl = request.url;
      const command =
        !isPage && isBlocked?.({ url: request.url, type, pageUrl })
          ? session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
          : session.send('Fetch.continueRequest', {
              requestId,
              ...(headers &&
                mayShare(headers.origin, new URL(request.url)) && {
                  headers: Object.entries({ ...lowerCaseNames(request.headers), ...headers.values }).map(
                    ([name, value]) => ({ name, value }),
                  ),
                }),
            });
      // A page that was closed meanwhile needs no answer.
      command.catch(() => undefined);
    };
  await tab.prepareFrames(async (session) => {
    session.on('Fetch.requestPaused', handlePaused(session));
    // A frame of another site asks in its own name.
    const patterns = session === tab.session ? [...ownPatterns, ...blockablePatterns] : blockablePatterns;
    if (patterns.length) await session.send('Fetch.enable', { patterns });
  });
}

/** What Chromium says of a request that it holds. */
interface PausedRequest {
  requestId: string;
  request: { url: string; headers: Record<string, string> };
  resourceType: string;
  frameId: string;
}

const lowerCaseNames = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
