import { describe, expect, it } from 'vitest';
import { createSpanFinder } from '../../../src/content/rendering/markdown-spans.ts';
import { render } from '../../../src/content/rendering/render.ts';
import type { DocumentPage, DocumentParts } from '../../../src/content/snapshot.ts';
import { priceOf } from '../../../src/credits.ts';
import { canServe, isShareable } from '../../../src/fetch/engines/cache-key.ts';
import { formatRequest } from '../../../src/schemas/formats.ts';
import { pageResultsOf } from '../../../src/schemas/parsers.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { DEFAULTS, snapshotOf } from '../html/page.ts';

const block = (page: number, index: number, content: string) => ({
  id: `p${page}.b${index}`,
  type: 'text',
  label: null,
  bbox: [0.1, 0.1, 0.9, 0.2] as [number, number, number, number],
  content,
  readingOrder: index,
  source: 'native_text' as const,
  ocrConfidence: null,
});

const pageOf = (number: number, html: string, ...contents: string[]): DocumentPage => ({
  number,
  width: 612,
  height: 792,
  status: 'ok',
  html,
  blocks: contents.map((content, index) => block(number, index, content)),
});

const FOOTER = '<p data-page-role="footer">Annual report</p>';
const PAGES = [
  pageOf(1, `<h1>Results</h1><p>Sales <b>rose</b> by 5 %.</p>${FOOTER}`, 'Results', 'Sales rose by 5 %.'),
  pageOf(2, `<p>Costs fell.</p>${FOOTER}`, 'Costs fell.'),
];
const PDF: DocumentParts = { type: 'pdf', numPages: 2, totalPages: 9, hasImages: false, pages: PAGES };
const snapshot = snapshotOf(PAGES.map(({ html }) => html).join(''), {
  contentType: 'application/pdf',
  document: PDF,
});

const requestOf = (parsers: unknown[], formats: unknown[] = ['markdown']) =>
  scrapeBody.parse({ url: 'http://a.test/', parsers, formats });

async function fieldsOf(pdf: object, formats: unknown[] = ['markdown'], clean = DEFAULTS) {
  const pageResults = pageResultsOf(requestOf([{ type: 'pdf', ...pdf }]).parsers);
  const { fields } = await render({
    snapshot,
    clean,
    ...(pageResults && { pageResults }),
    formats: formats.map((format) => formatRequest.parse(format)),
  });
  return fields;
}

describe('the markdown of a document', () => {
  it('keeps the first running header of a text that stands nowhere else with onlyMainContent', async () => {
    const html = (first: string) => `<p data-page-role="header"${first}>ACME Ltd, Bern</p><p>Dear Ann</p>`;
    const { fields } = await render({
      snapshot: snapshotOf(html(' data-only-place') + html(''), {
        contentType: 'application/pdf',
        document: PDF,
      }),
      clean: DEFAULTS,
      formats: [formatRequest.parse('markdown')],
    });
    expect(fields).toEqual({ markdown: 'ACME Ltd, Bern\n\nDear Ann\n\nDear Ann' });
  });

  it('has no running headers and footers with onlyMainContent', async () => {
    expect(await fieldsOf({})).toEqual({ markdown: '# Results\n\nSales **rose** by 5 %.\n\nCosts fell.' });
  });

  it('has them without onlyMainContent', async () => {
    const { markdown } = await fieldsOf({}, ['markdown'], { ...DEFAULTS, onlyMainContent: false });
    expect(String(markdown).match(/Annual report/g)).toHaveLength(2);
  });

  it('names every page but the first one with page markers', async () => {
    expect(await fieldsOf({ pageMarkers: true })).toEqual({
      markdown: '# Results\n\nSales **rose** by 5 %.\n\n---\n\n<!-- page 2 -->\n\nCosts fell.',
    });
  });

  it('is not added by page markers if the request does not want it', async () => {
    expect(await fieldsOf({ pageMarkers: true }, ['links'])).toEqual({ links: [] });
  });
});

