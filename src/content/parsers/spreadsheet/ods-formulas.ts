import { replaceParts, tryReadPart } from '../office/source/replace-parts.ts';
import { ZipArchive } from '../zip.ts';

const CONTENT = 'content.xml';
const MAX_CONTENT_BYTES = 200 * 1024 * 1024;
/** An empty cell with a formula. */
const CELL =
  /<table:table-cell(?=\s)(?=[^<>]*\stable:formula="([^"<>]*)")(?![^<>]*\soffice:value-type=)([^<>]*?)(?:\/>|>\s*<\/table:table-cell>)/g;

/**
 * Writes formulas without a stored value as the texts of their cells, because SheetJS leaves such cells out.
 * @param file the workbook as an archive
 * @returns undefined if all values are stored
 */
export function writeOdsFormulas(file: Uint8Array): Buffer | undefined {
  const archive = new ZipArchive(file);
  const xml = tryReadPart(archive, CONTENT, MAX_CONTENT_BYTES)?.toString('utf8') ?? '';
  const written = xml.replace(
    CELL,
    (_, formula: string, attributes: string) =>
      `<table:table-cell${attributes} office:value-type="string"><text:p>${displayed(formula)}</text:p></table:table-cell>`,
  );
  return written === xml ? undefined : replaceParts(archive, new Map([[CONTENT, written]]));
}

/**
 * A formula as programs show it: without the name of its language, and references such as `[.B2:.B4]` as
 * `B2:B4`.
 */
const displayed = (formula: string) =>
  formula
    .replace(/^\w+:=/, '=')
    .replace(/\[([^[\]]*)\]/g, (_, reference: string) => reference.replace(/(^|:)\./g, '$1'));
