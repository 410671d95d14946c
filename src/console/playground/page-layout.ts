import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { ApiError, ownPath } from '../api.ts';
import { count } from '../elements/format.ts';
import { Markdown } from '../elements/markdown.ts';
import { type PlaygroundRequest, sendRequest } from './request.ts';

/** A block of a page of a PDF, as the parser option `blocks` returns it. */
interface Block {
  id: string;
  type: string;
  /** Left, top, right and bottom as fractions of the page. */
  bbox: [left: number, top: number, right: number, bottom: number];
  content: string;
  markdownSpan: [start: number, end: number] | null;
  readingOrder: number;
  source: 'native_text' | 'ocr';
}

interface PageBlocks {
  pageNumber: number;
  width: number;
  height: number;
  status: 'ok' | 'partial' | 'failed';
  items: Block[];
}

/** The pages of a PDF in their forms. */
export interface PagesOfPdf {
  blocks: PageBlocks[];
  /** The markdown of each page; absent unless the request had the parser option `pages`. */
  pages?: { pageNumber: number; markdown: string }[] | undefined;
  /** Pictures of pages; absent unless the request had the parser option `pageImages`. */
  pageImages?: { pageNumber: number; url: string }[] | undefined;
}

/** A copy of the file that is at most this old serves the question, in milliseconds. */
const MAX_AGE_MS = 86_400_000;
/** As many pages have pictures as a request may ask for. */
const MAX_PICTURES = 20;

/** The body of a request that returns the pages and blocks of a PDF, with its other parser options. */
function withBlocks({ operation, body }: PlaygroundRequest, firstPicture: number): Record<string, unknown> {
  const parsers = Array.isArray(body.parsers) ? body.parsers : ['image'];
  const isPdf = (parser: unknown) => parser === 'pdf' || (parser as { type?: unknown })?.type === 'pdf';
  const known = parsers.find(isPdf);
  const pageImages = Array.from({ length: MAX_PICTURES }, (_, index) => firstPicture + index);
  const pdf = { ...(typeof known === 'object' && known), type: 'pdf', pages: true, blocks: true, pageImages };
  return {
    ...body,
    parsers: [pdf, ...parsers.filter((parser) => !isPdf(parser))],
    ...(!operation.takesFile && { maxAge: MAX_AGE_MS }),
  };
}

/** Reads where the blocks of a PDF are, on request: the same request with the parser option `blocks`. */
export function PagesOfRequest({ sent }: { sent: PlaygroundRequest }) {
  const read = useSignal<PagesOfPdf | undefined>(undefined);
  const state = useSignal<'' | 'reading' | string>('');
  const ask = async (firstPicture: number) => {
    state.value = 'reading';
    try {
      const { body } = await sendRequest({ ...sent, body: withBlocks(sent, firstPicture) });
      const { blocks = [], pages, pageImages = [] } = body.data as Partial<PagesOfPdf>;
      read.value = { blocks, pages, pageImages: [...(read.value?.pageImages ?? []), ...pageImages] };
      state.value = '';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      state.value = error.message;
    }
  };
  const isReading = state.value === 'reading';
  const fault = state.value && !isReading && html`<p class="error" role="alert">${state.value}</p>`;
  if (read.value)
    return html`${fault}<${PageLayouts} ...${read.value} onDraw=${isReading ? undefined : ask} />`;
  if (isReading)
    return html`<p class="waiting" role="status"><span class="spinner" />Reading the file once more…</p>`;
  return html`
    ${fault}
    <p class="about">Shows each page as readers see it, and over it what was read as a heading, text, table or running head, and in which order. It costs the request once more.</p>
    <button type="button" onClick=${() => ask(1)}>Show the layout of the pages</button>`;
}

/**
 * The pages of a PDF: each with its blocks in their places, beside the markdown that was made of it.
 * @param props.onDraw asks for the pictures of the pages from one on; absent where nobody can be asked, or is
 */
