import type { CollectedFile } from '../../content/formats/format.ts';
import type { ActionResults } from '../../content/snapshot.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import { formatFileReference } from '../../storage/blobs/file-urls.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Logger } from '../../system/logger.ts';
import type { ActionOutcome } from '../browser/actions/action-handlers.ts';
import type { Profiles } from '../browser/browser-profile.ts';
import type { BrowserPool } from '../browser/chromium/browser-pool.ts';
import type { BrowsingContext } from '../browser/chromium/browsing-context.ts';
import { Disconnected } from '../browser/chromium/cdp.ts';
import type { Appearance } from '../browser/device-emulation.ts';
import type { AdBlocker } from '../browser/network/ad-blocker.ts';
import { PageEnded } from '../browser/page-ended.ts';
import { MAX_LOAD_MS, NavigationError, type VisitResult, visit } from '../browser/visit.ts';
import type { Egress } from '../net/checked-egress.ts';
import type { EgressProxy, RouteProxy } from '../net/egress-proxy.ts';
import { type Engine, type EngineResult, type PageRequest, routeOf } from './engine.ts';
import { hasLittleText, hasLostText } from './page-checks/lost-text.ts';
import { readBody } from './read-body.ts';
import { appearanceOf } from './visitor.ts';

/** Dependencies of the browser engine. */
export interface BrowserEngineDeps {
  pool: Pick<BrowserPool, 'lease'>;
  profiles: Profiles;
  egress: Egress;
  proxy: EgressProxy;
  blobs: Blobs;
  /** User agent of this service. */
  userAgent: string;
  /** Maximum size of the rendered page, in characters. */
  maxBodyBytes: number;
  adBlocker: AdBlocker | undefined;
  logger: Pick<Logger, 'warn'>;
}

