import type { Block, Inline, OfficeModel } from './model.ts';

/** Properties of characters that anydoc loses. */
export interface CharacterMarks {
  code?: boolean;
  position?: 'super' | 'sub';
  /** Whether readers of the document do not see the text. */
  hidden?: boolean;
}

interface Run extends CharacterMarks {
  text: string;
}

/** A paragraph as it is in the file, with the properties that anydoc loses. */
export interface SourceParagraph {
  runs: Run[];
  /** 1 to 6; absent for ordinary text. */
  headingLevel?: number;
}

const visible = (text: string) => text.replace(/\s+/g, '');

/**
 * Adds the marks and heading levels of the file to a document model. The paragraphs are matched by their text without
 * white space; equal ones in their order.
 */
export function addSourceProperties(model: OfficeModel, paragraphs: Iterable<SourceParagraph>): void {
  const byText = new Map<string, SourceParagraph[]>();
  for (const paragraph of paragraphs) {
    const key = visible(paragraph.runs.map(({ text }) => text).join(''));
    if (key === '') continue;
    const same = byText.get(key);
    if (same) same.push(paragraph);
    else byText.set(key, [paragraph]);
  }
  for (const same of byText.values()) same.reverse();
  visitBlocks(model.blocks, byText, false);
  for (const { blocks } of model.notes) visitBlocks(blocks, byText, true);
}

type Waiting = Map<string, SourceParagraph[]>;

function visitBlocks(blocks: Block[], waiting: Waiting, isCell: boolean): void {
  for (const block of blocks) {
    if (block.content) visitParagraph(block, waiting, isCell);
    if (block.blocks) visitBlocks(block.blocks, waiting, isCell);
    for (const item of block.list?.items ?? []) visitBlocks(item.blocks, waiting, isCell);
    for (const row of block.table?.grid ?? [])
      for (const { cell } of row) if (cell) visitBlocks(cell.blocks, waiting, true);
  }
}

function visitParagraph(block: Block, waiting: Waiting, isCell: boolean): void {
  const source = waiting.get(visible(plainText(block.content ?? [])))?.pop();
  if (!source) return;
  if (source.headingLevel && block.kind === 'paragraph' && !isCell) {
    block.kind = 'heading';
    block.level = source.headingLevel;
  }
  if (source.runs.some(({ code, position, hidden }) => code || position || hidden))
    block.content = new MarkedContent(source.runs).apply(block.content ?? []);
}

/** The text of inline content, that of links included. */
export function plainText(content: readonly Inline[]): string {
  return content.map(({ text = '', content = [] }) => text + plainText(content)).join('');
}

/** Splits inline content at the boundaries of runs. Positions are counted in characters that are not white space. */
class MarkedContent {
  readonly #runs: { marks: CharacterMarks; end: number }[] = [];
  #place = 0;
  #run = 0;

  constructor(runs: readonly Run[]) {
    let end = 0;
    for (const { text, ...marks } of runs) {
      end += visible(text).length;
      this.#runs.push({ marks, end });
    }
  }

  apply(content: readonly Inline[]): Inline[] {
    return content.flatMap((inline) => {
      if (inline.content) return [{ ...inline, content: this.apply(inline.content) }];
      return inline.kind === 'text' ? this.#split(inline) : [inline];
    });
  }

  #split(inline: Inline): Inline[] {
    const parts: Inline[] = [];
    let text = '';
    let marks: CharacterMarks | undefined;
    const flush = () => {
      if (text === '') return;
      const { bold = false, italic = false, strike = false, code = false } = inline.style ?? {};
      const { position } = marks ?? {};
      const style = { bold, italic, strike, ...(position && { position }), code: marks?.code || code };
      parts.push({ ...inline, text, style });
      text = '';
    };
    for (const character of (inline.text ?? '').split('')) {
      if (!/\s/.test(character)) {
        while (this.#place >= (this.#runs[this.#run]?.end ?? Number.POSITIVE_INFINITY)) this.#run++;
        const next = this.#runs[this.#run]?.marks ?? {};
        this.#place++;
        if (next.hidden) continue;
        if (marks && (next.code !== marks.code || next.position !== marks.position)) flush();
        marks = next;
      }
      text += character;
    }
    flush();
    return parts;
  }
}
