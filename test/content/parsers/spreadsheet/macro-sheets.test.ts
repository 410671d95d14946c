import { utils, write } from '@e965/xlsx';
import { expect, test } from 'vitest';
import { convertSpreadsheet } from '../../../../src/content/parsers/spreadsheet/index.ts';
import { ZipArchive } from '../../../../src/content/parsers/zip.ts';
import { writeZip } from '../zip-writer.ts';

/** A workbook of two sheets, whose parts are rewritten. */
function workbook(rewrite: (name: string, xml: string) => [name: string, xml: string]): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['data']]), 'Data');
  utils.book_append_sheet(book, utils.aoa_to_sheet([['first line'], [12.5]]), 'Macro1');
  const archive = new ZipArchive(write(book, { type: 'buffer', bookType: 'xlsx' }));
  const parts = archive.names.map((name) =>
    rewrite(name, archive.read(name, 1_000_000)?.toString('utf8') ?? ''),
  );
  return writeZip(Object.fromEntries(parts));
}
const convert = (file: Buffer) => convertSpreadsheet({ type: 'xlsx', images: false }, file).html;

test('the sheets of Excel 4 macros have their cells', () => {
  const html = convert(
    workbook((name, xml) => {
      if (name === 'xl/worksheets/sheet2.xml')
        return [
          'xl/macrosheets/sheet1.xml',
          xml
            .replace(
              '<worksheet ',
              '<xm:macrosheet xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main" ',
            )
            .replace('</worksheet>', '</xm:macrosheet>'),
        ];
      return [
        name,
        xml
          .replace(
            /"[^"]*worksheet"( Target="worksheets\/sheet2)/,
            '"http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet"$1',
          )
          .replace(
            'worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml',
            'worksheets/sheet2.xml" ContentType="application/vnd.ms-excel.macrosheet+xml',
          )
          .replace('worksheets/sheet2.xml', 'macrosheets/sheet1.xml'),
      ];
    }),
  );
  expect(html).toMatch(
    /<h2>Macro1<\/h2>\n<table>\n<tr><th>first line<\/th><\/tr>\n<tr><td>12\.5<\/td><\/tr>/,
  );
});

test('a link whose value is not stored has its name', () => {
  const html = convert(
    workbook((name, xml) => [
      name,
      name === 'xl/worksheets/sheet1.xml'
        ? xml
            .replace(
              /<sheetData>.*<\/sheetData>/,
              '<sheetData><row r="1"><c r="A1"><f>HYPERLINK("https://example.test/","Terms &amp; ""fees""")</f></c><c r="B1"><f>HYPERLINK("https://example.test/",C1)</f></c></row></sheetData>',
            )
            .replace(/<dimension[^>]*>/, '<dimension ref="A1:B1"/>')
        : xml,
    ]),
  );
  expect(html).toContain('<a href="https://example.test/">Terms &amp; &quot;fees&quot;</a>');
  expect(html).toContain('=HYPERLINK(');
});
