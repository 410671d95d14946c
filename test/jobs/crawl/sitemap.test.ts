import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseSitemap, type SitemapEntry } from '../../../src/jobs/crawl/sitemaps/parse-sitemap.ts';
import { IS_FULL_RUN } from '../../support/suite/corpus.ts';

const URL_ = 'https://example.com/sitemap.xml';
const MIB = 1024 * 1024;

async function* piecesOf(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Entries as short text: pages by their address, sitemaps with an arrow. */
async function entriesOf(content: string | Uint8Array, size = 64 * 1024): Promise<string[]> {
  const entries: string[] = [];
  for await (const { kind, url } of parseSitemap(piecesOf(Buffer.from(content as Uint8Array), size), URL_))
    entries.push(kind === 'page' ? url : `→ ${url}`);
  return entries;
}

const urlset = (...locs: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locs
    .map((loc) => `<url><loc>${loc}</loc><lastmod>2024-01-01</lastmod></url>`)
    .join('\n')}</urlset>`;
const A = 'https://example.com/a';
const B = 'https://example.com/b';

const INDEX = `<sitemapindex><sitemap><loc>${A}</loc></sitemap><sitemap><loc>\n ${B}\n</loc></sitemap></sitemapindex>`;
const RSS = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>x</title>
  <link>https://example.com/</link><atom:link href="${URL_}" rel="self"/><image><link>https://example.com/i</link></image>
  <item><title>1</title><link>${A}</link><guid>${B}</guid></item><item><link>/b</link></item></channel></rss>`;
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.com/"/>
  <entry><link rel="alternate" href="${A}"/><link rel="edit" href="https://example.com/edit"/></entry>
  <entry><link href="b"/><content type="html">&lt;a href="https://example.com/c"&gt;</content></entry></feed>`;
const RDF = `<rdf:RDF xmlns:rdf="x"><channel><link>https://example.com/</link></channel><item><link>${A}</link></item></rdf:RDF>`;
const IMAGES = `<urlset xmlns:image="x"><url><loc>${A}</loc><image:image><image:loc>https://example.com/a.png</image:loc></image:image>
  <video:video><video:player_loc>https://example.com/v</video:player_loc></video:video>
  <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/></url></urlset>`;

describe('a sitemap', () => {
  it.each([
    ['a list of pages', urlset(A, B), [A, B]],
    ['an index', INDEX, [`→ ${A}`, `→ ${B}`]],
    ['RSS', RSS, [A, B]],
    ['RSS 1.0', RDF, [A]],
    ['Atom', ATOM, [A, B]],
    ['lines', `${A}\r\n${B}\n\n`, [A, B]],
    ['lines without a last break', `${A}\n${B}`, [A, B]],
    ['lines among junk', `# pages\n${A} \n/relative\nftp://example.com/\n${B}`, [A, B]],
    ['images and translations', IMAGES, [A]],
    ['prefixed elements', `<s:urlset><s:url><s:loc>${A}</s:loc></s:url></s:urlset>`, [A]],
    ['upper-case elements', `<URLSET><URL><LOC>${A}</LOC></URL></URLSET>`, [A]],
    ['CDATA', urlset(`<![CDATA[ ${A}?x=1&y=2 ]]>`), [`${A}?x=1&y=2`]],
    ['entities', urlset(`${A}?x=1&amp;y=&#x32;`), [`${A}?x=1&y=2`]],
    ['a bare ampersand', urlset(`${A}?x=1&y=2&copy=3`), [`${A}?x=1&y=2&copy=3`]],
    ['no ends of elements', `<urlset><url><loc>${A}</url><url><loc>${B}</loc>`, [A, B]],
    ['no element around', `<urlset><loc>${A}</loc><loc>${B}</loc></urlset>`, [A, B]],
    ['a comment inside', urlset(`https://example.com<!-- > -->/a`), [A]],
    ['a cut', urlset(A, B).slice(0, -60), [A]],
    ['blanks before', `\n\n  ${urlset(A)}`, [A]],
    [
      'junk',
      urlset('', '/relative', 'example.com/x', 'javascript:1', 'http://[', 'https://example.com/a b', A),
      [A],
    ],
    ['a long address', urlset(`https://example.com/${'x'.repeat(8_200)}`, A), [A]],
    ['a long line', `https://example.com/${'x'.repeat(300_000)}\n${A}`, [A]],
    ['nothing', '', []],
    ['blanks', ' \n ', []],
  ])('of %s is read', async (_, text, expected) => {
    expect(await entriesOf(text)).toEqual(expected);
    expect(await entriesOf(text, 1)).toEqual(expected);
  });

  it.each([
    ['gzip', gzipSync(urlset(A))],
    ['gzip in gzip', gzipSync(gzipSync(urlset(A)))],
    [
      'gzip that is cut',
      gzipSync(urlset(A, ...Array.from({ length: 999 }, (_, n) => `${B}?${n}`))).subarray(0, -9),
    ],
    [
      'two gzip files in a row',
      Buffer.concat([gzipSync('<urlset>'), gzipSync(`<url><loc>${A}</loc></url></urlset>`)]),
    ],
    ['gzip of lines', gzipSync(A)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${urlset(A)}`)],
    ['UTF-16', Buffer.from(`\uFEFF${urlset(A)}`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\uFEFF${urlset(A)}`, 'utf16le').swap16()],
    ['UTF-16 by name only', Buffer.from(urlset(A).replace('UTF-8', 'UTF-16'))],
    ['an unknown encoding', Buffer.from(urlset(A).replace('UTF-8', 'klingon'))],
  ])('in %s is read', async (_, bytes) => {
    for (const size of [1, 7, 64 * 1024]) expect((await entriesOf(bytes, size))[0]).toBe(A);
  });

  it('in Latin-1 is decoded as it declares', async () => {
    const text = urlset('https://example.com/ü').replace('UTF-8', 'ISO-8859-1');
    expect(await entriesOf(Buffer.from(text, 'latin1'))).toEqual(['https://example.com/%C3%BC']);
  });
});

