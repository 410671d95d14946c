import { type AdjacentCharacter, isPunctuation, isWord } from './escape.ts';
import { isEscaped, type OutputBuffer } from './output-buffer.ts';

/** Emphasis or a link around inline content. */
export interface InlineSpan {
  open: string;
  close: string;
  isLink: boolean;
  /** Whether anything was written inside. */
  hasContent: boolean;
}

interface OpenSpan {
  span: InlineSpan;
  /** Position of the opening delimiter; `undefined` where it could not open and was left out. */
  at: number | undefined;
}

/**
 * Opens and closes emphasis and links in the output. Whether delimiters are read as emphasis depends on the
 * characters on both sides (CommonMark 0.31.2, 6.2): one that could not open is left out, one that could not
 * close is moved or removed again.
 */
export class Delimiters {
  readonly #output: OutputBuffer;
  readonly #spans: readonly InlineSpan[];
  #opened: OpenSpan[] = [];
  /**
   * Emphasis that was closed at the end of the output, innermost first, and the position of the first closing
   * delimiter.
   */
  #closed: OpenSpan[] = [];
  #closedFrom = 0;
  /** Start of the plain text at the end of the output, which may be split anywhere. */
  #plainFrom = 0;

  /** @param spans open emphasis and links, outermost first; the caller adds and removes them */
  constructor(output: OutputBuffer, spans: readonly InlineSpan[]) {
    this.#output = output;
    this.#spans = spans;
  }

  /** Whether an opening delimiter or link has not been written yet. */
  get isOpeningPending(): boolean {
    const opened = this.#opened.length;
    return opened < this.#spans.length || (opened > 0 && this.#opened[opened - 1]?.at === undefined);
  }

