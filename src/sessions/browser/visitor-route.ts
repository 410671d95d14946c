import { routeOf } from '../../fetch/engines/engine.ts';
import { BASIC_ROUTE, type ProxyRoute } from '../../fetch/net/upstream-proxies.ts';
import type { SessionVisitor } from '../../schemas/session.ts';

/** The proxy route of all that the browser of a visitor requests, as that of a scrape by the same visitor. */
export const routeOfVisitor = ({ location }: Pick<SessionVisitor, 'location'>): ProxyRoute =>
  routeOf({ proxy: BASIC_ROUTE.proxy, location });
