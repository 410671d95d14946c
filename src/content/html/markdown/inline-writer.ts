import { oneLine } from '../text.ts';
import { Delimiters, type InlineSpan } from './delimiters.ts';
import {
  type AdjacentCharacter,
  escapeLine,
  escapeText,
  type InlineContext,
  isPlain,
  isPunctuation,
  isWord,
  mayNeedEscaping,
} from './escape.ts';
import { OutputBuffer } from './output-buffer.ts';

/** The markdown of a line break in paragraphs, headings, link texts and table cells. */
export const LINE_BREAKS = { paragraph: '  \n', heading: ' ', link: '\\\n', cell: '<br>' } as const;

/** Longer inline code, in characters, is not merged with code right beside it. */
const MAX_MERGED_CODE = 1_000;

/**
 * Writes the inline text of one block. White space, line breaks and opening delimiters are held back until
 * the next character is known, because delimiters beside white space are not read as emphasis. A block inside
 * emphasis closes the delimiters and opens them again after it.
 */
export class InlineWriter {
  readonly #output = new OutputBuffer();
  readonly #delimiters: Delimiters;
  #gap = false;
  #breaks = 0;
  /** The inline code written last, and its position. */
  #code = '';
  #codeFrom = 0;
  #codeTo = -1;
  /** The end of the image written last. */
  #imageTo = -1;
  readonly #spans: readonly InlineSpan[];
  readonly #break: string;

  /** @param spans open emphasis and links, outermost first; the caller adds and removes them */
  constructor(spans: readonly InlineSpan[], lineBreak: string) {
    this.#spans = spans;
    this.#delimiters = new Delimiters(this.#output, spans);
    this.#break = lineBreak;
  }

  /** Whether nothing has been written yet. */
  get isEmpty(): boolean {
    return this.#output.length === 0;
  }

  /** Whether the next character will stand right after a written one. */
  get isAdjacent(): boolean {
    return !this.isEmpty && !this.#gap && this.#breaks === 0;
  }

