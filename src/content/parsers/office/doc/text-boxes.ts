import type { SourceParagraph } from '../source/source-paragraphs.ts';
import type { WordFile } from './word-file.ts';

/**
 * Sizes in bytes of what is stored of a shape beside its place (Spa, MS-DOC 2.9.253), and of a text box
 * (FTXBXS, 2.9.104).
 */
const [ANCHOR, TEXT_BOX] = [26, 22];
/** Offset of the number of the shape in what is stored of a text box. */
const SHAPE = 14;

/** A text box in the body of a document. Places count characters from the beginning of all texts. */
export interface TextBox {
  /** Where the box is anchored; absent for boxes in groups, of which only the group is anchored. */
  anchor?: number;
  /** Where its own text begins, and the place behind that. */
  start: number;
  end: number;
}

/**
 * Reads where the text boxes of a document are anchored, and where their texts are (MS-DOC 2.8.32 and
 * 2.8.37).
 */
export function readTextBoxes(file: WordFile): TextBox[] {
  const anchors = new Map<number, number>();
  for (const { start, data } of entriesOf(file.structure('anchors'), ANCHOR))
    anchors.set(data.readUInt32LE(0), start);
  const textsStart = file.startOfTextBoxes;
  return entriesOf(file.structure('textBoxes'), TEXT_BOX).map(({ start, end, data }) => {
    const anchor = anchors.get(data.readUInt32LE(SHAPE));
    return {
      start: textsStart + start,
      end: textsStart + end,
      ...(anchor === undefined ? {} : { anchor }),
    };
  });
}

/** A paragraph, and where it begins and ends, counted in characters from the beginning of all texts. */
export interface PlacedParagraph {
  paragraph: SourceParagraph;
  start: number;
  end: number;
}

/**
 * Adds text boxes to the last paragraphs with text that begin before their anchors.
 * @param read all paragraphs in the order of their places, those in text boxes too, which are left out of the
 * result
 */
export function withTextBoxes(
  read: readonly PlacedParagraph[],
  boxes: readonly TextBox[],
): SourceParagraph[] {
  const taken = new Set<PlacedParagraph>();
  const contents = boxes.map(({ anchor = Number.POSITIVE_INFINITY, start, end }) => {
    const content: string[] = [];
    for (let place = firstFrom(read, start); (read[place]?.end ?? Number.POSITIVE_INFINITY) <= end; place++) {
      const placed = read[place] as PlacedParagraph;
      // Boxes of damaged files share paragraphs.
      if (taken.has(placed)) break;
      taken.add(placed);
      content.push(textOf(placed));
    }
    return { anchor, content: content.filter(Boolean) };
  });
  const others = read.filter((placed) => !taken.has(placed) && placed.paragraph.runs.length > 0);
  for (const { anchor, content } of contents) {
    if (content.length === 0) continue;
    if (others.length === 0) others.push({ paragraph: { runs: [] }, start: 0, end: 0 });
    const placed = others[Math.max(0, firstFrom(others, anchor + 1) - 1)] as PlacedParagraph;
    placed.paragraph.textBoxes ??= [];
    placed.paragraph.textBoxes.push(...content);
  }
  return others.map(({ paragraph }) => paragraph);
}

/** The place of the first paragraph that begins at a character or behind it. */
function firstFrom(paragraphs: readonly PlacedParagraph[], character: number): number {
  let [low, high] = [0, paragraphs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((paragraphs[middle]?.start ?? 0) >= character) high = middle;
    else low = middle + 1;
  }
  return low;
}

const textOf = ({ paragraph }: PlacedParagraph) =>
  paragraph.runs
    .filter(({ hidden }) => !hidden)
    .map(({ text }) => text)
    .join('')
    .trim();

/** The entries of a list of places and data (PLC, MS-DOC 2.2.2). */
function entriesOf(list: Buffer, bytes: number): { start: number; end: number; data: Buffer }[] {
  const count = Math.max(0, Math.floor((list.length - 4) / (4 + bytes)));
  const dataAt = 4 * (count + 1);
  return Array.from({ length: count }, (_, place) => ({
    start: list.readUInt32LE(4 * place),
    end: list.readUInt32LE(4 * place + 4),
    data: list.subarray(dataAt + bytes * place, dataAt + bytes * (place + 1)),
  }));
}
