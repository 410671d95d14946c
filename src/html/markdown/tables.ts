import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { codeOf, fenced, NUMBERS } from './code.ts';
import { BREAKS } from './line.ts';
import type { Rule, Writer } from './writer.ts';

/** More columns than this say nothing in a text; a huge colspan must not make a huge table. */
const MOST_COLUMNS = 100;
/** One cell of so many may hold a heading, list or the like. */
const MOST_BLOCKS = 4;
const LINES_IN_CELLS = new Set(['div', 'p', 'section', 'article', 'form']);
const BLOCKS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'blockquote']);

/**
 * A table of GitHub-flavoured markdown (GFM 4.10). One that only arranges a page is dissolved into its cells' content.
 */
export const table: Rule = (writer, element) => {
  writer.bound();
  const rows = rowsOf(element);
  if (writer.isFlat || !holdsData(element, rows)) {
    if (!writer.isFlat && isCode(rows)) {
      const code = rows.map((row) => codeOf(cellsOf(row)[1] as Element)).join('\n');
      writer.count(code.length);
      writer.add({ kind: 'other', text: fenced(code, '') });
      return;
    }
    writer.walk(element.children);
    writer.bound();
    return;
  }
  for (const child of element.children) if (isTag(child) && child.name === 'caption') writer.element(child);
  const text = layOut(rows, writer);
  if (text) writer.add({ kind: 'other', text });
};

/** The rows of a table that say something, the first one its head, and below it the line that makes it one. */
function layOut(rows: Element[], writer: Writer): string {
  const covered: number[] = [];
  const written: { cells: string[]; row: Element }[] = [];
  let columns = 1;
  for (const row of rows) {
    const cells = rowCells(row, covered, writer);
    if (cells.length > columns) columns = cells.length;
    if (cells.some((cell) => cell !== '')) written.push({ cells, row });
  }
  const [head, ...body] = written;
  if (!head) return '';
  while (head.cells.length < columns) head.cells.push('');
  const aligned = head.row.name ? alignments(head.row, body[0]?.row) : [];
  const rule = head.cells.map((_, place) => RULES[aligned[place] ?? ''] ?? '---');
  return [head.cells, rule, ...body.map(({ cells }) => cells)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const RULES: Record<string, string> = { left: ':--', center: ':-:', right: '--:' };

/** The cells of a row as they stand in columns. @param covered how many more rows each column is covered for */
function rowCells(row: Element, covered: number[], writer: Writer): string[] {
  const cells: string[] = [];
  const fill = () => {
    while ((covered[cells.length] ?? 0) > 0) {
      covered[cells.length] = (covered[cells.length] ?? 0) - 1;
      cells.push('');
    }
  };
  for (const cell of cellsOf(row)) {
    fill();
    const rowSpan = spanOf(cell, 'rowspan', 1_000);
    const text = writer.flat(BREAKS.cell, () => writer.walk(cell.children));
    for (
      let left = Math.min(spanOf(cell, 'colspan', MOST_COLUMNS), Math.max(1, MOST_COLUMNS - cells.length)),
        first = true;
      left > 0;
      left--, first = false
    ) {
      if (cells.length < MOST_COLUMNS && rowSpan > 1) covered[cells.length] = rowSpan - 1;
      cells.push(
        first
          ? text.replace(/(\\*)\|/g, (_, signs: string) => `${signs}${signs.length % 2 ? '\\' : ''}\\|`)
          : '',
      );
    }
  }
  fill();
  return cells;
}

function alignments(head: Element, first: Element | undefined): string[] {
  const of = (row: Element | undefined) =>
    row
      ? cellsOf(row).flatMap((cell) =>
          Array(Math.min(spanOf(cell, 'colspan', MOST_COLUMNS))).fill(alignment(cell)),
        )
      : [];
  const [above, below] = [of(head), of(first)];
  return above.map((said, place) => said || below[place] || '');
}

const alignment = ({ attribs: { align, style } }: Element) =>
  (align ?? /text-align:\s*(left|center|right)/i.exec(style ?? '')?.[1] ?? '').toLowerCase();

/**
 * Whether a table has rows and columns to be read as such. It does when its page says so by heads, a caption or a role
 * (HTML standard, 4.9.1); else when few of its cells hold blocks.
 */
function holdsData(element: Element, rows: Element[]): boolean {
  const { role = '' } = element.attribs;
  if (/^(presentation|none)$/.test(role) || rows.length === 0) return false;
  const below = namesBelow(element);
  if (below.has('table') || isCode(rows)) return false;
  if (['th', 'thead', 'caption'].some((name) => below.has(name)) || /^(table|(tree)?grid)$/.test(role))
    return rows.some((row) => cellsOf(row).length > 1) || rows.length > 1;
  const cells = rows.flatMap(cellsOf);
  const withBlocks = cells.filter((cell) => hasAny(namesBelow(cell), BLOCKS)).length;
  if (cells.length > rows.length) return withBlocks * MOST_BLOCKS < cells.length || withBlocks === 0;
  return rows.length > 1 && !hasAny(below, BLOCKS) && !hasAny(below, LINES_IN_CELLS);
}

const hasAny = (names: Set<string>, some: Set<string>) => [...names].some((name) => some.has(name));

/** Whether it is code, each row a number and a line. */
const isCode = (rows: Element[]) =>
  rows.length > 0 &&
  rows.every((row) => {
    const cells = cellsOf(row);
    const [number, line] = cells;
    if (!line || namesBelow(line).has('pre')) return false;
    return (
      cells.length === 2 &&
      number &&
      NUMBERS.test(number.attribs.class ?? '') &&
      /^[\s\d]*$/.test(textContent(number))
    );
  });

/** Names of the elements inside, up to the first table there. */
function namesBelow(element: Element): Set<string> {
  const names = new Set<string>();
  const stack = [element];
  for (let top = stack.pop(); top; top = stack.pop()) {
    for (const child of top.children) {
      if (!isTag(child)) continue;
      names.add(child.name);
      if (child.name === 'table') return names;
      stack.push(child);
    }
  }
  return names;
}

function rowsOf(element: Element): Element[] {
  return element.children
    .filter(isTag)
    .flatMap((child) => (/^t(head|body|foot)$/.test(child.name) ? child.children.filter(isTag) : [child]))
    .filter(({ name }) => name === 'tr');
}

const cellsOf = (row: Element) =>
  row.children.filter(isTag).filter(({ name }) => name === 'td' || name === 'th');

function spanOf({ attribs }: Element, name: 'colspan' | 'rowspan', most: number): number {
  const span = Number.parseInt(attribs[name] ?? '1', 10);
  return span >= 1 ? Math.min(span, most) : 1;
}
