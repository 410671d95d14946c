import { escapeHtml } from '../../content/html/parse/escape-html.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import { type DetailedPage, describeDetails, nameOf, oneLine, stateOf } from './news-text.ts';

const MAX_TITLE = 200;
/** Characters that XML 1.0 has no way to write. */
const NOT_IN_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const xml = (text: string) => escapeHtml(text.replace(NOT_IN_XML, ''));

/**
 * Writes the news of a monitor as a feed (Atom, RFC 4287).
 * @param pages newest first
 * @param urls that of the feed itself, and that of the monitor in the console
 */
export function composeFeed(
  { id, name, created_at: createdAt }: Pick<StoredMonitor, 'id' | 'name' | 'created_at'>,
  pages: readonly DetailedPage[],
  urls: { self: string; console: string },
): string {
  const updated = (pages[0]?.created_at ?? createdAt).toISOString();
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>urn:uuid:${id}</id>`,
    `<title>${xml(oneLine(name, MAX_TITLE))}</title>`,
    `<updated>${updated}</updated>`,
    '<author><name>Winnow</name></author>',
    `<link rel="self" type="application/atom+xml" href="${xml(urls.self)}"/>`,
    `<link rel="alternate" type="text/html" href="${xml(urls.console)}"/>`,
    ...pages.map(entryOf),
    '</feed>',
    '',
  ].join('\n');
}

function entryOf(page: DetailedPage): string {
  const said = page.status === 'error' ? page.error : page.judgment?.reason;
  const reason = said ? `<p>${escapeHtml(said)}</p>` : '';
  const content = `${reason}${describeDetails(page.details).html}` || `<p>${stateOf(page)}</p>`;
  // A search has a page for itself, whose URL is its words.
  const link = URL.parse(page.url);
  return [
    '<entry>',
    `<id>urn:uuid:${page.id}</id>`,
    `<title>${xml(`${nameOf(page)}: ${stateOf(page)}`)}</title>`,
    `<updated>${page.created_at.toISOString()}</updated>`,
    ...(link && /^https?:$/.test(link.protocol) ? [`<link rel="alternate" href="${xml(link.href)}"/>`] : []),
    `<content type="html">${xml(content)}</content>`,
    '</entry>',
  ].join('\n');
}
