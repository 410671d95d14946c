import type { Rule, Rules } from '../types.ts';

/** Maximum thickness of a filled rectangle that counts as a stroke, in points. */
const MAX_THICKNESS = 3;
/** Maximum gap between strokes that form one rule, in points. */
const MAX_GAP = 2.5;
/** Maximum distance of such strokes across their direction, in points. */
const MAX_OFFSET = 1.2;
/** Minimum length of a stroke, in points. */
const MIN_LENGTH = 3;
/** Limits the time for drawings. */
const MAX_STROKES = 20_000;

interface Shape {
  bbox: { x: number; y: number; width: number; height: number };
  stroke: boolean;
  fill: boolean;
  fillColor?: string;
  hasCurve: boolean;
}

interface Stroke {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** Finds the horizontal and vertical rules among the vector graphics of a page. */
export function findRules(shapes: readonly Shape[], strokes: readonly Stroke[]): Rules {
  const horizontal: Rule[] = [];
  const vertical: Rule[] = [];
  for (const { x1, y1, x2, y2 } of strokes.slice(0, MAX_STROKES)) {
    if (Math.abs(y2 - y1) < 1) addRule(horizontal, (y1 + y2) / 2, x1, x2);
    else if (Math.abs(x2 - x1) < 1) addRule(vertical, (x1 + x2) / 2, y1, y2);
  }
  for (const { bbox, fill, fillColor, hasCurve } of shapes.slice(0, MAX_STROKES)) {
    const { x, y, width, height } = bbox;
    if (hasCurve) continue;
    if (height <= MAX_THICKNESS && width > height * 2) addRule(horizontal, y + height / 2, x, x + width);
    else if (width <= MAX_THICKNESS && height > width * 2) addRule(vertical, x + width / 2, y, y + height);
    else if (fill && !isWhite(fillColor)) {
      // The edges of a coloured cell separate it from its neighbours like rules.
      addRule(horizontal, y, x, x + width);
      addRule(horizontal, y + height, x, x + width);
      addRule(vertical, x, y, y + height);
      addRule(vertical, x + width, y, y + height);
    }
  }
  return { horizontal: mergeRules(horizontal), vertical: mergeRules(vertical) };
}

const isWhite = (color: string | undefined) => color !== undefined && /f[a-f]f[a-f]f[a-f]$/i.test(color);

function addRule(rules: Rule[], at: number, a: number, b: number): void {
  if (Math.abs(b - a) >= MIN_LENGTH) rules.push({ at, from: Math.min(a, b), to: Math.max(a, b) });
}

/** Joins collinear strokes that touch or overlap. */
function mergeRules(rules: Rule[]): Rule[] {
  rules.sort((a, b) => a.at - b.at);
  const merged: Rule[] = [];
  for (let start = 0, end = 0; start < rules.length; start = end) {
    const { at } = rules[start] as Rule;
    while (end < rules.length && (rules[end] as Rule).at - at <= MAX_OFFSET) end++;
    let last: Rule | undefined;
    for (const rule of rules.slice(start, end).sort((a, b) => a.from - b.from)) {
      if (last && rule.from <= last.to + MAX_GAP) last.to = Math.max(last.to, rule.to);
      else {
        last = { ...rule };
        merged.push(last);
      }
    }
  }
  return merged;
}
