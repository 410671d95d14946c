import {
  type Around,
  type Beside,
  escapeLine,
  escapeText,
  hasSigns,
  isLoose,
  isPunctuation,
  isWord,
} from './escape.ts';

/** What stands around signs, from the first to the last: a mark or a link. */
export interface Wrap {
  open: string;
  close: string;
  isLink: boolean;
  /** Whether any sign was seen inside. */
  isUsed: boolean;
}

/** How a line break is written: in paragraphs, headings, the text of links, cells of tables. */
export const BREAKS = { paragraph: '  \n', heading: ' ', link: '\\\n', cell: '<br>' } as const;

interface Opened {
  wrap: Wrap;
  /** Where it begins, below zero when that cannot be changed any more; `undefined` for a mark that would mean nothing there. */
  at: number | undefined;
}

/** The end of a text that can still change. Longer, looking at it after each piece would take time without end. */
const LONGEST_END = 4_096;
const KEPT_END = 256;
/** More code is not joined with what stands right beside it. */
const LONGEST_JOINED = 1_000;

/**
 * Text between two blocks while it is written. Blanks, line breaks and the beginnings of marks wait until a sign comes,
 * so that marks never stand beside blanks, where they would mean nothing, and a block inside of marks ends them and
 * begins them again.
 */
export class Line {
  /** What was written before `#text`. */
  #head = '';
  /** The end of what was written. */
  #text = '';
  #gap = false;
  #breaks = 0;
  #opened: Opened[] = [];
  /** Marks that end where the text ends, the innermost first, and where the first of their ends begins. */
  #closed: Opened[] = [];
  #closedFrom = 0;
  /** After what is no text: from here on it can be cut anywhere. */
  #plainFrom = 0;
  /** Where a last sign of text stands that is not escaped, as nothing stands beside it yet; else -1. */
  #looseAt = -1;
  /** The last code, and where it stands. */
  #code = '';
  #codeFrom = 0;
  #codeTo = -1;
  /** Where the last picture ends. */
  #imageTo = -1;
  readonly #wraps: Wrap[];
  readonly #break: string;

  /** @param wraps that are open, outermost first; whoever walks the page adds and takes away */
  constructor(wraps: Wrap[], lineBreak: string) {
    this.#wraps = wraps;
    this.#break = lineBreak;
  }

