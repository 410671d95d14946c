/**
 * Creates a function that tells whether a text is new, so that a link in the footer of every page is
 * processed once. When the memory is full, it is cleared, so a text may then count as new again.
 * @param most maximum number of texts that are remembered
 * @returns a function that is true for a text on its first call with it
 */
export function createMemory(most: number): (text: string) => boolean {
  const met = new Set<string>();
  return (text) => {
    if (met.has(text)) return false;
    if (met.size >= most) met.clear();
    met.add(text);
    return true;
  };
}
