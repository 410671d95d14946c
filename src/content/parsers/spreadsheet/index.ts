import { CFB, read, type WorkBook } from '@e965/xlsx';
import { escapeHtml } from '../../html/parse/escape-html.ts';
import { toBuffer } from '../../source-text.ts';
import { encodingOfMark } from '../byte-order-mark.ts';
import { decodeBytes } from '../charsets/code-pages.ts';
import { detectEncoding, guessWarning } from '../charsets/detect-encoding.ts';
import { isCompoundFile } from '../compound-file.ts';
import type { ConvertedDocument, DocumentMetadata, DocumentTask, DocumentType } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import { foreignError, nameOfFile, textStart } from '../foreign-file.ts';
import { refuseEncrypted } from '../office/encryption.ts';
import { isZip, ZipArchive } from '../zip.ts';
import { readDelimitedText } from './delimited-text.ts';
import { toDocumentError } from './errors.ts';
import { boundsOf, type GridCell, readCells, readNotes } from './grid.ts';
import { declaredLastRow, readLastRows } from './last-rows.ts';
import { writeOdsFormulas } from './ods-formulas.ts';
import { readHiddenOdsSheets } from './ods-sheets.ts';
import { archivePictures, PictureWriter } from './pictures.ts';
import { expandArchive } from './stored-archive.ts';
import { splitTables } from './tables.ts';
import { notesHtml, tableHtml } from './to-html.ts';
import { loadCodePages } from './xls-code-page.ts';
import { hasOnlyEmptyResults } from './xls-formulas.ts';
import { xlsPictures } from './xls-pictures.ts';
import { hasOnlyEmptyBinaryResults } from './xlsb-sheets.ts';

/** Types of workbooks and of tables in text. */
export type SpreadsheetType = Extract<DocumentType, 'xlsx' | 'xlsb' | 'xls' | 'ods' | 'csv' | 'tsv'>;

/** How to convert a workbook. */
export interface SpreadsheetTask extends Pick<DocumentTask, 'images' | 'guessedEncoding'> {
  type: SpreadsheetType;
}

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
  { type, images, guessedEncoding }: SpreadsheetTask,
  bytes: Uint8Array,
  { maxRows, maxCells } = LIMITS,
): ConvertedDocument {
  refuseEncrypted(bytes);
  const warnings: string[] = guessedEncoding ? [guessWarning(guessedEncoding)] : [];
  const onDamage = () => warnings.push('The workbook is damaged; parts of it are missing.');
  const file = isText(type) ? bytes : expandFile(bytes, onDamage);
  if (!isText(type)) {
    const table = readPlainTable(type, file);
    if (table) return convertSpreadsheet(table.task, table.bytes, { maxRows, maxCells });
  }
  const hiddenSheets =
    type === 'ods' && isZip(file) ? readHiddenOdsSheets(file, { maxRows: maxRows + 1 }) : new Set();
  const odsFormulas = type === 'ods' && isZip(file) ? writeOdsFormulas(file) : undefined;
  const { workbook, lacksValues, xlsStream } = readWorkbook(type, odsFormulas ?? file, maxRows + 1);
  const is1904 = workbook.Workbook?.WBProps?.date1904 ?? false;
  if (lacksValues || odsFormulas)
    warnings.push(
      'The values of some formulas are not stored in the workbook; they are written as formulas.',
    );
  const isArchive = !isText(type) && isZip(file);
  const source = isArchive ? archivePictures(file) : xlsStream && xlsPictures(xlsStream);
  const lastRows = type === 'xlsx' && isArchive ? readLastRows(new ZipArchive(file)) : undefined;
  const pictures = new PictureWriter(source, { images });
  const parts: string[] = [];
  let cellsLeft = maxCells;
  const names = workbook.SheetNames.slice(0, MAX_SHEETS);
  if (names.length < workbook.SheetNames.length)
    warnings.push(`Only the first ${MAX_SHEETS} of ${workbook.SheetNames.length} sheets were read.`);
  for (const [place, name] of names.entries()) {
    const sheet = workbook.Sheets[name];
    const isHidden = Boolean(workbook.Workbook?.Sheets?.[place]?.Hidden) || hiddenSheets.has(name);
    if (!isText(type)) parts.push(`<h2>${escapeHtml(name)}${isHidden ? HIDDEN : ''}</h2>`);
    if (!sheet) continue;
    const cells = readCells(sheet, { maxCells: cellsLeft, is1904 });
    cellsLeft -= cells.length;
    const kept = cells.filter(({ row }) => row < maxRows);
    const lastRow = lastRows?.get(name) ?? (lastRows ? 0 : declaredLastRow(sheet));
    if (kept.length < cells.length || lastRow > maxRows)
      warnings.push(`The sheet "${name}" was cut after ${maxRows} rows.`);
    // An empty line or column of a text does not begin another table.
    const tables = isText(type) ? [kept] : splitTables(kept);
    parts.push(...inOrder(tables, pictures.ofSheet(name)), notesHtml(readNotes(sheet, maxRows)));
  }
  if (cellsLeft <= 0) warnings.push(`The workbook was cut after ${maxCells} cells.`);
  return {
    html: parts.filter(Boolean).join('\n'),
    metadata: readMetadata(workbook),
    images: pictures.images,
    warnings: [...warnings, ...pictures.warnings],
  };
}

