import type { Express, Response } from 'express';
import { GUIDES_PATH } from '../jobs/guides/read-guides.ts';
import { OWN_PAGE_POLICY } from './http/browser-protection.ts';

/**
 * Serves the guides as pages. Their code is loaded when one is read, because most instances never serve any.
 */
export function mountGuides(app: Express): void {
  app.get(GUIDES_PATH, async (_request, response) => {
    const { renderGuideList } = await import('./render-guides.ts');
    sendPage(response, await renderGuideList());
  });
  app.get(`${GUIDES_PATH}/:guide`, async (request, response) => {
    const { renderGuide } = await import('./render-guides.ts');
    sendPage(response, await renderGuide(request.params.guide));
  });
}

/** Sends a page that exists: an error, whose message repeats a part of the request, is no page. */
function sendPage(response: Response, html: string): void {
  response.set('Content-Security-Policy', OWN_PAGE_POLICY).type('html').send(html);
}
