import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Pages, startPages } from '../../test/support/sites/pages.ts';

/** The result that each step has to give: titles of pages, and the content of files. */
export const EXPECTED = {
  navigate: 'Start',
  upload: 'a file of the client',
  download: 'a file of the site',
  tabs: ['Start', 'Second', 'Popup'],
  reconnect: ['Start', 'Second'],
};

const PAGES = {
  '/': `<!doctype html><title>Start</title><input type=file>
    <p><a id=download href=/report.txt download>Download</a></p>
    <p><button id=popup onclick="window.open('/popup')">Popup</button></p>`,
  '/second': '<!doctype html><title>Second</title><p>Second</p>',
  '/popup': '<!doctype html><title>Popup</title><p id=popup-text>Popup</p>',
};

/** Serves the pages of the steps. @param endSession called for `/end-session`, which clients request */
export function startSite(endSession: () => Promise<unknown>): Promise<Pages> {
  return startPages({
    ...PAGES,
    '/report.txt': (_request, response) => {
      const headers = {
        'Content-Type': 'text/plain',
        'Content-Disposition': 'attachment; filename="report.txt"',
      };
      response.writeHead(200, headers).end(EXPECTED.download);
    },
    '/end-session': async (_request, response) => {
      await endSession();
      response.end();
    },
  });
}

/** A port of this machine at which nothing listens. */
export async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  // It has listened on TCP.
  return typeof address === 'object' && address !== null ? address.port : 0;
}
