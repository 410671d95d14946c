import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { listenOnNewPort } from '../network/listen.ts';

/** A few pages made for one test. */
export interface Pages {
  /** Its origin, without a slash at the end. */
  url: string;
  /** Every request so far, in order. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** The headers of the last request for a path. */
  headersOf(path: string): IncomingHttpHeaders | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves HTML, or whatever a listener answers, by path; everything else is a 404.
 * @param host the address of this machine to listen on
 * @example
 * await using site = await startPages({ '/': '<h1>Home</h1>', '/about': '<p>About</p>' });
 * const { body } = await scrape({ url: `${site.url}/` });
 */
export async function startPages(
  pages: Record<string, string | RequestListener>,
  host = '127.0.0.1',
): Promise<Pages> {
  const requests: Pages['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '/';
    requests.push({ path, headers: request.headers });
    const page = pages[path];
    if (typeof page === 'function') page(request, response);
    else response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'text/html' }).end(page ?? '');
  });
  const port = await listenOnNewPort(server, host);
  return {
    url: `http://${host}:${port}`,
    requests,
    headersOf: (path) => requests.findLast((request) => request.path === path)?.headers,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
