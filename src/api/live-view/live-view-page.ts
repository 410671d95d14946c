import path from 'node:path';
import type { Express } from 'express';
import { ALIVE_INTERVAL_MS, MAX_GIVEN_FILES, MAX_PASTE_LENGTH } from '../../schemas/live-view.ts';
import { SESSION_END_SENTENCES } from '../../schemas/session-end.ts';
import { importMapOf, type PageAssets, readPageAssets, sendPageAsset } from '../http/page-assets.ts';

/** The sources of the page. */
const SOURCE_DIRECTORY = path.join(import.meta.dirname, 'page');
let assets: Promise<PageAssets> | undefined;

/** The files of the page, which are read when it is first opened. */
function loadAssets(): Promise<PageAssets> {
  assets ??= readPageAssets(SOURCE_DIRECTORY);
  return assets;
}

/**
 * The header with the milliseconds until the end of a session's lifetime, which viewers read again because it
 * may be lengthened.
 */
const REMAINING_HEADER = 'X-Winnow-Session-Remaining-Ms';

/**
 * The headers of pages at the URLs of live views. Pages of any origin may embed them. Their URL is a secret:
 * it is neither stored nor passed on, and no script from elsewhere can read it.
 * @param sources of the content policy (CSP 3)
 */
export const liveViewHeaders = (sources: string) => ({
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
});

/** Options of {@link renderLiveViewPage}. */
export interface LiveViewPageOptions {
  mayControl: boolean;
  /** Milliseconds until the end of the session's lifetime. */
  remainingMs: number;
}

/** A page and its headers. */
export interface RenderedPage {
  html: string;
  headers: Record<string, string>;
}

/** The page of a live view. It opens a WebSocket at its own URL, `<base>/v2/browser/<id>/view/<secret>`. */
export async function renderLiveViewPage({
  mayControl,
  remainingMs,
}: LiveViewPageOptions): Promise<RenderedPage> {
  const loaded = await loadAssets();
  const base = `../../../live-view/${loaded.version}`;
  const importMap = importMapOf(loaded, base);
  const settings = Object.entries({
    'may-control': mayControl,
    'remaining-ms': Math.max(0, Math.round(remainingMs)),
    'alive-ms': ALIVE_INTERVAL_MS,
    'max-paste': MAX_PASTE_LENGTH,
    'max-files': MAX_GIVEN_FILES,
  }).map(([name, value]) => `data-${name}="${value}"`);
  const html = `<!doctype html>
<html lang="en" ${settings.join(' ')}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Live view</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/colors.css">
<link rel="stylesheet" href="${base}/page.css">
<script type="importmap">${importMap.json}</script>
<script type="module" src="${base}/main.ts"></script>
</head>
<body>
<div id="app"></div>
<noscript>The live view needs JavaScript.</noscript>
<template id="end-sentences">${JSON.stringify(SESSION_END_SENTENCES)}</template>
</body>
</html>
`;
  const sources = `script-src 'self' ${importMap.source}; style-src 'self'; img-src data:; connect-src 'self'`;
  return { html, headers: { ...liveViewHeaders(sources), [REMAINING_HEADER]: `${Math.round(remainingMs)}` } };
}

/**
 * Serves the files of the live view under `/v2/live-view/`. They are the same for all sessions and contain no
 * secret.
 */
export function mountLiveViewAssets(app: Express): void {
  app.get('/v2/live-view/:version/*name', async (request, response, next) => {
    const { version, files } = await loadAssets();
    const { version: asked, name } = request.params as unknown as { version: string; name: string[] };
    const asset = files.get(name.join('/'));
    if (asset) sendPageAsset(request, response, { asset, isCurrent: asked === version });
    else next();
  });
}
