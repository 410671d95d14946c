import { isOnAllowedHost } from '../../../url/allowed-hosts.ts';
import { canForwardHeaders } from '../../../url/url.ts';
import type { Session } from '../chromium/cdp.ts';
import type { Tab } from '../tab.ts';

/** A request that a page is about to send. */
export interface OutgoingRequest {
  url: string;
  /** CDP resource type: `Script`, `Image`, …; `Document` always belongs to a frame. */
  type: string;
  /** URL of the page that sends the request. */
  pageUrl: string;
}

/** How the requests of a page are changed or blocked. */
export interface RequestRules {
  /**
   * Headers for requests to one origin only, because they may hold secrets that third parties must not see,
   * even after a redirect.
   */
  headers?: { origin: URL; values: Record<string, string> } | undefined;
  /** Decides which requests are blocked. */
  isBlocked?: ((request: OutgoingRequest) => boolean) | undefined;
  /** The hosts that the tab itself may be on; absent if any may be. */
  allowedHosts?: readonly string[] | undefined;
}

/**
 * Types that can be advertisements. Each type left out (style sheets, fonts) saves a round trip per request.
 */
export const BLOCKABLE_TYPES = ['Document', 'Script', 'Image', 'Media', 'XHR', 'Fetch', 'Ping'] as const;

/**
 * Applies the rules to every request of a page, including redirects. One handler applies all rules, because
 * two handlers that pause the same request would deadlock.
 */
export async function interceptRequests(
  tab: Tab,
  { headers, isBlocked, allowedHosts }: RequestRules,
): Promise<void> {
  const types = isBlocked ? BLOCKABLE_TYPES : allowedHosts ? (['Document'] as const) : [];
  const blockablePatterns = types.map((resourceType) => ({ resourceType }));
  const ownPatterns = headers
    ? ['http', 'https'].map((scheme) => ({ urlPattern: `${scheme}://${headers.origin.host}/*` }))
    : [];
  if (!blockablePatterns.length && !ownPatterns.length) return;
  let pageUrl = '';
  const handlePaused =
    (session: Session) =>
    ({ requestId, request, resourceType: type, frameId }: PausedRequest) => {
      const isPage = type === 'Document' && frameId === tab.frameId;
      // Chromium accepts URLs that Node does not, such as `http://xn--a/`. They are never the user's own origin.
      const url = headers && URL.parse(request.url);
      const hasLeft = isPage && allowedHosts && !isOnAllowedHost(request.url, allowedHosts);
      if (isPage && !hasLeft) pageUrl = request.url;
      // An aborted navigation leaves the page that is open as it is.
      const command = hasLeft
        ? session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        : !isPage && isBlocked?.({ url: request.url, type, pageUrl })
          ? session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
          : session.send('Fetch.continueRequest', {
              requestId,
              ...(headers &&
                url &&
                canForwardHeaders(headers.origin, url) && {
                  headers: Object.entries({ ...lowerCaseNames(request.headers), ...headers.values }).map(
                    ([name, value]) => ({ name, value }),
                  ),
                }),
            });
      // The page may have been closed meanwhile.
      command.catch(() => undefined);
    };
  await tab.prepareFrames(async (session) => {
    session.on('Fetch.requestPaused', handlePaused(session));
    // The user's headers are not sent by cross-site frames.
    const patterns = session === tab.session ? [...ownPatterns, ...blockablePatterns] : blockablePatterns;
    if (patterns.length) await session.send('Fetch.enable', { patterns });
  });
}

/** The event of a paused request. */
interface PausedRequest {
  requestId: string;
  request: { url: string; headers: Record<string, string> };
  resourceType: string;
  frameId: string;
}

const lowerCaseNames = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
