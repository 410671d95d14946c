import { splitCodeBlock } from '../code-blocks.ts';
import type { Inline, OfficeBlock, OfficeModel } from '../model.ts';
import { MarkedContent } from './marked-content.ts';
import { plainText, type SourceParagraph, visibleText } from './source-paragraphs.ts';

const RULE: OfficeBlock = { kind: 'rule' };
/** The mark of a hidden slide: behind its title, as behind the names of hidden sheets, or before its text. */
const HIDDEN: Inline = { kind: 'text', text: ' (hidden)' };
const HIDDEN_SLIDE: Inline = { kind: 'text', text: '(hidden slide)' };
/** The first paragraph of a code block is expected to end within this number of lines. */
const MAX_CODE_LINES = 200;

const keyOf = ({ runs }: SourceParagraph) => visibleText(runs.map(({ text }) => text).join(''));

/**
 * Adds the marks, heading levels and horizontal lines of the file to a document model, and splits code blocks
 * as they are in the file. The paragraphs are matched by their text without white space; equal ones in their
 * order.
 */
export function addSourceProperties(model: OfficeModel, paragraphs: Iterable<SourceParagraph>): void {
  const matcher = new Matcher([...paragraphs]);
  model.blocks = matcher.document(model.blocks);
  for (const note of model.notes) note.blocks = matcher.blocks(note.blocks, true);
}

const toParagraphs = (texts: readonly string[]) =>
  texts.map((text): OfficeBlock => ({ kind: 'paragraph', content: [{ kind: 'text', text }] }));

class Matcher {
  /** The paragraphs with text, in order. */
  readonly #paragraphs: SourceParagraph[] = [];
  /** The paragraphs that follow a horizontal line. */
  readonly #afterRules = new Set<SourceParagraph>();
  readonly #endsWithRule: boolean;
  /** The paragraphs of text boxes that have not been written yet. */
  readonly #boxes = new Set<string[]>();
  /** The places of paragraphs that have not been matched yet by their text, the first one last. */
  readonly #waiting = new Map<string, number[]>();
  readonly #markedSlides = new Set<number>();
  /** The paragraph that was matched first since this was last reset. */
  #first: SourceParagraph | undefined;

  constructor(paragraphs: readonly SourceParagraph[]) {
    let isAfterRule = false;
    for (const paragraph of paragraphs) {
      isAfterRule ||= paragraph.isRule ?? false;
      if (paragraph.textBoxes) this.#boxes.add(paragraph.textBoxes);
      const key = keyOf(paragraph);
      if (key === '') continue;
      if (isAfterRule) this.#afterRules.add(paragraph);
      isAfterRule = false;
      const place = this.#paragraphs.push(paragraph) - 1;
      const places = this.#waiting.get(key);
      if (places) places.push(place);
      else this.#waiting.set(key, [place]);
    }
    for (const places of this.#waiting.values()) places.reverse();
    this.#endsWithRule = isAfterRule;
  }

  /** The blocks of a document, between which horizontal lines can be. */
  document(blocks: readonly OfficeBlock[]): OfficeBlock[] {
    const matched = blocks.flatMap((block) => {
      this.#first = undefined;
      const content = this.#block(block, false);
      if (!this.#first) return content;
      const marked = this.#markHidden(content, this.#first);
      return this.#afterRules.has(this.#first) ? [RULE, ...marked] : marked;
    });
    const unplaced = [...this.#boxes].flatMap(toParagraphs);
    return [...matched, ...(this.#endsWithRule ? [RULE] : []), ...unplaced];
  }

  /** Marks the first block of each hidden slide. */
  #markHidden(blocks: OfficeBlock[], { hiddenSlide }: SourceParagraph): OfficeBlock[] {
    if (hiddenSlide === undefined || this.#markedSlides.has(hiddenSlide)) return blocks;
    this.#markedSlides.add(hiddenSlide);
    const [first, ...rest] = blocks;
    if (first?.kind !== 'heading') return [{ kind: 'paragraph', content: [HIDDEN_SLIDE] }, ...blocks];
    return [{ ...first, content: [...(first.content ?? []), HIDDEN] }, ...rest];
  }

  blocks(blocks: readonly OfficeBlock[], isCell: boolean): OfficeBlock[] {
    return blocks.flatMap((block) => this.#block(block, isCell));
  }

  #block(block: OfficeBlock, isCell: boolean): OfficeBlock[] {
    if (block.kind === 'codeBlock') return this.#codeBlock(block);
    const boxes = block.content ? this.#paragraph(block, isCell) : [];
    if (block.blocks) block.blocks = this.blocks(block.blocks, isCell);
    for (const item of block.list?.items ?? []) {
      item.blocks = this.blocks(item.blocks, isCell);
      const isChecked = item.blocks[0]?.isChecked;
      if (isChecked !== undefined) item.checked ??= isChecked;
    }
    for (const row of block.table?.grid ?? [])
      for (const { cell } of row) if (cell) cell.blocks = this.blocks(cell.blocks, true);
    return [block, ...boxes];
  }

  /** @returns the text boxes that are anchored in the paragraph */
  #paragraph(block: OfficeBlock, isCell: boolean): OfficeBlock[] {
    const place = this.#waiting.get(visibleText(plainText(block.content ?? [])))?.pop();
    const source = place === undefined ? undefined : this.#paragraphs[place];
    if (!source) return [];
    this.#first ??= source;
    if (source.headingLevel && block.kind === 'paragraph' && !isCell) {
      block.kind = 'heading';
      block.level = source.headingLevel;
    }
    if (source.layout) block.source = source;
    if (source.listIndent !== undefined) block.indent = source.listIndent;
    if (source.isChecked !== undefined) block.isChecked = source.isChecked;
    if (source.runs.some(({ code, position, hidden, href }) => code || position || hidden || href))
      block.content = new MarkedContent(source.runs).apply(block.content ?? []);
    const { textBoxes } = source;
    return textBoxes && this.#boxes.delete(textBoxes) ? toParagraphs(textBoxes) : [];
  }

  #codeBlock(block: OfficeBlock): OfficeBlock[] {
    const paragraphs = this.#paragraphsOf(block.text ?? '');
    this.#first ??= paragraphs[0];
    return paragraphs.length ? splitCodeBlock(block, paragraphs) : [block];
  }

  /**
   * The paragraphs in a row whose text together is that of a code block; none if there are no such
   * paragraphs.
   */
  #paragraphsOf(text: string): SourceParagraph[] {
    const wanted = visibleText(text);
    let beginning = '';
    for (const line of text.split('\n').slice(0, MAX_CODE_LINES)) {
      beginning += visibleText(line);
      const places = beginning === '' ? undefined : this.#waiting.get(beginning);
      const first = places?.at(-1);
      if (first === undefined) continue;
      let last = first;
      let found = '';
      while (found.length < wanted.length && last < this.#paragraphs.length)
        found += keyOf(this.#paragraphs[last++] as SourceParagraph);
      if (found !== wanted) continue;
      places?.pop();
      return this.#paragraphs.slice(first, last);
    }
    return [];
  }
}
