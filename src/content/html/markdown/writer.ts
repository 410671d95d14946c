import type { ChildNode, Element } from 'domhandler';
import { ServiceError } from '../../../errors.ts';
import { isTag, isText } from '../nodes.ts';
import type { CodeLabels } from './code-labels.ts';
import type { InlineSpan } from './delimiters.ts';
import type { Footnotes } from './footnotes.ts';
import { InlineWriter, LINE_BREAKS } from './inline-writer.ts';

export interface MarkdownOptions {
  /** Replace images with `data:` URLs by a placeholder. */
  removeBase64Images: boolean;
  /**
   * Leave out what has no content: empty links, headings, items and quotes, and links that skip to the
   * content.
   */
  tidy: boolean;
}

/** A block of markdown without white space around it. */
export interface MarkdownBlock {
  kind: 'text' | 'paragraph' | 'heading' | 'list' | 'item' | 'rule' | 'other';
  text: string;
  /** The marker that the items of a list begin with. */
  marker?: string;
}

/** What was found on the page before it is written. */
interface FoundElements {
  footnotes: Footnotes;
  codeLabels: CodeLabels;
}

/** Writes an element and everything inside it. */
export type ElementRule = (writer: MarkdownWriter, element: Element) => void;

/** Most characters of one page, about ten books: conversion needs several times this in memory. */
const MAX_TEXT = 5_000_000;
/**
 * Most levels of lists and quotes. Each level adds a prefix to every line inside, so deeper levels are
 * flattened to bound the output.
 */
const MAX_INDENTS = 20;
/** Most characters, each counted once per level of lists and quotes around it. */
const MAX_INDENTED_TEXT = 20_000_000;

/** Walks the tree of a page and collects its blocks. Each element is written by the rule for its name. */
export class MarkdownWriter {
  readonly options: MarkdownOptions;
  /** The text of the current block. */
  line: InlineWriter;
  /** Emphasis and links around the current position, outermost first. */
  spans: InlineSpan[] = [];
  /** A link around several blocks, which markdown can only express inside the first heading among them. */
  headingLink: InlineSpan | undefined;
  /** Whether blocks cannot stand here, as in a table cell: their boundaries become line breaks. */
  isInline = false;
  /** Whether the current position is in a table cell. */
  isCell = false;
  #blocks: MarkdownBlock[] = [];
  #indents = 0;
  #length = 0;
  #indentedLength = 0;
  readonly footnotes: Footnotes;
  readonly codeLabels: CodeLabels;
  readonly #rules: ReadonlyMap<string, ElementRule>;

  constructor(rules: ReadonlyMap<string, ElementRule>, options: MarkdownOptions, found: FoundElements) {
    this.#rules = rules;
    this.footnotes = found.footnotes;
    this.codeLabels = found.codeLabels;
    this.options = options;
    this.line = new InlineWriter(this.spans, LINE_BREAKS.paragraph);
  }

  /**
   * Writes nodes in order. Recursion is safe because the parser bounds the depth of a page as browsers do.
   */
  walk(nodes: readonly ChildNode[]): void {
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      if (isText(node)) {
        this.countText(node.data.length);
        this.line.text(node.data);
      } else if (isTag(node)) this.element(node);
    }
  }

  /** Writes an element by the rule of its name; without one, its children. */
  element(element: Element): void {
    const { backReferences } = this.footnotes;
    const { elements: labels } = this.codeLabels;
    if (backReferences.size > 0 && backReferences.has(element)) return;
    if (labels.size > 0 && labels.has(element)) return;
    const rule = this.#rules.get(element.name);
    if (rule) rule(this, element);
    else this.walk(element.children);
  }

  /** Ends the current text before or after a block; where blocks cannot stand, adds a line break. */
  endText(kind: 'text' | 'paragraph' = 'text'): void {
    if (this.isInline) {
      this.line.break(false);
      return;
    }
    const text = this.line.end();
    if (text !== '') this.#blocks.push({ kind, text });
  }

  /** Adds a block after ending the current text. */
  addBlock(block: MarkdownBlock): void {
    this.endText();
    this.#blocks.push(block);
  }

  /** The block written last, if there is one. */
  get lastBlock(): MarkdownBlock | undefined {
    return this.#blocks.at(-1);
  }

  /** Whether nothing has been written yet inside the innermost emphasis or link. */
  get isSpanPending(): boolean {
    return this.spans.at(-1)?.hasContent === false;
  }

  /** Writes content inside emphasis or a link. */
  writeSpan(span: InlineSpan, content: () => void): void {
    this.spans.push(span);
    content();
    this.line.closeSpan();
    this.spans.pop();
  }

  /**
   * Collects the blocks of a container such as a list item.
   * @param isIndented whether each line will get a prefix
   */
  collectBlocks(isIndented: boolean, content: () => void): MarkdownBlock[] {
    const { line } = this;
    const blocks = this.#blocks;
    this.#blocks = [];
    this.line = new InlineWriter(this.spans, LINE_BREAKS.paragraph);
    this.#indents += isIndented ? 1 : 0;
    content();
    this.endText();
    const collected = this.#blocks;
    this.#indents -= isIndented ? 1 : 0;
    this.#blocks = blocks;
    this.line = line;
    return collected;
  }

  /** Writes content as inline text only. @param spans emphasis and links that continue inside */
  renderInline(lineBreak: string, content: () => void, wraps: InlineSpan[] = []): string {
    const { line, isInline, isCell, spans: outerSpans } = this;
    this.isCell = lineBreak === LINE_BREAKS.cell || (isCell && isInline);
    this.spans = wraps;
    this.line = new InlineWriter(wraps, lineBreak);
    this.isInline = true;
    content();
    const text = this.line.end();
    this.line = line;
    this.isInline = isInline;
    this.isCell = isCell;
    this.spans = outerSpans;
    return text;
  }

  /** Whether one more level of lists or quotes is allowed here. */
  get canIndent(): boolean {
    return this.#indents < MAX_INDENTS;
  }

  /**
   * Counts characters before they are written.
   * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for more text than can be converted
   */
  countText(length: number): void {
    this.#length += length;
    this.#indentedLength += length * this.#indents;
    if (this.#length > MAX_TEXT || this.#indentedLength > MAX_INDENTED_TEXT) {
      const message =
        'The page has too much text for markdown. Leave that format out, or choose a smaller part with includeTags.';
      throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message);
    }
  }
}

/** Joins blocks with blank lines. */
export const joinBlocks = (blocks: MarkdownBlock[]): string => blocks.map(({ text }) => text).join('\n\n');
