import type { Page, Request, Response } from 'playwright-core';

/** What a page's text may come from; the rest is decoration, or never ends (event streams). */
const TEXT_BEARING = new Set(['document', 'script', 'xhr', 'fetch']);
/** What only a picture of the page needs. */
const VISIBLE = new Set(['stylesheet', 'image', 'font']);
/** The same request so often is a question whether there is news. */
const POLL_AFTER = 3;
/** The same path so often, whatever the query. */
const POLL_PATH_AFTER = 12;

/** What is under way on the network of a page, and the answer that made its main document. */
export type Traffic = ReturnType<typeof watchTraffic>;

/** @param options.pictures whether a picture of the page is wanted, so that it matters how it looks */
export function watchTraffic(page: Page, { pictures }: { pictures: boolean }) {
  const open = new Map<Request, number>();
  const asked = new Map<string, number>();
  let document: Response | undefined;
  let failedUrl: string | undefined;
  let lastChange = performance.now();
  const touch = () => {
    lastChange = performance.now();
  };
  const isMain = (request: Request) => request.isNavigationRequest() && request.frame() === page.mainFrame();
  const again = (key: string, most: number) => {
    const times = (asked.get(key) ?? 0) + 1;
    asked.set(key, times);
    return times > most;
  };
  const matters = (request: Request) => {
    const type = request.resourceType();
    if (!TEXT_BEARING.has(type) && !(pictures && VISIBLE.has(type))) return false;
    if (type !== 'xhr' && type !== 'fetch') return true;
    const key = `${request.method()} ${request.url()} ${request.postDataBuffer()?.toString('latin1') ?? ''}`;
    const path = `${request.method()} ${request.url().split('?', 1)[0]}`;
    const isPoll = again(key, POLL_AFTER);
    return !(again(path, POLL_PATH_AFTER) && request.method() === 'GET') && !isPoll;
  };
  page.on('request', (request) => {
    if (!matters(request)) return;
    open.set(request, performance.now());
    touch();
  });
  const close = (request: Request) => {
    if (open.delete(request)) touch();
  };
  page.on('requestfinished', close);
  page.on('requestfailed', (request) => {
    close(request);
    if (isMain(request)) failedUrl = request.url();
  });
  page.on('response', (response) => {
    const redirected = response.status() >= 300 && response.status() < 400;
    if (!redirected && isMain(response.request())) document = response;
  });
  return {
    document: () => document,
    failedUrl: () => failedUrl,
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