describe('a file that is not a sitemap', () => {
  const refusal = expect.objectContaining({
    code: 'SCRAPE_SITE_ERROR',
    message: expect.stringMatching(/neither a sitemap/),
  });

  it.each([
    ['a page', '<!doctype html><html><body><a href="/">Not found</a></body></html>'],
    ['an endless tag', `<urlset ${'a="b" '.repeat(400_000)}`],
    ['an endless comment', `<urlset><!-- ${'x'.repeat(3 * MIB)}`],
    ['an endless CDATA', `<urlset><url><loc><![CDATA[${'x'.repeat(3 * MIB)}`],
    ['nesting without end', '<a>'.repeat(200_000)],
  ])('is refused: %s', async (_, text) => {
    await expect(entriesOf(text)).rejects.toEqual(refusal);
  });

  it('is empty when it is text of another kind', async () => {
    expect(await entriesOf('{"error": "not found"}')).toEqual([]);
    expect(await entriesOf('x'.repeat(5 * MIB))).toEqual([]);
  });

  it('fails when its compressed data are incomplete', async () => {
    const broken = Buffer.concat([gzipSync(urlset(A)).subarray(0, 40), Buffer.alloc(500, 7)]);
    await expect(entriesOf(broken)).rejects.toMatchObject({ code: expect.stringMatching(/^Z_/) });
  });
});

it('entities are not expanded recursively', async () => {
  const levels = Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join(
    '',
  );
  const bomb = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY e0 "https://example.com/">${levels}]><urlset><url><loc>&e12;</loc></url><url><loc>${A}</loc></url></urlset>`;
  expect(await entriesOf(bomb)).toEqual([A]);
});

/** An endless source, counted, that says when nobody reads it any more. */
function source(chunk: Buffer, chunks: number) {
  const state = { given: 0, closed: false };
  async function* read() {
    try {
      for (; state.given < chunks; state.given++) yield chunk;
    } finally {
      state.closed = true;
    }
  }
  return { state, read };
}

it('a sitemap of any size is read in constant memory', async () => {
  const size = (IS_FULL_RUN ? 100 : 30) * MIB;
  const entry = `<url><loc>https://example.com/${'p'.repeat(60)}</loc><changefreq>daily</changefreq></url>\n`;
  const chunk = Buffer.from(entry.repeat(500));
  const { read } = source(chunk, Math.ceil(size / chunk.length));
  async function* whole() {
    yield Buffer.from('<urlset>');
    yield* read();
  }
  // Garbage that is not yet collected does not count.
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  let count = 0;
  let most = 0;
  for await (const _ of parseSitemap(whole(), URL_)) {
    if (++count % 100_000 === 0) most = Math.max(most, used() - before);
  }
  expect(count).toBe(Math.ceil(size / chunk.length) * 500);
  expect(most).toBeLessThan(20 * MIB);
});

it('a decompression bomb ends at 250 MiB', async () => {
  const bomb = gzipSync(Buffer.alloc(251 * MIB, 'x'), { level: 1 });
  await expect(entriesOf(bomb)).rejects.toMatchObject({ code: 'SCRAPE_CONTENT_TOO_LARGE' });
});

it.each(['plain', 'gzip'])('a sitemap that nobody reads on lets its source go: %s', async (kind) => {
  const text = Buffer.from(`${urlset(A)}\n`.repeat(100));
  const { state, read } = source(kind === 'gzip' ? gzipSync(text) : text, 1_000_000);
  const entries: SitemapEntry[] = [];
  for await (const entry of parseSitemap(read(), URL_)) {
    entries.push(entry);
    if (entries.length === 3) break;
  }
  await expect.poll(() => state.closed).toBe(true);
  expect(state.given).toBeLessThan(1_000);
});
