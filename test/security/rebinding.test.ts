import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../src/errors.ts';
import { scrape } from '../support/api/call.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { ALLOWED } from './canary.ts';

/** Names that lead to the site when they are checked, and inside when they are asked for again. */

const ENGINES = [
  ['http', { fastMode: true }],
  ['browser', { waitFor: 1 }],
] as const;

/** Longer than the door remembers an answer and than Chromium keeps an idle connection's name. */
const FORGOTTEN_MS = 12_000;

let site: Pages;
let siteport: string;
let secrets = 0;
/** On the site's own port, for a name keeps its port when it turns. */
const secret = createServer((_request, response) => {
  secrets++;
  response.end('secret');
});

/** Starts the site, and the secret at the same port of another IP address. */
async function startBoth(): Promise<Pages> {
  const pages = await startSite();
  secret.listen(Number(new URL(pages.url).port), '127.0.0.1');
  try {
    await once(secret, 'listening');
    return pages;
  } catch (error) {
    // A connection of another program has the port at that IP address.
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    await pages[Symbol.asyncDispose]();
    return startBoth();
  }
}

const startSite = () =>
  startPages(
    {
      '/': '<main>The public face</main>',
      '/go': (request, response) =>
        response.writeHead(302, { Location: `http://${request.headers.host}/` }).end(),
      '/later': `<main>Waiting</main><p id="found"></p><script>
        setTimeout(() => fetch('/again').then((answer) => answer.text(), String).then((text) => {
          document.getElementById('found').textContent = 'Found: ' + text;
        }), ${FORGOTTEN_MS});
      </script>`,
    },
    ALLOWED,
  );

beforeAll(async () => {
  secret.on('connection', () => secrets++);
  site = await startBoth();
  siteport = new URL(site.url).port;
});
afterAll(async () => {
  secret.close();
  await site[Symbol.asyncDispose]();
});

describe.concurrent('a host name that changes to a private IP address', () => {
  it.each(ENGINES)(
    'after the check is still connected to the checked IP address, in %s',
    async (engine, options) => {
      const { body } = await scrape({ url: `http://rebinding-${engine}.test:${siteport}/`, ...options });
      expect(body.data?.markdown, JSON.stringify(body)).toContain('The public face');
      expect(secrets).toBe(0);
    },
  );

  it.each(ENGINES)(
    'before a redirect to itself never reaches the private IP address, in %s',
    async (engine, options) => {
      const { body } = await scrape({
        url: `http://rebinding-redirect-${engine}.test:${siteport}/go`,
        ...options,
      });
      if (body.success) expect(body.data.markdown).toContain('The public face');
      else expect(body.code).toBe('unsafe_domain_blocked');
      expect(secrets).toBe(0);
    },
  );

  it('while its page is open is refused to that page', async () => {
    const url = `http://rebinding-later.test:${siteport}/later`;
    const { body } = await scrape({
      url,
      waitFor: FORGOTTEN_MS + 12_000,
      timeout: 60_000,
      onlyMainContent: false,
    });
    expect(body.data?.markdown, JSON.stringify(body)).toMatch(/Found: TypeError/);
    expect(site.requests.map(({ path }) => path)).not.toContain('/again');
    expect(secrets).toBe(0);
  });
});
