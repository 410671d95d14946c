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

/** Groups rules that cross or touch. Each group that encloses at least one cell is a grid. */
export function findGrids({ horizontal, vertical }: Rules): Grid[] {
  if (horizontal.length < 2 || vertical.length < 2) return [];
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
  return [...groups.values()]
    .map((rules) => ({ rules, xs: positions(rules.vertical), ys: positions(rules.horizontal) }))
    .filter(({ xs, ys }) => xs.length > 1 && ys.length > 1);
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
