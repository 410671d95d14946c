import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { listenOnNewPort } from '../support/network/listen.ts';
import { notFound, ROUTES } from './routes.ts';

export { type AppTruth, appTruth } from './app.ts';
export { type ArticleTruth, articleTruth } from './article.ts';
export { CHARSET_PAGES } from './charset.ts';
export { pdfSentence } from './files.ts';
export { linkDepth, linkSentence } from './links.ts';
export { SCRIPT_SHAPES, STATIC_SHAPES, shapePage, shapeSentence } from './shapes.ts';

const PAGES = 5_000;

/** A running site. */
export interface Site {
  /** Its origin, without a trailing slash. */
  url: string;
  /** Number of requests, in total or for one path without its query. */
  hits(path?: string): number;
  /** Stops it and closes all connections. */
  close(): Promise<void>;
}

/** The options of the site. */
export interface SiteOptions {
  /** Port; 0 for a free one. */
  port?: number;
  /** Number of pages of the link graph. */
  pages?: number;
}

/**
 * Serves the generated site on loopback. Pages are generated on request and are the same in every run.
 * @example
 * const site = await startSite();
 * const { body } = await scrape({ url: `${site.url}/article/1` });
 * expect(body.data.markdown).toContain(articleTruth(1).firstSentence);
 * await site.close();
 */
export async function startSite({ port = 0, pages = PAGES }: SiteOptions = {}): Promise<Site> {
  const hits = new Map<string, number>();
  let total = 0;
  const server = createServer((request, response) => {
    const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
    hits.set(path, (hits.get(path) ?? 0) + 1);
    total++;
    serve({ request, response, path, query: new URLSearchParams(query), pages });
  });
  if (port > 0) await once(server.listen(port, '127.0.0.1'), 'listening');
  const actualPort = port > 0 ? port : await listenOnNewPort(server);
  return {
    url: `http://127.0.0.1:${actualPort}`,
    hits: (path) => (path === undefined ? total : (hits.get(path) ?? 0)),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  pages: number;
}

function serve(call: Call): void {
  for (const [pattern, route] of ROUTES) {
    const match = pattern.exec(call.path);
    if (!match) continue;
    const origin = `http://${call.request.headers.host ?? 'localhost'}`;
    route({ ...call, parts: match.slice(1), origin, forward: (path) => serve({ ...call, path }) });
    return;
  }
  notFound(call.response);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string' }, pages: { type: 'string' } } });
  const site = await startSite({ port: Number(values.port ?? 0), pages: Number(values.pages ?? PAGES) });
  process.stdout.write(`${site.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void site.close());
  // It ends with the process that forked it, but is not kept alive by the channel to it.
  process.once('disconnect', () => process.exit());
  process.channel?.unref();
}
