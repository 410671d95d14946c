import { readXlsRecords } from './xls-records.ts';

/** The record of a cell with a formula (MS-XLS 2.4.127). */
const FORMULA = 0x0006;
/** Offset of the value in that record: behind row, column and format. */
const VALUE_OFFSET = 6;
const VALUE_BYTES = 8;
/** The first byte of a value that is an empty text (MS-XLS 2.5.133). */
const EMPTY_TEXT = 3;

/**
 * Whether a workbook of Excel 97 to 2003 has formulas whose values are all empty texts. Programs write these
 * that cannot calculate. In other workbooks a single formula may well have such a value.
 * @param stream the stream with the records of the workbook
 */
export function hasOnlyEmptyResults(stream: Buffer): boolean {
  let formulas = 0;
  for (const { type, content, isComplete } of readXlsRecords(stream)) {
    if (type !== FORMULA || !isComplete) continue;
    if (!isEmptyText(content)) return false;
    formulas++;
  }
  return formulas > 0;
}

/** Only values that are no numbers end in two bytes 0xff. */
function isEmptyText(record: Buffer): boolean {
  const value = record.subarray(VALUE_OFFSET, VALUE_OFFSET + VALUE_BYTES);
  return value[0] === EMPTY_TEXT && value[6] === 0xff && value[7] === 0xff;
}
