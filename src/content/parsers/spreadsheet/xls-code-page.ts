import { createRequire } from 'node:module';
import { set_cptable } from '@e965/xlsx';
import { toBuffer } from '../../source-text.ts';

/** The beginning of the record CodePage (MS-XLS 2.4.52): its number and its size. */
const CODE_PAGE = Buffer.from('42000200', 'hex');
/** UTF-16, and the code page that SheetJS knows by itself. */
const KNOWN = new Set([1200, 1252]);
let isLoaded = false;

/**
 * Loads SheetJS's tables of code pages for an xls file that needs them: workbooks of Excel 95 and earlier
 * have their texts in one. They take 20 ms, and most files are Unicode.
 */
export function loadCodePages(bytes: Uint8Array): void {
  if (isLoaded) return;
  const file = toBuffer(bytes);
  const at = file.indexOf(CODE_PAGE);
  if (at === -1 || at + 6 > file.length || KNOWN.has(file.readUInt16LE(at + 4))) return;
  set_cptable(createRequire(import.meta.url)('@e965/xlsx/dist/cpexcel.js'));
  isLoaded = true;
}
