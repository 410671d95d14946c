import type { LoadedMedia } from '../../../content/snapshot.ts';
import type { Redirect } from '../../../schemas/page-trace.ts';
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

/**
 * Content types of playlists, which players fetch by script. Their segments are useless alone and are not
 * listed.
 */
const PLAYLIST = /mpegurl|dash\+xml/i;
/** How many media URLs are recorded per page. */
const MAX_MEDIA = 20;

/** A main document that could not be loaded, and Chromium's error code. */
export interface FailedDocument {
  url: string;
  code: string;
}

/** The response that produced the main document of a page. */
export interface DocumentResponse {
  /** Request id in the session of the page. */
  requestId: string;
  /** Its URL without a fragment. */
  url: string;
  statusCode: number;
  contentType: string;
}

interface MonitorOptions {
  mainFrameId: string;
  waitForVisuals: boolean;
  onRedirect?: ((redirect: Redirect) => void) | undefined;
}

/** Tracks the open requests of a page and the response that produced its main document. */
export class NetworkMonitor {
  /** When each open request was sent, by `performance.now()`. */
  readonly #openRequests = new Map<string, number>();
  /** Connections over which the server may send something at any time. */
  readonly #openChannels = new Set<string>();
  /** Other open requests that are not waited for, such as those for images. */
  readonly #unawaited = new Set<string>();
  readonly #requestCounts = new Map<string, number>();
  readonly #media = new Map<string, LoadedMedia>();
  readonly #mainFrameId: string;
  readonly #waitForVisuals: boolean;
  readonly #onRedirect: ((redirect: Redirect) => void) | undefined;
  /** The last request for the main document, which redirects do not change. */
  #main: { requestId: string; url: string } | undefined;
  #document: DocumentResponse | undefined;
  #failed: FailedDocument | undefined;
  #loadError: string | undefined;
  /** The last start or end of a request, by `performance.now()`. */
  #lastChange = performance.now();

  /**
   * @param options.waitForVisuals whether style sheets, images and fonts count as activity
   * @param options.onRedirect called with each URL of the page that leads to another document
   */
  constructor({ mainFrameId, waitForVisuals, onRedirect }: MonitorOptions) {
    this.#mainFrameId = mainFrameId;
    this.#waitForVisuals = waitForVisuals;
    this.#onRedirect = onRedirect;
  }

