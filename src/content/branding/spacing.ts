import type { SpacingCount, Styles } from './branding-data.ts';
import type { Component } from './components.ts';
import { omitUndefined } from './omit-undefined.ts';

/** The page's spacing system. */
export interface Spacing {
  /** Length in CSS pixels of which paddings and gaps are multiples. */
  baseUnit?: number;
  /** CSS length. */
  borderRadius?: string;
  /** Usual paddings in CSS pixels, by element and side: `buttonVertical`, `sectionHorizontal`. */
  padding?: Record<string, number>;
  /** Usual vertical margins in CSS pixels, by element: `paragraph`, `heading`. */
  margins?: Record<string, number>;
}

/** Candidates, the most common first. 8 precedes 4, because 4 divides all multiples of 8. */
const BASE_UNITS = [8, 4, 10, 5, 6];
/** Share of the lengths that have to be multiples of the base unit. */
const MIN_MULTIPLE_SHARE = 0.85;
/** A base unit cannot be derived from fewer lengths. */
const MIN_LENGTHS = 4;

/**
 * Derives the base unit, the usual corner radius and the usual paddings and margins.
 * @param components primary controls, whose radius counts extra
 */
export function analyzeSpacing(
  { spaces, radii, paddings, margins }: Styles,
  components: (Component | undefined)[],
): Spacing {
  const total = spaces.reduce((sum, [, count]) => sum + count, 0);
  const shareOf = (unit: number) =>
    spaces.reduce((sum, [length, count]) => sum + (length % unit === 0 ? count : 0), 0) / total;
  const baseUnit =
    total < MIN_LENGTHS ? undefined : BASE_UNITS.find((unit) => shareOf(unit) >= MIN_MULTIPLE_SHARE);
  const counts = new Map(radii);
  // Box styles leave out radii of 0, so square corners count only through the components.
  for (const each of components)
    if (each) counts.set(each.borderRadius, (counts.get(each.borderRadius) ?? 0) + COMPONENT_RADIUS_COUNT);
  const [mostCommon] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  return omitUndefined({
    baseUnit,
    borderRadius: mostCommon,
    padding: mostFrequentLengths(
      paddings,
      ({ element, side }) => `${element}${side === 'vertical' ? 'Vertical' : 'Horizontal'}`,
    ),
    margins: mostFrequentLengths(margins, ({ element }) => element),
  });
}

/** Finds the most frequent length for each name; the first of equal ones. */
function mostFrequentLengths(
  counts: SpacingCount[],
  nameOf: (spacing: SpacingCount) => string,
): Record<string, number> | undefined {
  const mostCommon = new Map<string, SpacingCount>();
  for (const spacing of counts) {
    const known = mostCommon.get(nameOf(spacing));
    if (!known || spacing.count > known.count) mostCommon.set(nameOf(spacing), spacing);
  }
  const lengths = [...mostCommon].map(([name, { length }]) => [name, length] as const);
  return lengths.length ? Object.fromEntries(lengths) : undefined;
}

/** Number of boxes that a primary control counts as. */
const COMPONENT_RADIUS_COUNT = 2;
