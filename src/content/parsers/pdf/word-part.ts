import type { Word } from './types.ts';

/** A part of a word, from one character to before another one. The box stays that of the whole word. */
export function wordPart(word: Word, from: number, to: number = word.text.length): Word {
  const { edges, ...rest } = word;
  const part: Word = { ...rest, text: word.text.slice(from, to) };
  if (!edges) return part;
  const [start, end] = [edges[0] - from, edges[1] - (word.text.length - to)].map((count) =>
    Math.min(part.text.length, Math.max(0, count)),
  ) as [number, number];
  return start + end > 0 ? { ...part, edges: [start, end] } : part;
}
