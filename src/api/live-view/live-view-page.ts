import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Express } from 'express';
import { ALIVE_INTERVAL_MS, MAX_PASTE_LENGTH } from '../../schemas/live-view.ts';
import { SESSION_END_SENTENCES } from '../../schemas/session-end.ts';

/** Scripts and styles of the page, which browsers get as they are. */
const ASSET_DIRECTORY = path.join(import.meta.dirname, 'page');
const ASSETS = new Map(
  readdirSync(ASSET_DIRECTORY).map((name) => [name, readFileSync(path.join(ASSET_DIRECTORY, name))]),
);
/** Changes with the assets, so that browsers may keep them for good. */
const ASSET_VERSION = createHash('sha256')
  .update(JSON.stringify([...ASSETS].map(([name, data]) => [name, data.toString()])))
  .digest('hex')
  .slice(0, 12);
const ONE_YEAR_S = 31_536_000;

/**
 * The headers of the pages of this folder. Pages of any origin may embed them. Their URL is a secret: it is
 * neither stored nor passed on, and no script from elsewhere can read it.
 */
export const LIVE_VIEW_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const;

/** Options of {@link renderLiveViewPage}. */
export interface LiveViewPageOptions {
  mayControl: boolean;
  /**
   * URL of the mounted assets, relative to the page; the default fits pages at
   * `<base>/v2/browser/<id>/view/<secret>`.
   */
  assetsUrl?: string;
}

/**
 * The page of a live view. It opens a WebSocket at its own URL. To be sent with {@link LIVE_VIEW_HEADERS}.
 */
export function renderLiveViewPage({
  mayControl,
  assetsUrl = '../../../live-view',
}: LiveViewPageOptions): string {
  const base = `${assetsUrl}/${ASSET_VERSION}`;
  const settings = `data-may-control="${mayControl}" data-alive-ms="${ALIVE_INTERVAL_MS}" data-max-paste="${MAX_PASTE_LENGTH}"`;
  return `<!doctype html>
<html lang="en" ${settings}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Live view</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/page.css">
<script type="module" src="${base}/main.js"></script>
</head>
<body>
<nav id="tabs" aria-label="Tabs" hidden></nav>
<main>
<canvas id="screen" role="img" aria-label="The remote browser" width="1" height="1"></canvas>
<textarea id="keyboard" aria-label="Keyboard input for the remote browser" autocapitalize="off" autocomplete="off" spellcheck="false"${mayControl ? '' : ' disabled'}></textarea>
<p id="status" role="status">Connecting…</p>
<p id="step" role="status" hidden></p>
</main>
<button id="show-keyboard" type="button" hidden>Keyboard</button>
<dialog id="dialog"><form method="dialog"><p id="dialog-source"></p><p id="dialog-message"></p><input id="dialog-input" aria-label="Response"><p id="dialog-buttons"><button id="dialog-cancel" type="button">Cancel</button><button id="dialog-accept" type="button">OK</button></p></form></dialog>
<div id="copied" role="alert" hidden><span>The text is ready to be copied.</span> <button id="copy-text" type="button">Copy</button></div>
<template id="end-sentences">${JSON.stringify(SESSION_END_SENTENCES)}</template>
</body>
</html>
`;
}

/**
 * Serves the assets of the live view under `/v2/live-view/`. They are the same for all sessions and contain
 * no secret. Nodes with another version of the page serve theirs.
 */
export function mountLiveViewAssets(app: Express): void {
  app.get('/v2/live-view/:version/:name', (request, response, next) => {
    const { version, name } = request.params;
    const asset = ASSETS.get(name);
    if (!asset) return next();
    const isCurrent = version === ASSET_VERSION;
    response.set('Cache-Control', isCurrent ? `public, max-age=${ONE_YEAR_S}, immutable` : 'no-cache');
    response.type(path.extname(name)).send(asset);
  });
}
