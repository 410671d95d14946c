import { type Document, type Element, isTag } from 'domhandler';
import { find } from 'domutils';
import { parseHtml } from './parse.ts';
import { documentBaseUrl, resolveUrl } from './urls.ts';

const MENTIONED = /http-equiv\s*=\s*["']?\s*refresh/i;
/** It stands in the head. */
const MAX_HEAD_CHARACTERS = 50_000;
/** A page that shows for longer is a page, not a signpost. */
const MAX_DELAY_S = 10;
/** Seconds, then an address (HTML standard, "shared declarative refresh steps"). */
const REFRESH = /^\s*(\d+(?:\.\d*)?)[\s;,]*(?:url\s*=)?\s*["']?([^"']*)/i;

/**
 * Where HTML as it was sent leads by `<meta http-equiv="refresh">` within ten seconds: an absolute address, if it is
 * of the web and not the page's own. What stands in `noscript` is not meant.
 */
export function findRefreshTarget(html: string, pageUrl: string): string | undefined {
  const beginning = html.slice(0, MAX_HEAD_CHARACTERS);
  if (!MENTIONED.test(beginning)) return undefined;
  const page: Document = parseHtml(beginning);
  const isRefresh = (node: Element) =>
    node.name === 'meta' &&
    node.attribs['http-equiv']?.trim().toLowerCase() === 'refresh' &&
    !isInNoscript(node);
  const [meta] = find((node) => isTag(node) && isRefresh(node), page.children, true, 1);
  const content = (meta && isTag(meta) && meta.attribs.content) || '';
  const target = parseRefresh(content, documentBaseUrl(page, pageUrl))?.target;
  return target === pageUrl ? undefined : target;
}

/**
 * What the `content` of a `<meta http-equiv="refresh">` says, if it leads to an address of the web within ten seconds.
 * @returns the absolute address, and after how many milliseconds
 */
export function parseRefresh(
  content: string,
  baseUrl: string,
): { target: string; afterMs: number } | undefined {
  const [, seconds, address] = REFRESH.exec(content) ?? [];
  if (!address || Number(seconds) > MAX_DELAY_S) return undefined;
  const target = resolveUrl(address, baseUrl);
  return target && /^https?:/.test(target) ? { target, afterMs: Number(seconds) * 1000 } : undefined;
}

/** Whether it stands where only readers without scripts look. */
function isInNoscript({ parent }: Element): boolean {
  for (let at = parent; at; at = at.parent) if (isTag(at) && at.name === 'noscript') return true;
  return false;
}
