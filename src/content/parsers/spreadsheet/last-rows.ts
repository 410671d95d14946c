import { utils, type WorkSheet } from '@e965/xlsx';
import { readRelationships } from '../package-parts.ts';
import type { ZipArchive } from '../zip.ts';
import { sheetsOf } from './xlsx-pictures.ts';

/** The ends of cells with content. */
const CONTENT_ENDS = ['</v>', '</is>', '</f>'];
/** How far the beginning of a cell is from its end at most, in bytes. */
const MAX_CELL_BYTES = 100_000;

/**
 * The number of the last row with content of each sheet of an xlsx file, from 1. SheetJS reads the first rows
 * only, and the range that a sheet declares is often larger than its content.
 * @param archive the workbook, whose parts are not compressed
 */
export function readLastRows(archive: ZipArchive): Map<string, number> {
  const parts = readRelationships(archive, 'xl/workbook.xml');
  const rows = new Map<string, number>();
  for (const { name, id } of sheetsOf(archive)) {
    const part = parts.get(id)?.target;
    // The archive is not compressed, so that its size is the limit.
    const xml = part === undefined ? undefined : archive.read(part, Number.MAX_SAFE_INTEGER);
    if (xml) rows.set(name, lastRow(xml));
  }
  return rows;
}

function lastRow(xml: Buffer): number {
  const end = Math.max(...CONTENT_ENDS.map((each) => xml.lastIndexOf(each)));
  if (end < 0) return 0;
  const before = xml.toString('latin1', Math.max(0, end - MAX_CELL_BYTES), end);
  const cell = before.slice(before.lastIndexOf('<c '));
  return Number(/\sr="[A-Z]{1,3}(\d{1,7})"/.exec(cell)?.[1] ?? 0);
}

/** The number of the last row that a sheet declares, from 1; 0 if all its rows were read. */
export function declaredLastRow(sheet: WorkSheet): number {
  const range = sheet['!fullref'] as unknown;
  return typeof range === 'string' ? utils.decode_range(range).e.r + 1 : 0;
}