  /** Whether nothing has been written yet. */
  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** The character that the next one will stand after. */
  get #before(): Beside {
    return this.#gap || this.#breaks > 0 ? ' ' : this.#text.charAt(this.#text.length - 1);
  }

  /** Whether what comes next will touch a sign that is there. */
  get touches(): boolean {
    return this.#text !== '' && !this.#gap && this.#breaks === 0;
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
    const escaped = hasSigns(spaced) ? escapeText(spaced, this.#beforeText, this.#around) : spaced;
    this.#plain(escaped);
    this.#loosen(escaped);
    this.#gap = isBlankAt(data, data.length - 1);
  }

  /** Adds what is markdown already and no mark or text. */
  raw(markdown: string): void {
    this.#begin(markdown.charAt(0));
    this.#text += markdown;
    this.#plainFrom = this.#text.length;
  }

  /** Adds code; two codes side by side are one, for nothing can part them. */
  code(code: string, span: (code: string) => string): void {
    const isOne =
      this.#codeTo === this.#text.length &&
      this.#codeFrom >= 0 &&
      this.#code.length < LONGEST_JOINED &&
      this.touches &&
      !this.#isWaiting;
    if (isOne) this.#text = this.#text.slice(0, this.#codeFrom);
    const written = isOne ? this.#code + code : code;
    const { length } = this.#text;
    this.raw(span(written));
    this.#code = written;
    this.#codeTo = this.#text.length;
    this.#codeFrom = isOne ? length : this.#codeTo - span(written).length;
  }

  /** Adds a picture, unless the same one stands right there. */
  image(markdown: string): void {
    if (this.#text.endsWith(markdown) && this.#text.length === this.#imageTo) return;
    this.raw(markdown);
    this.#imageTo = this.#text.length;
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
    if (this.#opened.length < this.#wraps.length) return;
    const opened = this.#opened.pop();
    if (opened?.at === undefined) return;
    this.#bind(opened.wrap.close.charAt(0));
    if (this.#closed.length === 0 || this.#text.length !== this.#closedTo || opened.wrap.isLink) {
      this.#closed = [];
      this.#closedFrom = this.#text.length;
    }
    this.#text += opened.wrap.close;
    if (opened.wrap.isLink) this.#plainFrom = this.#text.length;
    else this.#closed.push(opened);
  }

  /** The text, ended; the line is empty then. */
  end(): string {
    this.#closeAll();
    const text = this.#head + this.#text;
    this.#head = '';
    this.#text = '';
    this.#gap = false;
    this.#breaks = 0;
    this.#plainFrom = 0;
    this.#codeTo = -1;
    this.#imageTo = -1;
    this.#closed = [];
    if (this.#break !== BREAKS.paragraph) return text;
    if (!text.includes('\n')) return escapeLine(text, true);
    return text
      .split('\n')
      .map((line, place) => escapeLine(line, place === 0))
      .join('\n');
  }

  /** Whether a mark or a link has yet to begin. */
  get #isWaiting(): boolean {
    const opened = this.#opened.length;
    return opened < this.#wraps.length || (opened > 0 && this.#opened[opened - 1]?.at === undefined);
  }

  /** What text will stand after: the sign of a mark, if one has yet to begin. */
  get #beforeText(): Beside {
    return this.#isWaiting ? (this.#wraps.at(-1)?.open.charAt(0) ?? '') : this.#before;
  }

  get #around(): Around {
    return {
      isLinked: this.#wraps.some(({ isLink }) => isLink),
      isMarked: this.#wraps.some(({ isLink }) => !isLink),
    };
  }

  /** Notes a last sign of text that nothing stands beside yet. */
  #loosen(written: string): void {
    const at = this.#text.length - 1;
    // Of what was written just now, for reading from the whole text would make a copy of it each time.
    const isSign = isLoose(written.charAt(written.length - 1));
    this.#looseAt = isSign && !isEscaped(this.#text, at) ? at : -1;
  }

  /** Escapes a last sign of text that would mean something before what follows. */
  #bind(next: Beside): void {
    const at = this.#looseAt;
    this.#looseAt = -1;
    if (at < 0 || at !== this.#text.length - 1) return;
    const sign = this.#text.charAt(at);
    if (sign === ']' ? next === '(' : sign !== '<' || /[a-z!/?]/i.test(next))
      this.#text = `${this.#text.slice(0, at)}\\${sign}`;
  }

  /** Where the ends of `#closed` end. */
  get #closedTo(): number {
    return this.#closed.reduce((at, { wrap }) => at + wrap.close.length, this.#closedFrom);
  }

  #closeAll(): void {
    const wraps = this.#opened.length;
    for (let left = wraps; left > 0; left--) {
      const opened = this.#opened.pop();
      if (opened?.at === undefined) continue;
      this.#bind(opened.wrap.close.charAt(0));
      this.#text += opened.wrap.close;
    }
    this.#closed = [];
  }

  /** Adds escaped text. Punctuation that a mark cannot begin with stays before the mark. */
  #plain(text: string): void {
    if (this.#isWaiting && isPunctuation(text.charAt(0)) && isWord(this.#before)) {
      const lead = /^[\p{P}\p{S}]+/u.exec(text)?.[0] ?? '';
      if (lead.length > 0 && !this.#wraps.slice(this.#opened.length).some(({ isLink }) => isLink)) {
        this.#settle(lead.charAt(0));
        this.#write(lead);
        this.#loosen(lead);
        const rest = text.slice(lead.length);
        if (rest.startsWith(' ')) this.#gap = true;
        // A sign that stood alone stands beside the mark now.
        if (rest) this.#plain(rest.replace(/^ (?=[*_~])/, '\\').trimStart());
        return;
      }
    }
    this.#begin(text.charAt(0));
    this.#write(text);
  }

  #write(text: string): void {
    if (this.#closed.length > 0 && this.#closedTo === this.#text.length) this.#plainFrom = this.#text.length;
    this.#text += text;
  }

  /** Writes what waits for a sign: blank, line breaks, the beginnings of marks and links. */
  #begin(next: Beside): void {
    const isLinkDue = this.#isWaiting && this.#wraps.slice(this.#opened.length).some(({ isLink }) => isLink);
    this.#settle(isLinkDue ? '[' : next);
    if (!this.#isWaiting) return;
    while (this.#opened.length > 0 && this.#opened.at(-1)?.at === undefined) this.#opened.pop();
    for (let place = this.#opened.length; place < this.#wraps.length; place++) this.#open(place, next);
  }

  #open(place: number, next: Beside): void {
    const wrap = this.#wraps[place] as Wrap;
    wrap.isUsed = true;
    if (wrap.isLink) {
      if (this.#text.endsWith('!') && this.touches) this.#text = `${this.#text.slice(0, -1)}\\!`;
      this.#opened.push({ wrap, at: this.#text.length });
      this.#text += wrap.open;
      this.#plainFrom = this.#text.length;
      return;
    }
    const last = this.#closed.at(-1);
    if (last?.wrap.open === wrap.open && this.#closedTo === this.#text.length) {
      // The same mark goes on.
      this.#closed.pop();
      const text = this.#text.slice(0, -wrap.close.length);
      this.#text = next === '`' && text.endsWith('`') ? `${text} ` : text;
      this.#opened.push({ wrap, at: last.at });
      return;
    }
    const sign = wrap.open.charAt(0);
    const inner = this.#wraps.slice(place + 1);
    const follows = inner.find(({ open }) => open.charAt(0) !== sign)?.open.charAt(0) ?? next;
    const before = this.#beforeRun(sign);
    const isRead = !isWord(before) || (sign !== '_' && !isPunctuation(follows));
    // Signs of marks that end are counted together with those of marks that begin: of more than one they mean others.
    const isOne = this.#closed.length === 1 && inner.every(({ isLink }) => isLink);
    const isPossible = isRead && (isOne || !this.#endsWithMark(sign));
    this.#opened.push({ wrap, at: isPossible ? this.#text.length : undefined });
    if (isPossible) {
      this.#text += wrap.open;
      this.#plainFrom = this.#text.length;
    }
  }

  #endsWithMark(sign: string): boolean {
    return this.#closed.length > 0 && this.#text.endsWith(sign) && this.#closedTo === this.#text.length;
  }

  /** What stands before the same signs that the text ends with: they are one run, which means something as a whole. */
  #beforeRun(sign: string): Beside {
    let at = this.#text.length - 1;
    while (this.#text.charAt(at) === sign) at--;
    return this.#text.charAt(at);
  }

  /** Writes the blank or line break that waits; without one, makes the ends of marks mean what they shall. */
  #settle(next: Beside): void {
    if (this.#text.length > LONGEST_END) this.#shorten();
    const { touches } = this;
    const breaks = this.#breaks;
    const gap = this.#gap;
    this.#breaks = 0;
    this.#gap = false;
    if (this.#text === '') return;
    if (touches) {
      this.#bind(next);
      if (this.#closed.length > 0 && isWord(next) && this.#closedTo === this.#text.length) this.#repair();
      return;
    }
    if (breaks > 0) this.#bind('\n');
    this.#looseAt = -1;
    const separator = this.#separator(breaks, gap);
    this.#text += separator;
    this.#plainFrom = this.#text.length;
  }

  #shorten(): void {
    const cut = this.#text.length - KEPT_END;
    this.#head += this.#text.slice(0, cut);
    this.#text = this.#text.slice(cut);
    this.#plainFrom = Math.max(0, this.#plainFrom - cut);
    this.#closedFrom -= cut;
    this.#looseAt -= cut;
    this.#codeFrom -= cut;
    this.#codeTo -= cut;
    this.#imageTo -= cut;
    for (const opened of [...this.#opened, ...this.#closed]) {
      if (opened.at !== undefined) opened.at -= cut;
    }
  }

  #separator(breaks: number, gap: boolean): string {
    if (breaks === 0) return gap ? ' ' : '';
    if (this.#break === BREAKS.cell) return this.#break.repeat(Math.min(breaks, 2)) + (gap ? ' ' : '');
    if (this.#break !== BREAKS.paragraph) return this.#break;
    if (this.#opened.some(({ wrap }) => wrap.isLink)) return BREAKS.link;
    if (breaks === 1) return this.#break;
    this.#closeAll();
    return '\n\n';
  }

  /** A word follows right after marks, which cannot end after punctuation then: it goes behind them, or they go. */
  #repair(): void {
    const ends = this.#text.slice(this.#closedFrom);
    const inside = this.#text.slice(this.#plainFrom, this.#closedFrom);
    const tail = /[\p{P}\p{S}]+$/u.exec(inside)?.[0] ?? '';
    const hasWordEnd = isWord(this.#text.charAt(this.#closedFrom - 1));
    if (!ends.includes('_')) {
      // Signs of one kind are one run; of two kinds, the second does not stand after the word.
      if (hasWordEnd && !(ends.includes('~') && ends.includes('*'))) return;
      if (
        tail.length > 0 &&
        tail.length < inside.length &&
        isWord(inside.charAt(inside.length - tail.length - 1))
      ) {
        this.#text = this.#text.slice(0, this.#closedFrom - tail.length) + ends + tail;
        this.#closed = [];
        return;
      }
    }
    if (this.#closed.some(({ at }) => at === undefined || at < 0)) return;
    let text = this.#text.slice(0, this.#closedFrom);
    for (const { wrap, at = 0 } of this.#closed) {
      // The innermost comes first, which begins last.
      text = joined(text.slice(0, at), text.slice(at + wrap.open.length));
    }
    this.#text = text;
    this.#plainFrom = text.length;
    this.#closed = [];
  }
}

/** What a mark stood between, so that it means the same without. */
function joined(left: string, right: string): string {
  if (left.endsWith('!') && right.startsWith('[') && !isEscaped(left, left.length - 1))
    return `${left.slice(0, -1)}\\!${right}`;
  return left.endsWith('`') && right.startsWith('`') ? `${left} ${right}` : left + right;
}

/** Whether an odd number of backslashes stands before. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charAt(from - 1) === '\\') from--;
  return (at - from) % 2 === 1;
}

const isBlankAt = (text: string, at: number) => text.charAt(at).trim() === '';
