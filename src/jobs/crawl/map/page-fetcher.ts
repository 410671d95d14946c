import type { RenderPool } from '../../../content/rendering/render-pool.ts';
import type { FetchedSnapshot } from '../../../content/snapshot.ts';
import { ServiceError } from '../../../errors.ts';
import { PLAIN_PAGE } from '../../../fetch/engines/engine.ts';
import { type Engines, fetchPage } from '../../../fetch/engines/fetch-page.ts';
import { createHttpEngine } from '../../../fetch/engines/http-engine.ts';
import type { Egress } from '../../../fetch/net/checked-egress.ts';
import type { MapRequest } from '../../../schemas/map.ts';
import { scrapeBody } from '../../../schemas/scrape.ts';
import type { PageDescription } from './map-links.ts';

/** Dependencies for fetching and reading the pages of a map. */
export interface MapFetcherDeps {
  egress: Egress;
  engines: Engines;
  renderer: RenderPool;
  userAgent: string;
}

/** The facts about a page that a map needs. */
export interface MapPage {
  /** The URL after redirects. */
  url: string;
  statusCode: number;
  retryAfterMs: number | undefined;
  /** Absolute URLs without duplicates. */
  links: string[];
  facts: PageDescription;
}

/** Fetches the pages of one map. An aborted fetch throws the signal's reason. */
export interface MapPageFetcher {
  /**
   * Fetches the start page, with a browser if it needs one, because without this page there are no links to
   * follow.
   */
  fetchStartPage(url: string, signal: AbortSignal): Promise<MapPage>;
  /** Fetches a page without a browser. @returns `undefined` for a page that could not be fetched or read */
  fetchPage(url: string, signal: AbortSignal): Promise<MapPage | undefined>;
}

/** Limits for a page that is fetched without a browser. A map can do without slower or larger pages. */
const PAGE_TIMEOUT_MS = 15_000;
const MAX_BODY_BYTES = 10 * 1024 * 1024;

const firstText = (value: string | string[] | undefined) =>
  (typeof value === 'string' ? value : value?.[0])?.trim() || undefined;

function requestHeaders({ headers, location }: MapRequest): Record<string, string> {
  const languages = location?.languages;
  return { ...(languages?.length && { 'accept-language': languages.join(', ') }), ...headers };
}

/**
 * Creates the functions that fetch the pages of a map.
 * @param options.teamId in whose turn pages, and a start page that is a document, are converted
 * @param options.renderSignal aborts the rendering of pages. No earlier signal does, because an abort ends a
 * rendering
 *   thread, which costs more than letting it finish
 */
export function createMapPageFetcher(
  deps: MapFetcherDeps,
  request: MapRequest,
  { teamId, renderSignal }: { teamId: string; renderSignal: AbortSignal },
): MapPageFetcher {
  const { egress, engines, renderer, userAgent } = deps;
  const engine = createHttpEngine({ egress, userAgent, maxBodyBytes: MAX_BODY_BYTES });
  const headers = requestHeaders(request);
  const skipTlsVerification = Object.keys(request.headers ?? {}).length === 0;
  const hosts = request.allowedHosts ? { allowedHosts: request.allowedHosts } : {};

  async function convert(snapshot: FetchedSnapshot): Promise<MapPage> {
    const clean = { onlyMainContent: false, removeBase64Images: true };
    const task = { snapshot, clean, formats: [], discover: true };
    const { metadata, discovered = [] } = await renderer.render(task, {
      owner: teamId,
      signal: renderSignal,
      urgent: true,
    });
    const { url, statusCode, retryAfterMs } = snapshot;
    const facts = { title: firstText(metadata.title), description: firstText(metadata.description) };
    return { url, statusCode, retryAfterMs, links: discovered, facts };
  }

  return {
    async fetchStartPage(url, signal) {
      const options = { url, headers, skipTlsVerification, formats: [], maxAge: 0, storeInCache: false };
      const { snapshot } = await fetchPage(
        engines,
        { ...scrapeBody.parse(options), ...hosts },
        { signal, teamId, conversionOwner: teamId },
      );
      return convert(snapshot);
    },
    async fetchPage(url, outer) {
      const timeout = AbortSignal.timeout(PAGE_TIMEOUT_MS);
      const signal = AbortSignal.any([outer, timeout]);
      try {
        const pageRequest = {
          ...PLAIN_PAGE,
          ...hosts,
          owner: teamId,
          sourceUrl: url,
          url,
          headers,
          skipTlsVerification,
        };
        const page = await engine.fetchPage(pageRequest, signal);
        // A document has no links worth the time of its conversion.
        return page.unconverted ? undefined : await convert(page);
      } catch (error) {
        outer.throwIfAborted();
        if (timeout.aborted || error instanceof ServiceError) return undefined;
        throw error;
      }
    },
  };
}
