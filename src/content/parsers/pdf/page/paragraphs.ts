import { type Box, centerY, median, unionOf } from '../boxes.ts';
import type { Line, PdfListItem, PdfTextBlock } from '../types.ts';
import { codePitches, continuesBesideCode, isCode, isInSameCode, toCode } from './code.ts';
import { hasField } from './form-fields.ts';
import {
  beginsBelowItem,
  beginsClause,
  endWithAmounts,
  hangsBelow,
  hasWideGap,
  wouldFit,
} from './line-breaks.ts';
import { lineText } from './lines.ts';
import { listMarker } from './lists.ts';
import { isRightToLeft } from './text-direction.ts';

/** Maximum distance of lines in a paragraph, as a multiple of the usual distance. */
const MAX_PITCH = 1.3;
/** Factor between the font sizes of two lines from which they belong to different blocks. */
const SIZE_STEP = 1.08;
const SENTENCE_END = /[.!?:;。！？]["'”’)\]]*$/;
const LOWER_START = /^\p{Ll}/u;
const UPPER_START = /^["'“‘(]?[\p{Lu}\d]/u;

/**
 * Groups lines into paragraphs, list items and code.
 * @param column the whole column of the page, which may have tables above and below the lines that are wider
 * than these
 */
export function toTextBlocks(
  lines: readonly Line[],
  column: Box,
  page: number,
): (PdfTextBlock | PdfListItem)[] {
  const pitches = { text: usualPitches(lines), code: codePitches(lines) };
  const blocks: (PdfTextBlock | PdfListItem)[] = [];
  let group: Line[] = [];
  let marker: string | undefined;
  const close = () => {
    if (!marker && isContents(group))
      blocks.push(...group.map((line) => toBlock([withoutLeader(line)], undefined, page)));
    else if (group.length > 0) blocks.push(toBlock(group, marker, page));
    group = [];
    marker = undefined;
  };
  lines.forEach((line, place) => {
    const before = group.at(-1);
    const text = lineText(line);
    const mark = isCode(line) ? undefined : listMarker(line, text);
    if (before && (mark || breaksBefore(before, line, lines[place + 1], group, column, pitches, marker)))
      close();
    if (group.length === 0) marker = mark;
    group.push(line);
  });
  close();
  return blocks;
}

/** The usual distances of lines in points, by font size. */
interface Pitches {
  text: ReadonlyMap<number, number>;
  code: ReadonlyMap<number, number>;
}

/** Number of distances that tell the usual one of lines in larger type than most. */
const MIN_PITCHES = 3;
/** The distance up to which fewer of them are believed, as a multiple of the font size. */
const MIN_RATIO = 1.3;

/**
 * The usual distance of a line from the line above in points, by font size. Two headings below each other have
 * one distance, too, so in larger type few distances tell no more than those of the text.
 */
function usualPitches(lines: readonly Line[]): Map<number, number> {
  const bySize = new Map<number, number[]>();
  for (let place = 1; place < lines.length; place++) {
    const [above, line] = [lines[place - 1] as Line, lines[place] as Line];
    if (above.style.size !== line.style.size) continue;
    const pitch = centerY(line) - centerY(above);
    if (pitch > 2.2 * line.style.size) continue;
    const pitches = bySize.get(line.style.size);
    if (pitches) pitches.push(pitch);
    else bySize.set(line.style.size, [pitch]);
  }
  const most = [...bySize].reduce((best, each) => (each[1].length > best[1].length ? each : best), [
    Infinity,
    [],
  ] as [number, number[]]);
  const limit = Math.max(MIN_RATIO, median(most[1]) / most[0]);
  return new Map(
    Array.from(bySize, ([size, pitches]) => {
      const isTold = size <= most[0] || pitches.length >= MIN_PITCHES;
      return [size, isTold ? median(pitches) : Math.min(median(pitches), limit * size)];
    }),
  );
}

function breaksBefore(
  before: Line,
  line: Line,
  after: Line | undefined,
  group: readonly Line[],
  column: Box,
  pitches: Pitches,
  marker: string | undefined,
): boolean {
  const { size } = line.style;
  const isFar = centerY(line) - centerY(before) > 2 * size;
  if (hasField(line)) return true;
  if (hasField(before)) return isFar || !LOWER_START.test(lineText(line));
  if (isCode(before) !== isCode(line)) {
    const text = (isCode(line) ? before : line).style.size;
    const maxStep = MAX_PITCH * (pitches.text.get(text) ?? 1.25 * text);
    return !continuesBesideCode(line, group, maxStep, column);
  }
  const ratio = size / before.style.size;
  if (ratio > SIZE_STEP || ratio < 1 / SIZE_STEP) return true;
  const pitch = pitches.text.get(size) ?? 1.25 * size;
  const step = centerY(line) - centerY(before);
  if (isCode(line) && isCode(group[0] as Line))
    return isAllBold(before) !== isAllBold(line) && step > MAX_PITCH * pitch
      ? true
      : !isInSameCode(line.top - before.top, pitches.code.get(size) ?? pitch);
  if (step > MAX_PITCH * pitch || step < 0) return true;
  // PDFium reports the style of the first word for a whole line. So a full line in another style than the
  // next one may be text that begins with emphasis, but a short line is a block of its own.
  const isFull = before.right > column.right - 0.15 * (column.right - column.left);
  if (!isFull && isAllBold(before) !== isAllBold(line)) return true;
  if (!isFull && group.length === 1 && isAllItalic(before) && !isAllItalic(line)) return true;
  if (group.length === 1 && isCentered(before, column) && line.left < column.left + 0.5 * size) return true;
  if (beginsAnotherHeading(before, line, step, column)) return true;
  if ((hasWideGap(before) && hasWideGap(line)) || endWithAmounts(before, line)) return true;
  const first = group[0] as Line;
  if (wouldFit(before, line, column) && beginsClause(line)) return true;
  if (marker && beginsBelowItem(before, line, first, column)) return true;
  // A line to the left of the marker does not belong to the list item, unless the marker is indented.
  if (marker && line.left < first.left - 0.5 * size && !continuesIndented(line, group, column)) return true;
  if (marker && beginsIndented(line, after, group)) return true;
  if (
    marker &&
    line.left <= first.left + 0.3 * size &&
    group.length > 1 &&
    (group[1] as Line).left > first.left + 0.7 * size
  )
    return true;
  if (continuesTitle(first, line)) return false;
  if (!marker && isIndented(before, line, after, group, column, size)) return true;
  const isShort = before.right < column.right - Math.max(3 * size, 0.12 * (column.right - column.left));
  return (
    isShort &&
    SENTENCE_END.test(lineText(before)) &&
    UPPER_START.test(lineText(line)) &&
    !isRagged(group, column)
  );
}

/**
 * Whether a line goes on with an item whose first line is indented with its marker: the line above is full, or
 * begins where this one does.
 */
function continuesIndented(line: Line, group: readonly Line[], column: Box): boolean {
  const before = group.at(-1) as Line;
  if (group.length > 1) return Math.abs(line.left - before.left) < 0.3 * line.style.size;
  return !wouldFit(before, line, column) && !SENTENCE_END.test(lineText(before));
}

/**
 * Whether a line below an item is the first one of a paragraph: it begins elsewhere than the text of the item,
 * and the line below it to the left of the item.
 */
function beginsIndented(line: Line, after: Line | undefined, group: readonly Line[]): boolean {
  const [first, second] = group as [Line, Line?];
  const shift = 0.3 * line.style.size;
  const text = second?.left ?? first.words[1]?.left ?? first.left;
  if (!after || Math.abs(line.left - text) < shift) return false;
  return after.left < first.left - shift && after.left < line.left - shift;
}

/** Minimum distance of two headings, as a multiple of the font size. The lines of one heading are closer. */
const MIN_HEADING_STEP = 1.45;

/**
 * Whether two bold lines are two headings: they are farther apart than the lines of one, and the first word
 * of the second one would have fitted into the first one.
 */
function beginsAnotherHeading(before: Line, line: Line, step: number, column: Box): boolean {
  if (step < MIN_HEADING_STEP * line.style.size || !isAllBold(before) || !isAllBold(line)) return false;
  const [word] = line.words as [Line['words'][number]];
  return before.right + word.right - word.left + line.style.size < column.right;
}

const SECTION_NUMBER = /^(?:\d+(?:\.\d+)+|\d+\.)$/;

/** Whether a bold line goes on below the title of a heading, to the right of its number. */
function continuesTitle(first: Line, line: Line): boolean {
  const [number, word] = first.words;
  if (!number || !word || !SECTION_NUMBER.test(number.text) || !isAllBold(first) || !isAllBold(line))
    return false;
  return Math.abs(line.left - word.left) < 0.3 * line.style.size;
}

/** Whether a line stands in the middle of its column, far from both edges, as a title does. */
function isCentered({ left, right, style: { size } }: Line, column: Box): boolean {
  const [before, behind] = [left - column.left, column.right - right];
  return before > 3 * size && Math.abs(before - behind) < size;
}

/** Whether a line is indented and the lines around it are not, so that it begins a paragraph. */
function isIndented(
  before: Line,
  line: Line,
  after: Line | undefined,
  group: readonly Line[],
  column: Box,
  size: number,
): boolean {
  if (isRightToLeft(line.words))
    return column.right - line.right > 0.9 * size && column.right - before.right < 0.5 * size;
  if (group.length === 1 && hangsBelow(before, line)) return false;
  const indent = line.left - before.left;
  if (indent < 0.9 * size || indent > 6 * size) return false;
  if (before.left > column.left + 0.5 * size && group.length > 1) return false;
  return !after || after.left < line.left - 0.5 * size;
}

/**
 * Whether most lines end far from the right edge, as in poems. There, a short line does not end a paragraph.
 */
const isRagged = (group: readonly Line[], column: Box) =>
  group.length > 3 &&
  group.filter(({ right }) => right < column.right - 0.12 * (column.right - column.left)).length >
    0.6 * group.length;

/** Whether all words of a line are in italics. */
export const isAllItalic = ({ words }: Line) => words.every(({ style }) => style.italic);

/**
 * Whether the lines are entries of a list such as a table of contents: most of them end with a page number,
 * or all have dot leaders.
 */
const isContents = (lines: readonly Line[]) =>
  (lines.length > 2 && lines.filter(endsWithPage).length > 0.7 * lines.length) ||
  (lines.length > 1 && lines.every((line) => LEADER.test(lineText(line))));

/** Dots between an entry and a number at the end of the line, such as a page number or a price. */
const LEADER = /\p{L}.*(?:(?:\. ?){5,}|…{2,})\s*\P{L}*\d\P{L}*$/u;

/** An entry of contents without the dots before its number. */
const withoutLeader = (line: Line): Line => ({
  ...line,
  words: line.words.filter(({ isLeader }) => !isLeader),
});

const NUMBER_END = /[\divxlc]$/i;
const PAGE_NUMBER_END = /[\s.](\d{1,4}(?:[-–]\d{1,4})?|[ivxlc]{1,6})$/i;

/** Whether a line has text and ends with a page number. */
function endsWithPage(line: Line): boolean {
  // Saves the time of joining the words of most lines.
  if (!NUMBER_END.test(line.words.at(-1)?.text ?? '')) return false;
  const text = lineText(line);
  const number = text.search(PAGE_NUMBER_END);
  return number > 0 && /\p{L}/u.test(text.slice(0, number));
}

/** Whether all words of a line are monospaced. */
export const isMonospaced = ({ words }: Line) => words.every(({ style }) => style.monospaced);

/** Whether all words of a line are bold. */
export const isAllBold = ({ words }: Line) => words.every(({ style }) => style.bold);

function toBlock(lines: Line[], marker: string | undefined, page: number): PdfTextBlock | PdfListItem {
  const box = unionOf(lines);
  if (marker) {
    const ordered = /[\da-z]/i.test(marker) && marker !== 'o';
    return { kind: 'item', ...box, page, lines, marker, depth: 0, ordered };
  }
  if (isCode(lines[0] as Line) && lines.every(isCode)) return toCode(lines, page);
  const rightToLeft = lines.some(({ words }) => isRightToLeft(words));
  return { kind: 'paragraph', ...box, page, lines, ...(rightToLeft ? { rightToLeft } : {}) };
}
