import { type Beside, isLoose } from './escape.ts';

/** The end of a text that can still change. Longer, looking at it after each piece would take time without end. */
const LONGEST_END = 4_096;
const KEPT_END = 256;

/** What was written of a line. Places in it count from its beginning; those before `fixed` cannot change any more. */
export class Written {
  #head = '';
  #end = '';
  /** Where the last sign of text stands that is not escaped, as nothing stood beside it yet; else -1. */
  #looseAt = -1;

  get length(): number {
    return this.#head.length + this.#end.length;
  }

  get fixed(): number {
    return this.#head.length;
  }

  /** The last character, empty for none. */
  get last(): Beside {
    return this.#end.charAt(this.#end.length - 1);
  }

  /** The character at a place, empty for one that is fixed. */
  charAt(at: number): Beside {
    return this.#end.charAt(at - this.#head.length);
  }

  /** From one place to another, without what is fixed. */
  slice(from: number, to = this.length): string {
    const { length } = this.#head;
    return this.#end.slice(Math.max(0, from - length), Math.max(0, to - length));
  }

  endsWith(text: string): boolean {
    return this.#end.endsWith(text);
  }

  add(markdown: string): void {
    this.#end += markdown;
  }

  /** Adds escaped text. Its last sign is not, for what follows decides what it means. */
  addText(text: string): void {
    this.#end += text;
    // Of what was written just now, for reading from the whole text would make a copy of it each time.
    this.#loosen(text.charAt(text.length - 1));
  }

  /** Puts a text in the place of all from there on. */
  replace(from: number, text: string): void {
    this.#end = this.slice(0, from) + text;
    if (from <= this.#looseAt) this.#looseAt = -1;
  }

  /** Escapes a last sign of text that would mean something before what follows; before a blank it does not. */
  bind(next: Beside): void {
    const at = this.length - 1;
    if (at !== this.#looseAt || at < 0 || next === ' ') return;
    const sign = this.last;
    if (sign === ']' ? next === '(' : sign !== '<' || /[a-z!/?]/i.test(next)) this.replace(at, `\\${sign}`);
  }

  /** The same for text that something stood behind, which was taken away. */
  bindAnew(next: Beside): void {
    this.#loosen(this.last);
    this.bind(next);
  }

  /** Fixes all but the last characters, when there are many. */
  settle(): void {
    if (this.#end.length <= LONGEST_END) return;
    const cut = this.#end.length - KEPT_END;
    this.#head += this.#end.slice(0, cut);
    this.#end = this.#end.slice(cut);
  }

  /** All of it; nothing is written then. */
  take(): string {
    const all = this.#head + this.#end;
    this.#head = '';
    this.#end = '';
    this.#looseAt = -1;
    return all;
  }

  #loosen(last: Beside): void {
    this.#looseAt = isLoose(last) && !isEscaped(this.#end, this.#end.length - 1) ? this.length - 1 : -1;
  }
}

/** Whether an odd number of backslashes stands before. */
export function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charAt(from - 1) === '\\') from--;
  return (at - from) % 2 === 1;
}
