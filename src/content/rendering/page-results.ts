import { type Content, createContent } from '../html/content.ts';
import type { ToMarkdown } from '../html/markdown-converter.ts';
import type { CleanOptions, DocumentPage, Snapshot } from '../snapshot.ts';
import { createSpanFinder } from './markdown-spans.ts';

/** Which results for the single pages of a document are requested. */
export interface PageResults {
  /** The markdown of each page. */
  pages: boolean;
  /** The blocks of each page, with their positions. */
  blocks: boolean;
  /** Whether the markdown of the document names the pages. */
  pageMarkers: boolean;
  /** The pictures of pages. */
  pageImages: boolean;
}

/** The markdown of a page of a document. */
interface MarkdownPage {
  page: DocumentPage;
  markdown: string;
}

/**
 * Derives the results for the single pages of a document.
 * @param fields the fields of the formats. `markdown` is replaced if it is among them and page markers are
 * requested
 * @returns fields of the document in the response
 */
export function derivePageResults(
  {
    snapshot,
    clean,
    toMarkdown,
  }: { snapshot: Snapshot; clean: CleanOptions; toMarkdown?: ToMarkdown | undefined },
  requested: PageResults,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  const pages = (snapshot.document?.pages ?? []).map((page): MarkdownPage => {
    const content: Content = createContent({ ...snapshot, text: page.html }, clean, undefined, toMarkdown);
    return { page, markdown: content.markdown };
  });
  return {
    ...(requested.pageMarkers && 'markdown' in fields && { markdown: joinWithMarkers(pages) }),
    ...(requested.pages && {
      pages: pages.map(({ page, markdown }) => ({ pageNumber: page.number, markdown })),
    }),
    ...(requested.blocks && { blocks: pages.map((page) => blocksOf(page, clean)) }),
    ...(requested.pageImages && {
      pageImages: pages.flatMap(({ page: { number, image } }) =>
        image === undefined ? [] : [{ pageNumber: number, url: image }],
      ),
    }),
  };
}

/** Joins the pages; every page but the first one begins with a comment that names it. */
function joinWithMarkers(pages: MarkdownPage[]): string {
  return pages
    .map(({ page, markdown }, index) =>
      index === 0 ? markdown : `\n\n---\n\n<!-- page ${page.number} -->\n\n${markdown}`,
    )
    .join('');
}

/** The types of blocks that `onlyMainContent` removes from the markdown. */
const RUNNING_TYPES = new Set(['page_header', 'page_footer', 'page_number']);

function blocksOf({ page, markdown }: MarkdownPage, { onlyMainContent }: CleanOptions) {
  const { number, width, height, status, blocks } = page;
  const spanOf = createSpanFinder(markdown);
  return {
    pageNumber: number,
    width,
    height,
    status,
    items: blocks.map(({ ocrConfidence, ...block }) => ({
      ...block,
      markdownSpan: onlyMainContent && RUNNING_TYPES.has(block.type) ? null : spanOf(block.content),
      // The layout is found by rules, which are not more or less sure.
      confidence: { layout: null, ocr: ocrConfidence },
    })),
  };
}
