import type { Component } from './components.ts';
import { present } from './present.ts';
import type { Room, Styles } from './survey.ts';

/** The measure of a page. */
export interface Spacing {
  /** CSS pixels, of which paddings and gaps are multiples. */
  baseUnit?: number;
  /** As CSS. */
  borderRadius?: string;
  /** CSS pixels, by what has them inside: `buttonVertical`, `sectionHorizontal`. */
  padding?: Record<string, number>;
  /** CSS pixels between what stands below each other, by what has them: `paragraph`, `heading`. */
  margins?: Record<string, number>;
}

/** In the order in which designers choose them; 4 goes into everything that 8 goes into. */
const UNITS = [8, 4, 10, 5, 6];
/** The part of the lengths that has to be a multiple. */
const LEAST_SHARE = 0.85;
/** Fewer lengths show no measure. */
const LEAST_LENGTHS = 4;

/** Judges the measure of a page; `components` are those that it is recognised by. */
export function spacingOf(
  { spaces, radii, paddings, margins }: Styles,
  components: (Component | undefined)[],
): Spacing {
  const total = spaces.reduce((sum, [, count]) => sum + count, 0);
  const shareOf = (unit: number) =>
    spaces.reduce((sum, [length, count]) => sum + (length % unit === 0 ? count : 0), 0) / total;
  const baseUnit = total < LEAST_LENGTHS ? undefined : UNITS.find((unit) => shareOf(unit) >= LEAST_SHARE);
  const counts = new Map(radii);
  // A page with square buttons means it.
  for (const each of components)
    if (each) counts.set(each.borderRadius, (counts.get(each.borderRadius) ?? 0) + COMPONENT_COUNT);
  const [usual] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  return present({
    baseUnit,
    borderRadius: usual,
    padding: usualRooms(
      paddings,
      ({ of, side }) => `${of}${side === 'vertical' ? 'Vertical' : 'Horizontal'}`,
    ),
    margins: usualRooms(margins, ({ of }) => of),
  });
}

/** The room that occurs most often under each name; of equals the first. */
function usualRooms(rooms: Room[], nameOf: (room: Room) => string): Record<string, number> | undefined {
  const usual = new Map<string, Room>();
  for (const room of rooms) {
    const known = usual.get(nameOf(room));
    if (!known || room.count > known.count) usual.set(nameOf(room), room);
  }
  const lengths = [...usual].map(([name, { length }]) => [name, length] as const);
  return lengths.length ? Object.fromEntries(lengths) : undefined;
}

/** How many boxes a button or a field counts for. */
const COMPONENT_COUNT = 2;
