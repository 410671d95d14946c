import type { ServiceError } from '../../errors.ts';
import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';
import { BLOCKABLE_TYPES, type OutgoingRequest } from '../../fetch/browser/network/request-interception.ts';
import { connectionFault } from '../../fetch/net/fetch-error.ts';

/** Rules for all requests of a session's browser. */
export interface SessionRequestRules {
  /** Why the last connection to the host and port of a URL failed, as its proxy knows it. */
  failureOf(url: string): ServiceError | undefined;
  /** Recognises advertisements; absent if they are not blocked. */
  isAd?: ((request: OutgoingRequest) => boolean) | undefined;
  /** Called when the page of a tab could not be requested. @param reason `Network.ErrorReason` */
  onPageFailed?(failure: { targetId: string; url: string; reason: string }): void;
}

/** Chromium's own errors (`Network.ErrorReason`) for the faults of connections, which its proxy hides from it. */
const ERROR_REASONS = {
  unresolved: 'NameNotResolved',
  refused: 'ConnectionRefused',
  unreachable: 'AddressUnreachable',
  timeout: 'TimedOut',
  blocked: 'BlockedByClient',
} as const;

/**
 * Applies rules to the requests of all tabs, contexts and workers of a browser: documents whose host cannot be reached
 * fail with the error that Chromium has without a proxy, and advertisements are not requested.
 */
export async function applyRequestRules(
  { browser }: CdpConnection,
  { failureOf, isAd, onPageFailed }: SessionRequestRules,
): Promise<void> {
  /** The main frame of a page has the id of its target. What a user opens is no advertisement. */
  const pageIds = new Set<string>();
  browser.on('Target.targetCreated', ({ targetInfo }) => pageIds.add(targetInfo.targetId));
  browser.on('Target.targetDestroyed', ({ targetId }) => pageIds.delete(targetId));
  browser.on('Fetch.requestPaused', ({ requestId, request, resourceType, responseErrorReason, ...rest }) => {
    const { url, headers } = request;
    const { frameId, responseStatusCode } = rest;
    const isResponse = responseErrorReason !== undefined || responseStatusCode !== undefined;
    const errorReason = isResponse
      ? responseErrorReason && reasonOf(failureOf(url))
      : !(resourceType === 'Document' && pageIds.has(frameId)) &&
        isAd?.({ url, type: resourceType, pageUrl: headers.Referer ?? '' }) &&
        'BlockedByClient';
    if (responseErrorReason && pageIds.has(frameId) && resourceType === 'Document')
      onPageFailed?.({ targetId: frameId, url, reason: errorReason || responseErrorReason });
    const command = errorReason
      ? browser.send('Fetch.failRequest', { requestId, errorReason })
      : browser.send('Fetch.continueRequest', { requestId });
    // The page may have been closed meanwhile.
    command.catch(() => undefined);
  });
  const { targetInfos } = await browser.send('Target.getTargets', { filter: [{ type: 'page' }] });
  for (const { targetId } of targetInfos) pageIds.add(targetId);
  const requests = isAd ? BLOCKABLE_TYPES.map((resourceType) => ({ resourceType })) : [];
  await browser.send('Fetch.enable', {
    patterns: [{ resourceType: 'Document', requestStage: 'Response' }, ...requests],
  });
}

function reasonOf(failure: ServiceError | undefined) {
  const fault = failure && connectionFault(failure);
  return fault && ERROR_REASONS[fault];
}
