import { type Box, centerY, containsCenter, heightOf, widthOf } from '../boxes.ts';
import type { FormField, Rules, Word } from '../types.ts';

/** Range of the size of check boxes, in points. */
const MIN_SIZE = 5.5;
const MAX_SIZE = 17;
/** Maximum difference of width and height, as a share of the height. */
const MAX_DIFFERENCE = 0.15;
/** Maximum distance of a side of a box from the stroke that draws it, in points. */
const TOLERANCE = 2;
/** Maximum distance of the cells of a grid, such as the boxes for the digits of a number, in points. */
const MAX_GAP = 2;
/** Minimum size of a mark, and maximum size of a filled square that is one, as shares of the box. */
const MIN_MARK = 0.35;
const MAX_MARK = 0.85;
/** Maximum difference of the boxes of a shape that is drawn twice, in points. */
const SAME = 0.5;
/** Limits the time for drawings. */
const MAX_SQUARES = 400;
/** Characters that tick a box. */
const MARK = /^[xX✓✔✗✘×✕✖☓■●]$/u;

interface Shape {
  bbox: { x: number; y: number; width: number; height: number };
  stroke: boolean;
  fill: boolean;
  fillColor?: string;
}

interface Stroke {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  stroke: boolean;
  fill: boolean;
}

/** What a page has beside its words once its check boxes are known. */
interface WithoutBoxes {
  boxes: FormField[];
  words: Word[];
  rules: Rules;
}

/**
 * Finds check boxes that a page draws as squares, empty or with a tick, a cross, a filled square or a letter
 * inside. Squares that touch each other are cells, and coloured ones without a mark are keys of charts.
 * @param page.fields the fields of the form, which are read by themselves
 * @returns the boxes, and the words and rules of the page without those of the boxes
 */
export function findDrawnBoxes(
  { shapes, strokes }: { shapes: readonly Shape[]; strokes: readonly Stroke[] },
  page: { words: Word[]; rules: Rules; fields: readonly FormField[] },
): WithoutBoxes {
  const squares = shapes.filter(isSmallSquare);
  if (squares.length === 0 || squares.length > MAX_SQUARES) return { boxes: [], ...page };
  const short = strokes.filter(
    (stroke) => Math.max(widthOfStroke(stroke), heightOfStroke(stroke)) <= MAX_SIZE,
  );
  const frames = outermost(squares.filter((shape) => hasFourSides(toBox(shape), short)).map(toBox));
  const marks: Word[] = [];
  const boxes = frames.flatMap((frame): FormField[] => {
    if (frames.some((other) => other !== frame && touches(frame, other))) return [];
    if (page.fields.some((field) => containsCenter(field, frame))) return [];
    const inside = shapes.filter((shape) => containsCenter(frame, toBox(shape)) && isWithin(shape, frame));
    const letters = page.words.filter((word) => MARK.test(word.text) && containsCenter(frame, word));
    const checked = letters.length > 0 || hasMark(inside, frame, short);
    if (!checked && inside.some(isColoured)) return [];
    marks.push(...letters);
    return [{ ...frame, type: 'checkbox', value: '', checked, isDrawn: true }];
  });
  if (boxes.length === 0) return { boxes, ...page };
  const { horizontal, vertical } = page.rules;
  return {
    boxes,
    words: page.words.filter((word) => !marks.includes(word)),
    rules: {
      horizontal: horizontal.filter(
        ({ at, from, to }) =>
          !boxes.some((box) => liesIn({ left: from, right: to, top: at, bottom: at }, box)),
      ),
      vertical: vertical.filter(
        ({ at, from, to }) =>
          !boxes.some((box) => liesIn({ left: at, right: at, top: from, bottom: to }, box)),
      ),
    },
  };
}

const toBox = ({ bbox: { x, y, width, height } }: Shape): Box => ({
  left: x,
  top: y,
  right: x + width,
  bottom: y + height,
});

const isSmallSquare = ({ bbox: { width, height } }: Shape) =>
  height >= MIN_SIZE && height <= MAX_SIZE && Math.abs(width - height) <= MAX_DIFFERENCE * height;

const widthOfStroke = ({ x1, x2 }: Stroke) => Math.abs(x2 - x1);
const heightOfStroke = ({ y1, y2 }: Stroke) => Math.abs(y2 - y1);