/** The engine that opens the page in Chromium and runs its scripts. */
export function createBrowserEngine(deps: BrowserEngineDeps): Engine {
  const { pool, profiles, egress, proxy, blobs, maxBodyBytes, adBlocker, logger } = deps;

  const saveFile = async ({ bytes, mediaType }: CollectedFile) =>
    formatFileReference({ key: await blobs.put(bytes), size: bytes.length, mediaType });

  async function saveAll(collected: Record<string, CollectedFile>): Promise<Record<string, string>> {
    const entries = Object.entries(collected).map(
      async ([type, file]) => [type, await saveFile(file)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  async function saveOutcome(outcome: ActionOutcome): Promise<ActionResults> {
    return {
      ...outcome,
      screenshots: await Promise.all(outcome.screenshots.map(saveFile)),
      pdfs: await Promise.all(outcome.pdfs.map(saveFile)),
    };
  }

  /**
   * Runs a visit in the browser of the request, if it has one that reaches the page, and else in the pool.
   */
  async function openPage(
    request: PageRequest,
    { tunnel, appearance, signal }: { tunnel: RouteProxy; appearance: Appearance; signal: AbortSignal },
    use: (context: BrowsingContext, endLoading?: () => void) => Promise<VisitResult>,
  ): Promise<VisitResult> {
    const { owner, ownBrowser, duringWait } = request;
    const { url: proxyUrl } = tunnel;
    // It has only the basic route.
    const own = proxyUrl === proxy.url ? await ownBrowser?.visit(use, signal) : undefined;
    if (!own) ownBrowser?.discard();
    const sharedBy = sharesContext(request)
      ? JSON.stringify([request.sharedBy, new URL(request.url).host, proxyUrl, appearance])
      : undefined;
    return own ? own.result : pool.lease({ owner, proxyUrl, duringWait, sharedBy }, use, signal);
  }

  return {
    async fetchPage(request, signal) {
      const { url, headers, blockAds, actions, collect } = request;
      const waitForMs = Math.max(request.waitForMs, request.minWaitMs);
      const appearance = appearanceOf(request, deps.userAgent);
      const visitOptions = {
        url,
        headers,
        appearance,
        waitForMs,
        blockAds,
        adBlocker,
        logger,
        actions,
        collect,
        // What actions have made of the page is what the request wants.
        needsSource: actions.length
          ? undefined
          : ({ html, hasEnded }: { html: string; hasEnded: boolean }) => !hasEnded || hasLittleText(html),
        maxBytes: maxBodyBytes,
        allowedHosts: request.allowedHosts,
        onRedirect: request.onRedirect,
        archive: request.archive,
      };
      // The proxy checks again when it connects. Resolving first gives a clear error instead of a closed
      // tunnel.
      await egress.resolve(new URL(url).hostname, request.owner);
      const tunnel = await proxy.forRoute(routeOf(request));
      await using profile = request.profile && (await profiles.open(request.profile));
      let result: VisitResult;
      try {
        result = await openPage(request, { tunnel, appearance, signal }, (context, endLoading) =>
          visit(context, {
            ...visitOptions,
            profile,
            onRequestsEnded: () => {
              endLoading?.();
              request.onRequestsEnded?.();
            },
          }),
        );
      } catch (error) {
        signal.throwIfAborted();
        throw translateError(error, url, tunnel);
      }
      const { warnings, isPartial, ...content } = readContent(result, { request, maxBodyBytes });
      return {
        sourceUrl: request.sourceUrl,
        url: result.url,
        statusCode: result.statusCode,
        contentType: result.contentType,
        ...content,
        engine: 'browser',
        proxy: request.proxy,
        fetchedAt: Date.now(),
        timezone: result.timezone,
        files: await saveAll(result.files),
        collectedData: result.collectedData,
        ...(result.media.length && { media: result.media }),
        ...(isPartial && { isPartial: true as const }),
        ...(warnings.length && { warnings }),
        ...(result.actions && { actions: await saveOutcome(result.actions) }),
        ...(result.exchanges && { exchanges: result.exchanges }),
      };
    },
  };
}

/**
 * Whether a page may be opened where others of its job were: nothing but its cache tells that they were
 * there.
 */
const sharesContext = ({ sharedBy, actions, profile, headers }: PageRequest) =>
  sharedBy !== undefined && !actions.length && !profile && !Object.keys(headers).length;

/**
 * The content of the rendered page, of the HTML of its response if scripts have lost it, or of the response
 * body if that is not HTML.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE`, and as {@link readBody}
 */
function readContent(
  { url, contentType, html = '', source, hasEnded, body, isPartial, warnings }: VisitResult,
  { request, maxBodyBytes }: { request: PageRequest; maxBodyBytes: number },
): ReturnType<typeof readBody> &
  Pick<EngineResult, 'isUnrendered'> &
  Pick<VisitResult, 'isPartial' | 'warnings'> {
  if (Math.max(html.length, body?.length ?? 0) > maxBodyBytes) {
    throw new ServiceError(
      'SCRAPE_CONTENT_TOO_LARGE',
      `${url} is larger than ${maxBodyBytes} bytes once it is rendered. The operator can raise WINNOW_MAX_BODY_MB.`,
    );
  }
  if (source !== undefined && hasLostText({ html, source, hasEnded })) {
    // The next scrape may render the page, so this one is neither cached nor compared.
    return {
      kind: 'html',
      text: source,
      isUnrendered: true,
      isPartial: true,
      warnings: [...warnings, textLost({ url, hasEnded })],
    };
  }
  const content = body
    ? readBody({ url, contentType, body }, request)
    : { kind: 'html' as const, text: html };
  return { ...content, isPartial, warnings: hasEnded ? warnings : [...warnings, partlyRead(url)] };
}

const notEnded = (url: string) => `${url} had not ended after ${MAX_LOAD_MS / 1000} seconds`;

const partlyRead = (url: string) => `${notEnded(url)}, and was read as far as it had come.`;

function textLost({ url, hasEnded }: Pick<VisitResult, 'url' | 'hasEnded'>): string {
  const reason = hasEnded
    ? `The scripts of ${url} left hardly any of the text with which it was sent`
    : `${notEnded(url)} with a part of the text with which it was sent`;
  return `${reason}, so this is the page as it was sent, without its scripts. If they need more time, set waitFor.`;
}

/** Chromium errors that the egress proxy causes, also in sessions, which name them; the proxy knows the reason. */
const PROXY_FAILURE =
  /^ERR_(EMPTY_RESPONSE|TUNNEL_CONNECTION_FAILED|CONNECTION_\w+|NAME_NOT_RESOLVED|ADDRESS_UNREACHABLE|TIMED_OUT|BLOCKED_BY_CLIENT)$/;

const createPageMemoryError = (url: string, cause: Error) =>
  new ServiceError(
    'SCRAPE_PAGE_MEMORY_EXCEEDED',
    `The scripts of ${url} took more memory than a page may have in the browser, so the page was ended. Set fastMode to read it without its scripts. The operator of the service can raise WINNOW_MAX_PAGE_MEMORY_MB.`,
    { cause },
  );

/** Playwright's messages for a Chromium that died during the visit. */
const BROWSER_GONE = /(context|browser|page) has been closed|browser closed|target closed/i;

/** Translates errors of Chromium to service errors; other errors are returned unchanged. */
function translateError(error: unknown, url: string, tunnel: RouteProxy): unknown {
  if (error instanceof ServiceError) return error;
  const message = messageOf(error);
  if (error instanceof PageEnded) return createPageMemoryError(url, error);
  if (/crashed/i.test(message)) {
    return new ServiceError('SCRAPE_SITE_ERROR', `${url} crashed the browser tab.`, { cause: error });
  }
  if (error instanceof Disconnected || BROWSER_GONE.test(message)) {
    return new ServiceError('WORKER_LOST', `The browser ended while it had ${url} open. Try again.`, {
      cause: error,
    });
  }
  if (/Error setting storage state/.test(message)) {
    return new ServiceError(
      'PROFILE_ERROR',
      'The browser did not take the state of the profile. Delete the profile, and make it anew.',
      { cause: error },
    );
  }
  if (!(error instanceof NavigationError)) return error;
  if (error.isDownload) {
    return new ServiceError(
      'SCRAPE_UNSUPPORTED_FILE_ERROR',
      `${error.url} is a file to download, not a page.`,
      { cause: error },
    );
  }
  const code = /net::(ERR_[A-Z_]+)/.exec(message)?.[1] ?? '';
  const refusal = PROXY_FAILURE.test(code) ? tunnel.failureOf(error.url) : undefined;
  if (refusal) return refusal;
  if (/CERT|SSL/.test(code)) {
    return new ServiceError(
      'SCRAPE_SSL_ERROR',
      `The certificate of ${error.url} is not valid (${code}). Set skipTlsVerification to true to accept it.`,
      { cause: error },
    );
  }
  const reason = code === 'ERR_TOO_MANY_REDIRECTS' ? 'too many redirects' : code || message;
  return new ServiceError('SCRAPE_SITE_ERROR', `${error.url} could not be opened: ${reason}.`, {
    cause: error,
  });
}
