import { Parser } from 'htmlparser2';
import { DocumentError } from '../document-error.ts';
import { readPart } from '../package-parts.ts';
import { ZipArchive } from '../zip.ts';

/** A workbook with more cells is refused. SheetJS writes out all repetitions, which takes minutes and gigabytes. */
const MAX_CELLS = 2_000_000;

/**
 * Reads what SheetJS does not say about an OpenDocument workbook: the names of its hidden sheets.
 * @param file the workbook as an archive
 * @param options.maxRows the most rows of a sheet that SheetJS is to read
 * @throws DocumentError `too-large` if it repeats cells with content too often; RangeError if it is no archive
 */
export function readHiddenOdsSheets(file: Uint8Array, { maxRows }: { maxRows: number }): Set<string> {
  const hidden = new Set<string>();
  const hidingStyles = new Set<string>();
  let style = '';
  const row = { repeated: 1, cells: 0 };
  const cell = { repeated: 1, hasContent: false };
  let cells = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'style:style') style = attributes['style:name'] ?? '';
        else if (name === 'style:table-properties' && attributes['table:display'] === 'false')
          hidingStyles.add(style);
        else if (name === 'table:table' && hidingStyles.has(attributes['table:style-name'] ?? ''))
          hidden.add(attributes['table:name'] ?? '');
        else if (name === 'table:table-row') {
          row.repeated = Math.min(maxRows, countOf(attributes['table:number-rows-repeated']));
          row.cells = 0;
        } else if (name === 'table:table-cell') {
          cell.repeated = countOf(attributes['table:number-columns-repeated']);
          cell.hasContent = 'office:value-type' in attributes || 'table:formula' in attributes;
        } else if (name === 'text:p') cell.hasContent = true;
      },
      onclosetag(name) {
        if (name === 'table:table-cell' && cell.hasContent) row.cells += cell.repeated;
        if (name !== 'table:table-row') return;
        cells += row.repeated * row.cells;
        if (cells > MAX_CELLS)
          throw new DocumentError('too-large', `The workbook has more than ${MAX_CELLS} cells.`);
      },
    },
    { xmlMode: true },
  );
  parser.end(readPart(new ZipArchive(file), 'content.xml'));
  return hidden;
}

const countOf = (repeated: string | undefined) => Math.max(1, Number(repeated ?? 1) || 1);
