import { type Beside, isPunctuation, isWord } from './escape.ts';
import { isEscaped, type Written } from './written.ts';

/** What stands around signs, from the first to the last: a mark or a link. */
export interface Wrap {
  open: string;
  close: string;
  isLink: boolean;
  /** Whether any sign was seen inside. */
  isUsed: boolean;
}

interface Opened {
  wrap: Wrap;
  /** Where it begins; `undefined` for a mark that would mean nothing there. */
  at: number | undefined;
}

/**
 * The beginnings and ends of marks and links in what is written. Marks mean something by what stands on both sides of
 * them (CommonMark 0.31.2, 6.2): one that could not begin is not written, one that could not end is moved or taken back.
 */
export class Marks {
  readonly #written: Written;
  readonly #wraps: readonly Wrap[];
  #opened: Opened[] = [];
  /** Marks that end where the text ends, the innermost first, and where the first of their ends begins. */
  #closed: Opened[] = [];
  #closedFrom = 0;
  /** After what is no text: from here on it can be cut anywhere. */
  #plainFrom = 0;

  /** @param wraps that are open, outermost first; whoever walks the page adds and takes away */
  constructor(written: Written, wraps: readonly Wrap[]) {
    this.#written = written;
    this.#wraps = wraps;
  }

  /** Whether a mark or a link has yet to begin. */
  get isDue(): boolean {
    const opened = this.#opened.length;
    return opened < this.#wraps.length || (opened > 0 && this.#opened[opened - 1]?.at === undefined);
  }

  get isLinkDue(): boolean {
    return this.#wraps.slice(this.#opened.length).some(({ isLink }) => isLink);
  }

  /** The sign that the innermost one begins with. */
  get sign(): Beside {
    return this.#wraps.at(-1)?.open.charAt(0) ?? '';
  }

  get isInLink(): boolean {
    return this.#opened.some(({ wrap }) => wrap.isLink);
  }

  /** Whether marks end right where the text ends. */
  get endHere(): boolean {
    return this.#closed.length > 0 && this.#closedTo === this.#written.length;
  }

  /** Begins all that are due. @param next what the innermost will stand before */
  open(next: Beside): void {
    if (!this.isDue) return;
    while (this.#opened.length > 0 && this.#opened.at(-1)?.at === undefined) this.#opened.pop();
    for (let place = this.#opened.length; place < this.#wraps.length; place++) this.#begin(place, next);
  }

  /** Ends the innermost one, if it has begun. */
  close(): void {
    if (this.#opened.length < this.#wraps.length) return;
    const opened = this.#opened.pop();
    if (opened?.at === undefined) return;
    const { close, isLink } = opened.wrap;
    this.#written.bind(close.charAt(0));
    if (!this.endHere || isLink) {
      this.#closed = [];
      this.#closedFrom = this.#written.length;
    }
    this.#written.add(close);
    if (isLink) this.cut();
    else this.#closed.push(opened);
  }

  /** Ends all. */
  closeAll(): void {
    for (let opened = this.#opened.pop(); opened; opened = this.#opened.pop()) {
      if (opened.at === undefined) continue;
      this.#written.bind(opened.wrap.close.charAt(0));
      this.#written.add(opened.wrap.close);
    }
    this.#closed = [];
  }

  /** Says that what was written last is no text. */
  cut(): void {
    this.#plainFrom = this.#written.length;
  }

  /** To be called when nothing is written any more. */
  reset(): void {
    this.#closed = [];
    this.#plainFrom = 0;
  }

  /** A word follows right after marks, which cannot end after punctuation then: it goes behind them, or they go. */
  repair(next: Beside): void {
    const written = this.#written;
    const ends = written.slice(this.#closedFrom);
    const inside = written.slice(this.#plainFrom, this.#closedFrom);
    const tail = /[\p{P}\p{S}]+$/u.exec(inside)?.[0] ?? '';
    const hasWordEnd = isWord(written.charAt(this.#closedFrom - 1));
    if (!ends.includes('_')) {
      // Signs of one kind are one run; of two kinds, the second does not stand after the word.
      if (hasWordEnd && !(ends.includes('~') && ends.includes('*'))) return;
      const isWithin = tail.length > 0 && tail.length < inside.length;
      if (isWithin && isWord(inside.charAt(inside.length - tail.length - 1))) {
        written.replace(this.#closedFrom - tail.length, ends + tail);
        written.bindAnew(next);
        this.#closed = [];
        return;
      }
    }
    if (this.#closed.some(({ at }) => at === undefined || at < written.fixed)) return;
    written.replace(this.#closedFrom, '');
    for (const { wrap, at = 0 } of this.#closed) {
      // The innermost comes first, which begins last.
      const text = joined(written.slice(0, at), written.slice(at + wrap.open.length));
      written.replace(written.fixed, text);
    }
    if (inside !== '') written.bindAnew(next);
    this.cut();
    this.#closed = [];
  }

  #begin(place: number, next: Beside): void {
    const written = this.#written;
    const wrap = this.#wraps[place] as Wrap;
    wrap.isUsed = true;
    if (wrap.isLink) {
      if (written.last === '!') written.replace(written.length - 1, '\\!');
      this.#opened.push({ wrap, at: written.length });
      written.add(wrap.open);
      this.cut();
      return;
    }
    const last = this.#closed.at(-1);
    if (last?.wrap.open === wrap.open && this.endHere) {
      // The same mark goes on.
      this.#closed.pop();
      written.replace(written.length - wrap.close.length, '');
      if (next === '`' && written.last === '`') written.add(' ');
      else written.bind(next);
      this.#opened.push({ wrap, at: last.at });
      return;
    }
    const isPossible = this.#canBegin(wrap.open.charAt(0), this.#wraps.slice(place + 1), next);
    this.#opened.push({ wrap, at: isPossible ? written.length : undefined });
    if (!isPossible) return;
    written.add(wrap.open);
    this.cut();
  }

  /** @param inner that begin right inside */
  #canBegin(sign: string, inner: readonly Wrap[], next: Beside): boolean {
    const follows = inner.find(({ open }) => open.charAt(0) !== sign)?.open.charAt(0) ?? next;
    const isRead = !isWord(this.#beforeRun(sign)) || (sign !== '_' && !isPunctuation(follows));
    // Signs of marks that end are counted together with those of marks that begin: of more than one they mean others.
    const isOne = this.#closed.length === 1 && inner.every(({ isLink }) => isLink);
    return isRead && (isOne || !(this.endHere && this.#written.last === sign));
  }

  /** What stands before the same signs that the text ends with: they are one run, which means something as a whole. */
  #beforeRun(sign: string): Beside {
    let at = this.#written.length - 1;
    while (this.#written.charAt(at) === sign) at--;
    return this.#written.charAt(at);
  }

  /** Where the ends of `#closed` end. */
  get #closedTo(): number {
    return this.#closed.reduce((at, { wrap }) => at + wrap.close.length, this.#closedFrom);
  }
}

/** What a mark stood between, so that it means the same without. */
function joined(left: string, right: string): string {
  if (left.endsWith('!') && right.startsWith('[') && !isEscaped(left, left.length - 1))
    return `${left.slice(0, -1)}\\!${right}`;
  return left.endsWith('`') && right.startsWith('`') ? `${left} ${right}` : left + right;
}
