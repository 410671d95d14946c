import { decodeHTML } from 'entities/lib/decode.js';
import type { Entity, Span } from './redaction.ts';

/** A change of a source: what takes the place of a range of it. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

const CHARACTER_REFERENCE = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});?/g;
/** Characters that readers do not see: soft hyphens, and spaces and joiners of no width. */
const INVISIBLE = /^[\u00ad\u200b-\u200d\u2060\ufeff]+$/;

/**
 * The text of a source as readers see it, with the place in the source of each of its characters. Markup
 * within a line is left out, so that what is found in the text may span it.
 */
export class PlainText {
  readonly #parts: string[] = [];
  /** Of each part: where it begins in the text, and where it begins and ends in the source. */
  readonly #starts: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  #length = 0;

  /** Adds a range of the source, in which it decodes character references. */
  add(source: string, start: number, end: number): void {
    if (start >= end) return;
    const text = source.slice(start, end);
    if (!text.includes('&')) {
      this.#push(text, start, end);
      return;
    }
    let from = 0;
    for (const { 0: reference, index } of text.matchAll(CHARACTER_REFERENCE)) {
      this.#push(text.slice(from, index), start + from, start + index);
      const decoded = decodeHTML(reference);
      from = index + reference.length;
      if (!INVISIBLE.test(decoded)) this.#push(decoded, start + index, start + from);
    }
    this.#push(text.slice(from), start + from, end);
  }

  /** Adds the end of a line. */
  endLine(at: number): void {
    this.#push('\n', at, at);
  }

  #push(text: string, start: number, end: number): void {
    if (text === '') return;
    this.#parts.push(text);
    this.#starts.push(this.#length);
    this.#from.push(start);
    this.#to.push(end);
    this.#length += text.length;
  }

  toString(): string {
    return this.#parts.join('');
  }

  /**
   * Returns the changes of the source that replace spans of the text. Markup within a span stays where it is.
   * @param spans in the order of the text
   */
  editsOf(spans: readonly Span[], replace: (entity: Entity, length: number) => string): Edit[] {
    const edits: Edit[] = [];
    let part = 0;
    for (const { start, end, entity } of spans) {
      while ((this.#starts[part + 1] ?? this.#length) <= start) part++;
      let text = replace(entity, end - start);
      for (let at = part; at < this.#parts.length && this.#starts[at]! < end; at++) {
        const range = this.#rangeOf(at, start, end);
        if (range.start === range.end) continue;
        const last = edits.at(-1);
        if (text === '' && last?.end === range.start) last.end = range.end;
        else edits.push({ ...range, text });
        text = '';
      }
    }
    return edits;
  }

  /** The range of the source that the characters from `start` to `end` of the text have in one part. */
  #rangeOf(part: number, start: number, end: number): { start: number; end: number } {
    const [from, to, begin] = [this.#from[part]!, this.#to[part]!, this.#starts[part]!];
    const { length } = this.#parts[part]!;
    // A character reference is replaced as a whole.
    if (to - from !== length) return { start: from, end: to };
    return { start: from + Math.max(0, start - begin), end: from + Math.min(length, end - begin) };
  }
}

/** Applies changes to a source. They do not overlap. */
export function applyEdits(source: string, edits: Edit[]): string {
  if (edits.length === 0) return source;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, text } of edits.sort((one, other) => one.start - other.start)) {
    parts.push(source.slice(from, start), text);
    from = end;
  }
  parts.push(source.slice(from));
  return parts.join('');
}
