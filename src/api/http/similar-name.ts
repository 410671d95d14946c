/** Edits that a typing error has at most, by which a name is still recognised. */
const MAX_EDITS = 2;

/**
 * Finds the name that was probably meant by one that is unknown.
 * @returns the one with the fewest edits; `undefined` if none is similar
 */
export function findSimilarName(unknown: string, names: readonly string[]): string | undefined {
  const wanted = unknown.toLowerCase();
  const ranked = names
    .map((name) => ({ name, edits: rate(wanted, name.toLowerCase()) }))
    .filter(({ edits }) => edits <= MAX_EDITS)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.name;
}

/** Rates how far a name is from what was written: the edits between them; one for a part of it. */
function rate(written: string, name: string): number {
  if (written.length > name.length + MAX_EDITS) return Number.POSITIVE_INFINITY;
  const isPart = written.length >= 3 && (name.startsWith(written) || name.endsWith(written));
  return isPart ? 1 : countEdits(written, name);
}

/** Counts the insertions, deletions and replacements between two names (Levenshtein distance). */
function countEdits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (let column = 0; column < to.length; column++)
      current.push(
        Math.min(
          above[column + 1]! + 1,
          current[column]! + 1,
          above[column]! + (letter === to[column] ? 0 : 1),
        ),
      );
    above = current;
  }
  return above[to.length]!;
}
