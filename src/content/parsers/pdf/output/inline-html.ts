import { escapeHtml } from '../../../html/parse/escape-html.ts';
import { isReference } from '../document/footnotes.ts';
import { isSpaced, isUnspacedScript } from '../page/lines.ts';
import type { Block, Line, PdfTextBlock, TextStyle, Word } from '../types.ts';
import { wordPart } from '../word-part.ts';

/** The end of a line and the beginning of the next one where a hyphen divides a word. */
const BROKEN_WORD = /\p{Ll}-$/u;
const WORD_REST = /^\p{Ll}/u;

interface InlineOptions {
  /** Whether bold and italic words are marked. */
  emphasis: boolean;
  /** For the cells of tables: the parts of words that go on in the next line. */
  broken?: ReadonlySet<Word>;
}

/**
 * Writes the words of blocks as inline HTML. Links between footnotes and their references need the whole
 * document.
 */
export class InlineHtml {
  /** The `id` attributes of footnotes by page and mark. */
  readonly #notes = new Map<string, string>();
  readonly #referred = new Set<string>();
  /** Whether words in a monospaced font are code: not where most of the text is in such fonts. */
  readonly #hasCode: boolean;
  #page = 0;

  constructor(blocks: readonly Block[]) {
    for (const block of blocks)
      if (block.kind === 'footnote')
        this.#notes.set(`${block.page} ${block.mark}`, `note-${block.page}-${this.#notes.size + 1}`);
    this.#hasCode = monospacedShare(blocks) < MAX_CODE;
  }

  /**
   * Writes running text with links, bold and italic.
   * @param page number of its page, by which marks find their footnotes
   */
  lines(lines: readonly Line[], page: number): string {
    this.#page = page;
    return this.#write(lines, { emphasis: true });
  }

  /** Writes a heading, in which bold and italic have no meaning. @param page number of its page */
  heading(lines: readonly Line[], page: number): string {
    this.#page = page;
    return this.#write(lines, { emphasis: false });
  }

  /**
   * Writes a table cell.
   * @param broken the parts of words after which the word goes on in the next line
   * @param page number of its page
   */
  cell(lines: readonly Line[], broken: ReadonlySet<Word>, page: number): string {
    this.#page = page;
    return this.#write(lines, { emphasis: false, broken });
  }

  /** Writes footnotes as a list, to whose items the marks in the text link. */
  footnotes(blocks: readonly Block[]): string {
    const items = blocks.map((block) => {
      const note = block as PdfTextBlock;
      const id = this.#notes.get(`${note.page} ${note.mark}`);
      const text = this.#write(withoutMark(note), { emphasis: true });
      if (!id || !this.#referred.has(id))
        return `<p class="footnote">${escapeHtml(note.mark ?? '')} ${text}</p>`;
      return `<ol class="footnotes"><li id="${id}">${text} <a href="#ref-${id}">↩</a></li></ol>`;
    });
    return items.join('').replaceAll('</ol><ol class="footnotes">', '');
  }

  #write(lines: readonly Line[], options: InlineOptions): string {
    let html = '';
    let open = '';
    let before: Word | undefined;
    let beforeLine: Line | undefined;
    for (const [row, line] of lines.entries()) {
      for (const [place, word] of line.words.entries()) {
        let space = before && beforeLine ? spaceBetween({ before, beforeLine, word, line, ...options }) : '';
        if (space === 'hyphen') {
          html = html.slice(0, -1);
          space = '';
        }
        const next = line.words[place + 1] ?? lines[row + 1]?.words[0];
        for (const piece of this.#pieces(word, line, next, options.emphasis)) {
          if (piece.wrap !== open) {
            html += closing(open) + space + piece.wrap;
            open = piece.wrap;
          } else html += space;
          html += piece.html;
          space = '';
        }
        before = word;
        beforeLine = line;
      }
    }
    return html + closing(open);
  }

