import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/api/routes.ts';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';

/** What a browser does with responses of the service, which other sites can make it request and frame. */

const service = useService();

const ID = '0190b3c4-1111-7222-8333-444455556666';
const SCRIPT = encodeURIComponent('<img src=x onerror=alert(document.domain)>');
const request = (path: string, init: RequestInit = {}) =>
  fetch(`${service.url}${path}`, { redirect: 'manual', ...init });

/** Requires that a response can neither be taken for another type, nor load or run anything, nor be framed. */
function expectProtection({ headers }: Pick<Response, 'headers'>): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/default-src 'none'|^sandbox;/);
  expect(policy).not.toMatch(/script-src[^;]*'unsafe|\*/);
}

/** The operations of the served reference, with values for the parameters of their paths. */
async function listOperations(): Promise<[method: string, path: string][]> {
  const { body } = await call('/openapi.json', { key: null });
  const paths: [string, object][] = Object.entries(body.paths);
  return paths.flatMap(([path, operations]) =>
    Object.keys(operations).map((method): [string, string] => [
      method.toUpperCase(),
      path.replaceAll('{id}', ID).replace(/\{\w+\}/g, SCRIPT),
    ]),
  );
}

describe('every response of the API', () => {
  it('is protected, and JSON where it is an error', async () => {
    const operations = await listOperations();
    expect(operations.length).toBeGreaterThanOrEqual(ROUTES.length);
    for (const [method, path] of operations) {
      for (const key of ['', service.key]) {
        const response = await request(path, {
          method,
          headers: { Authorization: `Bearer ${key}` },
          ...(method !== 'GET' && { body: '{"nonsense":1}' }),
        });
        expectProtection(response);
        if (response.status >= 400) {
          const { success, code } = await response.json();
          expect([success, typeof code, response.headers.get('content-type')], `${method} ${path}`).toEqual([
            false,
            'string',
            'application/json; charset=utf-8',
          ]);
        } else await response.body?.cancel();
      }
    }
  });

  it.each([
    ['/', 302, /text\/plain/],
    ['/docs', 301, /text\/html/],
    ['/docs/', 200, /text\/html/],
    ['/docs/swagger-ui.css', 200, /text\/css/],
    ['/docs/swagger-ui-bundle.js', 200, /javascript/],
    ['/docs/swagger-initializer.js', 200, /javascript/],
    ['/docs/guides', 200, /text\/html/],
    ['/docs/guides/scrape', 200, /text\/html/],
    ['/openapi.json', 200, /application\/json/],
    ['/health', 200, /application\/json/],
    ['/ready', 200, /application\/json/],
    ['/metrics', 200, /text\/plain/],
    ['/v0/health/readiness', 200, /application\/json/],
    ['/e2e-test', 200, /text\/plain/],
    ['/v2/live-view/old/main.ts', 200, /javascript/],
  ])('is protected outside of the reference too: %s', async (path, status, type) => {
    const response = await request(path);
    await response.body?.cancel();
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(type);
    expectProtection(response);
  });

  it('is protected where it answers a preflight', async () => {
    expectProtection(await request('/v2/scrape', { method: 'OPTIONS' }));
  });
});

describe('an error', () => {
  it.each([
    `/docs/guides/${SCRIPT}`,
    `/docs/${SCRIPT}`,
    `/docs/guides/${SCRIPT}/${SCRIPT}`,
    '/docs/guides/%E0%A4%A',
    `/v2/files/${SCRIPT}`,
    `/v2/live-view/1/${SCRIPT}`,
    `/v2/interact/${ID}/cdp/${SCRIPT}/json/version`,
    `/v2/browser/${ID}/downloads/${SCRIPT}`,
    `/v2/search/developer/${SCRIPT}`,
    `/v0/${SCRIPT}`,
    `/${SCRIPT}`,
  ])('is JSON, whatever its message repeats: %s', async (path) => {
    const response = await request(path, { headers: { Accept: 'text/html' } });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await response.json()).success).toBe(false);
    expectProtection(response);
  });

  it('repeats nothing where it is a page: that of a live view at a wrong URL', async () => {
    const response = await request(`/v2/browser/${ID}/view/${SCRIPT}`, { headers: { Accept: 'text/html' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    );
    const page = await response.text();
    expect(page).toContain('There is no live view here');
    expect(page).not.toMatch(/script/i);
  });
});
