import { type Document, type Element, isTag } from 'domhandler';
import { find } from 'domutils';
import { asciiView, beginningOf, type SourceText } from '../source-text.ts';
import { parseHtml } from './parse/parse.ts';
import { documentBaseUrl, resolveUrl } from './urls.ts';

const MENTIONED = /http-equiv\s*=\s*(?:["']\s*)?refresh/i;
/** Only the beginning of the HTML is parsed, because the tag is in the head. */
const MAX_HEAD_CHARACTERS = 50_000;
/** A page with a longer delay is meant to be read, so it is not followed. */
const MAX_DELAY_S = 10;
/** Seconds, then a URL (HTML standard, "shared declarative refresh steps"). */
const REFRESH = /^\s*(\d+(?:\.\d*)?)[\s;,]*(?:url\s*=)?\s*["']?([^"']*)/i;

/**
 * Finds the URL that unrendered HTML redirects to with `<meta http-equiv="refresh">` within ten seconds.
 * @returns an absolute http or https URL; `undefined` if there is none, if it is the page's own URL, or if
 *   the tag is in `noscript`
 */
export function findRefreshTarget(html: SourceText, pageUrl: string): string | undefined {
  if (!MENTIONED.test(asciiView(html))) return undefined;
  const page: Document = parseHtml(beginningOf(html, MAX_HEAD_CHARACTERS));
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
 * Parses the `content` of a `<meta http-equiv="refresh">`.
 * @returns the absolute URL and the delay in milliseconds; `undefined` for a delay of more than ten seconds,
 *   for a missing URL, and for one that is not http or https
 */
export function parseRefresh(
  content: string,
  baseUrl: string,
): { target: string; afterMs: number } | undefined {
  const [, seconds, url] = REFRESH.exec(content) ?? [];
  if (!url || Number(seconds) > MAX_DELAY_S) return undefined;
  const target = resolveUrl(url, baseUrl);
  return target && /^https?:/.test(target) ? { target, afterMs: Number(seconds) * 1000 } : undefined;
}

/** Whether an element is inside `noscript`, which browsers with scripts ignore. */
function isInNoscript({ parent }: Element): boolean {
  for (let at = parent; at; at = at.parent) if (isTag(at) && at.name === 'noscript') return true;
  return false;
}
