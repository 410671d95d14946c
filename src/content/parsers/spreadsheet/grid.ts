import { type CellObject, type Range, utils, type WorkSheet } from '@e965/xlsx';
import { displayNumber, isMisread } from '../number-format.ts';

/** A cell with content. Rows and columns count from 0. */
export interface GridCell {
  row: number;
  column: number;
  /** The value as displayed. */
  text: string;
  href?: string;
  rowSpan: number;
  columnSpan: number;
}

/** A rectangle of cells. The last row and column belong to it. */
export interface Area {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/**
 * Reads the cells with content, row by row. Only cells in the file cost time, however large the declared
 * range is.
 * @param sheet a dense worksheet
 * @param options.maxCells the most cells to read
 * @param options.is1904 whether the workbook counts days from 1904
 */
export function readCells(
  sheet: WorkSheet,
  { maxCells, is1904 }: { maxCells: number; is1904: boolean },
): GridCell[] {
  const merges = new Map((sheet['!merges'] ?? []).map((range) => [`${range.s.r} ${range.s.c}`, range]));
  const cells: GridCell[] = [];
  const rows = (sheet['!data'] ?? []) as (CellObject[] | undefined)[];
  // Rows and cells are sparse arrays: `forEach` visits only the elements that exist.
  rows.forEach((columns, row) => {
    columns?.forEach((cell, column) => {
      if (cells.length >= maxCells) return;
      const text = displayedText(cell, is1904);
      if (text === '') return;
      const href = cell.l?.Target ?? hyperlinkOf(cell.f);
      cells.push({ row, column, text, ...(href ? { href } : {}), ...spans(merges.get(`${row} ${column}`)) });
    });
  });
  return cells;
}

/** The URL of a cell whose formula is a link to one. */
const hyperlinkOf = (formula = ''): string | undefined =>
  /^(?:of:=|=)?\s*HYPERLINK\(\s*"([^"]+)"/i.exec(formula)?.[1];

/** The formula of a cell without a value; of a link its name, if that is a text. */
const formulaText = (formula = ''): string =>
  formula === '' ? '' : (LINK_NAME.exec(formula)?.[1]?.replaceAll('""', '"') ?? `=${formula}`);
const LINK_NAME = /^(?:of:=|=)?\s*HYPERLINK\(\s*"[^"]+"\s*[,;]\s*"((?:[^"]|"")+)"\s*\)$/i;

/** A note on a cell. */
export interface CellNote {
  /** The name of the cell, such as `B2`. */
  cell: string;
  text: string;
}

/** The notes and comments on the cells of a sheet, row by row. */
export function readNotes(sheet: WorkSheet, maxRows: number): CellNote[] {
  const notes: CellNote[] = [];
  const rows = (sheet['!data'] ?? []) as (CellObject[] | undefined)[];
  rows.forEach((columns, row) => {
    if (row >= maxRows) return;
    columns?.forEach((cell, column) => {
      const text = (cell?.c ?? [])
        .map(({ t = '' }) => t.replace(/\s+/g, ' ').trim())
        .filter(Boolean)
        .join(' ');
      if (text) notes.push({ cell: utils.encode_cell({ r: row, c: column }), text });
    });
  });
  return notes;
}

function spans(range: Range | undefined): { rowSpan: number; columnSpan: number } {
  return {
    rowSpan: range ? range.e.r - range.s.r + 1 : 1,
    columnSpan: range ? range.e.c - range.s.c + 1 : 1,
  };
}

/** The value as displayed; the formula of a cell whose value is not stored. */
function displayedText(cell: CellObject | undefined, is1904: boolean): string {
  if (!cell) return '';
  // SheetJS gives cells without a value the type `z`, an error without one, or an empty text.
  if (cell.t === 'z' || cell.v === undefined || cell.v === '') return formulaText(cell.f);
  if (cell.t === 'b') return cell.v ? 'TRUE' : 'FALSE';
  return (numberText(cell, is1904) ?? cell.w ?? String(cell.v ?? '')).trim();
}

/**
 * The text of a number in a format that SheetJS refuses, or that names months or days in another language
 * than English; and all digits of a long number without a format, such as that of an article, which programs
 * round if its column is narrow.
 */
function numberText({ t, v, w, z }: CellObject, is1904: boolean): string | undefined {
  if (t !== 'n' || typeof v !== 'number') return undefined;
  if ((z === undefined || z === 'General') && Number.isSafeInteger(v)) return String(v);
  if (typeof z !== 'string') return undefined;
  return w === undefined || isMisread(z) ? displayNumber(v, { format: z, is1904 }) : undefined;
}

/** The smallest area that contains all cells, spans included. */
export function boundsOf(cells: readonly GridCell[]): Area {
  const area = { top: Number.POSITIVE_INFINITY, left: Number.POSITIVE_INFINITY, bottom: 0, right: 0 };
  for (const { row, column } of cells) {
    area.top = Math.min(area.top, row);
    area.left = Math.min(area.left, column);
    area.bottom = Math.max(area.bottom, row);
    area.right = Math.max(area.right, column);
  }
  return area;
}
