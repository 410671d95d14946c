import { articlePage } from './article.ts';
import { sentences } from './prose.ts';
import { seeded } from './random.ts';

const CHILDREN = 10;
const LINKS_SEED = 500_009;

/** The depth of `/links/:n` below `/links/0`, in clicks. */
export function linkDepth(n: number): number {
  return n === 0 ? 0 : 1 + linkDepth(Math.floor((n - 1) / CHILDREN));
}

/** The sentence that only `/links/:n` carries. */
export const linkSentence = (n: number) => `This is page ${n} of the link graph.`;

/**
 * A page of the link graph. Page n links to pages 10n+1 … 10n+10, to its parent, its neighbour, another URL
 * of itself and another host. From `/links/0`, exactly the pages below `pages` can be reached.
 */
export function linkPage(n: number, pages: number): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page ${n}</title></head><body>
<main><h1>Page ${n}</h1><p>${linkSentence(n)} ${sentences(seeded(LINKS_SEED + n), 12)}</p><ul>${items('links', n, pages)}</ul></main></body></html>`;
}

function items(graph: string, n: number, pages: number): string {
  const children = Array.from({ length: CHILDREN }, (_, place) => CHILDREN * n + place + 1);
  const known = [...children, Math.floor(Math.max(0, n - 1) / CHILDREN), n + 1].filter(
    (page) => page < pages,
  );
  return `${known.map((page) => `<li><a href="/${graph}/${page}">Page ${page}</a></li>`).join('\n')}
<li><a href="/${graph}/${n}#top">Top</a></li><li><a href="https://elsewhere.invalid/${n}">Elsewhere</a></li>
<li><a href="/private/${n}">Private</a></li><li><a href="mailto:editor@elsewhere.invalid">Mail</a></li>`;
}

const END = '</body></html>';

/**
 * A page of the same graph with the size of a real one: article `n`, with its own URLs in the head, and below
 * it the links to other library pages. These pages are in no sitemap.
 */
export function libraryPage(n: number, pages: number, origin: string): Buffer {
  const article = articlePage(n, origin);
  const nav = `<nav class="library"><ul>${items('library', n, pages)}</ul></nav>${END}`;
  return Buffer.concat([article.subarray(0, -END.length), Buffer.from(nav)]);
}

/** `/robots.txt`, which allows everything except `/private/`. */
export const robots = (origin: string) =>
  `User-agent: *\nDisallow: /private/\nAllow: /\n\nSitemap: ${origin}/sitemap-index.xml\n`;

const SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** A sitemap of all pages of the link graph. */
export function sitemap(origin: string, pages: number): string {
  const urls = Array.from(
    { length: pages },
    (_, n) => `<url><loc>${origin}/links/${n}</loc><lastmod>2026-01-01</lastmod></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${SITEMAP}>\n${urls.join('\n')}\n</urlset>\n`;
}

/** A sitemap index with the plain and the compressed sitemap, which have the same entries. */
export function sitemapIndex(origin: string): string {
  const entries = ['sitemap.xml', 'sitemap.xml.gz'].map(
    (name) => `<sitemap><loc>${origin}/${name}</loc></sitemap>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex ${SITEMAP}>\n${entries.join('\n')}\n</sitemapindex>\n`;
}
