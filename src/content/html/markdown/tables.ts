import type { Element } from 'domhandler';
import { findOne, textContent } from 'domutils';
import { isTag } from '../nodes.ts';
import { extractCodeText, fencedCode, LINE_NUMBER_CLASS } from './code.ts';
import { LINE_BREAKS } from './inline-writer.ts';
import { type ElementRule, joinBlocks, type MarkdownWriter } from './writer.ts';

/** Most columns of a table; bounds what a huge `colspan` can produce. */
const MAX_COLUMNS = 100;
const MAX_ROW_SPAN = 1_000;
/** Roles that say that an element is a table of data. */
const SAYS_TABLE = /^(table|(tree)?grid)$/;
/**
 * A table without header cells is data if at most one in this many cells holds a block such as a heading or
 * list.
 */
const MIN_CELLS_PER_BLOCK = 4;
const ICON_CLASS = /(?:^|\s)icon(?:\s|$)/;
const LAYOUT_ELEMENTS = new Set(['div', 'p', 'section', 'article', 'form']);
const NESTED_BLOCK_ELEMENTS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'blockquote']);

/**
 * A table of GitHub-flavoured markdown (GFM 4.10). A table used for page layout is written as the content of
 * its cells, and one whose role says that it holds data although there are tables in its cells as HTML.
 */
export const table: ElementRule = (writer, element) => {
  writer.endText();
  const rows = findRows(element);
  if (writer.isInline || !isDataTable(element, rows)) {
    if (!writer.isInline && isCodeListing(rows)) {
      const code = rows.map((row) => extractCodeText(findCells(row)[1] as Element)).join('\n');
      writer.countText(code.length);
      writer.addBlock({ kind: 'other', text: fencedCode(code, '') });
      return;
    }
    if (
      !writer.isInline &&
      writer.canIndent &&
      SAYS_TABLE.test(element.attribs.role ?? '') &&
      rows.length > 0
    ) {
      writer.addBlock({ kind: 'other', text: renderHtmlRows(rows, writer) });
      return;
    }
    writer.line.text(iconTitle(rows));
    writer.endText();
    writer.walk(element.children);
    writer.endText();
    return;
  }
  for (const child of element.children) if (isTag(child) && child.name === 'caption') writer.element(child);
  const text = renderRows(rows, writer);
  if (text) writer.addBlock({ kind: 'other', text });
};

/**
 * Renders a table whose cells hold tables, which GFM cannot express, as HTML tags around the markdown of each
 * cell. The blank lines around the content of a cell end the HTML block, so that it is read as markdown
 * (CommonMark 4.6).
 */
function renderHtmlRows(rows: Element[], writer: MarkdownWriter): string {
  const lines = rows.flatMap((row) => [
    '<tr>',
    ...findCells(row).flatMap((cell) => {
      const span = (name: 'colspan' | 'rowspan', most: number) => {
        const places = parseSpan(cell, name, most);
        return places > 1 ? ` ${name}="${places}"` : '';
      };
      const content = joinBlocks(writer.collectBlocks(true, () => writer.walk(cell.children)));
      const open = `<${cell.name}${span('colspan', MAX_COLUMNS)}${span('rowspan', MAX_ROW_SPAN)}>`;
      return content ? [open, '', content, '', `</${cell.name}>`] : [`${open}</${cell.name}>`];
    }),
    '</tr>',
  ]);
  return ['<table>', ...lines, '</table>'].join('\n');
}

