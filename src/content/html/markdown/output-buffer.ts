import { type AdjacentCharacter, dependsOnNext } from './escape.ts';

/** Most characters that can still change. The bound keeps the work after each piece constant. */
const MAX_TAIL = 4_096;
const KEPT_TAIL = 256;

/**
 * The written part of an inline text. Positions count from its start; those before `committedLength` cannot
 * change any more.
 */
export class OutputBuffer {
  #head = '';
  #end = '';
  /**
   * The last character of `#end`. It is kept, because reading it from V8's rope would flatten the rope for
   * each piece of text.
   */
  #last: AdjacentCharacter = '';
  /** Position of a last character whose escaping depends on the next one; -1 without one. */
  #looseAt = -1;

  get length(): number {
    return this.#head.length + this.#end.length;
  }

  get committedLength(): number {
    return this.#head.length;
  }

  /** The last character; an empty string without one. */
  get lastCharacter(): AdjacentCharacter {
    return this.#last;
  }

  /** The character at a position; an empty string for a committed one. */
  charAt(at: number): AdjacentCharacter {
    return this.#end.charAt(at - this.#head.length);
  }

  /** The text between two positions, without its committed part. */
  slice(from: number, to = this.length): string {
    const { length } = this.#head;
    return this.#end.slice(Math.max(0, from - length), Math.max(0, to - length));
  }

  /** Whether the text ends with another one. The committed part does not count. */
  endsWith(text: string): boolean {
    return this.#end.endsWith(text);
  }

  /** Adds Markdown as it is, without escaping. */
  add(markdown: string): void {
    this.#end += markdown;
    if (markdown !== '') this.#last = markdown.charAt(markdown.length - 1);
  }

  /** Adds escaped text. Its last character is escaped later, when the next one is known. */
  addText(text: string): void {
    this.add(text);
    this.#loosen(text.charAt(text.length - 1));
  }

  /** Replaces everything from a position on. */
  replace(from: number, text: string): void {
    this.#end = this.slice(0, from) + text;
    this.#last = this.#end.charAt(this.#end.length - 1);
    if (from <= this.#looseAt) this.#looseAt = -1;
  }

  /** Escapes the last character where the next one would make it markup; before a space it never is. */
  escapePending(next: AdjacentCharacter): void {
    const at = this.length - 1;
    if (at !== this.#looseAt || at < 0 || next === ' ') return;
    const sign = this.lastCharacter;
    if (sign === ']' ? next === '(' : sign !== '<' || /[a-z!/?]/i.test(next)) this.replace(at, `\\${sign}`);
  }

  /** The same after a delimiter behind the text was removed. */
  escapeTrailing(next: AdjacentCharacter): void {
    this.#loosen(this.lastCharacter);
    this.escapePending(next);
  }

  /** Commits all but the last characters, when there are many. */
  commit(): void {
    if (this.#end.length <= MAX_TAIL) return;
    const cut = this.#end.length - KEPT_TAIL;
    this.#head += this.#end.slice(0, cut);
    this.#end = this.#end.slice(cut);
  }

  /** Returns all of it and empties the buffer. */
  take(): string {
    const all = this.#head + this.#end;
    this.#head = '';
    this.#end = '';
    this.#last = '';
    this.#looseAt = -1;
    return all;
  }

  #loosen(last: AdjacentCharacter): void {
    this.#looseAt = dependsOnNext(last) && !isEscaped(this.#end, this.#end.length - 1) ? this.length - 1 : -1;
  }
}

/** Whether a character is escaped: an odd number of backslashes precedes it. */
export function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charAt(from - 1) === '\\') from--;
  return (at - from) % 2 === 1;
}
