import path from 'node:path';
import type { Express } from 'express';
import { escapeHtml } from '../../content/html/parse/escape-html.ts';
import { ServiceError } from '../../errors.ts';
import {
  importMapOf,
  modulesOf,
  type PageAssets,
  readPageAssets,
  sendPageAsset,
} from '../http/page-assets.ts';
import { type TemporalUi, workflowUrls } from './workflow-urls.ts';

/** The sources of the console. */
const SOURCE_DIRECTORY = path.join(import.meta.dirname, '..', '..', 'console');

/** The path of the console, below which each view has its own. */
const CONSOLE_PATH = '/console';

/**
 * Serves the console: one page at the paths of all its views, and the files that it consists of. It needs no
 * key, because it reads everything by the API. Its files are read when it is first opened.
 */
export function mountConsole(app: Express, config: TemporalUi): void {
  let assets: Promise<PageAssets> | undefined;
  const load = () => {
    assets ??= readPageAssets(SOURCE_DIRECTORY, ['marked']);
    return assets;
  };
  app.get(`${CONSOLE_PATH}/assets/:version/*name`, async (request, response) => {
    const { version, files } = await load();
    const { version: asked, name } = request.params as unknown as { version: string; name: string[] };
    const asset = files.get(name.join('/'));
    if (!asset) throw new ServiceError('NOT_FOUND', 'The console has no such file. Reload its page.');
    sendPageAsset(request, response, { asset, isCurrent: asked === version });
  });
  app.get(`${CONSOLE_PATH}/pictures`, async (_, response) => {
    response
      .set({
        'Content-Security-Policy': PICTURES_POLICY,
        'Cache-Control': 'no-cache',
        'Referrer-Policy': 'no-referrer',
      })
      .removeHeader('X-Frame-Options');
    response.type('html').send(renderPicturesPage(await load()));
  });
  app.get([CONSOLE_PATH, `${CONSOLE_PATH}/*view`], async (request, response) => {
    const { html, policy } = renderConsolePage(await load(), {
      workflows: workflowUrls(config, request.hostname),
      modules: ['main.ts', ...(isPlayground(request.path) ? ['playground/playground.ts'] : [])],
    });
    response
      .set({
        'Content-Security-Policy': policy,
        'Cache-Control': 'no-cache',
        'Referrer-Policy': 'no-referrer',
      })
      .type('html')
      .send(html);
  });
}

/**
 * The policy of the page in which the console shows pictures of other sites: it lets them in, and no script. The
 * console fills it, and alone may have it in a frame.
 */
const PICTURES_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src http: https: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** The page for pictures, which is empty until the console fills it. */
function renderPicturesPage({ version }: PageAssets): string {
  const base = `${CONSOLE_PATH}/assets/${version}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Pictures</title>
<link rel="stylesheet" href="${base}/colors.css">
<link rel="stylesheet" href="${base}/pictures.css">
</head>
<body><ul></ul></body>
</html>
`;
}

/** Whether a path is that of the first view, whose code comes together with that of the frame. */
const isPlayground = (path: string) => path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/try/`);

/**
 * The page of the console, and the policy (CSP 3) under which browsers show it.
 * @param modules what it runs at first: browsers would find out what these import only when they have read them
 */
function renderConsolePage(
  assets: PageAssets,
  { workflows, modules }: { workflows: Record<string, string>; modules: string[] },
): { html: string; policy: string } {
  const base = `${CONSOLE_PATH}/assets/${assets.version}`;
  const importMap = importMapOf(assets, base);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="workflow-urls" content="${escapeHtml(JSON.stringify(workflows))}">
<title>Winnow</title>
<link rel="icon" href="${base}/icon.svg">
<link rel="stylesheet" href="${base}/colors.css">
<link rel="stylesheet" href="${base}/style.css">
<script type="importmap">${importMap.json}</script>
${modulesOf(assets, modules)
  .map((name) => `<link rel="modulepreload" href="${base}/${name}">`)
  .join('\n')}
<script type="module" src="${base}/main.ts"></script>
</head>
<body>
<noscript>The console of Winnow needs JavaScript. The API reference is at /docs.</noscript>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${importMap.source}`,
    "style-src 'self'",
    // Screenshots are files of this origin, or data of a response.
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}
