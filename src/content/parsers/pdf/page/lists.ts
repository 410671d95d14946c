import type { Block, Line, PdfListItem } from '../types.ts';
import { wordPart } from '../word-part.ts';

const BULLET = /^[•◦▪●○■□➢➤►▶✓✔✗❖⁃∙·‣◆◇*–—-]$|^[\uf0b7\uf0a7\uf076\uf0d8\uf0fc]$/;
const BULLET_PREFIX = /^[•◦▪●■➢➤►‣◆\uf0b7\uf0a7]/;
const NUMBER = /^\(?(\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)]$/;

/** Whether a word is a bullet. */
export const isBullet = (text: string) => BULLET.test(text);

/** The number of an item in a phrase with spaces, which OCR returns as one word. */
const NUMBER_PREFIX = /^\(?\d{1,3}[.)](?= \S)/;

/** The bullet or number at the beginning of a line; undefined if the line does not begin like a list item. */
export function listMarker({ words, style }: Line, text: string): string | undefined {
  const first = words[0];
  const second = words[1];
  if (!first) return undefined;
  if (!second) return undefined;
  if (BULLET.test(first.text) || (first.text === 'o' && second.left - first.right > 0.6 * style.size)) {
    // A dash far from the text is no bullet: authors' names and quotations also begin with dashes.
    return /^[–—*-]$/.test(first.text) && second.left - first.right > 3 * style.size ? undefined : first.text;
  }
  if (BULLET_PREFIX.test(first.text)) return first.text.charAt(0);
  if (NUMBER.test(first.text) && text.length > first.text.length + 1) return first.text;
  return NUMBER_PREFIX.exec(first.text)?.[0];
}

/** The lines of an item without its marker. */
export function withoutMarker({ lines, marker }: PdfListItem): Line[] {
  const [first, ...rest] = lines as [Line, ...Line[]];
  const [word, ...words] = first.words;
  if (!word?.text.startsWith(marker)) return lines;
  const part = wordPart(word, word.text.length - word.text.slice(marker.length).trimStart().length);
  const remaining = part.text ? [part, ...words] : words;
  return remaining.length > 0 ? [{ ...first, words: remaining }, ...rest] : rest;
}

/**
 * Sets the nesting depth of list items by the horizontal positions of their markers. A single numbered item
 * becomes a paragraph again, because it is a numbered paragraph or a line that happens to begin with a
 * number, unless it is the first of a list.
 */
export function nestListItems(blocks: readonly Block[]): Block[] {
  const nested: Block[] = [];
  for (let start = 0; start < blocks.length; ) {
    let end = start;
    while (blocks[end]?.kind === 'item') end++;
    if (end === start) {
      nested.push(blocks[start] as Block);
      start++;
      continue;
    }
    nested.push(...nestItems(blocks.slice(start, end) as PdfListItem[], blocks.slice(end)));
    start = end;
  }
  return nested;
}

/** The number of an item that is the first of a list, and that of the next one. */
const FIRST = /^\(?[1aAiI][.)]$/;
const NEXT: Record<string, string> = { A: 'B', I: 'II' };

/**
 * Whether a single item is the first of a list. The initial of a name is a capital letter with a stop, too, so that
 * another item must have the next one.
 */
function isFirst({ marker }: PdfListItem, after: readonly Block[]): boolean {
  const next = marker.replace(/[AI]/, (letter) => NEXT[letter] ?? letter);
  return (
    FIRST.test(marker) &&
    (next === marker || after.some((block) => block.kind === 'item' && block.marker === next))
  );
}

/** @param after the blocks of the page after the items */
function nestItems(items: readonly PdfListItem[], after: readonly Block[]): Block[] {
  const lefts: number[] = [];
  const depths = items.map(({ left, top, lines }, place) => {
    const step = 0.6 * (lines[0] as Line).style.size;
    const before = items[place - 1];
    // An item in the next column is in no item of the column before.
    if (before && before.page === items[place]?.page && before.right < left && top < before.top)
      lefts.length = 0;
    while (lefts.length > 0 && left < (lefts.at(-1) as number) - step) lefts.pop();
    if (lefts.length === 0 || left > (lefts.at(-1) as number) + step) lefts.push(left);
    return lefts.length - 1;
  });
  return items.map((item, place): Block => {
    const isAlone = items.length === 1 && item.ordered && !isFirst(item, after);
    if (!isAlone) return { ...item, depth: Math.min(depths[place] as number, 8) };
    const { left, top, right, bottom, page, lines } = item;
    return { kind: 'paragraph', left, top, right, bottom, page, lines };
  });
}
