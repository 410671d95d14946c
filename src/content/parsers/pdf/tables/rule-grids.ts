import { median } from '../boxes.ts';
import type { Rule, Rules } from '../types.ts';

/** Maximum distance of rules that count as touching, in points. */
const TOLERANCE = 3;

/** A group of connected rules and their positions. */
export interface Grid {
  rules: Rules;
  /** Distinct positions of the vertical rules, from left to right. */
  xs: number[];
  /** Distinct positions of the horizontal rules, from top to bottom. */
  ys: number[];
}

/**
 * Groups rules that cross or touch. Each group that encloses at least one cell is a grid.
 * @returns the grids, and the groups with only one position of horizontal rules
 */
export function findGrids({ horizontal, vertical }: Rules): { grids: Grid[]; crossed: Grid[] } {
  if (horizontal.length < 1 || vertical.length < 1) return { grids: [], crossed: [] };
  const parents = Array.from({ length: horizontal.length + vertical.length }, (_, place) => place);
  const rootOf = (place: number): number => {
    let root = place;
    while (parents[root] !== root) root = parents[root] as number;
    parents[place] = root;
    return root;
  };
  horizontal.forEach((across, row) => {
    vertical.forEach((down, column) => {
      if (crosses(across, down)) parents[rootOf(row)] = rootOf(horizontal.length + column);
    });
  });
  const groups = new Map<number, Rules>();
  const groupOf = (place: number) => {
    const root = rootOf(place);
    const group = groups.get(root) ?? { horizontal: [], vertical: [] };
    groups.set(root, group);
    return group;
  };
  horizontal.forEach((rule, place) => {
    groupOf(place).horizontal.push(rule);
  });
  vertical.forEach((rule, place) => {
    groupOf(horizontal.length + place).vertical.push(rule);
  });
  const found = [...groups.values()].map((rules) => ({
    rules,
    xs: positions(rules.vertical),
    ys: positions(rules.horizontal),
  }));
  return {
    grids: found.map(withOpenSides).filter(({ xs, ys }) => xs.length > 1 && ys.length > 1),
    crossed: found.filter(({ xs, ys }) => xs.length > 0 && ys.length === 1),
  };
}

/** Minimum number of rules between the rows of a table without rules at its sides. */
const MIN_OPEN_RULES = 3;
/** Minimum width of the column at such a side, in points. */
const MIN_OPEN_WIDTH = 12;

/**
 * Adds the sides of a table that has rules between its columns and rows, but none at its sides: there, the
 * horizontal rules end, and the vertical ones are not longer than the table.
 */
function withOpenSides(grid: Grid): Grid {
  const { rules, xs, ys } = grid;
  if (ys.length < MIN_OPEN_RULES) return grid;
  const [top, bottom] = [ys[0] as number, ys.at(-1) as number];
  if (rules.vertical.some(({ from, to }) => from < top - TOLERANCE || to > bottom + TOLERANCE)) return grid;
  const left = sharedEnd(rules.horizontal.map(({ from }) => from));
  const right = sharedEnd(rules.horizontal.map(({ to }) => to));
  const added = [...xs];
  if (left !== undefined && left < (xs[0] as number) - MIN_OPEN_WIDTH) added.unshift(left);
  if (right !== undefined && right > (xs.at(-1) as number) + MIN_OPEN_WIDTH) added.push(right);
  return { rules, xs: added, ys };
}

/** The position at which nearly all rules end. */
function sharedEnd(ends: readonly number[]): number | undefined {
  const usual = median(ends);
  const near = ends.filter((end) => Math.abs(end - usual) < TOLERANCE);
  return near.length >= MIN_OPEN_RULES && near.length > 0.8 * ends.length ? usual : undefined;
}

const crosses = (across: Rule, down: Rule) =>
  down.at >= across.from - TOLERANCE &&
  down.at <= across.to + TOLERANCE &&
  across.at >= down.from - TOLERANCE &&
  across.at <= down.to + TOLERANCE;

function positions(rules: readonly Rule[]): number[] {
  const found: number[] = [];
  for (const { at } of [...rules].sort((a, b) => a.at - b.at))
    if (found.length === 0 || at - (found.at(-1) as number) > TOLERANCE) found.push(at);
  return found;
}

/** Whether the rules at the position `at` cover at least 60% of the distance between `from` and `to`. */
export function isCovered(rules: readonly Rule[], at: number, from: number, to: number): boolean {
  let covered = 0;
  for (const rule of rules)
    if (Math.abs(rule.at - at) <= TOLERANCE)
      covered += Math.max(0, Math.min(rule.to, to) - Math.max(rule.from, from));
  return covered >= 0.6 * (to - from);
}
