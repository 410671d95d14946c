import type { Document } from 'domhandler';
import { getElementsByTagName } from 'domutils';
import { clean } from './clean.ts';
import { type Feed, type FeedEntry, parseFeed } from './feed.ts';
import { escapeHtml } from './parse/escape-html.ts';
import { parseHtml, setChildren } from './parse/parse.ts';
import { oneLine } from './text.ts';
import { resolveUrl } from './urls.ts';
import type { XmlField, XmlList } from './xml-list.ts';

/**
 * Converts a feed or sitemap to a page. Entries of a feed have title, date, author, text and files; entries
 * of a sitemap have a URL and the date of the last change.
 * @param url the URL of the list; relative URLs are resolved against it
 */
export function buildListPage(list: XmlList, url: string): Document {
  const feed = parseFeed(list, url);
  return feed ? buildFeedPage(feed) : parseHtml(sitemapToHtml(list.entries));
}

function buildFeedPage(feed: Feed): Document {
  const { title = '', description = '', language = '', home, entries } = feed;
  const heading = title && `<h1>${home ? anchor(home, title) : escapeHtml(title)}</h1>`;
  const lead = description && `<p>${escapeHtml(description)}</p>`;
  const page = parseHtml(
    `<!doctype html><html lang="${escapeHtml(language)}"><head><title>${escapeHtml(title)}</title>${
      description && `<meta name="description" content="${escapeHtml(description)}">`
    }</head><body>${heading}${lead}${entries.map(entryToHtml).join('')}</body></html>`,
  );
  // The texts of entries are inserted as trees, so that an unclosed element does not extend into the next
  // entry.
  for (const [index, section] of getElementsByTagName('section', page).entries()) {
    const { html = '', base } = entries[index]!;
    const { tree: text } = clean(parseHtml(html), { url: base, engine: 'http' }, KEEP_EVERYTHING);
    const [body] = getElementsByTagName('body', text);
    setChildren(section, body?.children ?? []);
  }
  return page;
}

const KEEP_EVERYTHING = { onlyMainContent: false, removeBase64Images: false };

/** An entry as HTML, with an empty section in place of its text. */
function entryToHtml({ title, page, published, author, html = '', files, base }: FeedEntry): string {
  const name = title && escapeHtml(title);
  const heading = name && `<h2>${page ? anchor(page, title) : name}</h2>`;
  const about = [published, author].flatMap((text) => (text ? [escapeHtml(text)] : [])).join(' · ');
  const more = files
    .flatMap(({ url: source, type = '' }) => {
      const url = resolveUrl(source, base);
      // Many entries already show their files in the text.
      if (!url || html.includes(source)) return [];
      return [`<p>${/^image\//.test(type) ? `<img src="${escapeHtml(url)}" alt="">` : anchor(url)}</p>`];
    })
    .join('');
  const link = !heading && page ? `<p>${anchor(page)}</p>` : (heading ?? '');
  return `<article>${link}${about && `<p>${about}</p>`}<section></section>${more}</article>`;
}

function sitemapToHtml(entries: XmlField[][]): string {
  const items = entries.flatMap((fields) => {
    const said = (wanted: string) => oneLine(fields.find(({ name }) => name === wanted)?.text ?? '');
    const url = said('loc');
    if (!url) return [];
    const modified = said('lastmod');
    return [`<li>${anchor(url, said('news:title') || url)}${modified && ` ${escapeHtml(modified)}`}</li>`];
  });
  return `<!doctype html><html><body><ul>${items.join('')}</ul></body></html>`;
}

const anchor = (url: string, text = url) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;
