import type { Line, TableBlock, TableCell, Word } from '../types.ts';

/**
 * Distance from the edge of a column within which no further character fits, as a share of a character's
 * width.
 */
const MIN_CHARACTER = 0.9;
/** Number of different words at the edge of a column from which they are parts of longer words. */
const MIN_WORDS = 2;
const WORD_END = /[\p{L}\d]$/u;
const WORD_REST = /^\p{Ll}/u;
/** Names of files, functions and models, which are longer than most words. */
const NAME = /[\p{L}\d][_/.][\p{L}\d]|\p{Ll}\p{Lu}|\p{L}\d/u;

/**
 * Finds the words of a table that some programs break without a hyphen where a column is narrower than the
 * word: they end at the edge of the text of their column. The longest word of a column whose cells have whole
 * words ends there, too, so one word alone shows nothing, unless it is a name.
 * @returns the parts after which the word goes on in the next line
 */
export function brokenWords({ rows }: TableBlock): ReadonlySet<Word> {
  const columns: { edge: number; parts: Word[] }[] = [];
  for (const row of rows)
    for (const [place, cell] of row.entries()) {
      columns[place] ??= { edge: 0, parts: [] };
      for (const { right } of cell.lines) columns[place].edge = Math.max(columns[place].edge, right);
      columns[place].parts.push(...partsOf(cell));
    }
  const atEdge = columns.map(({ edge, parts }) => parts.filter((word) => isAtEdge(word, edge)));
  const isNarrow = atEdge.some((words) => new Set(words.map(({ text }) => text)).size >= MIN_WORDS);
  return new Set(atEdge.flat().filter(({ text }) => isNarrow || NAME.test(text)));
}

/** Words that fill a line of a cell, before lines that can be their rest. */
const partsOf = ({ lines }: TableCell): Word[] =>
  lines.flatMap(({ words }, place) => {
    const [first, next] = [words[0] as Word, (lines[place + 1] as Line | undefined)?.words[0]];
    const canBePart = words.length === 1 && next && WORD_END.test(first.text) && WORD_REST.test(next.text);
    return canBePart ? [first] : [];
  });

const isAtEdge = ({ left, right, text }: Word, edge: number) =>
  edge - right < (MIN_CHARACTER * (right - left)) / text.length;
