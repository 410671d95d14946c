import { isPlayable } from '../../content/html/media/page-media.ts';
import { findRefreshTarget } from '../../content/html/meta-refresh.ts';
import type { LoadedMedia } from '../../content/snapshot.ts';
import { requireAllowedHost } from '../../url/allowed-hosts.ts';
import { canForwardHeaders } from '../../url/url.ts';
import type { Egress } from '../net/checked-egress.ts';
import { parseFileName } from '../net/content-disposition.ts';
import { download } from '../net/download.ts';
import type { Exchange } from '../net/exchange.ts';
import { parseRetryAfter } from '../net/retry-after.ts';
import { type Engine, type EngineResult, type PageRequest, routeOf } from './engine.ts';
import { readBody } from './read-body.ts';
import { acceptLanguage, visitorOf } from './visitor.ts';

/** Options of the engine. */
export interface HttpEngineOptions {
  egress: Egress;
  userAgent: string;
  maxBodyBytes: number;
}

/** Maximum number of meta refreshes that are followed in a row. */
const MAX_REFRESHES = 5;

/** Headers that a browser sends when the user enters a URL. */
const BROWSER_HEADERS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'upgrade-insecure-requests': '1',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
};

/** The part of a snapshot that represents a media file: its URL, without text. */
const fileToPlay = ({ url, contentType }: LoadedMedia) => ({
  kind: 'text' as const,
  text: '',
  media: [{ url, contentType }],
});

/**
 * The engine for pages that need no browser. It sends a GET request, follows meta refreshes and decodes the
 * response.
 */
export function createHttpEngine({ egress, userAgent, maxBodyBytes }: HttpEngineOptions): Engine {
  async function fetchOnce(
    request: PageRequest,
    exchanges: Exchange[] | undefined,
    signal: AbortSignal,
  ): Promise<EngineResult> {
    const {
      owner,
      sourceUrl,
      url,
      headers,
      skipTlsVerification,
      location,
      proxy,
      media,
      allowedHosts,
      onRedirect,
    } = request;
    const isFile = (each: { contentType: string; url: string; statusCode: number }) =>
      media && each.statusCode < 300 && isPlayable(each.contentType, each.url);
    // The connection waits for the same lookup and reports its error, but does not know whose it is.
    egress.resolve(new URL(url).hostname, owner).catch(() => undefined);
    const response = await download(egress, {
      url,
      headers: {
        ...BROWSER_HEADERS,
        'accept-language': acceptLanguage(visitorOf(location).languages),
        'user-agent': userAgent,
      },
      userHeaders: headers,
      skipTlsVerification,
      route: routeOf(request),
      allowedHosts,
      onRedirect,
      signal,
      maxBodyBytes,
      skipBody: isFile,
      exchanges,
    });
    const fileName = parseFileName(response.headers['content-disposition']);
    const retryAfterMs = parseRetryAfter(response.headers['retry-after']);
    return {
      sourceUrl,
      url: response.url,
      statusCode: response.statusCode,
      contentType: response.contentType,
      ...(isFile(response) ? fileToPlay(response) : readBody({ ...response, fileName }, request)),
      ...(retryAfterMs && { retryAfterMs }),
      engine: 'http',
      proxy,
      fetchedAt: Date.now(),
      files: {},
      ...(exchanges && { exchanges }),
    };
  }

  return {
    async fetchPage(request, signal) {
      let { headers } = request;
      // Those of all hops.
      const exchanges: Exchange[] | undefined = request.archive ? [] : undefined;
      let snapshot = await fetchOnce(request, exchanges, signal);
      for (let hops = 0; hops < MAX_REFRESHES && snapshot.kind === 'html'; hops++) {
        const url = findRefreshTarget(snapshot.text, snapshot.url);
        if (!url) break;
        requireAllowedHost(new URL(url), request.allowedHosts);
        // The user's headers are sent to the requested origin only.
        if (!canForwardHeaders(new URL(snapshot.url), new URL(url))) headers = {};
        request.onRedirect?.({ url: snapshot.url, by: 'meta refresh' });
        snapshot = await fetchOnce({ ...request, url, headers }, exchanges, signal);
      }
      return snapshot;
    },
  };
}
