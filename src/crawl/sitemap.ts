import { ServiceError } from '../errors.ts';
import { textOf } from './sitemap-text.ts';
import { createXmlReader, MAX_ADDRESS, readAddress, type SitemapEntry } from './sitemap-xml.ts';

export type { SitemapEntry } from './sitemap-xml.ts';

async function* readXml(texts: AsyncIterable<string>, url: string): AsyncGenerator<SitemapEntry> {
  const reader = createXmlReader(url);
  for await (const text of texts) {
    const entries = reader.read(text);
    if (!entries) throw new ServiceError('SCRAPE_SITE_ERROR', `${url} is no sitemap and no feed.`);
    yield* entries;
  }
}

/** One address a line; lines that are none are skipped. */
async function* readLines(texts: AsyncIterable<string>): AsyncGenerator<SitemapEntry> {
  let line = '';
  for await (const text of texts) {
    const lines = (line + text).split(/[\r\n]+/);
    // What is too long already stays too long, and need not grow.
    line = lines.pop()!.slice(0, MAX_ADDRESS + 1); // splitting gives one part at least
    for (const each of lines) {
      const address = readAddress(each);
      if (address) yield { kind: 'page', url: address };
    }
  }
  const address = readAddress(line);
  if (address) yield { kind: 'page', url: address };
}

/**
 * Reads a sitemap as it comes, in constant memory: a list of pages, an index of sitemaps, RSS, Atom or one address a
 * line, gzipped or not. Entries that are no absolute web address are skipped; a feed's may be relative.
 * @param url its own address
 * @throws ServiceError `SCRAPE_SITE_ERROR` for a page or what never becomes a sitemap, `SCRAPE_CONTENT_TOO_LARGE`;
 * and what zlib or the chunks throw
 */
export async function* parseSitemap(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
): AsyncGenerator<SitemapEntry> {
  const texts = textOf(chunks, url);
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
      // Nobody may have read past the start.
      await texts.return(undefined);
    }
  }
  yield* start.startsWith('<') ? readXml(whole(), url) : readLines(whole());
}
