/**
 * Tells what was met before, so that a link in every page's footer is judged once. A full memory forgets all: then
 * something may count as new again.
 * @param most how much it remembers
 * @returns true for what it is asked for the first time
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
