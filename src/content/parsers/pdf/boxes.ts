/** A rectangle in points. The origin is the top left corner of the page, and y grows downwards. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The width of a box in points. */
export const widthOf = (box: Box) => box.right - box.left;
/** The height of a box in points. */
export const heightOf = (box: Box) => box.bottom - box.top;
/** The x coordinate of the centre of a box. */
export const centerX = (box: Box) => (box.left + box.right) / 2;
/** The y coordinate of the centre of a box. */
export const centerY = (box: Box) => (box.top + box.bottom) / 2;

/** The smallest box around all given boxes, of which there must be at least one. */
export function unionOf(boxes: readonly Box[]): Box {
  const union = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { left, top, right, bottom } of boxes) {
    if (left < union.left) union.left = left;
    if (top < union.top) union.top = top;
    if (right > union.right) union.right = right;
    if (bottom > union.bottom) union.bottom = bottom;
  }
  return union;
}

/**
 * The width in points that two boxes share; if they share none, the negative width of the gap between them.
 */
export const overlapX = (a: Box, b: Box) => Math.min(a.right, b.right) - Math.max(a.left, b.left);
/**
 * The height in points that two boxes share; if they share none, the negative height of the gap between them.
 */
export const overlapY = (a: Box, b: Box) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);

/** Whether the centre of `inner` is inside `outer`, or at most `tolerance` points outside. */
export const containsCenter = (outer: Box, inner: Box, tolerance = 0) => {
  const x = centerX(inner);
  const y = centerY(inner);
  return (
    x >= outer.left - tolerance &&
    x <= outer.right + tolerance &&
    y >= outer.top - tolerance &&
    y <= outer.bottom + tolerance
  );
};

/** The least of some values, or Infinity of none. A page can have more than a call takes as its arguments. */
export function least(values: Iterable<number>): number {
  let found = Infinity;
  for (const value of values) if (value < found) found = value;
  return found;
}

/** The greatest of some values, or -Infinity of none. */
export function greatest(values: Iterable<number>): number {
  let found = -Infinity;
  for (const value of values) if (value > found) found = value;
  return found;
}

/**
 * The median, or 0 for an empty list. Of an even number of values it is the upper one of the two in the
 * middle.
 */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = new Float64Array(values).sort();
  return sorted[sorted.length >> 1] as number;
}
