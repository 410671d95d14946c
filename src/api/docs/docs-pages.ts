import type { ServerResponse } from 'node:http';
import path from 'node:path';
import express, { type Express, type Response } from 'express';
// The main module of swagger-ui-dist would load the scripts of the reference page into this process.
import absolutePath from 'swagger-ui-dist/absolute-path.js';
import { GUIDES_PATH } from '../../jobs/guides/read-guides.ts';
import { OWN_PAGE_POLICY } from '../http/browser-protection.ts';
import { type CompressedBody, compressBody, sendCompressed } from '../http/compressed-body.ts';
import { COLORS_FILE } from '../http/page-assets.ts';
import { OPERATOR_ROUTES } from '../operator/routes.ts';
import { ROUTES } from '../routes.ts';

/** Characters of a search, which nobody is asked a key for. */
const MAX_QUERY = 100;

/**
 * Serves the documentation: the API reference, the guides, and the search in both. Their code is loaded when
 * one is read, because most instances never serve any.
 */
export function mountDocs(app: Express): void {
  app.get('/', (_request, response) => response.redirect('/docs'));
  mountReferences(app);
  app.get('/docs/colors.css', (_request, response) => response.sendFile(COLORS_FILE));
  app.get('/docs/style.css', (_request, response) =>
    response.sendFile(path.join(import.meta.dirname, 'style.css')),
  );
  app.get('/docs/icon.svg', (_request, response) =>
    response.sendFile(path.join(import.meta.dirname, '../../console/icon.svg')),
  );
  app.get(GUIDES_PATH, async (_request, response) => {
    const { renderGuideList } = await import('./guides.ts');
    sendPage(response, await renderGuideList());
  });
  app.get(`${GUIDES_PATH}/:guide`, async (request, response) => {
    const { renderGuide } = await import('./guides.ts');
    sendPage(response, await renderGuide(request.params.guide));
  });
  app.get('/docs/search', async (request, response) => {
    const { q } = request.query;
    const { renderSearch } = await import('./guides.ts');
    sendPage(response, await renderSearch(typeof q === 'string' ? q.slice(0, MAX_QUERY) : ''));
  });
}

/** Sends a page that exists: an error, whose message repeats a part of the request, is no page. */
function sendPage(response: Response, html: string): void {
  response.set('Content-Security-Policy', OWN_PAGE_POLICY).type('html').send(html);
}

/** Serves the references as JSON, and that of the API at `/docs/`, whose scripts come from this server and no other. */
function mountReferences(app: Express): void {
  // Few services are ever asked for them, and each takes a tenth of a second, which each start would be longer.
  const documents = new Map<string, Promise<CompressedBody>>();
  const serve = (url: string, describe: () => Promise<object>) =>
    app.get(url, async (request, response) => {
      const { path } = request.query;
      const key = typeof path === 'string' ? `${url}?${path}` : url;
      const document = documents.get(key) ?? write(describe, typeof path === 'string' ? path : undefined);
      documents.set(key, document);
      // A path that the reference does not have is kept by nobody.
      document.catch(() => documents.delete(key));
      sendCompressed(request, response.type('json'), await document);
    });
  const write = async (describe: () => Promise<object>, path: string | undefined) => {
    const reference = await describe();
    const part = path === undefined ? reference : (await loadPart()).partOfReference(reference, path);
    return compressBody(JSON.stringify(part));
  };
  const loadPart = () => import('../reference/part-of-reference.ts');
  const load = () => import('../reference/openapi.ts');
  serve('/openapi.json', async () => (await load()).describeApi(ROUTES));
  serve('/admin/openapi.json', async () => (await load()).describeOperatorApi(OPERATOR_ROUTES));
  app.get('/docs/swagger-initializer.js', (_request, response) => {
    response
      .type('js')
      .send(
        "window.onload = () => { window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, docExpansion: 'list' }); };",
      );
  });
  app.get(/^\/docs\/(?:index\.html)?$/, async (_request, response) => {
    const { renderPage } = await import('./page.ts');
    sendPage(response, renderPage({ title: 'API', body: REFERENCE, current: 'reference' }));
  });
  const setHeaders = (response: ServerResponse) =>
    response.setHeader('Content-Security-Policy', OWN_PAGE_POLICY);
  app.use('/docs', express.static(absolutePath(), { setHeaders }));
}

const REFERENCE = `<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-initializer.js"></script>`;
