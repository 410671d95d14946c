import { batchRoutes } from './batch.ts';
import { crawlRoutes } from './crawl.ts';
import type { AnyRoute } from './http/route.ts';
import { mapRoutes } from './map.ts';
import { parseRoutes } from './parse.ts';
import { profileRoutes } from './profiles.ts';
import { scrapeRoutes } from './scrape.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { teamRoutes } from './team.ts';
import { webhookRoutes } from './webhooks.ts';

/** All endpoints of the API. */
export const ROUTES: AnyRoute[] = [
  ...scrapeRoutes,
  ...batchRoutes,
  ...crawlRoutes,
  ...mapRoutes,
  ...parseRoutes,
  ...profileRoutes,
  ...sessionRoutes,
  ...teamRoutes,
  ...webhookRoutes,
];