  /** Watches a session, before `Network.enable` is sent to it. */
  watch(session: Session): void {
    this.#watchNavigations(session);
    session.on('Network.requestWillBeSent', (sent) => {
      const { requestId, type = '', request, frameId, loaderId } = sent;
      if (frameId === this.#mainFrameId && requestId === loaderId) {
        this.#tellRedirect(request.url, sent.redirectResponse);
        this.#main = { requestId, url: request.url };
        this.#finish(NAVIGATION);
      }
      if (this.#isRelevant(type, request)) return this.#open(requestId);
      this.#finish(requestId);
      (type === 'EventSource' ? this.#openChannels : this.#unawaited).add(requestId);
    });
    session.on('Network.responseReceived', ({ requestId, type, response }) => {
      const { status, headers, url } = response;
      const contentType = findHeader(headers, 'content-type');
      const isMedia = status < 300 && (type === 'Media' || PLAYLIST.test(contentType));
      if (isMedia && this.#media.size < MAX_MEDIA) this.#media.set(url, { url, contentType });
      if (requestId !== this.#main?.requestId) return;
      this.#document = { requestId, url, statusCode: status, contentType };
      this.#loadError = undefined;
    });
    session.on('Network.webSocketCreated', ({ requestId }) => this.#openChannels.add(requestId));
    session.on('Network.webSocketClosed', ({ requestId }) => this.#openChannels.delete(requestId));
    session.on('Network.loadingFinished', ({ requestId }) => this.#finish(requestId));
    session.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
      this.#finish(requestId);
      if (requestId === this.#main?.requestId) this.#failed = { url: this.#main.url, code: errorText };
      if (requestId === this.#document?.requestId && !canceled) this.#loadError = errorText;
    });
  }

  /** @param response the response that redirects; absent if the page itself has navigated */
  #tellRedirect(url: string, response: { url: string; status: number } | undefined): void {
    if (response) this.#onRedirect?.({ url: response.url, by: `HTTP ${response.status}` });
    else if (this.#main && this.#main.url !== url)
      this.#onRedirect?.({ url: this.#main.url, by: 'navigation of the page' });
  }

  /**
   * The request of a navigation follows when the browser process gets to it, which may take longer than the
   * quiet time.
   */
  #watchNavigations(session: Session): void {
    session.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
      if (frameId === this.#mainFrameId && disposition === 'currentTab') this.#open(NAVIGATION);
    });
    session.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId === this.#mainFrameId) this.#finish(NAVIGATION);
    });
  }

  #open(requestId: string): void {
    this.#openRequests.set(requestId, performance.now());
    this.restartQuiet();
  }

  #finish(requestId: string): void {
    this.#openChannels.delete(requestId);
    this.#unawaited.delete(requestId);
    if (this.#openRequests.delete(requestId)) this.restartQuiet();
  }

  /** Whether a request is worth waiting for. It counts the request. */
  #isRelevant(type: string, { method, url, postData = '' }: SentRequest): boolean {
    if (!TEXT_TYPES.has(type) && !(this.#waitForVisuals && VISUAL_TYPES.has(type))) return false;
    if (type !== 'XHR' && type !== 'Fetch') return true;
    const isPoll = this.#isRepeatedMoreThan(`${method} ${url} ${postData}`, MAX_IDENTICAL_REQUESTS);
    const path = `${method} ${url.split('?', 1)[0]}`;
    return !(this.#isRepeatedMoreThan(path, MAX_REQUESTS_PER_PATH) && method === 'GET') && !isPoll;
  }

  #isRepeatedMoreThan(key: string, max: number): boolean {
    const times = (this.#requestCounts.get(key) ?? 0) + 1;
    this.#requestCounts.set(key, times);
    return times > max;
  }

  /** The response that produced the main document. */
  document(): DocumentResponse | undefined {
    return this.#document;
  }

  /** The last main document that could not be loaded. */
  failed(): FailedDocument | undefined {
    return this.#failed;
  }

  /** Chromium's error code if the main document ended before it was complete. */
  loadError(): string | undefined {
    return this.#loadError;
  }

  /** The media that the page loaded, in order. */
  media(): LoadedMedia[] {
    return [...this.#media.values()];
  }

  /** Whether the server has nothing more to send that would change the page. */
  isIdle(): boolean {
    return this.#openRequests.size === 0 && this.#openChannels.size === 0;
  }

  /** Whether no server has anything more to send, also what is not waited for. */
  hasNoRequests(): boolean {
    return this.isIdle() && this.#unawaited.size === 0;
  }

  /** Whether the page has asked for another document that has not begun to arrive. */
  isNavigating(): boolean {
    const id = this.#main?.requestId;
    const isRequested = id !== undefined && id !== this.#document?.requestId && this.#openRequests.has(id);
    return isRequested || this.#openRequests.has(NAVIGATION);
  }

  /** Restarts the quiet time after an action whose effects are still to come. */
  restartQuiet(): void {
    this.#lastChange = performance.now();
  }

  /**
   * Counts time as quiet that will pass for the page at once, unless a request is sent in it.
   * @param ms milliseconds
   */
  skip(ms: number): void {
    this.#lastChange -= ms;
  }

  /**
   * The milliseconds since the last request was sent or ended; 0 while one is open.
   * @param maxRequestMs requests that have been open for longer are not waited for
   */
  quietForMs(maxRequestMs: number): number {
    const now = performance.now();
    for (const since of this.#openRequests.values()) if (now - since < maxRequestMs) return 0;
    return now - this.#lastChange;
  }
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
