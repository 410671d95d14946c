import { Parser } from 'htmlparser2';
import { DocumentError } from '../document-error.ts';
import { localName, readPart } from '../package-parts.ts';
import { ZipArchive } from '../zip.ts';

/**
 * A workbook that repeats its cells more often is refused: SheetJS writes out all copies, which takes minutes
 * and gigabytes.
 */
const MAX_COPIES = 2_000_000;

/**
 * Reads what SheetJS does not say about an OpenDocument workbook: the names of its hidden sheets.
 * @param file the workbook as an archive
 * @param options.maxRows how many rows SheetJS is to read; of later ones it writes out nothing
 * @throws DocumentError `too-large` if cells with content are repeated too often; RangeError if it is no
 * archive
 */
export function readHiddenOdsSheets(file: Uint8Array, { maxRows }: { maxRows: number }): Set<string> {
  const hidden = new Set<string>();
  const hidingStyles = new Set<string>();
  const row = { place: 0, repeated: 1, cells: 0, copies: 0 };
  const cell = { repeated: 1, hasContent: false };
  let style = '';
  let copies = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const value = (attribute: string) => attributeOf(attributes, attribute);
        switch (localName(name)) {
          case 'style':
            style = value('name') ?? '';
            break;
          case 'table-properties':
            if (value('display') === 'false') hidingStyles.add(style);
            break;
          case 'table':
            row.place = 0;
            if (hidingStyles.has(value('style-name') ?? '')) hidden.add(value('name') ?? '');
            break;
          case 'table-row':
            Object.assign(row, { repeated: countOf(value('number-rows-repeated')), cells: 0, copies: 0 });
            break;
          case 'table-cell':
            cell.repeated = countOf(value('number-columns-repeated'));
            cell.hasContent = value('value-type') !== undefined || value('formula') !== undefined;
            break;
          case 'p':
            cell.hasContent = true;
        }
      },
      onclosetag(name) {
        if (localName(name) === 'table-cell' && cell.hasContent) {
          row.cells++;
          row.copies += cell.repeated;
        }
        if (localName(name) !== 'table-row') return;
        if (row.place < maxRows) copies += row.repeated * row.copies - row.cells;
        row.place += row.repeated;
        if (copies > MAX_COPIES)
          throw new DocumentError('too-large', `The workbook repeats cells more than ${MAX_COPIES} times.`);
      },
    },
    { xmlMode: true },
  );
  parser.end(readPart(new ZipArchive(file), 'content.xml'));
  return hidden;
}

/** The value of an attribute, whatever its prefix is: SheetJS does not look at prefixes either. */
const attributeOf = (attributes: Record<string, string>, name: string): string | undefined =>
  Object.entries(attributes).find(([attribute]) => localName(attribute) === name)?.[1];

/** How often something is there, read like SheetJS does: the digits at the beginning count. */
const countOf = (repeated = '1') => Math.max(1, Number.parseInt(repeated, 10) || 1);
