import type { ZipPart } from '../zip.ts';

const MACRO_SHEET = /^xl\/macrosheets\/[^/]+\.xml$/i;
const ROOT = /<(\/?)(?:\w+:)?macrosheet(?=[\s>])/g;
const RELATIONSHIP = /http:\/\/schemas\.microsoft\.com\/office\/2006\/relationships\/xl(?:Intl)?Macrosheet/g;
const WORKSHEET = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet';
const CONTENT_TYPE = /application\/vnd\.ms-excel\.(?:intl)?macrosheet\+xml/gi;
const WORKSHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml';

/**
 * Makes worksheets of the Excel 4 macro sheets of a workbook (MS-OFFMACRO 2.2.1.4), whose cells are written
 * likewise, because SheetJS does not read the cells of macro sheets. Their formulas are never run.
 */
export function macroSheetsAsWorksheets(parts: readonly ZipPart[]): ZipPart[] {
  if (!parts.some(({ name }) => MACRO_SHEET.test(name))) return [...parts];
  const rewrite = ({ name, content }: ZipPart, replace: (xml: string) => string): ZipPart => ({
    name,
    content: Buffer.from(replace(Buffer.from(content).toString('utf8'))),
  });
  return parts.map((part) => {
    if (MACRO_SHEET.test(part.name)) return rewrite(part, (xml) => xml.replace(ROOT, '<$1worksheet'));
    if (part.name === 'xl/_rels/workbook.xml.rels')
      return rewrite(part, (xml) => xml.replace(RELATIONSHIP, WORKSHEET));
    return part.name === '[Content_Types].xml'
      ? rewrite(part, (xml) => xml.replace(CONTENT_TYPE, WORKSHEET_TYPE))
      : part;
  });
}
