import type { LinearPattern } from './linear-pattern.ts';
import { type Candidate, compareWithin, type MatchLimits } from './match-limits.ts';

/**
 * Compares lines with a pattern, the shortest first.
 * @returns the lines that it matches; those beyond the limits count as not matched
 */
export function matchingLines(
  { steps, matches }: LinearPattern,
  lines: readonly string[],
  limits: MatchLimits,
): string[] {
  const matched: string[] = [];
  const candidates = lines
    .toSorted((one, other) => one.length - other.length)
    .map(
      (line): Candidate => ({
        steps: steps * (line.length + 1),
        compare: () => void (matches(line) && matched.push(line)),
      }),
    );
  compareWithin(candidates, limits);
  return matched;
}
