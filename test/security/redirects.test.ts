import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { sampleOf } from '../support/suite/corpus.ts';
import { ALLOWED, expectSilence } from './canary.ts';

/** A site that may be fetched, and sends its visitors inside. */

const { port } = inject('canary');

const ENGINES = [
  ['the plain fetch', { fastMode: true }],
  ['the browser', { waitFor: 1 }],
] as const;
const STATUSES = [301, 302, 303, 307, 308];

/** Where to, and whether it is an address of the web: others are no redirect to a browser. */
const PLACES = [
  'http://127.0.0.1:PORT/', 'http://[::1]:PORT/', 'http://inside.test:PORT/', 'http://localhost:PORT/', 'http://0.0.0.0:PORT/',
  'http://2130706433:PORT/', 'http://127.0.0.1.:PORT/', 'http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1:PORT/', 'http://[::ffff:127.0.0.1]:PORT/', 'http:\\\\127.0.0.1:PORT/',
  '//127.0.0.1:PORT/', '\\\\127.0.0.1:PORT/', 'http://open.test@127.0.0.1:PORT/', 'http://169.254.169.254/latest/meta-data/',
  'https://127.0.0.1:PORT/', 'http://mixed.test:PORT/', 'http://alias-of-alias.test:PORT/', 'http://mapped.test:PORT/',
]; // biome-ignore format: a table
const NO_PLACES = [
  'file:///etc/passwd', 'data:text/html,hello', 'javascript:fetch("http://127.0.0.1:PORT/")', 'view-source:http://127.0.0.1:PORT/',
  'chrome://version', 'about:blank', 'blob:http://127.0.0.1:PORT/x', 'ftp://127.0.0.1:PORT/', 'ws://127.0.0.1:PORT/', 'filesystem:http://127.0.0.1:PORT/t/x',
]; // biome-ignore format: a table

const withPort = (address: string) => address.replaceAll('PORT', String(port));

let site: Pages;
beforeAll(async () => {
  site = await startPages(
    {
      '/go': (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://site.test');
        const location = searchParams.get('to') ?? '';
        response.writeHead(Number(searchParams.get('status') ?? 302), { Location: location }).end();
      },
    },
    ALLOWED,
  );
});
afterAll(() => site[Symbol.asyncDispose]());
afterEach(expectSilence);

const through = (to: string, status = 302) =>
  `${site.url}/go?${new URLSearchParams({ to, status: `${status}` })}`;

describe.concurrent.each(ENGINES)('a redirect that %s follows', (name, options) => {
  /** The browser takes its time: a sample of the places, unless the run is a full one. */
  const casesOf = (places: readonly string[]) => (name === 'the browser' ? sampleOf(places, 3) : places);

  const go = async (url: string) => (await scrape({ url, maxAge: 0, ...options })).body;

  it.each(STATUSES)('by HTTP %i leads to an allowed IP address and not to a private one', async (status) => {
    const allowed = await go(through(`http://${ALLOWED}:${port}/`, status));
    expect(allowed.data?.markdown, JSON.stringify(allowed)).toContain('The canary sang');
    expect(await go(through(`http://127.0.0.1:${port}/`, status))).toMatchObject({
      success: false,
      code: 'unsafe_domain_blocked',
    });
  });

  it.each(casesOf(PLACES))('to %j is refused', async (place) => {
    expect(await go(through(withPort(place)))).toMatchObject({
      success: false,
      code: 'unsafe_domain_blocked',
    });
  });

  it('is refused behind other redirects too', async () => {
    const inside = through(`http://inside.test:${port}/`);
    expect(await go(through(through(through(inside, 301), 307)))).toMatchObject({
      success: false,
      code: 'unsafe_domain_blocked',
    });
  });

  it.each(casesOf(NO_PLACES))('to %j is an error', async (place) => {
    const body = await go(through(withPort(place)));
    expect(body).toMatchObject({ success: false });
    expect(['unsafe_domain_blocked', 'SCRAPE_SITE_ERROR']).toContain(body.code);
  });
});
