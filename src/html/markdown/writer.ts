import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { ServiceError } from '../../errors.ts';
import type { Footnotes } from './footnotes.ts';
import { BREAKS, Line } from './line.ts';
import type { Wrap } from './marks.ts';

export interface MarkdownOptions {
  /** Images within the page give way to a mark that there was one. */
  removeBase64Images: boolean;
  /** What says nothing is left out: links, headings, items and quotes without content, links that skip to the content. */
  tidy: boolean;
}

/** A block of markdown, without blanks around it. */
export interface Block {
  kind: 'text' | 'paragraph' | 'heading' | 'list' | 'item' | 'rule' | 'other';
  text: string;
  /** Of a list: what its items begin with. */
  marker?: string;
}

/** Writes an element, with all that is inside. */
export type Rule = (writer: Writer, element: Element) => void;

/** A shelf of books; conversion takes a few times its text in memory. */
const MOST_TEXT = 5_000_000;
/** Each level puts its mark before every line inside: deeper ones are flattened, for they would grow without end. */
const MOST_INDENTS = 20;
/** Characters times their levels. */
const MOST_INDENTED_TEXT = 20_000_000;

/** Walks the tree of a page and keeps the blocks that it makes. Each element is written by the rule of its name. */
export class Writer {
  readonly options: MarkdownOptions;
  /** What text is added to. */
  line: Line;
  /** Marks and links around what is being written, outermost first. */
  wraps: Wrap[] = [];
  /** A link around blocks that is to stand inside the first heading of them. */
  card: Wrap | undefined;
  /** Whether blocks have no place here: their bounds are line breaks. */
  isFlat = false;
  /** Whether the line is a cell of a table. */
  isCell = false;
  #blocks: Block[] = [];
  #indents = 0;
  #length = 0;
  #indentedLength = 0;
  readonly footnotes: Footnotes;
  readonly #rules: ReadonlyMap<string, Rule>;

  constructor(rules: ReadonlyMap<string, Rule>, footnotes: Footnotes, options: MarkdownOptions) {
    this.#rules = rules;
    this.footnotes = footnotes;
    this.options = options;
    this.line = new Line(this.wraps, BREAKS.paragraph);
  }

  /** Recursion is safe: a parsed page is never deeper than browsers let it be. */
  walk(nodes: readonly ChildNode[]): void {
    for (const node of nodes) {
      if (isText(node)) {
        this.count(node.data.length);
        this.line.text(node.data);
      } else if (isTag(node)) this.element(node);
    }
  }

  element(element: Element): void {
    const { returns } = this.footnotes;
    if (returns.size > 0 && returns.has(element)) return;
    const rule = this.#rules.get(element.name);
    if (rule) rule(this, element);
    else this.walk(element.children);
  }

  /** Ends the text before a block or after it. */
  bound(kind: 'text' | 'paragraph' = 'text'): void {
    if (this.isFlat) {
      this.line.break(false);
      return;
    }
    const text = this.line.end();
    if (text !== '') this.#blocks.push({ kind, text });
  }

  /** Adds a block; where blocks have no place it is what a line of text says of it. */
  add(block: Block): void {
    this.bound();
    this.#blocks.push(block);
  }

  /** The block before what is written next, if there is one. */
  get last(): Block | undefined {
    return this.#blocks.at(-1);
  }

  /** Whether the innermost mark has yet to begin. */
  get isMarkDue(): boolean {
    return this.wraps.at(-1)?.isUsed === false;
  }

  /** What a mark or a link stands around. */
  wrapped(wrap: Wrap, content: () => void): void {
    this.wraps.push(wrap);
    content();
    this.line.close();
    this.wraps.pop();
  }

  /** The blocks inside of an element that has its own. @param isIndented whether each line will get a mark before it */
  nested(isIndented: boolean, content: () => void): Block[] {
    const { line } = this;
    const blocks = this.#blocks;
    this.#blocks = [];
    this.line = new Line(this.wraps, BREAKS.paragraph);
    this.#indents += isIndented ? 1 : 0;
    content();
    this.bound();
    const made = this.#blocks;
    this.#indents -= isIndented ? 1 : 0;
    this.#blocks = blocks;
    this.line = line;
    return made;
  }

  /** What is inside of an element as one line of text. @param wraps that go on inside */
  flat(lineBreak: string, content: () => void, wraps: Wrap[] = []): string {
    const { line, isFlat, isCell, wraps: around } = this;
    this.isCell = lineBreak === BREAKS.cell || (isCell && isFlat);
    this.wraps = wraps;
    this.line = new Line(wraps, lineBreak);
    this.isFlat = true;
    content();
    const text = this.line.end();
    this.line = line;
    this.isFlat = isFlat;
    this.isCell = isCell;
    this.wraps = around;
    return text;
  }

  /** Whether lines here may get one more mark before them. */
  get canIndent(): boolean {
    return this.#indents < MOST_INDENTS;
  }

  /**
   * Counts text before it is written.
   * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for more text than can be converted
   */
  count(length: number): void {
    this.#length += length;
    this.#indentedLength += length * this.#indents;
    if (this.#length > MOST_TEXT || this.#indentedLength > MOST_INDENTED_TEXT) {
      const message =
        'The page has too much text for markdown. Leave that format out, or choose a smaller part with includeTags.';
      throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message);
    }
  }
}

/** Blocks one below the other. */
export const stacked = (blocks: Block[]): string => blocks.map(({ text }) => text).join('\n\n');
