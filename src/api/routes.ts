import { agentRoutes } from './agents/agent.ts';
import { extractRoutes } from './agents/extract.ts';
import { feedbackRoutes } from './feedback.ts';
import type { AnyRoute } from './http/route.ts';
import { jobListRoutes } from './job-list.ts';
import { mapRoutes } from './map.ts';
import { monitorCheckRoutes } from './monitors/checks.ts';
import { monitorHistoryRoutes } from './monitors/history.ts';
import { monitorSettingRoutes } from './monitors/monitors.ts';
import { monitorReviewRoutes } from './monitors/reviews.ts';
import { batchRoutes } from './page-jobs/batch.ts';
import { crawlRoutes } from './page-jobs/crawl.ts';
import { parseRoutes } from './parse/parse.ts';
import { profileRoutes } from './profiles.ts';
import { scrapeRoutes } from './scrape.ts';
import { searchRoutes } from './search.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { supportRoutes } from './support.ts';
import { teamRoutes } from './team.ts';
import { webhookRoutes } from './webhooks.ts';
import { whyRoutes } from './why.ts';

/** All endpoints of the API. */
export const ROUTES: AnyRoute[] = [
  ...scrapeRoutes,
  ...whyRoutes,
  ...batchRoutes,
  ...crawlRoutes,
  ...mapRoutes,
  ...searchRoutes,
  ...feedbackRoutes,
  ...parseRoutes,
  ...profileRoutes,
  ...extractRoutes,
  ...agentRoutes,
  ...sessionRoutes,
  ...supportRoutes,
  ...monitorSettingRoutes,
  ...monitorCheckRoutes,
  ...monitorReviewRoutes,
  ...monitorHistoryRoutes,
  ...jobListRoutes,
  ...teamRoutes,
  ...webhookRoutes,
];
