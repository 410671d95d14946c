import { read, type WorkBook } from '@e965/xlsx';
import { encodingOfMark } from '../byte-order-mark.ts';

/** Separators of columns, the most common one first. */
const SEPARATORS = [',', ';', '\t', '|'];
/** Number of lines from which the separator is guessed. */
const SAMPLE_LINES = 20;
const SAMPLE_LENGTH = 20_000;

/**
 * Reads comma-separated (RFC 4180) or tab-separated values as a workbook with one sheet. The values stay as
 * they are in the file: `007` and `1e5` do not become numbers.
 * @param bytes UTF-8 or, with a byte order mark, UTF-16
 * @param sheetRows maximum number of rows
 */
export function readDelimitedText(type: 'csv' | 'tsv', bytes: Uint8Array, sheetRows: number): WorkBook {
  const text = new TextDecoder(encodingOfMark(bytes)).decode(bytes);
  const separator = type === 'tsv' ? '\t' : guessSeparator(text);
  // The first line, as Excel reads and writes it, fixes the separator. It also keeps SheetJS from taking text
  // that begins with a signature, such as `{\rtf` or `TABLE`, for a file of that format.
  const declared = /^sep=./.test(text) ? text : `sep=${separator}\n${text}`;
  return read(declared, { type: 'string', raw: true, dense: true, sheetRows, cellFormula: false });
}

/** The separator that occurs most often in every line, outside quotes. */
function guessSeparator(text: string): string {
  const sample = text.slice(0, SAMPLE_LENGTH).replace(/"[^"]*"/g, '');
  const lines = sample
    .split(/\r?\n|\r/)
    .filter(Boolean)
    .slice(0, SAMPLE_LINES);
  // The last line of the sample may be cut.
  if (text.length > SAMPLE_LENGTH && lines.length > 1) lines.pop();
  let best = { separator: ',', count: 0 };
  for (const separator of SEPARATORS) {
    const count = Math.min(...lines.map((line) => line.split(separator).length - 1));
    if (lines.length > 0 && count > best.count) best = { separator, count };
  }
  return best.separator;
}
