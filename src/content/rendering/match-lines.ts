import { matchingLines } from '../../patterns/line-patterns.ts';
import type { LinearPattern } from '../../patterns/linear-pattern.ts';
import type { MatchLimits } from '../../patterns/match-limits.ts';
import { compilePatterns } from '../../patterns/pattern-list.ts';

/** Lines of a page to compare with the patterns of a monitor. */
export interface LinesTask {
  patterns: readonly string[];
  lines: readonly string[];
  limits: MatchLimits;
}

/** The last patterns of this thread, because the pages of a check come one after the other. */
let last: { key: string; pattern: LinearPattern } | undefined;

/** Compares lines with patterns. @returns those that any of them matches */
export function matchLines({ patterns, lines, limits }: LinesTask): string[] {
  const key = JSON.stringify(patterns);
  if (last?.key !== key) last = { key, pattern: compilePatterns(patterns) };
  return matchingLines(last.pattern, lines, limits);
}