/** The versions of a workbook of Excel 2 to 4 in its first record, without a container (MS-XLS 2.4.21). */
const STREAM_VERSIONS = new Set([0, 2, 4, 8]);
const isStream = ([type, version = -1, size = 0, end]: Uint8Array) =>
  type === 0x09 && STREAM_VERSIONS.has(version) && size >= 4 && size <= 16 && end === 0;
/** The beginnings of tables in other formats of text that SheetJS reads. */
const MARKED_TEXT = /^(?:<|ID;|TABLE\r?\n|\{\\rtf)/i;

/**
 * A file that is declared as a workbook, but is a table in text, as many programs write them.
 * @returns undefined for workbooks
 * @throws DocumentError if the file is neither
 */
function readPlainTable(
  type: SpreadsheetType,
  bytes: Uint8Array,
): { task: SpreadsheetTask; bytes: Uint8Array } | undefined {
  const file = toBuffer(bytes);
  const isWorkbook = isZip(bytes) || isCompoundFile(file) || isStream(bytes);
  if (isWorkbook) return undefined;
  const start = textStart(bytes);
  const name = nameOfFile(bytes);
  if (start === undefined || (name !== 'a text file' && !MARKED_TEXT.test(start)))
    throw foreignError(type, bytes);
  if (MARKED_TEXT.test(start)) return undefined;
  const mark = encodingOfMark(bytes);
  const { encoding, isCertain } = mark ? { encoding: mark, isCertain: true } : detectEncoding(bytes);
  const guess = isCertain ? {} : { guessedEncoding: encoding };
  return {
    task: { type: 'csv', images: false, ...guess },
    bytes: Buffer.from(decodeBytes(bytes, encoding)),
  };
}

/** The HTML of the tables of a sheet, and before each one the pictures that begin above it. */
function inOrder(tables: GridCell[][], pictures: { row: number; html: string }[]): string[] {
  const waiting = [...pictures];
  const parts = tables.flatMap((cells) => {
    const count = waiting.findIndex(({ row }) => row >= boundsOf(cells).top);
    const above = waiting.splice(0, count === -1 ? waiting.length : count);
    return [...above.map(({ html }) => html), tableHtml(cells)];
  });
  return [...parts, ...waiting.map(({ html }) => html)];
}

const isText = (type: SpreadsheetType): type is 'csv' | 'tsv' => type === 'csv' || type === 'tsv';

/** @throws DocumentError if the file is empty, or an archive that is damaged or too large */
function expandFile(bytes: Uint8Array, onDamage: () => void): Uint8Array {
  if (bytes.length === 0) throw new DocumentError('damaged', 'The file is empty.');
  return expandArchive(bytes, onDamage);
}

/** The ends of formulas without a value, as programs write them that cannot calculate. */
const EMPTY_RESULTS = ['</f></c>', '</f><v></v>', '</f><v/>', '</f><v />'];

/** The names of the parts of an xlsb file that contain sheets. */
const BINARY_SHEET = /^xl\/worksheets\/[^/]+\.bin$/i;

interface ReadWorkbook {
  workbook: WorkBook;
  /** Whether formulas take the places of values that are not stored. */
  lacksValues: boolean;
  /** The stream with the records of an xls file. */
  xlsStream?: Buffer | undefined;
}

/**
 * Reads a workbook, and its formulas as well if their values are not stored.
 * @param sheetRows maximum number of rows to read of each sheet
 */
function readWorkbook(type: SpreadsheetType, bytes: Uint8Array, sheetRows: number): ReadWorkbook {
  try {
    if (isText(type)) return { workbook: readDelimitedText(type, bytes, sheetRows), lacksValues: false };
    const options = { type: 'buffer', dense: true, sheetRows, cellHTML: false, cellNF: true } as const;
    if (type === 'xls') loadCodePages(bytes);
    const withFormulas = { ...options, cellFormula: true, sheetStubs: true };
    const lacksValues = lacksArchivedValues(type, bytes);
    const workbook = lacksValues
      ? read(bytes, withFormulas)
      : read(bytes, { ...options, cellFormula: hasLinkFormulas(bytes), bookFiles: type === 'xls' });
    if (workbook.SheetNames.length === 0) throw new DocumentError('damaged', 'The workbook has no sheets.');
    const xlsStream = readXlsStream(workbook);
    if (!xlsStream || !hasOnlyEmptyResults(xlsStream)) return { workbook, lacksValues, xlsStream };
    return { workbook: read(bytes, withFormulas), lacksValues: true, xlsStream };
  } catch (error) {
    throw toDocumentError(error);
  }
}

/** Formulas that are links: as text, and the function with two arguments in xls files (MS-XLS 2.5.198.63). */
const LINK_FORMULAS = ['HYPERLINK(', Buffer.from('42026701', 'hex'), Buffer.from('22026701', 'hex')];

/** Whether a workbook may have formulas that are links, which are read only for these. */
function hasLinkFormulas(bytes: Uint8Array): boolean {
  const file = toBuffer(bytes);
  return LINK_FORMULAS.some((formula) => file.includes(formula));
}

/** Whether an xlsx file has formulas without a value, or an xlsb file has formulas, but a value of none. */
function lacksArchivedValues(type: SpreadsheetType, bytes: Uint8Array): boolean {
  if (type === 'xlsx') {
    const file = toBuffer(bytes);
    return EMPTY_RESULTS.some((end) => file.includes(end));
  }
  if (type !== 'xlsb' || !isZip(bytes)) return false;
  const archive = new ZipArchive(bytes);
  const names = archive.names.filter((name) => BINARY_SHEET.test(name));
  // The archive is not compressed, so that its size is the limit.
  const parts = names.map((name) => archive.read(name, Number.MAX_SAFE_INTEGER) ?? Buffer.alloc(0));
  try {
    return hasOnlyEmptyBinaryResults(parts);
  } catch (error) {
    // SheetJS reads what it can of a damaged sheet, or rejects it.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The stream with the records of an xls file. Only such files are read with their streams. */
function readXlsStream({ cfb }: WorkBook & { cfb?: unknown }): Buffer | undefined {
  if (!cfb) return undefined;
  const stream = CFB.find(cfb, '/Workbook')?.content as Uint8Array | undefined;
  return stream && Buffer.from(stream);
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