/** Whether strokes run along all sides of a box, which tells it from a cross or a circle. */
function hasFourSides(box: Box, strokes: readonly Stroke[]): boolean {
  const isLong = (length: number) => length > heightOf(box) / 2;
  const isNear = (a: number, b: number) => Math.abs(a - b) <= TOLERANCE;
  const level = strokes.filter(
    (stroke) =>
      heightOfStroke(stroke) < 1 &&
      isLong(widthOfStroke(stroke)) &&
      isBeside(stroke.x1, stroke.x2, box.left, box.right),
  );
  const upright = strokes.filter(
    (stroke) =>
      widthOfStroke(stroke) < 1 &&
      isLong(heightOfStroke(stroke)) &&
      isBeside(stroke.y1, stroke.y2, box.top, box.bottom),
  );
  return (
    level.some(({ y1 }) => isNear(y1, box.top)) &&
    level.some(({ y1 }) => isNear(y1, box.bottom)) &&
    upright.some(({ x1 }) => isNear(x1, box.left)) &&
    upright.some(({ x1 }) => isNear(x1, box.right))
  );
}

/** Whether a stroke lies between two places, with a tolerance. */
const isBeside = (a: number, b: number, from: number, to: number) =>
  Math.min(a, b) >= from - TOLERANCE && Math.max(a, b) <= to + TOLERANCE;

/** The boxes that are in no other one; of boxes at the same place, the first one. */
const outermost = (boxes: readonly Box[]) =>
  boxes.filter(
    (box, place) =>
      !boxes.some(
        (other, at) =>
          other !== box &&
          containsCenter(other, box) &&
          (widthOf(other) > widthOf(box) || (widthOf(other) === widthOf(box) && at < place)),
      ),
  );

function touches(one: Box, other: Box): boolean {
  const gapX = Math.max(one.left, other.left) - Math.min(one.right, other.right);
  const gapY = Math.max(one.top, other.top) - Math.min(one.bottom, other.bottom);
  return Math.max(gapX, gapY) < MAX_GAP;
}

/** A mark may go beyond its box, but is not much larger. */
const isWithin = ({ bbox: { width, height } }: Shape, frame: Box) =>
  width < 1.6 * widthOf(frame) && height < 1.6 * heightOf(frame);

/**
 * Whether shapes in a box tick it: there are more outlines than those of squares, or a smaller one is filled.
 * The boxes of outlines do not tell a square from a cross, but only a square has a stroke at its upper side.
 */
function hasMark(shapes: readonly Shape[], frame: Box, strokes: readonly Stroke[]): boolean {
  const sizeOf = ({ bbox: { width, height } }: Shape) => Math.max(width, height) / heightOf(frame);
  const outlines = shapes.filter(({ stroke, fill }, place) => stroke && !fill && !isRepeated(shapes, place));
  const squares = strokes.filter(
    ({ x1, x2, y1, y2, stroke, fill }) =>
      stroke &&
      !fill &&
      Math.abs(y2 - y1) < 1 &&
      Math.abs(y1 - frame.top) <= TOLERANCE &&
      isBeside(x1, x2, frame.left, frame.right),
  );
  const large = outlines.filter((shape) => sizeOf(shape) > MIN_MARK);
  return (
    large.length > squares.length ||
    shapes.some((shape) => isColoured(shape) && sizeOf(shape) > MIN_MARK && sizeOf(shape) < MAX_MARK)
  );
}

/** Whether a shape is drawn once more at the same place. */
const isRepeated = (shapes: readonly Shape[], place: number) => {
  const { x, y, width, height } = (shapes[place] as Shape).bbox;
  return shapes
    .slice(place + 1)
    .some(
      ({ bbox }) =>
        Math.abs(bbox.x - x) +
          Math.abs(bbox.y - y) +
          Math.abs(bbox.width - width) +
          Math.abs(bbox.height - height) <
        SAME,
    );
};

const isColoured = ({ fill, fillColor }: Shape) => fill && !/f[a-f]f[a-f]f[a-f]$/i.test(fillColor ?? '');

const liesIn = (rule: Box, box: Box) =>
  rule.left >= box.left - TOLERANCE &&
  rule.right <= box.right + TOLERANCE &&
  centerY(rule) >= box.top - TOLERANCE &&
  centerY(rule) <= box.bottom + TOLERANCE;
