import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import express from 'express';
import { type Browser, chromium } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorCodesOf } from '../../src/api/http/route-error-codes.ts';
import { describeApi } from '../../src/api/reference/openapi.ts';
import { templateOf } from '../../src/api/reference/operations.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { readConfig } from '../../src/config.ts';
import { ERRORS, isErrorCode } from '../../src/errors.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { errorResponse } from '../../src/schemas/error.ts';
import { type ApiResponse, call, describedResponse } from '../support/api/call.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { useService } from '../support/service/use-service.ts';
import { useSite } from '../support/sites/use-site.ts';

/** The reference says what the API does. */

const service = useService();

const file = path.join(import.meta.dirname, '../../docs/openapi.json');
const routeOf = (method: string, routePath: string) => {
  const route = ROUTES.find((each) => each.method === method && each.path === routePath);
  if (!route) throw new Error(`no route ${method} ${routePath}`);
  return route;
};
const concrete = (routePath: string) => routePath.replace(/:\w+/g, '0190b3c4-1111-7222-8333-444455556666');

const site = useSite();

describe('docs/openapi.json', () => {
  it('matches the routes; after a change run `npm run openapi`', async () => {
    expect(JSON.parse(await readFile(file, 'utf8')), 'stale: run `npm run openapi`').toEqual(
      JSON.parse(JSON.stringify(describeApi(ROUTES))),
    );
  });

  it('is served by the API', async () => {
    const { body } = await call('/openapi.json', { key: null });
    expect(body).toEqual(JSON.parse(await readFile(file, 'utf8')));
    expect(body.openapi).toBe('3.1.0');
  });

  it.each(['/v2/scrape', '/v2/crawl/{id}', '/v2/team/keys'])(
    'is served about the path %s alone, with all that it refers to',
    async (only) => {
      const { body: whole } = await call('/openapi.json', { key: null });
      const { body } = await call(`/openapi.json?path=${encodeURIComponent(only)}`, { key: null });
      expect(body.paths).toEqual({ [only]: whole.paths[only] });
      const text = JSON.stringify(body);
      for (const [, kind, name] of text.matchAll(/"#\/components\/([^/"]+)\/([^/"]+)"/g))
        expect(body.components[kind!][name!]).toEqual(whole.components[kind!][name!]);
      expect(body.components.securitySchemes).toEqual(whole.components.securitySchemes);
      expect(text.length).toBeLessThan(JSON.stringify(whole).length / 4);
    },
  );

  it.each(['/v2/none', 'toString', ''])('is a 404 about the path %j', async (only) => {
    const { status, body } = await call(`/openapi.json?path=${only}`, { key: null });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('every route', () => {
  it.each(ROUTES.map(({ method, path: routePath }) => [method, routePath]))(
    '%s %s is mounted, requires a key, and is described',
    async (method, routePath) => {
      const answer = await call(concrete(routePath), { method: method.toUpperCase(), key: null });
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
      const { body } = await call('/openapi.json', { key: null });
      const operation = body.paths[routePath.replace(/:(\w+)/g, '{$1}')][method];
      expect(operation.summary).toBe(routeOf(method, routePath).summary);
      expect(operation.responses['200'].content['application/json'].schema).toBeDefined();
    },
  );
});

describe('the reference', () => {
  /** What serves protocols and pages of their own, which browsers and clients of these know. */
  const OTHERS = [
    'all /v2/mcp',
    'get /v2/live-view/{version}/*name',
    ...['browser', 'interact'].flatMap((kind) =>
      [
        ...['get cdp/{secret}/json/version', 'get cdp/{secret}/json', 'get cdp/{secret}/json/list'],
        ...['get view/{secret}', 'post view/{secret}/files', 'get view/{secret}/downloads/{name}'],
      ].map((each) => each.replace(' ', ` /v2/${kind}/{id}/`)),
    ),
  ];

  it('has all that the API serves below /v2, but for the protocols and pages of others', async () => {
    const methods = ['get', 'post', 'put', 'patch', 'delete', 'all'] as const;
    // Applications are made of what is in this object.
    const spies = methods.map((method) => vi.spyOn(express.application, method));
    await using _api = await startApi({});
    const served = spies.flatMap((spy, at) =>
      spy.mock.calls
        // With one argument, `get` reads a setting.
        .filter(({ length }) => length > 1)
        .flatMap(([where]) => [where].flat().map((each) => `${methods[at]} ${templateOf(String(each))}`)),
    );
    for (const spy of spies) spy.mockRestore();
    const { paths } = JSON.parse(await readFile(file, 'utf8'));
    const described = Object.entries<object>(paths).flatMap(([each, methods]) =>
      Object.keys(methods).map((method) => `${method} ${each}`),
    );
    const ours = served.filter((each) => each.includes(' /v2/'));
    expect(ours.filter((each) => !described.includes(each)).toSorted()).toEqual(OTHERS.toSorted());
    expect(described.filter((each) => !ours.includes(each))).toEqual([]);
  });
});

describe('error codes', () => {
  /** The codes of each error status of an operation of the reference. */
  async function codesOf(method: string, routePath: string): Promise<Record<string, string[]>> {
    const { body } = await call('/openapi.json', { key: null });
    const { responses } = body.paths[routePath][method];
    return Object.fromEntries(
      Object.entries<ApiResponse['body']>(responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) => {
          const { schema } = describedResponse(body, response).content['application/json'];
          return [status, (schema.allOf?.[1] ?? schema).properties.code.enum];
        }),
    );
  }

  it.each(ROUTES.map(({ method, path: routePath }) => [method, routePath]))(
    'of %s %s are all in the reference under their statuses',
    async (method, routePath) => {
      const codes = await codesOf(method, routePath.replace(/:(\w+)/g, '{$1}'));
      const declared = errorCodesOf(routeOf(method, routePath)).filter((code) => ERRORS[code].status !== 200);
      const listed = Object.entries(codes).flatMap(([status, names]) =>
        names.map((name) => [name, Number(status)]),
      );
      expect(Object.fromEntries(listed)).toEqual(
        Object.fromEntries(declared.map((code) => [code, ERRORS[code].status])),
      );
    },
  );

  it('include those for conflicts, methods and byte ranges', async () => {
    expect(await codesOf('post', '/v2/batch/scrape')).toMatchObject({
      405: ['METHOD_NOT_ALLOWED'],
      409: ['IDEMPOTENCY_KEY_REUSED', 'JOB_ENDED'],
    });
    expect(await codesOf('post', '/v2/scrape')).toMatchObject({ 409: ['PROFILE_LOCKED'] });
    expect(await codesOf('post', '/v2/crawl/{id}/pause')).toMatchObject({
      404: ['NOT_FOUND'],
      409: ['JOB_ENDED'],
    });
    expect(await codesOf('get', '/v2/team/activity')).not.toHaveProperty('409');
    const unreachable = ['ROBOTS_UNAVAILABLE', 'SCRAPE_DNS_SERVER_ERROR'];
    expect(await codesOf('post', '/v2/map')).toMatchObject({ 500: expect.arrayContaining(unreachable) });
    expect((await codesOf('post', '/v2/scrape'))[500]).toContain('SCRAPE_DNS_SERVER_ERROR');
    expect((await codesOf('post', '/v2/scrape'))[500]).not.toContain('ROBOTS_UNAVAILABLE');
    expect((await codesOf('get', '/v2/scrape/{id}'))[500]).toEqual(
      expect.arrayContaining([...unreachable, 'EXTERNAL_LINK']),
    );
    expect(await codesOf('get', '/v2/files/{token}')).toMatchObject({
      404: ['NOT_FOUND'],
      416: ['RANGE_NOT_SATISFIABLE'],
    });
  });

  it('include none for a file that the client already has', async () => {
    const { body } = await call('/openapi.json', { key: null });
    const { parameters, responses } = body.paths['/v2/files/{token}'].get;
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '206', '304']));
    expect(parameters).toMatchObject([
      { in: 'path', name: 'token' },
      { in: 'header', name: 'Range' },
      { in: 'header', name: 'If-None-Match' },
    ]);
  });

  it('is sent whole where it has no ETag, whatever the client has', async () => {
    const response = await fetch(`${service.url}/v2/team/credit-usage`, {
      headers: { Authorization: `Bearer ${service.key}`, 'If-None-Match': '*' },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ success: true });
  });

  it('of options that exclude each other are those of scrapes, for monitors too', async () => {
    const targets = [
      {
        type: 'scrape',
        urls: [`${site.url}/article/1`],
        scrapeOptions: { fastMode: true, actions: [{ type: 'wait', milliseconds: 1 }] },
      },
    ];
    const { status, body } = await call('/v2/monitor', {
      body: { name: 'contradiction', schedule: { text: 'every hour' }, targets },
    });
    expect([status, body.code]).toEqual([400, 'SCRAPE_ACTIONS_NOT_SUPPORTED']);
    for (const [method, path] of [
      ['post', '/v2/monitor'],
      ['patch', '/v2/monitor/{id}'],
    ] as const)
      expect((await codesOf(method, path))[400]).toContain(body.code);
  });

  it('with a partial result have its members beside their own', async () => {
    const { body } = await call('/openapi.json', { key: null });
    const { schema } = body.paths['/v2/support/ask'].post.responses['504'].content['application/json'];
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(['success', 'error', 'code', 'requestId', 'answer', 'durationMs']),
    );
    expect(schema.allOf).toBeUndefined();
  });

  it('with status 200 are listed beside the result', async () => {
    const { body } = await call('/openapi.json', { key: null });
    const { schema } = body.paths['/v2/scrape'].post.responses['200'].content['application/json'];
    expect(schema.anyOf[1].properties.code.enum).toEqual(['SCRAPE_DNS_RESOLUTION_ERROR']);
  });

  it('of jobs are declared by the routes that return their results', async () => {
    const declared = new Set<string>([
      ...errorCodesOf(routeOf('get', '/v2/scrape/:id')),
      ...errorCodesOf(routeOf('post', '/v2/map')),
      ...errorCodesOf(routeOf('post', '/v2/browser')),
      ...errorCodesOf(routeOf('post', '/v2/scrape/:id/interact')),
      // No response has these: the first makes pages wait, the others end a job or what is left of it.
      ...['INSUFFICIENT_STORAGE', 'INSUFFICIENT_CREDITS', 'SCRAPE_JOB_CANCELLED'],
      // A page whose model fails has a warning, and the status of an agent only the message of its error.
      ...['MODEL_RESPONSE_UNUSABLE', 'MODEL_BUDGET_EXCEEDED', 'MODEL_NOT_CONFIGURED'],
    ]);
    const src = path.join(import.meta.dirname, '../../src');
    const folders = ['activities', 'workflows', 'jobs/crawl', 'fetch', 'content/formats', 'content/html'];
    const found = new Map<string, string>();
    for (const folder of folders) {
      for (const entry of await readdir(path.join(src, folder), { recursive: true })) {
        if (!entry.endsWith('.ts')) continue;
        const text = await readFile(path.join(src, folder, entry), 'utf8');
        for (const [, code = ''] of text.matchAll(/'(\w+)'/g)) {
          if (isErrorCode(code)) found.set(code, `${folder}/${entry}`);
        }
      }
    }
    expect(found.size).toBeGreaterThan(10);
    expect([...found].filter(([code]) => !declared.has(code))).toEqual([]);
  });
});

