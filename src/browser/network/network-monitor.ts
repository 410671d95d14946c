import type { LoadedMedia } from '../../snapshot.ts';
import type { Session } from '../chromium/cdp.ts';

/** Resource types that can bring text. Others only decorate the page, or never end (event streams). */
const TEXT_TYPES = new Set(['Document', 'Script', 'XHR', 'Fetch']);
/** Resource types that matter only for a screenshot or PDF. */
const VISUAL_TYPES = new Set(['Stylesheet', 'Image', 'Font']);
/** An identical request that is sent more often is polling, and is not waited for. */
const MAX_IDENTICAL_REQUESTS = 3;
/** The same for requests with the same path and different queries. */
const MAX_REQUESTS_PER_PATH = 12;

/** Stands for a navigation of the page that has no request yet; requests have other ids. */
const NAVIGATION = 'navigation';

/** Content types of playlists, which players fetch by script. Their segments are useless alone and are not listed. */
const PLAYLIST = /mpegurl|dash\+xml/i;
/** How many media URLs are recorded per page. */
const MAX_MEDIA = 20;

/** The response that produced the main document of a page. */
export interface DocumentResponse {
  /** Request id in the session of the page. */
  requestId: string;
  statusCode: number;
  contentType: string;
}

/** Tracks the open requests of a page and the response that produced its main document. */
export type NetworkMonitor = ReturnType<typeof createNetworkMonitor>;

/** @param options.waitForVisuals whether style sheets, images and fonts count as activity */
export function createNetworkMonitor({
  mainFrameId,
  waitForVisuals,
}: {
  mainFrameId: string;
  waitForVisuals: boolean;
}) {
  const openRequests = new Map<string, number>();
  /** Connections over which the server may send something at any time. */
  const openChannels = new Set<string>();
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
    return (
      !(isRepeatedMoreThan(`${method} ${url.split('?', 1)[0]}`, MAX_REQUESTS_PER_PATH) && method === 'GET') &&
      !isPoll
    );
  };
  const finishRequest = (requestId: string) => {
    openChannels.delete(requestId);
    if (openRequests.delete(requestId)) restartQuiet();
  };
  return {
    /** Watches a session, before `Network.enable` is sent to it. */
    watch(session: Session): void {
      session.on('Network.requestWillBeSent', ({ requestId, type = '', request, frameId, loaderId }) => {
        if (frameId === mainFrameId && requestId === loaderId) {
          main = { requestId, url: request.url };
          finishRequest(NAVIGATION);
        }
        if (type === 'EventSource') openChannels.add(requestId);
        if (!isRelevant(type, request)) return finishRequest(requestId);
        openRequests.set(requestId, performance.now());
        restartQuiet();
      });
      // The request of a navigation follows when the browser process gets to it, which may take longer than the quiet time.
      session.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
        if (frameId !== mainFrameId || disposition !== 'currentTab') return;
        openRequests.set(NAVIGATION, performance.now());
        restartQuiet();
      });
      session.on('Page.frameStoppedLoading', ({ frameId }) => {
        if (frameId === mainFrameId) finishRequest(NAVIGATION);
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
      session.on('Network.webSocketCreated', ({ requestId }) => openChannels.add(requestId));
      session.on('Network.webSocketClosed', ({ requestId }) => openChannels.delete(requestId));
      session.on('Network.loadingFinished', ({ requestId }) => finishRequest(requestId));
      session.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
        finishRequest(requestId);
        if (requestId === main?.requestId) failedUrl = main.url;
        if (requestId === document?.requestId && !canceled) loadError = errorText;
      });
    },
    document: () => document,
    failedUrl: () => failedUrl,
    /** Chromium's error code if the main document ended before it was complete. */
    loadError: () => loadError,
    /** The media that the page loaded, in order. */
    media: () => [...media.values()],
    /** Restarts the quiet time after an action whose effects are still to come. */
    restartQuiet,
    /** Whether the server has nothing more to send that would change the page. */
    isIdle: () => openRequests.size === 0 && openChannels.size === 0,
    /** Counts time as quiet that will pass for the page at once, unless a request is sent in it. @param ms milliseconds */
    skip(ms: number): void {
      lastChange -= ms;
    },
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
