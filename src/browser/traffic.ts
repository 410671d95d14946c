import type { LoadedMedia } from '../snapshot.ts';
import type { Session } from './cdp.ts';

/** What a page's text may come from; the rest is decoration, or never ends (event streams). */
const TEXT_BEARING = new Set(['Document', 'Script', 'XHR', 'Fetch']);
/** What only a picture of the page needs. */
const VISIBLE = new Set(['Stylesheet', 'Image', 'Font']);
/** The same request so often is a question whether there is news. */
const POLL_AFTER = 3;
/** The same path so often, whatever the query. */
const POLL_PATH_AFTER = 12;

/** A playlist of a player's, which its own script fetches; the pieces that it names say nothing alone. */
const PLAYLIST = /mpegurl|dash\+xml/i;
/** More than any page plays. */
const MOST_MEDIA = 20;

/** The answer that made a page's main document. */
export interface Answer {
  /** In the session of the page. */
  requestId: string;
  statusCode: number;
  contentType: string;
}

/** What is under way on the network of a page, and the answer that made its main document. */
export type Traffic = ReturnType<typeof watchTraffic>;

/** @param options.pictures whether a picture of the page is wanted, so that it matters how it looks */
export function watchTraffic({ mainFrameId, pictures }: { mainFrameId: string; pictures: boolean }) {
  const open = new Map<string, number>();
  const asked = new Map<string, number>();
  /** The last request for the main document, which redirects do not change. */
  let main: { requestId: string; url: string } | undefined;
  let document: Answer | undefined;
  let failedUrl: string | undefined;
  let brokenOff: string | undefined;
  const media = new Map<string, LoadedMedia>();
  let lastChange = performance.now();
  const touch = () => {
    lastChange = performance.now();
  };
  const again = (key: string, most: number) => {
    const times = (asked.get(key) ?? 0) + 1;
    asked.set(key, times);
    return times > most;
  };
  const matters = (type: string, { method, url, postData = '' }: Sent) => {
    if (!TEXT_BEARING.has(type) && !(pictures && VISIBLE.has(type))) return false;
    if (type !== 'XHR' && type !== 'Fetch') return true;
    const isPoll = again(`${method} ${url} ${postData}`, POLL_AFTER);
    return !(again(`${method} ${url.split('?', 1)[0]}`, POLL_PATH_AFTER) && method === 'GET') && !isPoll;
  };
  const close = (requestId: string) => {
    if (open.delete(requestId)) touch();
  };
  return {
    /** Watches a session that was not told yet to tell of its network. */
    watch(session: Session): void {
      session.on('Network.requestWillBeSent', ({ requestId, type = '', request, frameId, loaderId }) => {
        if (frameId === mainFrameId && requestId === loaderId) main = { requestId, url: request.url };
        if (!matters(type, request)) return close(requestId);
        open.set(requestId, performance.now());
        touch();
      });
      session.on('Network.responseReceived', ({ requestId, type, response }) => {
        const { status, headers, url } = response;
        const contentType = headerOf(headers, 'content-type');
        const isMedia = status < 300 && (type === 'Media' || PLAYLIST.test(contentType));
        if (isMedia && media.size < MOST_MEDIA) media.set(url, { url, contentType });
        if (requestId !== main?.requestId) return;
        document = { requestId, statusCode: status, contentType };
        brokenOff = undefined;
      });
      session.on('Network.loadingFinished', ({ requestId }) => close(requestId));
      session.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
        close(requestId);
        if (requestId === main?.requestId) failedUrl = main.url;
        if (requestId === document?.requestId && !canceled) brokenOff = errorText;
      });
    },
    document: () => document,
    failedUrl: () => failedUrl,
    /** Why the main document ended before it was all there, as Chromium says it. */
    brokenOff: () => brokenOff,
    /** What was loaded to play, in the order it came. */
    media: () => [...media.values()],
    /** Starts the quiet anew: something was done whose consequences are still to come. */
    touch,
    /** @param patienceMs requests that have been open for longer are not waited for */
    quietForMs(patienceMs: number): number {
      const now = performance.now();
      for (const since of open.values()) if (now - since < patienceMs) return 0;
      return now - lastChange;
    },
  };
}

interface Sent {
  method: string;
  url: string;
  postData?: string;
}

function headerOf(headers: Record<string, string>, name: string): string {
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name);
  return found ? headers[found]! : '';
}
