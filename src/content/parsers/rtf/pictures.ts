import type { Inline, OfficeBlock, OfficeModel } from '../office/model.ts';

/** Collects the alternative texts of the pictures in an RTF file, which anydoc loses. */
export class PictureReader {
  /** The alternative text of each picture, empty for pictures without one. */
  readonly descriptions: string[] = [];
  #name = '';
  #description = '';

  /** Text of a property of a picture: of its name (`\sn`) or its value (`\sv`). */
  property(part: 'name' | 'value', text: string): void {
    if (part === 'name') this.#name = text.trim();
    else if (this.#name === 'wzDescription') this.#description += text;
  }

  /** The group of a picture has ended. */
  close(): void {
    this.descriptions.push(this.#description.trim());
    this.#name = '';
    this.#description = '';
  }
}

/**
 * Gives the images of a document their alternative texts, if the file has as many pictures as the document
 * has images.
 */
export function describeImages(model: OfficeModel, descriptions: readonly string[]): void {
  const images = [...imagesIn(model.blocks)];
  if (images.length !== descriptions.length) return;
  for (const [place, image] of images.entries()) image.alt ||= descriptions[place] ?? '';
}

function* imagesIn(blocks: readonly OfficeBlock[]): Generator<Inline> {
  for (const { content = [], blocks: quoted = [], list, table } of blocks) {
    yield* imagesAmong(content);
    yield* imagesIn(quoted);
    for (const item of list?.items ?? []) yield* imagesIn(item.blocks);
    for (const row of table?.grid ?? []) for (const { cell } of row) if (cell) yield* imagesIn(cell.blocks);
  }
}

function* imagesAmong(content: readonly Inline[]): Generator<Inline> {
  for (const inline of content) {
    if (inline.kind === 'image') yield inline;
    yield* imagesAmong(inline.content ?? []);
  }
}