  get isLinkPending(): boolean {
    for (let place = this.#opened.length; place < this.#spans.length; place++)
      if (this.#spans[place]?.isLink) return true;
    return false;
  }

  /** First character of the innermost opening delimiter. */
  get innermostCharacter(): AdjacentCharacter {
    return this.#spans.at(-1)?.open.charAt(0) ?? '';
  }

  get isInLink(): boolean {
    return this.#opened.some(({ span }) => span.isLink);
  }

  /** Whether the output ends with closing delimiters. */
  get isAtClosing(): boolean {
    return this.#closed.length > 0 && this.#closedTo === this.#output.length;
  }

  /** Writes all pending opening delimiters. @param next the character after the innermost one */
  open(next: AdjacentCharacter): void {
    if (!this.isOpeningPending) return;
    while (this.#opened.length > 0 && this.#opened.at(-1)?.at === undefined) this.#opened.pop();
    for (let place = this.#opened.length; place < this.#spans.length; place++) this.#begin(place, next);
  }

  /** Closes the innermost one, if it was opened. */
  close(): void {
    if (this.#opened.length < this.#spans.length) return;
    const opened = this.#opened.pop();
    if (opened?.at === undefined) return;
    const { close, isLink } = opened.span;
    this.#output.escapePending(close.charAt(0));
    const isNextToOther = this.isAtClosing && !isLink;
    if (!isNextToOther) this.#closedFrom = this.#output.length;
    this.#output.add(close);
    if (isNextToOther) this.#closed.push(opened);
    else this.#closed = isLink ? [] : [opened];
    if (isLink) this.markBoundary();
  }

  /** Closes all that were opened. */
  closeAll(): void {
    for (let opened = this.#opened.pop(); opened; opened = this.#opened.pop()) {
      if (opened.at === undefined) continue;
      this.#output.escapePending(opened.span.close.charAt(0));
      this.#output.add(opened.span.close);
    }
    this.#forgetClosed();
  }

  /** Notes that the output now ends with something else than plain text. */
  markBoundary(): void {
    this.#plainFrom = this.#output.length;
  }

  /** Forgets the closed delimiters; called when the output is taken. */
  reset(): void {
    this.#forgetClosed();
    this.#plainFrom = 0;
  }

  /**
   * Repairs closing delimiters that a word follows directly: after punctuation they would not close, so the
   * punctuation moves behind them, or the delimiters are removed.
   */
  repairClosing(next: AdjacentCharacter): void {
    const output = this.#output;
    const ends = output.slice(this.#closedFrom);
    const inside = output.slice(this.#plainFrom, this.#closedFrom);
    const tail = /[\p{P}\p{S}]+$/u.exec(inside)?.[0] ?? '';
    const hasWordEnd = isWord(output.charAt(this.#closedFrom - 1));
    if (!ends.includes('_')) {
      // Equal characters form one delimiter run; of two different ones, the second does not follow the word.
      if (hasWordEnd && !(ends.includes('~') && ends.includes('*'))) return;
      const isWithin = tail.length > 0 && tail.length < inside.length;
      if (isWithin && isWord(inside.charAt(inside.length - tail.length - 1))) {
        output.replace(this.#closedFrom - tail.length, ends + tail);
        output.escapeTrailing(next);
        this.#closed = [];
        return;
      }
    }
    if (this.#closed.some(({ at }) => at === undefined || at < output.committedLength)) return;
    output.replace(this.#closedFrom, '');
    for (const { span, at = 0 } of this.#closed) {
      // The innermost comes first; its opening delimiter is the last in the output.
      const text = joinWithoutDelimiters(output.slice(0, at), output.slice(at + span.open.length));
      output.replace(output.committedLength, text);
    }
    if (inside !== '') output.escapeTrailing(next);
    this.markBoundary();
    this.#closed = [];
  }

  #begin(place: number, next: AdjacentCharacter): void {
    const output = this.#output;
    const span = this.#spans[place] as InlineSpan;
    span.hasContent = true;
    if (span.isLink) {
      if (output.lastCharacter === '!') output.replace(output.length - 1, '\\!');
      this.#opened.push({ span, at: output.length });
      output.add(span.open);
      this.markBoundary();
      return;
    }
    const last = this.#closed.at(-1);
    if (last?.span.open === span.open && this.isAtClosing) {
      // The same emphasis continues.
      this.#closed.pop();
      output.replace(output.length - span.close.length, '');
      if (next === '`' && output.lastCharacter === '`') output.add(' ');
      else output.escapePending(next);
      this.#opened.push({ span, at: last.at });
      return;
    }
    const isPossible = this.#canBegin(span.open.charAt(0), place + 1, next);
    this.#opened.push({ span, at: isPossible ? output.length : undefined });
    if (!isPossible) return;
    output.add(span.open);
    this.markBoundary();
  }

  /**
   * Whether a delimiter would open here.
   * @param innerFrom the place of the first of the spans that open right inside
   */
  #canBegin(character: string, innerFrom: number, next: AdjacentCharacter): boolean {
    const spans = this.#spans;
    let inner = innerFrom;
    while (spans[inner]?.open.charAt(0) === character) inner++;
    const following = spans[inner]?.open.charAt(0) ?? next;
    const canOpen = !isWord(this.#beforeRun(character)) || (character !== '_' && !isPunctuation(following));
    // Closing and opening delimiters of the same character form one run, which is ambiguous for more than one
    // pair.
    const isSinglePair =
      this.#closed.length === 1 && spans.every(({ isLink }, place) => isLink || place < innerFrom);
    return canOpen && (isSinglePair || !(this.isAtClosing && this.#output.lastCharacter === character));
  }

  /** The character before the delimiter run at the end of the output. */
  #beforeRun(character: string): AdjacentCharacter {
    let at = this.#output.length - 1;
    while (this.#output.charAt(at) === character) at--;
    return this.#output.charAt(at);
  }

  #forgetClosed(): void {
    if (this.#closed.length > 0) this.#closed = [];
  }

  /** End of the closing delimiters in `#closed`. */
  get #closedTo(): number {
    return this.#closed.reduce((at, { span }) => at + span.close.length, this.#closedFrom);
  }
}

/** Joins the texts around a removed delimiter so that they do not combine to other markup. */
function joinWithoutDelimiters(left: string, right: string): string {
  if (left.endsWith('!') && right.startsWith('[') && !isEscaped(left, left.length - 1))
    return `${left.slice(0, -1)}\\!${right}`;
  return left.endsWith('`') && right.startsWith('`') ? `${left} ${right}` : left + right;
}
