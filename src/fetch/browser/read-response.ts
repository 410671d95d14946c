import type { Session } from './chromium/cdp.ts';
import type { DocumentResponse } from './network/network-monitor.ts';
import { takeOptionalStep } from './optional-step.ts';
import type { Tab } from './tab.ts';

/** The body of the response that brought the document of a page. */
export async function readBody(session: Session, { requestId }: DocumentResponse): Promise<Uint8Array> {
  const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
  return Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
}

/**
 * The HTML of the response that brought the document of a page, before any script has changed it.
 * @returns `undefined` if the page has moved on to another path, or if Chromium no longer has the response
 */
export async function readSource(
  tab: Tab,
  { requestId, url }: DocumentResponse,
): Promise<string | undefined> {
  if (URL.parse(tab.url())?.pathname !== URL.parse(url)?.pathname) return undefined;
  const response = await takeOptionalStep(tab.logger, 'a page is read as its scripts left it', () =>
    tab.session.send('Network.getResponseBody', { requestId }),
  );
  // Chromium has decoded text; bytes in base64 have no encoding that is known here.
  return response?.base64Encoded ? undefined : response?.body;
}