/** Renders the rows that have text; the first becomes the header row, followed by the delimiter row. */
function renderRows(rows: Element[], writer: MarkdownWriter): string {
  const covered: number[] = [];
  const written: { cells: string[]; row: Element }[] = [];
  let columns = 1;
  for (const row of rows) {
    const cells = renderCells(row, covered, writer);
    if (cells.length > columns) columns = cells.length;
    if (cells.some((cell) => cell !== '')) written.push({ cells, row });
  }
  const [head, ...body] = written;
  if (!head) return '';
  while (head.cells.length < columns) head.cells.push('');
  const aligned = head.row.name ? alignments(head.row, body[0]?.row) : [];
  const rule = head.cells.map((_, place) => ALIGNMENT_RULES[aligned[place] ?? ''] ?? '---');
  return [head.cells, rule, ...body.map(({ cells }) => cells)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const ALIGNMENT_RULES: Record<string, string> = { left: ':--', center: ':-:', right: '--:' };

/**
 * Renders the cells of a row by column.
 * @param covered for each column, how many more rows a `rowspan` above covers
 */
function renderCells(row: Element, covered: number[], writer: MarkdownWriter): string[] {
  const cells: string[] = [];
  const fill = () => {
    while ((covered[cells.length] ?? 0) > 0) {
      covered[cells.length] = (covered[cells.length] ?? 0) - 1;
      cells.push('');
    }
  };
  for (const cell of findCells(row)) {
    fill();
    const rowSpan = parseSpan(cell, 'rowspan', MAX_ROW_SPAN);
    const text = writer.renderInline(LINE_BREAKS.cell, () => writer.walk(cell.children));
    for (
      let left = Math.min(parseSpan(cell, 'colspan', MAX_COLUMNS), Math.max(1, MAX_COLUMNS - cells.length)),
        first = true;
      left > 0;
      left--, first = false
    ) {
      if (cells.length < MAX_COLUMNS && rowSpan > 1) covered[cells.length] = rowSpan - 1;
      cells.push(first ? escapePipes(text) : '');
    }
  }
  fill();
  return cells;
}

const escapePipes = (text: string) =>
  text.includes('|')
    ? text.replace(/(\\*)\|/g, (_, signs: string) => `${signs}${signs.length % 2 ? '\\' : ''}\\|`)
    : text;

function alignments(head: Element, first: Element | undefined): string[] {
  const of = (row: Element | undefined) =>
    row
      ? findCells(row).flatMap((cell) =>
          Array(Math.min(parseSpan(cell, 'colspan', MAX_COLUMNS))).fill(alignment(cell)),
        )
      : [];
  const [above, below] = [of(head), of(first)];
  return above.map((said, place) => said || below[place] || '');
}

const alignment = ({ attribs: { align, style } }: Element) =>
  (align ?? /text-align:\s*(left|center|right)/i.exec(style ?? '')?.[1] ?? '').toLowerCase();

/** Whether the first cell is beside all the others and has nothing but a picture, as in the notes of Asciidoctor and DocBook. */
function isIconBesideText(rows: Element[]): boolean {
  const [first] = rows[0] ? findCells(rows[0]) : [];
  if (!first || parseSpan(first, 'rowspan', MAX_ROW_SPAN) < rows.length) return false;
  const isIcon =
    ICON_CLASS.test(first.attribs.class ?? '') ||
    (textContent(first).trim() === '' && findOne(({ name }) => name === 'img', first.children) !== null);
  return isIcon && rows.every((row, place) => findCells(row).length === (place === 0 ? 2 : 1));
}

/** The kind of note that an icon of a font stands for; an empty string if there is none. */
function iconTitle(rows: Element[]): string {
  if (!isIconBesideText(rows)) return '';
  const icon = findOne(({ name }) => name === 'i', rows[0]?.children ?? []);
  return icon?.attribs.title ?? '';
}

/**
 * Whether a table holds data rather than layout. Header cells, a caption or a role say so (HTML standard,
 * 4.9.1); without them a table is data when few of its cells hold blocks.
 */
function isDataTable(element: Element, rows: Element[]): boolean {
  const { role = '' } = element.attribs;
  if (/^(presentation|none)$/.test(role) || rows.length === 0 || isIconBesideText(rows)) return false;
  const below = descendantNames(element);
  if (below.has('table') || isCodeListing(rows)) return false;
  if (['th', 'thead', 'caption'].some((name) => below.has(name)) || SAYS_TABLE.test(role))
    return rows.some((row) => findCells(row).length > 1) || rows.length > 1;
  const cells = rows.flatMap(findCells);
  const withBlocks = cells.filter((cell) => intersects(descendantNames(cell), NESTED_BLOCK_ELEMENTS)).length;
  if (cells.length > rows.length) return withBlocks * MIN_CELLS_PER_BLOCK < cells.length || withBlocks === 0;
  return rows.length > 1 && !intersects(below, NESTED_BLOCK_ELEMENTS) && !intersects(below, LAYOUT_ELEMENTS);
}

const intersects = (names: Set<string>, some: Set<string>) => [...names].some((name) => some.has(name));

/** Whether the table is a code listing: each row has a line number and a line. */
const isCodeListing = (rows: Element[]) =>
  rows.length > 0 &&
  rows.every((row) => {
    const cells = findCells(row);
    const [number, line] = cells;
    if (!line || descendantNames(line).has('pre')) return false;
    return (
      cells.length === 2 &&
      number &&
      LINE_NUMBER_CLASS.test(number.attribs.class ?? '') &&
      /^[\s\d]*$/.test(textContent(number))
    );
  });

/** Names of the elements inside; the search stops at the first nested table. */
function descendantNames(element: Element): Set<string> {
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

function findRows(element: Element): Element[] {
  return element.children
    .filter(isTag)
    .flatMap((child) => (/^t(head|body|foot)$/.test(child.name) ? child.children.filter(isTag) : [child]))
    .filter(({ name }) => name === 'tr');
}

const findCells = (row: Element) =>
  row.children.filter(isTag).filter(({ name }) => name === 'td' || name === 'th');

function parseSpan({ attribs }: Element, name: 'colspan' | 'rowspan', most: number): number {
  const span = Number.parseInt(attribs[name] ?? '1', 10);
  return span >= 1 ? Math.min(span, most) : 1;
}