describe('a response has only the fields of its schema', () => {
  it('when a page is scraped in every format, and when the result is read', async () => {
    const { body } = await call('/v2/scrape', {
      body: {
        url: `${site.url}/article/41`,
        formats: [
          'markdown',
          'html',
          'rawHtml',
          'links',
          'images',
          'screenshot',
          { type: 'attributes', selectors: [{ selector: 'a', attribute: 'href' }] },
        ],
        origin: 'website',
      },
    });
    expect(routeOf('post', '/v2/scrape').response.parse(body)).toEqual(body);
    expect(body.scrape_id).toBe(body.data.metadata.scrapeId);
    const read = await call(`/v2/scrape/${body.scrape_id}`);
    expect(routeOf('get', '/v2/scrape/:id').response.parse(read.body)).toEqual(read.body);
  });

  it.each(['/article/42', '/status/404', '/data/1.json', '/text/1.txt', '/app/3', '/empty'])(
    'when %s is scraped',
    async (page) => {
      const { body } = await call('/v2/scrape', { body: { url: site.url + page } });
      expect(routeOf('post', '/v2/scrape').response.parse(body)).toEqual(body);
    },
  );

  it.each(ROUTES.filter((route) => route.tag === 'Team').map((route) => route.path))(
    'when %s is read',
    async (routePath) => {
      const { body } = await call(routePath);
      expect(body.success).toBe(true);
      expect(routeOf('get', routePath).response.parse(body)).toEqual(body);
    },
  );

  it('when a request is refused or fails', async () => {
    const answers = await Promise.all([
      call('/v2/scrape', { body: { url: 5 } }),
      call('/v2/scrape', { raw: '{' }),
      call('/v2/scrape', { body: { url: `${site.url}/reset` } }),
      call('/v2/scrape/x'),
      call('/v2/team/activity?limit=0'),
      call('/v2/team/activity', { key: null }),
      call('/nowhere'),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(errorResponse.parse(body)).toEqual(body);
    }
  });
});

describe('/docs', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: (await findChromium(readConfig())).path,
      args: ['--no-sandbox', '--host-resolver-rules=MAP winnow.example 127.0.0.1, MAP * ~NOTFOUND'],
    });
  });
  afterAll(() => browser?.close());

  it('shows the operations with files of this server only, also under a public name', async () => {
    const page = await browser.newPage();
    // The test has a time limit of its own.
    page.setDefaultTimeout(0);
    const hosts = new Set<string>();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
    });
    const { port } = new URL(service.url);
    await page.goto(`http://winnow.example:${port}/docs/`, { waitUntil: 'networkidle' });
    await page.getByText('Scrape one page').click();
    await page.getByText('The team has too few credits left').first().waitFor();
    expect(await page.locator('.opblock-summary-path').allInnerTexts()).toContain('/v2/scrape');
    expect([...hosts]).toEqual([`winnow.example:${port}`]);
    expect(faults, 'the content policy of the page allows what it needs').toEqual([]);
  });

  it('is where the root redirects to', async () => {
    const answer = await fetch(`${service.url}/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
  });
});
