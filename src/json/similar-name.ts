/** A name without the differences between `maxAge`, `max_age` and `MaxAge`. */
export const plainName = (name: string) => name.replace(/[-_\s]/g, '').toLowerCase();

/** The longest name that is compared with others. */
const MAX_COMPARED = 64;
/** The shortest part by which a name is recognised. */
const MIN_PART = 3;

/**
 * Finds the name that is spelled most like a text: with at most one change for each four of its letters, or
 * with the text as its beginning or end.
 * @returns undefined if none is close
 */
export function findSimilarName(text: string, names: readonly string[]): string | undefined {
  if (text.length > MAX_COMPARED) return undefined;
  const limit = Math.max(1, Math.floor(text.length / 4));
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(plainName(text), plainName(name)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}

/** The edits between two names; one where a name begins or ends with the other one. */
function distanceOf(text: string, name: string): number {
  const isPart = text.length >= MIN_PART && (name.startsWith(text) || name.endsWith(text));
  return isPart ? 1 : editDistance(text, name);
}

/** The number of letters to insert, remove, change or swap with their neighbour (Damerau–Levenshtein). */
function editDistance(a: string, b: string): number {
  let [before, above, row]: number[][] = [
    [],
    Array.from({ length: b.length + 1 }, (_, column) => column),
    [],
  ];
  for (let i = 1; i <= a.length; i++) {
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const least = [row[j - 1]! + 1, above![j]! + 1, above![j - 1]! + (isSame ? 0 : 1)];
      row.push(Math.min(...least, ...(isSwap ? [before![j - 2]! + 1] : [])));
    }
    [before, above] = [above, row];
  }
  return above!.at(-1)!;
}
