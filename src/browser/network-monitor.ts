import type { LoadedMedia } from '../snapshot.ts';
import type { Session } from './cdp.ts';

/** What a page's text may come from; the rest is decoration, or never ends (event streams). */
const TEXT_TYPES = new Set(['Document', 'Script', 'XHR', 'Fetch']);
/** What only a picture of the page needs. */
const VISUAL_TYPES = new Set(['Stylesheet', 'Image', 'Font']);
/** The same request so often is a question whether there is news. */
const MAX_IDENTICAL_REQUESTS = 3;
/** The same path so often, whatever the query. */
const MAX_REQUESTS_PER_PATH = 12;

/** A playlist of a player's, which its own script fetches; the pieces that it names say nothing alone. */
const PLAYLIST = /mpegurl|dash\+xml/i;
/** More than any page plays. */
const MAX_MEDIA = 20;

/** The answer that made a page's main document. */
export interface DocumentResponse {
  /** In the session of the page. */
  requestId: string;
  statusCode: number;
  contentType: string;
}

/** What is under way on the network of a page, and the answer that made its main document. */
export type NetworkMonitor = ReturnType<typeof createNetworkMonitor>;

/** @param options.waitForVisuals whether a picture of the page is wanted, so that it matters how it looks */
export function createNetworkMonitor({ mainFrameId, waitForVisuals }: { mainFrameId: string; waitForVisuals: boolean }) {
  const openRequests = new Map<string, number>();
  const requestCounts = new Map<string, number>();
  /** The last request for the main document, which redirects do not change. */
  let main: { requestId: string; url: string } | undefined;
  let document: DocumentResponse | undefined;
  let failedUrl: string | undefined;
  let loadError: string | undefined;
  const media = new Map<string, LoadedMedia>();
  let lastChange = performance.now();
  const restartQuiet = () => {
    lastChange = performance.now();
  };
  const isRepeatedMoreThan = (key: string, max: number) => {
    const times = (requestCounts.get(key) ?? 0) + 1;
    requestCounts.set(key, times);
    return times > max;
  };
  const isRelevant = (type: string, { method, url, postData = '' }: SentRequest) => {
    if (!TEXT_TYPES.has(type) && !(waitForVisuals && VISUAL_TYPES.has(type))) return false;
    if (type !== 'XHR' && type !== 'Fetch') return true;
    const isPoll = isRepeatedMoreThan(`${method} ${url} ${postData}`, MAX_IDENTICAL_REQUESTS);
    return !(isRepeatedMoreThan(`${method} ${url.split('?', 1)[0]}`, MAX_REQUESTS_PER_PATH) && method === 'GET') && !isPoll;
  };
  const finishRequest = (requestId: string) => {
    if (openRequests.delete(requestId)) restartQuiet();
  };
  return {
    /** Watches a session that was not told yet to tell of its network. */
    watch(session: Session): void {
      session.on('Network.requestWillBeSent', ({ requestId, type = '', request, frameId, loaderId }) => {
        if (frameId === mainFrameId && requestId === loaderId) main = { requestId, url: request.url };
        if (!isRelevant(type, request)) return finishRequest(requestId);
        openRequests.set(requestId, performance.now());
        restartQuiet();
      });
      session.on('Network.responseReceived', ({ requestId, type, response }) => {
        const { status, headers, url } = response;
        const contentType = findHeader(headers, 'content-type');
        const isMedia = status < 300 && (type === 'Media' || PLAYLIST.test(contentType));
        if (isMedia && media.size < MAX_MEDIA) media.set(url, { url, contentType });
        if (requestId !== main?.requestId) return;
        document = { requestId, statusCode: status, contentType };
        loadError = undefined;
      });
      session.on('Network.loadingFinished', ({ requestId }) => finishRequest(requestId));
      session.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
        finishRequest(requestId);
        if (requestId === main?.requestId) failedUrl = main.url;
        if (requestId === document?.requestId && !canceled) loadError = errorText;
      });
    },
    document: () => document,
    failedUrl: () => failedUrl,
    /** Why the main document ended before it was all there, as Chromium says it. */
    loadError: () => loadError,
    /** What was loaded to play, in the order it came. */
    media: () => [...media.values()],
    /** Starts the quiet anew: something was done whose consequences are still to come. */
    restartQuiet,
    /** @param maxRequestMs requests that have been open for longer are not waited for */
    quietForMs(maxRequestMs: number): number {
      const now = performance.now();
      for (const since of openRequests.values()) if (now - since < maxRequestMs) return 0;
      return now - lastChange;
    },
  };
}

interface SentRequest {
  method: string;
  url: string;
  postData?: string;
}

function findHeader(headers: Record<string, string>, name: string): string {
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name);
  return found ? headers[found]! : '';
}
