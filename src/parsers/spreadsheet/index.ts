import { read, type WorkBook } from '@e965/xlsx';
import { escapeHtml } from '../../html/parse/escape-html.ts';
import type { ConvertedDocument, DocumentMetadata, DocumentType } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import { refuseEncrypted } from '../office/encryption.ts';
import { readDelimitedText } from './delimited-text.ts';
import { toDocumentError } from './errors.ts';
import { readCells } from './grid.ts';
import { expandArchive } from './stored-archive.ts';
import { splitTables } from './tables.ts';
import { tableHtml } from './to-html.ts';

/** Types of workbooks and of tables in text. */
export type SpreadsheetType = Extract<DocumentType, 'xlsx' | 'xlsb' | 'xls' | 'ods' | 'csv' | 'tsv'>;

interface SpreadsheetLimits {
  /** Maximum number of rows per sheet. */
  maxRows: number;
  /** Maximum number of cells with content in all sheets together. */
  maxCells: number;
}

const LIMITS: SpreadsheetLimits = { maxRows: 20_000, maxCells: 500_000 };
const MAX_SHEETS = 1000;
const HIDDEN = ' (hidden)';

/**
 * Converts a workbook to HTML with one heading per sheet and the values as displayed.
 * @throws DocumentError if the workbook needs a password, is too large or cannot be read
 */
export function convertSpreadsheet(
  type: SpreadsheetType,
  bytes: Uint8Array,
  { maxRows, maxCells } = LIMITS,
): ConvertedDocument {
  refuseEncrypted(bytes);
  const warnings: string[] = [];
  const onDamage = () => warnings.push('The workbook is damaged; parts of it are missing.');
  const workbook = readWorkbook(type, bytes, { sheetRows: maxRows + 1, onDamage });
  const parts: string[] = [];
  let cellsLeft = maxCells;
  const names = workbook.SheetNames.slice(0, MAX_SHEETS);
  if (names.length < workbook.SheetNames.length)
    warnings.push(`Only the first ${MAX_SHEETS} of ${workbook.SheetNames.length} sheets were read.`);
  for (const [place, name] of names.entries()) {
    const sheet = workbook.Sheets[name];
    const isHidden = Boolean(workbook.Workbook?.Sheets?.[place]?.Hidden);
    if (!isText(type)) parts.push(`<h2>${escapeHtml(name)}${isHidden ? HIDDEN : ''}</h2>`);
    if (!sheet) continue;
    const cells = readCells(sheet, cellsLeft);
    cellsLeft -= cells.length;
    const kept = cells.filter(({ row }) => row < maxRows);
    if (kept.length < cells.length) warnings.push(`The sheet "${name}" was cut after ${maxRows} rows.`);
    // An empty line or column of a text does not begin another table.
    parts.push(...(isText(type) ? [kept] : splitTables(kept)).map(tableHtml));
  }
  if (cellsLeft <= 0) warnings.push(`The workbook was cut after ${maxCells} cells.`);
  return { html: parts.filter(Boolean).join('\n'), metadata: readMetadata(workbook), images: [], warnings };
}

const isText = (type: SpreadsheetType) => type === 'csv' || type === 'tsv';

function readWorkbook(
  type: SpreadsheetType,
  bytes: Uint8Array,
  { sheetRows, onDamage }: { sheetRows: number; onDamage: () => void },
): WorkBook {
  try {
    if (isText(type)) return readDelimitedText(type, bytes, sheetRows);
    if (bytes.length === 0) throw new DocumentError('damaged', 'The file is empty.');
    const workbook = read(expandArchive(bytes, onDamage), {
      type: 'buffer',
      dense: true,
      sheetRows,
      cellHTML: false,
      cellFormula: false,
    });
    if (workbook.SheetNames.length === 0) throw new DocumentError('damaged', 'The workbook has no sheets.');
    return workbook;
  } catch (error) {
    throw toDocumentError(error);
  }
}

function readMetadata({
  Props: { Title, Author, CreatedDate, ModifiedDate } = {},
}: WorkBook): DocumentMetadata {
  const date = (value: unknown) => {
    const parsed = new Date(value instanceof Date || typeof value === 'string' ? value : Number.NaN);
    return Number.isNaN(parsed.getTime()) ? undefined : parsed.toISOString();
  };
  const [publishedTime, modifiedTime] = [date(CreatedDate), date(ModifiedDate)];
  return {
    ...(Title ? { title: Title } : {}),
    ...(Author ? { author: Author } : {}),
    ...(publishedTime ? { publishedTime } : {}),
    ...(modifiedTime ? { modifiedTime } : {}),
  };
}
