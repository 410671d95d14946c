import type { Tag, Word } from '../types.ts';

/** The outermost tags of a type, in their order. */
export function outermost(tags: readonly Tag[], type: string): Tag[] {
  const found: Tag[] = [];
  const stack = [...tags].reverse();
  for (let tag = stack.pop(); tag; tag = stack.pop())
    if (tag.type === type) found.push(tag);
    else stack.push(...[...tag.children].reverse());
  return found;
}

/**
 * The marked-content identifiers in a tag, in their order, without those in tags of the given types within
 * it.
 */
export function contentIds(tag: Tag, without: readonly string[] = []): number[] {
  const ids: number[] = [];
  const stack = [tag];
  for (let top = stack.pop(); top; top = stack.pop()) {
    ids.push(...top.mcids);
    stack.push(...top.children.filter(({ type }) => !without.includes(type)).reverse());
  }
  return ids;
}

/** Finds words by identifiers of marked content, in the order of the identifiers. */
export type FindWords = (ids: readonly number[]) => Word[];

/**
 * Groups the words of a page by the marked content that they are in, and returns a function that looks them
 * up.
 */
export function createFindWords(words: readonly Word[]): FindWords {
  const wordsById = Map.groupBy(words, ({ mcid }) => mcid);
  return (ids) => ids.flatMap((id) => wordsById.get(id) ?? []);
}
