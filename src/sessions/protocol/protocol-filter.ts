import { brandsOf, chromeVersion } from '../../fetch/browser/device-emulation.ts';
import { USER_AGENT } from '../../fetch/net/user-agent.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { DOWNLOADS_PATH } from '../session-paths.ts';
import type { ProtocolCommand } from './protocol-command.ts';

/**
 * The decision about a command of a protocol client: it is sent, gets a response without being sent, is
 * refused with a message, or ends the client.
 */
export type FilteredCommand =
  | { forward: ProtocolCommand }
  | { respond: object }
  | { refuse: string }
  | 'detach';

/** Commands that would end or change the browser for all clients, or would reach it past this filter. */
const REFUSED = new Set([
  ...['Browser.crash', 'Browser.crashGpuProcess', 'Browser.executeBrowserCommand'],
  ...['Target.exposeDevToolsProtocol', 'Target.sendMessageToTarget', 'Target.setRemoteLocations'],
  'Target.openDevTools',
]);
/**
 * Domains for extensions and installed applications, which a session has none of, and for ports of the
 * browser's machine.
 */
const REFUSED_DOMAINS = new Set(['Extensions', 'PWA', 'Tethering']);
/** Commands that load a URL. */
const LOADING = new Set(['Page.navigate', 'Target.createTarget', 'Network.loadNetworkResource']);
/** The schemes of pages. Others show files of the sandbox or internals of the browser. */
const PAGE_SCHEMES = new Set(['http:', 'https:', 'about:', 'data:', 'blob:']);

/** The reply to a client that brings a proxy: all traffic of a session goes through the checked egress. */
const OWN_PROXY =
  "Proxies are an option of the session, not of a context: set location.country of POST /v2/browser to use the operator's proxy in that country";

/** The beginning of a URL with a scheme, which may contain line breaks and other control characters. */
const SCHEME = /^[^/?#]*:/;

/** Decides what becomes of a command that a client of a session sends. */
export function filterCommand(message: ProtocolCommand): FilteredCommand {
  const { method } = message;
  const params = fieldsOf(message.params);
  if (method === 'Browser.close') return 'detach';
  if (REFUSED.has(method) || REFUSED_DOMAINS.has(method.split('.', 1)[0] ?? ''))
    return { refuse: `${method} is not available in a browser session` };
  if (method === 'Target.createBrowserContext' && params.proxyServer) return { refuse: OWN_PROXY };
  if (LOADING.has(method) && !isPageUrl(params.url)) {
    return { refuse: `${method} accepts only URLs with the schemes http, https, about, data and blob` };
  }
  if (method === 'DOM.setFileInputFiles' && !areDownloads(params.files)) {
    return { refuse: `DOM.setFileInputFiles accepts only files in ${DOWNLOADS_PATH}` };
  }
  if (method === 'Input.dispatchDragEvent' && !areDownloads(fieldsOf(params.data).files ?? [])) {
    return { refuse: `Input.dispatchDragEvent accepts only files in ${DOWNLOADS_PATH}` };
  }
  // Clients name a directory of their own machine, or refuse downloads. Those of a session always go to its
  // directory. Chromium would also cancel all further downloads when the client that has set this
  // disconnects.
  if (method === 'Browser.setDownloadBehavior' || method === 'Page.setDownloadBehavior')
    return { respond: {} };
  if (method.endsWith('.setUserAgentOverride')) return { forward: withBrands(message, params) };
  return { forward: message };
}

/**
 * Gives a user agent that a client sets the brands of its client hints, if the client names none: Playwright does not,
 * and Chromium would then name a headless browser.
 */
function withBrands(message: ProtocolCommand, params: Readonly<Record<string, unknown>>): ProtocolCommand {
  const { userAgent, userAgentMetadata } = params;
  if (!userAgent || !userAgentMetadata || fieldsOf(userAgentMetadata).brands) return message;
  const version = chromeVersion(String(userAgent)) ?? chromeVersion(USER_AGENT) ?? '';
  return {
    ...message,
    params: { ...params, userAgentMetadata: { ...userAgentMetadata, ...brandsOf(version) } },
  };
}

/** Whether a URL is one of a page, which users of a session may open. */
export function isPageUrl(url: unknown): boolean {
  if (url === undefined || url === '') return true;
  if (typeof url !== 'string') return false;
  if (URL.canParse(url)) return PAGE_SCHEMES.has(new URL(url).protocol);
  // Chromium reports what is no URL. It may read one where this process does not, so a scheme is not even
  // tried.
  return !SCHEME.test(url);
}

function areDownloads(files: unknown): boolean {
  return (
    Array.isArray(files) &&
    files.every(
      (file) =>
        typeof file === 'string' &&
        file.startsWith(`${DOWNLOADS_PATH}/`) &&
        // A name such as `report..pdf` leads nowhere else.
        !file.split('/').includes('..'),
    )
  );
}