describe('the pages of a document', () => {
  const pages = [
    { pageNumber: 1, markdown: '# Results\n\nSales **rose** by 5 %.' },
    { pageNumber: 2, markdown: 'Costs fell.' },
  ];

  it.each([{ pages: true }, { pageMarkdown: true }])('are returned one by one with %j', async (pdf) => {
    expect(await fieldsOf(pdf, ['links'])).toEqual({ links: [], pages });
  });

  it('have blocks with the places of their text in the markdown of the page', async () => {
    const { blocks } = (await fieldsOf({ blocks: true })) as {
      blocks: { items: { markdownSpan: number[] }[] }[];
    };
    expect(blocks).toMatchObject([
      { pageNumber: 1, width: 612, height: 792, status: 'ok' },
      { pageNumber: 2, items: [{ id: 'p2.b0', label: null, confidence: { layout: null, ocr: null } }] },
    ]);
    const texts = blocks.map(({ items }, page) =>
      items.map(({ markdownSpan: [start, end] }) => pages[page]!.markdown.slice(start, end)),
    );
    expect(texts).toEqual([['Results', 'Sales **rose** by 5 %.'], ['Costs fell.']]);
  });

  it.each([true, false])(
    'have the places of running headers only in markdown that has them, onlyMainContent %s',
    async (main) => {
      const header = { ...block(1, 0, 'Council of 2026'), type: 'page_header' };
      const texts = ['Bridges', 'The Council met of late.', 'A link and "quotes", in 2026.'];
      const page = pageOf(
        1,
        '<p data-page-role="header">Council of 2026</p><h1>Bridges</h1><p>The Council met of late.</p><p>A <a href="https://a.test/council-of-2026">link</a> and <i>"quotes"</i>, in 2026.</p>',
      );
      const blocks = [header, ...texts.map((text, place) => block(1, place + 1, text))];
      const clean = { ...DEFAULTS, onlyMainContent: main };
      const { fields } = await render({
        snapshot: { ...snapshot, document: { ...PDF, pages: [{ ...page, blocks }] } },
        clean,
        pageResults: { pages: true, blocks: true, pageMarkers: false, pageImages: false },
        formats: [],
      });
      const { pages, blocks: found } = fields as {
        pages: { markdown: string }[];
        blocks: { items: { markdownSpan: [number, number] | null }[] }[];
      };
      const markdown = pages[0]!.markdown;
      const parts = found[0]!.items.map(
        ({ markdownSpan }) => markdownSpan && markdown.slice(...markdownSpan),
      );
      expect(parts.slice(0, 3)).toEqual([
        main ? null : 'Council of 2026',
        'Bridges',
        'The Council met of late.',
      ]);
      expect(parts[3]).toMatch(/^A .*quotes.*, in 2026\.$/);
    },
  );

  it('have no place for text that the markdown lacks, and those after it have theirs', () => {
    const markdown =
      'The last of these two paragraphs\n\nextremist *groups* of people[^1] and what they *said* to others.';
    const spanOf = createSpanFinder(markdown);
    const partOf = (content: string) => markdown.slice(...(spanOf(content) ?? [0, 0]));
    expect(partOf('Removed by the request')).toBe('');
    expect(partOf('of the')).toBe('');
    expect(partOf('The last of these two para- graphs')).toBe('The last of these two paragraphs');
    expect(partOf('tremist groups of people and what they said to others.')).toBe(
      'tremist *groups* of people[^1] and what they *said* to others.',
    );
  });

  it('cost a credit each after the first one, also from the cache', () => {
    const priceOfPages = (document: DocumentParts, cacheState?: 'hit') =>
      priceOf({ lockdown: false }, { snapshot: { proxy: 'basic', document }, cacheState });
    expect(priceOfPages(PDF)).toBe(2);
    expect(priceOfPages({ ...PDF, numPages: 40 }, 'hit')).toBe(40);
    expect(priceOfPages({ type: 'docx', hasImages: false })).toBe(1);
  });
});

describe('the cached copy of a document', () => {
  it('is not made from a request with parser options, and does not serve one', () => {
    for (const parsers of [[{ type: 'pdf', maxPages: 2 }], [{ type: 'pdf', pages: true }]]) {
      expect(isShareable(snapshot, requestOf(parsers))).toBe(false);
      expect(canServe(snapshot, requestOf(parsers))).toBe(false);
      expect(canServe(snapshotOf('<p>A page</p>'), requestOf(parsers))).toBe(true);
    }
    expect(isShareable(snapshot, requestOf([{ type: 'pdf', mode: 'auto' }]))).toBe(true);
  });

  it('of an image does not serve a request without the parser for images', () => {
    const image = { ...snapshot, document: { type: 'image', hasImages: false } };
    expect(canServe(image, requestOf(['pdf', 'image']))).toBe(true);
    expect(canServe(image, requestOf(['pdf']))).toBe(false);
  });

  it('serves requests for images if it has them, and other requests if it has none', () => {
    const illustrated = { ...snapshot, document: { ...PDF, hasImages: true } };
    expect(canServe(illustrated, requestOf(['pdf']))).toBe(false);
    expect(canServe(snapshot, requestOf(['pdf'], ['images']))).toBe(false);
    expect(canServe(illustrated, requestOf(['pdf'], ['images']))).toBe(true);
  });
});
