import { describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { startPages } from '../support/sites/pages.ts';

/** What version 1 of the API accepts and answers, beside what its official clients do with it. */

const PAGE = { '/': '<p>A page.</p>' };

describe('version 1 of the API', () => {
  it('ignores keys that it does not know, wherever they are', async () => {
    await using pages = await startPages(PAGE);
    const { status, body } = await call('/v1/scrape', {
      body: {
        url: pages.url,
        pageOptions: { waitFor: 1 },
        location: { country: 'DE', city: 'Berlin' },
        actions: [{ type: 'wait', milliseconds: 1, reason: 'none' }],
        onlyMainContent: null,
      },
    });
    expect([status, body.data.markdown]).toEqual([200, 'A page.']);
  });

  it.each([
    [{ onlyMainContent: 'maybe' }, 'onlyMainContent must be true or false'],
    [{ actions: [{ type: 'wait', milliseconds: 'x', reason: 'none' }] }, 'actions[0].milliseconds'],
    [{ formats: ['nonsense'] }, 'unknown format'],
    [{ jsonOptions: [] }, 'jsonOptions'],
  ])('refuses a wrong value of a key that it knows: %j', async (options, message) => {
    const { status, body } = await call('/v1/scrape', { body: { url: 'http://a.test', ...options } });
    expect([status, body.success, body.code]).toEqual([400, false, 'BAD_REQUEST']);
    expect(body.error).toContain(message);
  });

  it('says that it is deprecated, and what takes its place', async () => {
    const { headers } = await call('/v1/scrape', { body: {} });
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(headers.get('link')).toBe('</v2/scrape>; rel="successor-version"');
  });

  it('checks keys as version 2 does', async () => {
    const { status, body } = await call('/v1/scrape', { body: { url: 'http://a.test' }, key: 'fc-wrong' });
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
  });
});
