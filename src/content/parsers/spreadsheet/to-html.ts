import { escapeHtml } from '../../html/parse/escape-html.ts';
import { boundsOf, type CellNote, type GridCell } from './grid.ts';

/**
 * Tables with more positions than their cells justify are written without the gaps between cells, because one
 * cell per row and column on a diagonal would expand to millions of empty ones.
 */
const MAX_POSITIONS_PER_CELL = 20;
const MIN_POSITIONS = 5000;
const MAX_POSITIONS = 4_000_000;

/** Writes the cells of one table. Positions without a cell become empty cells. */
export function tableHtml(cells: readonly GridCell[]): string {
  if (cells.length === 0) return '';
  const { top, left, bottom, right } = boundsOf(cells);
  const width = right - left + 1;
  const positions = width * (bottom - top + 1);
  if (positions > Math.max(MIN_POSITIONS, Math.min(MAX_POSITIONS, MAX_POSITIONS_PER_CELL * cells.length)))
    return tableHtml(withoutGaps(cells));
  const rows = new Map<number, GridCell[]>();
  for (const cell of cells) {
    const row = rows.get(cell.row);
    if (row) row.push(cell);
    else rows.set(cell.row, [cell]);
  }
  /** Rows that the cell above covers in each column. */
  const covered = new Array<number>(width).fill(0);
  const html: string[] = [];
  for (let row = top; row <= bottom; row++) {
    const byColumn = new Map((rows.get(row) ?? []).map((cell) => [cell.column - left, cell]));
    html.push(`<tr>${rowHtml(byColumn, covered, row === top ? 'th' : 'td', bottom - row + 1)}</tr>`);
  }
  return `<table>\n${html.join('\n')}\n</table>`;
}

/** Writes the notes on cells as a list, each behind the name of its cell. */
export function notesHtml(notes: readonly CellNote[]): string {
  if (notes.length === 0) return '';
  const items = notes.map(({ cell, text }) => `<li>${cell}: ${escapeHtml(text)}</li>`);
  return `<p>Notes on cells:</p>\n<ul>\n${items.join('\n')}\n</ul>`;
}

function rowHtml(
  cells: ReadonlyMap<number, GridCell>,
  covered: number[],
  name: string,
  rowsLeft: number,
): string {
  let html = '';
  for (let column = 0; column < covered.length; column++) {
    if ((covered[column] as number) > 0) {
      covered[column] = (covered[column] as number) - 1;
      continue;
    }
    const cell = cells.get(column);
    if (!cell) {
      html += `<${name}></${name}>`;
      continue;
    }
    const columnSpan = Math.min(cell.columnSpan, covered.length - column);
    const rowSpan = Math.min(cell.rowSpan, rowsLeft);
    for (let at = column; at < column + columnSpan; at++) covered[at] = rowSpan - 1;
    html += `<${name}${spanAttribute('colspan', columnSpan)}${spanAttribute('rowspan', rowSpan)}>${cellHtml(cell)}</${name}>`;
    column += columnSpan - 1;
  }
  return html;
}

const spanAttribute = (name: string, span: number) => (span > 1 ? ` ${name}="${span}"` : '');

function cellHtml({ text, href }: GridCell): string {
  const html = escapeHtml(text).replace(/\r?\n/g, '<br>');
  return href && /^(?:https?:|mailto:)/i.test(href) ? `<a href="${escapeHtml(href)}">${html}</a>` : html;
}

/** Moves the cells of each row to the left and each row up, so that nothing is empty between them. */
function withoutGaps(cells: readonly GridCell[]): GridCell[] {
  const widths = new Map<number, number>();
  const rows = new Map<number, number>();
  for (const { row } of cells) if (!rows.has(row)) rows.set(row, rows.size);
  return cells.map((cell) => {
    const column = widths.get(cell.row) ?? 0;
    widths.set(cell.row, column + 1);
    return { ...cell, row: rows.get(cell.row) as number, column, rowSpan: 1, columnSpan: 1 };
  });
}
