import { fieldsOf } from '../json-object.ts';
import { DOWNLOADS_PATH } from './session-browser.ts';

/** A command of a protocol client, as far as this process reads it. Chromium checks the rest. */
export interface ProtocolCommand {
  id: number;
  method: string;
  params?: object | null;
  /** Absent for the browser itself. */
  sessionId?: string | null;
}

/** What becomes of a command of a protocol client: it is sent, maybe changed; refused with a message; or ends the client. */
export type FilteredCommand = { forward: ProtocolCommand } | { refuse: string } | 'detach';

/** Commands that would end or change the browser for all clients, or would reach it past this filter. */
const REFUSED = new Set([
  ...['Browser.crash', 'Browser.crashGpuProcess', 'Browser.executeBrowserCommand'],
  ...['Target.exposeDevToolsProtocol', 'Target.sendMessageToTarget', 'Target.setRemoteLocations'],
]);
/** Domains for extensions and installed applications, which a session has none of. */
const REFUSED_DOMAINS = new Set(['Extensions', 'PWA']);
/** Commands that load a URL. */
const LOADING = new Set(['Page.navigate', 'Target.createTarget', 'Network.loadNetworkResource']);
/** The schemes of pages. Others show files of the sandbox or internals of the browser. */
const PAGE_SCHEMES = new Set(['http:', 'https:', 'about:', 'data:', 'blob:']);

/** Decides what becomes of a command that a client of a session sends. */
export function filterCommand(message: ProtocolCommand): FilteredCommand {
  const { method } = message;
  const params = fieldsOf(message.params);
  if (method === 'Browser.close') return 'detach';
  if (REFUSED.has(method) || REFUSED_DOMAINS.has(method.split('.', 1)[0] ?? ''))
    return { refuse: `${method} is not available in a browser session` };
  if (LOADING.has(method) && !isPageUrl(params.url)) {
    return { refuse: `${method} accepts only URLs with the schemes http, https, about, data and blob` };
  }
  if (method === 'DOM.setFileInputFiles' && !areDownloads(params.files)) {
    return { refuse: `DOM.setFileInputFiles accepts only files in ${DOWNLOADS_PATH}` };
  }
  if (method === 'Input.dispatchDragEvent' && !areDownloads(fieldsOf(params.data).files ?? [])) {
    return { refuse: `Input.dispatchDragEvent accepts only files in ${DOWNLOADS_PATH}` };
  }
  if (method === 'Browser.setDownloadBehavior' || method === 'Page.setDownloadBehavior')
    return { forward: { ...message, params: { ...params, ...DOWNLOADS } } };
  return { forward: message };
}

/** Clients name a directory of their own machine, or refuse downloads. Those of a session always go to its directory. */
const DOWNLOADS = { behavior: 'allow', downloadPath: DOWNLOADS_PATH };

function isPageUrl(url: unknown): boolean {
  if (url === undefined || url === '') return true;
  if (typeof url !== 'string') return false;
  // Chromium completes URLs without a scheme as http.
  return !URL.canParse(url) || PAGE_SCHEMES.has(new URL(url).protocol);
}

function areDownloads(files: unknown): boolean {
  return (
    Array.isArray(files) &&
    files.every(
      (file) => typeof file === 'string' && file.startsWith(`${DOWNLOADS_PATH}/`) && !file.includes('..'),
    )
  );
}