  /** The parts of a word with the tags around each. @param next the word behind it */
  #pieces(word: Word, line: Line, next: Word | undefined, emphasis: boolean): Piece[] {
    const wrapOf = ({ href, style, edges }: Word, part: 'start' | 'core') =>
      wrapping(href, emphasis && !(part === 'start' && edges?.[0]) ? this.#emphasis(style) : '');
    const [plain, own] = [wrapping(word.href, ''), wrapOf(word, 'core')];
    const reference = this.#reference(word, line);
    if (reference) return [{ html: reference, wrap: own }];
    const { text, edges: [start, end] = [0, 0] } = word;
    const tail = text.slice(text.length - end);
    // Nothing tells the font of a comma, so it is in that of its neighbours if they share one. Code has none.
    const isInside =
      UNKNOWN.test(tail) && own !== '<code>' && next !== undefined && wrapOf(next, 'start') === own;
    return [
      { html: escapeHtml(text.slice(0, start)), wrap: plain },
      { html: escapeHtml(text.slice(start, text.length - end)), wrap: own },
      { html: escapeHtml(tail), wrap: isInside ? own : plain },
    ].filter(({ html }) => html);
  }

  #emphasis(style: TextStyle): string {
    if (style.monospaced && this.#hasCode) return '<code>';
    return `${style.bold ? '<strong>' : ''}${style.italic ? '<em>' : ''}`;
  }

  #reference(word: Word, line: Line): string | undefined {
    if (this.#notes.size === 0 || !isReference(word, line)) return undefined;
    // A paragraph or table can continue on the next page.
    const id =
      this.#notes.get(`${this.#page} ${word.text}`) ?? this.#notes.get(`${this.#page + 1} ${word.text}`);
    if (!id) return undefined;
    const isFirst = !this.#referred.has(id);
    this.#referred.add(id);
    return `<sup><a href="#${id}"${isFirst ? ` id="ref-${id}"` : ''}>${escapeHtml(word.text)}</a></sup>`;
  }
}

function withoutMark({ lines, mark = '' }: PdfTextBlock): Line[] {
  const [first, ...rest] = lines as [Line, ...Line[]];
  const [word, ...words] = first.words;
  if (!word?.text.startsWith(mark)) return lines;
  const text = wordPart(word, mark.length);
  return [{ ...first, words: /^[.)]?$/.test(text.text) ? words : [text, ...words] }, ...rest];
}

/** From this share of the text on, a monospaced font does not tell code. */
const MAX_CODE = 0.4;

function monospacedShare(blocks: readonly Block[]): number {
  let all = 0;
  let monospaced = 0;
  for (const block of blocks)
    if (block.kind === 'paragraph' || block.kind === 'item')
      for (const { words } of block.lines)
        for (const { text, style } of words) {
          all += text.length;
          if (style.monospaced) monospaced += text.length;
        }
  return all > 0 ? monospaced / all : 0;
}

/** A part of a word. */
interface Piece {
  html: string;
  /** The opening tags around it. */
  wrap: string;
}

const UNKNOWN = /^[,.]+$/;

/** The opening tags around text, outermost first. */
const wrapping = (href: string | undefined, emphasis: string) =>
  (href ? `<a href="${escapeHtml(href)}">` : '') + emphasis;

const closing = (tags: string) =>
  tags &&
  (tags.match(/<(\w+)/g) ?? [])
    .reverse()
    .map((tag) => `</${tag.slice(1)}>`)
    .join('');

interface NeighbouringWords extends Pick<InlineOptions, 'broken'> {
  before: Word;
  beforeLine: Line;
  word: Word;
  line: Line;
}

/**
 * The separator of two words: a space, nothing, or `hyphen` if the first one ends with a hyphen that must be
 * removed.
 */
function spaceBetween({ before, beforeLine, word, line, broken }: NeighbouringWords): string {
  if (beforeLine === line) return isSpaced(before, word) ? ' ' : '';
  if (isUnspacedScript(before, word)) return '';
  // Code is broken behind its own hyphens.
  if (before.style.monospaced && word.style.monospaced && /.-$/.test(before.text)) return '';
  if (before.text.length > 1 && BROKEN_WORD.test(before.text) && WORD_REST.test(word.text)) return 'hyphen';
  if (!broken) return ' ';
  const isHyphenated = /-$/.test(before.text) && before.text.length > 1;
  return isHyphenated || broken.has(before) ? '' : ' ';
}
