import type { AnyRoute } from '../http/route.ts';
import { healthRoutes } from './health.ts';
import { teamRoutes } from './teams.ts';

/** All endpoints of the operator, who has a key of its own. The keys of teams open none of them. */
export const OPERATOR_ROUTES: AnyRoute[] = [...healthRoutes, ...teamRoutes];
