import type { Express } from 'express';
import { GUIDES_PATH } from '../jobs/guides/read-guides.ts';

/**
 * Serves the guides as pages. Their code is loaded when one is read, because most instances never serve any.
 */
export function mountGuides(app: Express): void {
  app.get(GUIDES_PATH, async (_request, response) => {
    const { renderGuideList } = await import('./render-guides.ts');
    response.type('html').send(await renderGuideList());
  });
  app.get(`${GUIDES_PATH}/:guide`, async (request, response) => {
    const { renderGuide } = await import('./render-guides.ts');
    response.type('html').send(await renderGuide(request.params.guide));
  });
}
