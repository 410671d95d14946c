import { ServiceError } from '../../../errors.ts';
import { decodeSitemap } from './decode-sitemap.ts';
import { MAX_URL_CHARACTERS, normalizeHttpUrl, type SitemapEntry, SitemapXmlParser } from './sitemap-xml.ts';

export type { SitemapEntry } from './sitemap-xml.ts';

async function* parseXml(texts: AsyncIterable<string>, url: string): AsyncGenerator<SitemapEntry> {
  const parser = new SitemapXmlParser(url);
  for await (const text of texts) {
    const entries = parser.parse(text);
    if (!entries) throw new ServiceError('SCRAPE_SITE_ERROR', `${url} is neither a sitemap nor a feed.`);
    yield* entries;
  }
}

/** Reads a text file with one URL per line. Other lines are skipped. */
async function* parseLines(texts: AsyncIterable<string>): AsyncGenerator<SitemapEntry> {
  let line = '';
  for await (const text of texts) {
    const lines = (line + text).split(/[\r\n]+/);
    // A line beyond the maximum is skipped anyway, so the rest of it need not be kept.
    line = lines.pop()!.slice(0, MAX_URL_CHARACTERS + 1); // `split` returns at least one part
    for (const each of lines) {
      const url = normalizeHttpUrl(each);
      if (url) yield { kind: 'page', url };
    }
  }
  const url = normalizeHttpUrl(line);
  if (url) yield { kind: 'page', url };
}

/**
 * Parses a sitemap while it is downloaded, in constant memory. It may be a sitemap, a sitemap index, RSS,
 * Atom or a text file with one URL per line, compressed with gzip or not. Entries without an absolute http or
 * https URL are skipped; only feeds may have relative URLs.
 * @param url the URL of the sitemap
 * @throws ServiceError `SCRAPE_SITE_ERROR` for HTML and for other content that is no sitemap,
 *   `SCRAPE_CONTENT_TOO_LARGE`. Errors of zlib and of `chunks` are passed on.
 */
export async function* parseSitemap(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
): AsyncGenerator<SitemapEntry> {
  const texts = decodeSitemap(chunks, url);
  let start = '';
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    start = next.value.trimStart();
    if (start !== '') break;
  }
  async function* whole() {
    try {
      yield start;
      yield* texts;
    } finally {
      // The consumer may stop at the start, before `texts` is iterated here, so it is closed explicitly.
      await texts.return(undefined);
    }
  }
  yield* start.startsWith('<') ? parseXml(whole(), url) : parseLines(whole());
}
