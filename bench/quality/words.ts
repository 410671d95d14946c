/** How often each word occurs. */
export type WordCounts = Map<string, number>;

/** The words of a text in lower case. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Markdown without the targets of its links, its images, its backslashes and the languages of its code. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\]\((?:[^()]|\([^)]*\))*\)/g, ' ')
    .replace(/(`{3,}|~{3,})[^\n`]*$/gm, '$1')
    .replaceAll('\\', '');

/** Counts words. @param by how often each word counts */
export function countWords(words: Iterable<string>, counts: WordCounts = new Map(), by = 1): WordCounts {
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + by);
  return counts;
}

/** The share of the wanted words that were got, from 0 to 1; 1 if none is wanted. */
export function shareOf(wanted: WordCounts, got: WordCounts): number {
  let all = 0;
  let kept = 0;
  for (const [word, count] of wanted) {
    // A word that a change takes away more often than it was there counts less than zero times.
    all += Math.max(0, count);
    kept += Math.min(Math.max(0, count), got.get(word) ?? 0);
  }
  return all > 0 ? kept / all : 1;
}
