import { type Content, createContent } from '../html/content.ts';
import type { ToMarkdown } from '../html/markdown-converter.ts';
import type { CleanOptions, DocumentPage, Snapshot } from '../snapshot.ts';

/** Which results for the single pages of a document are requested. */
export interface PageResults {
  /** The markdown of each page. */
  pages: boolean;
  /** The blocks of each page, with their positions. */
  blocks: boolean;
  /** Whether the markdown of the document names the pages. */
  pageMarkers: boolean;
}

/** The markdown of a page of a document. */
interface MarkdownPage {
  page: DocumentPage;
  markdown: string;
}

/**
 * Derives the results for the single pages of a document.
 * @param fields the fields of the formats. `markdown` is replaced if it is among them and page markers are requested
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
    ...(requested.blocks && { blocks: pages.map(blocksOf) }),
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

function blocksOf({ page, markdown }: MarkdownPage) {
  const { number, width, height, status, blocks } = page;
  const spanOf = createSpanFinder(markdown);
  return {
    pageNumber: number,
    width,
    height,
    status,
    items: blocks.map(({ ocrConfidence, ...block }) => ({
      ...block,
      markdownSpan: spanOf(block.content),
      // The layout is found by rules, which are not more or less sure.
      confidence: { layout: null, ocr: ocrConfidence },
    })),
  };
}

/**
 * Returns a function that finds blocks in the markdown of their page, when it is called for them in reading order.
 * Markdown escapes characters and marks styles, so a block is found by the words at its beginning and its end.
 */
function createSpanFinder(markdown: string): (content: string) => [number, number] | null {
  let from = 0;
  return (content) => {
    const words = content.match(/[\p{L}\p{N}]+/gu) ?? [];
    const start = words.length ? markdown.indexOf(words[0]!, from) : -1;
    if (start < 0) return null;
    let end = start;
    for (const word of words) {
      const at = markdown.indexOf(word, end);
      // A word that the markdown does not have near the end of the one before it was joined or escaped.
      if (at >= 0 && at - end <= MAX_GAP_CHARS) end = at + word.length;
    }
    from = end;
    return [start, end];
  };
}

/** The most characters that markdown puts between two words of a block: escapes, styles, table cells and URLs. */
const MAX_GAP_CHARS = 200;