  /** Whether the next character will continue a written word. */
  get isAdjacentToWord(): boolean {
    return this.isAdjacent && isWord(this.#before);
  }

  /** Adds text of the page: white space is collapsed, markup characters are escaped. */
  text(data: string): void {
    const words = data.trim();
    if (words === '') {
      if (data !== '') this.#gap = true;
      return;
    }
    if (data.charCodeAt(0) !== words.charCodeAt(0)) this.#gap = true;
    this.#text(isPlain(words) ? words : this.#escape(oneLine(words)));
    this.#gap = isBlankAt(data, data.length - 1);
  }

  /** Adds markdown as it is. */
  raw(markdown: string): void {
    this.#begin(markdown.charAt(0));
    this.#output.add(markdown);
    this.#delimiters.markBoundary();
  }

  /** Adds inline code, merged with code right before it, because markdown has no separator for the two. */
  code(code: string, span: (code: string) => string): void {
    const output = this.#output;
    const isMerged =
      this.#codeTo === output.length &&
      this.#codeFrom >= output.committedLength &&
      this.#code.length < MAX_MERGED_CODE &&
      this.isAdjacent &&
      !this.#delimiters.isOpeningPending;
    if (isMerged) output.replace(this.#codeFrom, '');
    const from = output.length;
    this.#code = isMerged ? this.#code + code : code;
    const markdown = span(this.#code);
    this.raw(markdown);
    this.#codeTo = output.length;
    this.#codeFrom = isMerged ? from : this.#codeTo - markdown.length;
  }

  /** Adds an image, unless the same one stands right before it. */
  image(markdown: string): void {
    if (this.#imageTo === this.#output.length && this.#output.endsWith(markdown)) return;
    this.raw(markdown);
    this.#imageTo = this.#output.length;
  }

  /**
   * Adds a line break.
   * @param isAsked whether the page has a `br` here, which counts each time; block boundaries count once
   */
  break(isAsked: boolean): void {
    this.#breaks = isAsked ? this.#breaks + 1 : Math.max(this.#breaks, 1);
  }

  /** Adds a space, unless there is one. */
  space(): void {
    this.#gap = true;
  }

  /** Closes the innermost emphasis or link; called before it is removed from the open ones. */
  closeSpan(): void {
    this.#delimiters.close();
  }

  /** Returns the finished text and starts anew. */
  end(): string {
    this.#delimiters.closeAll();
    this.#delimiters.reset();
    const text = this.#output.take();
    this.#gap = false;
    this.#breaks = 0;
    this.#codeTo = -1;
    this.#imageTo = -1;
    if (this.#break !== LINE_BREAKS.paragraph) return text;
    if (!text.includes('\n')) return escapeLine(text, true);
    return text
      .split('\n')
      .map((line, place) => escapeLine(line, place === 0))
      .join('\n');
  }

  #escape(text: string): string {
    if (!mayNeedEscaping(text)) return text;
    const before = this.#delimiters.isOpeningPending ? this.#delimiters.innermostCharacter : this.#before;
    return escapeText(text, before, this.#around);
  }

  /** The character before the next one. */
  get #before(): AdjacentCharacter {
    return this.#gap || this.#breaks > 0 ? ' ' : this.#output.lastCharacter;
  }

  get #around(): InlineContext {
    return {
      isInLink: this.#spans.some(({ isLink }) => isLink),
      isInEmphasis: this.#spans.some(({ isLink }) => !isLink),
    };
  }

  /**
   * Adds escaped text. Leading punctuation that would keep a delimiter from opening is written before the
   * delimiter.
   */
  #text(text: string): void {
    if (this.#delimiters.isOpeningPending && isPunctuation(text.charAt(0)) && isWord(this.#before)) {
      const lead = /^[\p{P}\p{S}]+/u.exec(text)?.[0] ?? '';
      if (lead.length > 0 && !this.#delimiters.isLinkPending) {
        this.#settle(lead.charAt(0));
        this.#write(lead);
        const rest = text.slice(lead.length);
        if (rest.startsWith(' ')) this.#gap = true;
        // A character that stood alone now stands beside the delimiter.
        if (rest) this.#text(rest.replace(/^ (?=[*_~])/, '\\').trimStart());
        return;
      }
    }
    this.#begin(text.charAt(0));
    this.#write(text);
  }

  #write(text: string): void {
    if (this.#delimiters.isAtClosing) this.#delimiters.markBoundary();
    this.#output.addText(text);
  }

  /** Writes what was held back: white space, line breaks, opening delimiters and links. */
  #begin(next: AdjacentCharacter): void {
    this.#settle(this.#delimiters.isLinkPending ? '[' : next);
    this.#delimiters.open(next);
  }

  /**
   * Writes the space or line break that was held back; without one, repairs closing delimiters that the next
   * character would break.
   */
  #settle(next: AdjacentCharacter): void {
    const output = this.#output;
    output.commit();
    const { isAdjacent } = this;
    const breaks = this.#breaks;
    const gap = this.#gap;
    this.#breaks = 0;
    this.#gap = false;
    if (this.isEmpty) return;
    if (isAdjacent) {
      output.escapePending(next);
      if (this.#delimiters.isAtClosing && isWord(next)) this.#delimiters.repairClosing(next);
      return;
    }
    output.escapePending(breaks > 0 ? '\n' : ' ');
    output.add(this.#separator(breaks, gap));
    this.#delimiters.markBoundary();
  }

  #separator(breaks: number, gap: boolean): string {
    if (breaks === 0) return ' ';
    if (this.#break === LINE_BREAKS.cell) return this.#break.repeat(Math.min(breaks, 2)) + (gap ? ' ' : '');
    if (this.#break !== LINE_BREAKS.paragraph) return this.#break;
    if (this.#delimiters.isInLink) return LINE_BREAKS.link;
    if (breaks === 1) return this.#break;
    this.#delimiters.closeAll();
    return '\n\n';
  }
}

const isBlankAt = (text: string, at: number) => text.charAt(at).trim() === '';
