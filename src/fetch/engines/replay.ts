import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { BrowserPool } from '../browser/chromium/browser-pool.ts';
import type { BrowsingContext } from '../browser/chromium/browsing-context.ts';
import { type BrowserEngineDeps, createBrowserEngine } from './browser-engine.ts';
import { toPageRequest } from './page-request.ts';

/** Runs a visit in an open tab, like a lease of the pool but without closing the page. */
type RunVisit = (
  use: (context: BrowsingContext) => Promise<unknown>,
  signal: AbortSignal,
) => Promise<unknown>;

/** Opens the page of a scrape in another browser, with the waits and actions of its request. */
export type Replay = (request: ScrapeRequest, runVisit: RunVisit, signal: AbortSignal) => Promise<void>;

/** Creates the replay of scrapes in browser sessions. */
export function createReplay(deps: Omit<BrowserEngineDeps, 'pool'>): Replay {
  return async (request, runVisit, signal) => {
    const endLoading = () => undefined;
    const lease = (_options: unknown, use: Parameters<BrowserPool['lease']>[1], leaseSignal: AbortSignal) =>
      runVisit((context) => use(context, endLoading), leaseSignal);
    // Returns what `use` returns, as the lease of the pool does.
    const engine = createBrowserEngine({ ...deps, pool: { lease: lease as BrowserPool['lease'] } });
    await engine.fetchPage({ ...toPageRequest(request, {}), collect: {}, wantsBody: true }, signal);
  };
}
