import { isWordCode } from './numbers.ts';

/** The least and the most characters of a name. */
const MIN_NAME = 2;
const MAX_NAME = 100;

/**
 * Finds names in a text, word for word, however often they occur. A name is not found within another word.
 */
export function findNames(text: string, names: readonly string[]): { start: number; end: number }[] {
  return names
    .filter(({ length }) => length >= MIN_NAME && length <= MAX_NAME)
    .flatMap((name) => placesOf(text, name));
}

function placesOf(text: string, name: string): { start: number; end: number }[] {
  const places: { start: number; end: number }[] = [];
  for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + name.length)) {
    const end = start + name.length;
    if (isBoundary(text, start) && isBoundary(text, end)) places.push({ start, end });
  }
  return places;
}

/** Whether a name may begin or end at a place, which every place is in scripts without spaces. */
const isBoundary = (text: string, at: number): boolean =>
  !isWordCode(text.charCodeAt(at - 1)) || !isWordCode(text.charCodeAt(at));
