import type { AnyRoute } from './route.ts';
import { scrapeRoutes } from './scrape.ts';
import { teamRoutes } from './team.ts';

/** Every endpoint of the API; one line per resource. */
export const ROUTES: AnyRoute[] = [...scrapeRoutes, ...teamRoutes];