export function PageLayouts({
  blocks,
  pages,
  pageImages = [],
  onDraw,
}: PagesOfPdf & { onDraw?: ((firstPicture: number) => void) | undefined }) {
  const at = useSignal(0);
  const page = blocks[at.value];
  if (!page) return html`<div class="empty"><p>The file has no page that could be read.</p></div>`;
  const { pageNumber } = page;
  const markdown = pages?.find((each) => each.pageNumber === pageNumber)?.markdown;
  const picture = pageImages.find((each) => each.pageNumber === pageNumber)?.url;
  const move = (step: number) => () => {
    at.value += step;
  };
  return html`
    <div class="bar">
      <button type="button" onClick=${move(-1)} disabled=${at.value === 0}>Previous</button>
      <span role="status">Page ${pageNumber} of ${blocks.length.toLocaleString()}</span>
      <button type="button" onClick=${move(1)} disabled=${at.value === blocks.length - 1}>Next</button>
      <small>${count(page.items.length, 'block')}${page.status === 'ok' ? '' : `, ${page.status}`}</small>
      ${
        picture === undefined &&
        onDraw &&
        html`<button type="button" class="quiet" onClick=${() => onDraw(pageNumber)}>Draw this page and those behind it</button>`
      }
    </div>
    <${PageLayout} key=${pageNumber} page=${page} markdown=${markdown} picture=${picture} />`;
}

function PageLayout({
  page,
  markdown,
  picture,
}: {
  page: PageBlocks;
  markdown: string | undefined;
  /** The URL of its picture. */
  picture: string | undefined;
}) {
  const chosen = useSignal<Block | undefined>(undefined);
  const span = chosen.value?.markdownSpan;
  return html`
    <div class="layout">
      <div class=${picture === undefined ? 'sheet' : 'sheet drawn'} style=${{ aspectRatio: `${page.width} / ${page.height}` }}>
        ${picture !== undefined && html`<img src=${ownPath(picture)} alt="" />`}
        ${page.items.map(
          (block) => html`
            <button type="button" key=${block.id} class=${`block ${kindOf(block.type)}`} aria-pressed=${chosen.value?.id === block.id}
              title=${`${block.readingOrder + 1}: ${block.type}`}
              style=${placeOf(block, page)} onClick=${() => {
                chosen.value = chosen.value?.id === block.id ? undefined : block;
              }}>${block.content}</button>`,
        )}
      </div>
      <div class="beside">
        ${
          chosen.value
            ? html`
                <p class="facts"><span><b>${chosen.value.type}</b></span><span>number ${chosen.value.readingOrder + 1} of the page</span>
                  <span>${chosen.value.source === 'ocr' ? 'recognised in a picture' : 'text of the file'}</span>
                  ${!span && html`<span>not in the markdown</span>`}</p>
                <pre class="code" tabindex="0" dir="auto">${span && markdown !== undefined ? markdown.slice(...span) : chosen.value.content}</pre>`
            : html`<p class="about">Choose a block to see what became of it.</p>`
        }
        ${!chosen.value && markdown !== undefined && html`<${Markdown} text=${markdown} />`}
      </div>
    </div>`;
}

/** The kinds of blocks that have a colour of their own. */
function kindOf(type: string): string {
  if (type === 'title' || type === 'section_header') return 'heading';
  if (type.startsWith('page_')) return 'running';
  return type === 'table' || type === 'figure' ? type : 'text';
}

/** The share of a line's height that a character is wide, and the height of a line in font sizes. */
const CHARACTER_WIDTH = 0.5;
const LINE_HEIGHT = 1.2;

/**
 * Where a block is on the sheet, and a font size at which its text about fills it, as parts of the width of the
 * sheet. The fonts of the file are not known here.
 */
function placeOf({ bbox: [left, top, right, bottom], content }: Block, { width, height }: PageBlocks) {
  const [wide, high] = [right - left, ((bottom - top) * height) / width];
  const filling = Math.sqrt((wide * high) / Math.max(1, content.length * CHARACTER_WIDTH * LINE_HEIGHT));
  const percent = (part: number) => `${(100 * part).toFixed(3)}%`;
  return {
    left: percent(left),
    top: percent(top),
    width: percent(wide),
    height: percent(bottom - top),
    fontSize: `${(100 * Math.min(filling, high / LINE_HEIGHT)).toFixed(3)}cqw`,
    lineHeight: LINE_HEIGHT,
  };
}
