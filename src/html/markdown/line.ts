import {
  type Around,
  type Beside,
  escapeLine,
  escapeText,
  hasSigns,
  isPunctuation,
  isWord,
} from './escape.ts';
import { Marks, type Wrap } from './marks.ts';
import { Written } from './written.ts';

/** How a line break is written: in paragraphs, headings, the text of links, cells of tables. */
export const BREAKS = { paragraph: '  \n', heading: ' ', link: '\\\n', cell: '<br>' } as const;

/** More code is not joined with what stands right beside it. */
const LONGEST_JOINED = 1_000;

/**
 * Text between two blocks while it is written. Blanks, line breaks and the beginnings of marks wait until a sign comes,
 * so that marks never stand beside blanks, where they would mean nothing, and a block inside of marks ends them and
 * begins them again.
 */
export class Line {
  readonly #written = new Written();
  readonly #marks: Marks;
  #gap = false;
  #breaks = 0;
  /** The last code, and where it stands. */
  #code = '';
  #codeFrom = 0;
  #codeTo = -1;
  /** Where the last picture ends. */
  #imageTo = -1;
  readonly #wraps: readonly Wrap[];
  readonly #break: string;

  /** @param wraps that are open, outermost first; whoever walks the page adds and takes away */
  constructor(wraps: readonly Wrap[], lineBreak: string) {
    this.#wraps = wraps;
    this.#marks = new Marks(this.#written, wraps);
    this.#break = lineBreak;
  }

  /** Whether nothing has been written yet. */
  get isEmpty(): boolean {
    return this.#written.length === 0;
  }

  /** Whether what comes next will touch a sign that is there. */
  get touches(): boolean {
    return !this.isEmpty && !this.#gap && this.#breaks === 0;
  }

  /** Whether what comes next will be part of a word that is there. */
  get touchesWord(): boolean {
    return this.touches && isWord(this.#before);
  }

  /** Adds a text of the page: its blanks become single ones, its signs are escaped. */
  text(data: string): void {
    const words = data.trim();
    if (words === '') {
      if (data !== '') this.#gap = true;
      return;
    }
    if (data.charCodeAt(0) !== words.charCodeAt(0)) this.#gap = true;
    const spaced = /[^\S ]| {2}/.test(words) ? words.replace(/\s+/g, ' ') : words;
    const before = this.#marks.isDue ? this.#marks.sign : this.#before;
    this.#text(hasSigns(spaced) ? escapeText(spaced, before, this.#around) : spaced);
    this.#gap = isBlankAt(data, data.length - 1);
  }

  /** Adds what is markdown already and no mark or text. */
  raw(markdown: string): void {
    this.#begin(markdown.charAt(0));
    this.#written.add(markdown);
    this.#marks.cut();
  }

  /** Adds code; two codes side by side are one, for nothing can part them. */
  code(code: string, span: (code: string) => string): void {
    const written = this.#written;
    const isOne =
      this.#codeTo === written.length &&
      this.#codeFrom >= written.fixed &&
      this.#code.length < LONGEST_JOINED &&
      this.touches &&
      !this.#marks.isDue;
    if (isOne) written.replace(this.#codeFrom, '');
    const from = written.length;
    this.#code = isOne ? this.#code + code : code;
    const markdown = span(this.#code);
    this.raw(markdown);
    this.#codeTo = written.length;
    this.#codeFrom = isOne ? from : this.#codeTo - markdown.length;
  }

  /** Adds a picture, unless the same one stands right there. */
  image(markdown: string): void {
    if (this.#imageTo === this.#written.length && this.#written.endsWith(markdown)) return;
    this.raw(markdown);
    this.#imageTo = this.#written.length;
  }

  /** A line break: one that the page asks for counts each time, the bounds of blocks once. */
  break(isAsked: boolean): void {
    this.#breaks = isAsked ? this.#breaks + 1 : Math.max(this.#breaks, 1);
  }

  /** A blank, unless there is one. */
  gap(): void {
    this.#gap = true;
  }

  /** To be called before the innermost wrap is taken away. */
  close(): void {
    this.#marks.close();
  }

  /** The text, ended; the line is empty then. */
  end(): string {
    this.#marks.closeAll();
    this.#marks.reset();
    const text = this.#written.take();
    this.#gap = false;
    this.#breaks = 0;
    this.#codeTo = -1;
    this.#imageTo = -1;
    if (this.#break !== BREAKS.paragraph) return text;
    if (!text.includes('\n')) return escapeLine(text, true);
    return text
      .split('\n')
      .map((line, place) => escapeLine(line, place === 0))
      .join('\n');
  }

  /** The character that the next one will stand after. */
  get #before(): Beside {
    return this.#gap || this.#breaks > 0 ? ' ' : this.#written.last;
  }

  get #around(): Around {
    return {
      isLinked: this.#wraps.some(({ isLink }) => isLink),
      isMarked: this.#wraps.some(({ isLink }) => !isLink),
    };
  }

  /** Adds escaped text. Punctuation that a mark cannot begin with stays before the mark. */
  #text(text: string): void {
    if (this.#marks.isDue && isPunctuation(text.charAt(0)) && isWord(this.#before)) {
      const lead = /^[\p{P}\p{S}]+/u.exec(text)?.[0] ?? '';
      if (lead.length > 0 && !this.#marks.isLinkDue) {
        this.#settle(lead.charAt(0));
        this.#write(lead);
        const rest = text.slice(lead.length);
        if (rest.startsWith(' ')) this.#gap = true;
        // A sign that stood alone stands beside the mark now.
        if (rest) this.#text(rest.replace(/^ (?=[*_~])/, '\\').trimStart());
        return;
      }
    }
    this.#begin(text.charAt(0));
    this.#write(text);
  }

  #write(text: string): void {
    if (this.#marks.endHere) this.#marks.cut();
    this.#written.addText(text);
  }

  /** Writes what waits for a sign: blank, line breaks, the beginnings of marks and links. */
  #begin(next: Beside): void {
    this.#settle(this.#marks.isLinkDue ? '[' : next);
    this.#marks.open(next);
  }

  /** Writes the blank or line break that waits; without one, makes the ends of marks mean what they shall. */
  #settle(next: Beside): void {
    const written = this.#written;
    written.settle();
    const { touches } = this;
    const breaks = this.#breaks;
    const gap = this.#gap;
    this.#breaks = 0;
    this.#gap = false;
    if (this.isEmpty) return;
    if (touches) {
      written.bind(next);
      if (this.#marks.endHere && isWord(next)) this.#marks.repair(next);
      return;
    }
    written.bind(breaks > 0 ? '\n' : ' ');
    written.add(this.#separator(breaks, gap));
    this.#marks.cut();
  }

  #separator(breaks: number, gap: boolean): string {
    if (breaks === 0) return ' ';
    if (this.#break === BREAKS.cell) return this.#break.repeat(Math.min(breaks, 2)) + (gap ? ' ' : '');
    if (this.#break !== BREAKS.paragraph) return this.#break;
    if (this.#marks.isInLink) return BREAKS.link;
    if (breaks === 1) return this.#break;
    this.#marks.closeAll();
    return '\n\n';
  }
}

const isBlankAt = (text: string, at: number) => text.charAt(at).trim() === '';
