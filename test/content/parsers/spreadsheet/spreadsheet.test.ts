import { type CellObject, CFB, utils, type WorkSheet, write } from '@e965/xlsx';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { convertSpreadsheet } from '../../../../src/content/parsers/spreadsheet/index.ts';
import { ZipArchive } from '../../../../src/content/parsers/zip.ts';
import { writeCompoundFile } from '../compound-file-writer.ts';
import { writeOpenDocument } from '../office/package-writers.ts';
import { writeZip } from '../zip-writer.ts';

const workbook = (
  sheets: Record<string, WorkSheet>,
  hidden: string[] = [],
  type: 'xlsx' | 'xlsb' | 'xls' = 'xlsx',
): Buffer => {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  book.Workbook = {
    Sheets: Object.keys(sheets).map((name) => ({ name, Hidden: hidden.includes(name) ? 1 : 0 })),
  };
  book.Props = { Title: 'Accounts', Author: 'Ann' };
  return write(book, { type: 'buffer', bookType: type });
};
const rows = (...values: unknown[][]) => utils.aoa_to_sheet(values);

describe.each(['xlsx', 'xls'] as const)('a workbook of the type %s', (type) => {
  test('has values as they are displayed, the values of formulas, and a heading for each sheet, which says if it is hidden', () => {
    const sheet = rows(['Date', 'Share', 'Price', 'Paid', 'Sum']);
    const cells: Record<string, CellObject> = {
      A2: { t: 'n', v: 45292, z: 'yyyy-mm-dd' },
      B2: { t: 'n', v: 0.125, z: '0.0%' },
      C2: { t: 'n', v: 1234.5, z: '"$"#,##0.00' },
      D2: { t: 'b', v: true },
      E2: { t: 'n', v: 3, f: '1+2' },
    };
    Object.assign(sheet, cells, { '!ref': 'A1:E2' });
    const { html } = convertSpreadsheet(
      { type, images: true },
      workbook({ Sales: sheet, Notes: rows(['<x>']) }, ['Notes'], type),
    );
    expect(html).toContain('<h2>Sales</h2>');
    expect(html).toContain('<td>2024-01-01</td><td>12.5%</td><td>$1,234.50</td><td>TRUE</td><td>3</td>');
    expect(html).toContain('<h2>Notes (hidden)</h2>\n<table>\n<tr><th>&lt;x&gt;</th></tr>');
  });
});

test('merged cells keep their spans', () => {
  const sheet = rows(['Both', null], ['a', 'b'], ['c', 'd']);
  sheet['!merges'] = [utils.decode_range('A1:B1')];
  expect(convertSpreadsheet({ type: 'xlsx', images: true }, workbook({ S: sheet })).html).toContain(
    '<tr><th colspan="2">Both</th></tr>\n<tr><td>a</td><td>b</td></tr>',
  );
});

test('empty rows and columns separate tables', () => {
  const { html } = convertSpreadsheet(
    { type: 'xlsx', images: true },
    workbook({ S: rows(['a', null, 'x'], ['b', null, 'y'], [], ['c', 'd', 'e']) }),
  );
  expect(html.match(/<table>/g)).toHaveLength(3);
});

test('a workbook gives its title and author', () => {
  expect(
    convertSpreadsheet({ type: 'xlsx', images: true }, workbook({ S: rows(['a']) })).metadata,
  ).toMatchObject({
    title: 'Accounts',
    author: 'Ann',
  });
});

test('a csv file keeps quoted commas and leading zeros', () => {
  const { html } = convertSpreadsheet({ type: 'csv', images: true }, Buffer.from('name,n\n"a, b",007\n'));
  expect(html).toContain('<td>a, b</td>');
});

describe('a hostile workbook', () => {
  test('has its long sheets cut, with a warning', () => {
    const sheet = rows(...Array.from({ length: 50 }, (_, row) => [row]));
    const { html, warnings } = convertSpreadsheet({ type: 'xlsx', images: true }, workbook({ S: sheet }), {
      maxRows: 10,
      maxCells: 1000,
    });
    expect(html.match(/<tr>/g)).toHaveLength(10);
    expect(warnings).toEqual(['The sheet "S" was cut after 10 rows.']);
  });

  test('with cells on a diagonal does not become a table of millions of cells', () => {
    const sheet: WorkSheet = { '!ref': 'A1:ALL1000' };
    for (let place = 0; place < 1000; place++)
      sheet[utils.encode_cell({ r: place, c: place })] = { t: 's', v: `x${place}` } satisfies CellObject;
    const { html } = convertSpreadsheet({ type: 'xlsx', images: true }, workbook({ S: sheet }));
    expect(html).toContain('x999');
    expect(html.length).toBeLessThan(100_000);
  });

  test('with a merged range of the whole sheet is bounded', () => {
    const sheet = rows(['a'], ['b']);
    sheet['!merges'] = [utils.decode_range('A1:XFD1048576')];
    expect(
      convertSpreadsheet({ type: 'xlsx', images: true }, workbook({ S: sheet })).html.length,
    ).toBeLessThan(1000);
  });

  test('that expands to too much is refused before it is read', () => {
    const bomb = writeZip({ 'xl/workbook.xml': 'x' }, { 'xl/workbook.xml': 2 ** 31 });
    expect(() => convertSpreadsheet({ type: 'xlsx', images: true }, bomb)).toThrow(
      expect.objectContaining({ fault: 'too-large' }),
    );
  });

  test('loses a part that cannot be expanded, with a warning', () => {
    const book = utils.book_new(rows(['kept']), 'S');
    const bytes: Buffer = write(book, { type: 'buffer', bookType: 'xlsx', compression: true });
    const name = 'docProps/app.xml';
    // A block of the type 3, which does not exist (RFC 1951, 3.2.3).
    bytes.fill(0xff, bytes.indexOf(name) + name.length, bytes.indexOf(name) + name.length + 8);
    const { html, warnings } = convertSpreadsheet({ type: 'xlsx', images: true }, bytes);
    expect(html).toContain('kept');
    expect(warnings).toEqual(['The workbook is damaged; parts of it are missing.']);
  });

  test('whose archive is damaged is refused', () => {
    const bytes = workbook({ S: rows(['a']) });
    expect(() =>
      convertSpreadsheet({ type: 'xlsx', images: true }, bytes.subarray(0, bytes.length / 2)),
    ).toThrow(expect.objectContaining({ name: 'DocumentError' }));
  });
});

/** The text that a sheet of one number has for it. */
function displayed(value: number, format: string): string | undefined {
  const sheet = rows([]);
  Object.assign(sheet, { A1: { t: 'n', v: value, z: format }, '!ref': 'A1' });
  const { html } = convertSpreadsheet({ type: 'xlsx', images: false }, workbook({ S: sheet }));
  return /<th>(.*?)<\/th>/.exec(html)?.[1];
}

test.each([
  [45356, 'dd.mm.yyyy', '05.03.2024'],
  [45356.5454, 'DD.MM.YYYY hh:mm', '05.03.2024 13:05'],
  [45356, 'dddd, d. mmmm yyyy', 'Tuesday, 5. March 2024'],
  [45356, '[$-407]d. mmmm yyyy;@', '5. März 2024'],
  [45356, '[$-419]d mmmm yyyy', '5 марта 2024'],
  [45356, '[$-40C]dddd d mmmm yyyy', 'mardi 5 mars 2024'],
  [45356, '[$-FC19]dd mmmm yyyy г/.;@', '05 марта 2024 г/.'],
  [45356.5454, 'yyyy-mm-ddThh:mm:ss', '2024-03-05T13:05:23'],
  [45356.5454, '[$-409]h:mm AM/PM;@', '1:05 PM'],
  [0.1234, '0.0 %', '12.3 %'],
  [1234.5, '#,##0.00 zł', '1,234.50 zł'],
  [1234, '£#,##0', '£1,234'],
  [12, '0 units', '12 units'],
])('the number %s in the format %s is displayed as %s', (value, format, text) => {
  expect(displayed(value, format)).toBe(text);
});

test('a format that cannot be understood leaves the number as it is', () => {
  expect(displayed(1234.5, '# ##0,00')).toBe('1234.5');
});

test('a formula whose value is not stored is written as it is, with a warning', () => {
  const sheet = (cells: string) =>
    writeZip({
      '[Content_Types].xml':
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
      'xl/workbook.xml':
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml': `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:D1"/><sheetData><row r="1"><c r="A1"><v>1</v></c>${cells}</row></sheetData></worksheet>`,
    });
  const convert = (cells: string) => convertSpreadsheet({ type: 'xlsx', images: false }, sheet(cells));
  const without = convert(
    '<c r="B1"><f>SUM(A1:A9)</f><v></v></c><c r="C1"><f>A1&amp;"x"</f></c><c r="D1" t="e"><f>1/A1</f></c>',
  );
  expect(without.html).toContain(
    '<th>1</th><th>=SUM(A1:A9)</th><th>=A1&amp;&quot;x&quot;</th><th>=1/A1</th>',
  );
  expect(without.warnings).toEqual([expect.stringContaining('formulas')]);
  const stored = convert('<c r="B1"><f>SUM(A1:A9)</f><v>7</v></c>');
  expect([stored.html, stored.warnings]).toEqual([expect.stringContaining('<th>7</th>'), []]);
});

test('formulas of an xls file are written as they are, with a warning, if none of their values is stored', () => {
  const convert = (...values: Buffer[]) =>
    convertSpreadsheet(
      { type: 'xls', images: false },
      withFormulas(workbook({ S: rows(['a']) }, [], 'xls'), values),
    );
  const emptyText = Buffer.from([3, 0, 0, 0, 0, 0, 0xff, 0xff]);
  const seven = Buffer.alloc(8);
  seven.writeDoubleLE(7);
  const without = convert(emptyText, emptyText);
  expect(without.html).toContain('<tr><td>=1+2</td></tr>\n<tr><td>=1+2</td></tr>');
  expect(without.warnings).toEqual([expect.stringContaining('formulas')]);
  // An empty text beside other values is the result of its formula.
  const stored = convert(seven, emptyText);
  expect(stored.html).toContain('<td>7</td>');
  expect([stored.html.includes('=1+2'), stored.warnings]).toEqual([false, []]);
});

test('formulas of an xlsb file are written as they are, with a warning, if none of their values is stored', () => {
  const convert = (...values: number[]) => {
    const written = new ZipArchive(workbook({ S: rows([1]) }, [], 'xlsb'));
    const parts = written.names.map((name) => {
      const content = written.read(name, 1_000_000) ?? Buffer.alloc(0);
      return [name, name === 'xl/worksheets/sheet1.bin' ? withBinaryFormulas(content, values) : content];
    });
    return convertSpreadsheet({ type: 'xlsb', images: false }, writeZip(Object.fromEntries(parts)));
  };
  const without = convert(Number.NaN, Number.NaN);
  expect(without.html).toContain('<th>1</th><th>=1+2</th><th>=1+2</th>');
  expect(without.warnings).toEqual([expect.stringContaining('formulas')]);
  // An empty text beside other values is the result of its formula.
  const stored = convert(7, Number.NaN);
  expect(stored.html).toContain('<th>7</th>');
  expect([stored.html.includes('=1+2'), stored.warnings]).toEqual([false, []]);
});

/**
 * Adds cells with the formula `1+2` to the first row of a sheet (MS-XLSB 2.4.680); `NaN` stands for an empty
 * text as the stored value.
 */
function withBinaryFormulas(sheet: Buffer, values: number[]): Buffer {
  const expression = Buffer.from([0x1e, 1, 0, 0x1e, 2, 0, 0x03]);
  const records = values.map((value, place) => {
    const cell = Buffer.alloc(8);
    cell.writeUInt32LE(place + 1, 0);
    const stored = Buffer.alloc(Number.isNaN(value) ? 4 : 8);
    if (!Number.isNaN(value)) stored.writeDoubleLE(value);
    const sizes = Buffer.from([0, 0, expression.length, 0, 0, 0]);
    const content = Buffer.concat([cell, stored, sizes, expression, Buffer.alloc(4)]);
    return Buffer.concat([Buffer.from([Number.isNaN(value) ? 8 : 9, content.length]), content]);
  });
  // The record behind the cells is the end of the data (BrtEndSheetData).
  const end = sheet.indexOf(Buffer.from([0x92, 0x01, 0]));
  return Buffer.concat([sheet.subarray(0, end), ...records, sheet.subarray(end)]);
}

/**
 * Adds cells with the formula `1+2` below the first cell of an xls file (MS-XLS 2.4.127), with the values
 * that are stored for them.
 */
function withFormulas(file: Buffer, values: Buffer[]): Buffer {
  const stream = Buffer.from(
    CFB.find(CFB.read(file, { type: 'buffer' }), '/Workbook')?.content as Uint8Array,
  );
  const expression = [0x1e, 1, 0, 0x1e, 2, 0, 0x03];
  const records = values.map((value, place) => {
    const record = Buffer.alloc(4 + 22 + expression.length);
    record.writeUInt16LE(0x0006, 0);
    record.writeUInt16LE(record.length - 4, 2);
    record.writeUInt16LE(place + 1, 4);
    value.copy(record, 10);
    record.writeUInt16LE(expression.length, 24);
    Buffer.from(expression).copy(record, 26);
    return record;
  });
  // The last record of the only sheet is its end.
  const end = stream.lastIndexOf(Buffer.from([0x0a, 0, 0, 0]));
  return writeCompoundFile({
    Workbook: Buffer.concat([stream.subarray(0, end), ...records, stream.subarray(end)]),
  });
}

test('formulas of an ods file without a stored value are written as they are, with a warning', () => {
  const cells =
    '<table:table-cell table:formula="of:=SUM([.B2:.C2];[$Other.A1])"/><table:table-cell table:formula="of:=1+1" office:value-type="float" office:value="2"><text:p>2</text:p></table:table-cell>';
  const file = writeOpenDocument(
    'spreadsheet',
    `<table:table table:name="S"><table:table-row>${cells}</table:table-row></table:table>`,
    { parts: { 'styles.xml': '<office:document-styles/>' } },
  );
  const { html, warnings } = convertSpreadsheet({ type: 'ods', images: false }, file);
  expect(html).toContain('<th>=SUM(B2:C2;$Other.A1)</th><th>2</th>');
  expect(warnings).toEqual([expect.stringContaining('formulas')]);
});

test('long numbers without a format keep all digits', () => {
  const sheet = rows([4006381333931, 0.333333333333, -123456789012]);
  const { html } = convertSpreadsheet({ type: 'xlsx', images: false }, workbook({ Articles: sheet }));
  expect(html).toContain('<th>4006381333931</th><th>0.333333333</th><th>-123456789012</th>');
});

test('the hidden sheets of an OpenDocument workbook are marked, however far its empty cells extend', () => {
  const style = (name: string, display: boolean) =>
    `<style:style style:name="${name}" style:family="table"><style:table-properties table:display="${display}"/></style:style>`;
  const sheet = (name: string, styleName: string) =>
    `<table:table table:name="${name}" table:style-name="${styleName}"><table:table-row><table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048575"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`;
  const file = writeOpenDocument('spreadsheet', sheet('Shown', 'ta1') + sheet('Notes', 'ta2'), {
    styles: style('ta1', true) + style('ta2', false),
    parts: { 'styles.xml': '<office:document-styles/>' },
  });
  const { html } = convertSpreadsheet({ type: 'ods', images: false }, file);
  expect(html.match(/<h2>.*?<\/h2>/g)).toEqual(['<h2>Shown</h2>', '<h2>Notes (hidden)</h2>']);
});

test.each([
  ['rows', 'table:number-rows-repeated="3000000"', 'table:table-cell'],
  ['columns', '', 'table:table-cell table:number-columns-repeated="3000000"'],
  ['columns by a name with another prefix', '', 't:table-cell t:number-columns-repeated="3000000x"'],
])('an OpenDocument workbook whose cells are repeated in millions of %s is refused', (_, row, cell) => {
  const name = cell.split(' ')[0];
  const table = `<table:table table:name="S"><table:table-row ${row}><${cell} office:value-type="string"><text:p>x</text:p></${name}></table:table-row></table:table>`;
  const file = writeOpenDocument('spreadsheet', table, {
    parts: { 'styles.xml': '<office:document-styles/>' },
  });
  expect(() => convertSpreadsheet({ type: 'ods', images: false }, file)).toThrow(
    expect.objectContaining({ fault: 'too-large' }),
  );
});

test.each([
  [1251, 'windows-1251', 'Привет', 'Лист'],
  [932, 'Shift_JIS', '東京都', '売上'],
  [10007, 'macCyrillic', 'Привет', 'Лист'],
])('a workbook of Excel 95 is read by its code page %d', (codePage, encoding, text, name) => {
  const place = (value: string) => 'A'.repeat(iconv.encode(value, encoding).length);
  const book = utils.book_new();
  utils.book_append_sheet(book, rows([`${place(text)}1`]), `${place(name)}2`);
  let file = (write(book, { type: 'buffer', bookType: 'biff5' }) as Buffer).toString('latin1');
  for (const [end, value] of [
    ['1', text],
    ['2', name],
  ] as const)
    file = file.replaceAll(
      `${place(value)}${end}`,
      `${iconv.encode(value, encoding).toString('latin1')}${end}`,
    );
  const bytes = Buffer.from(file, 'latin1');
  bytes.writeUInt16LE(codePage, bytes.indexOf(Buffer.from('42000200', 'hex')) + 4);
  const { html } = convertSpreadsheet({ type: 'xls', images: false }, bytes);
  expect(html).toBe(`<h2>${name}2</h2>\n<table>\n<tr><th>${text}1</th></tr>\n</table>`);
});

test('a table in text says by which encoding it was read if that is a guess', () => {
  const { warnings } = convertSpreadsheet(
    { type: 'csv', images: false, guessedEncoding: 'macintosh' },
    Buffer.from('a,b'),
  );
  expect(warnings).toEqual([
    'Nothing says how the text is encoded; it was read as macintosh. If characters are wrong, save it as UTF-8.',
  ]);
});

test.each([
  ['[$-411]ggge"年"m"月"d"日"', 45000, '令和5年3月15日'],
  ['[$-411]ge.m.d', 45000, 'R5.3.15'],
  ['[$-411]ggge"年"', 32516, '平成1年'],
  ['ggge"年"', 25569, '昭和45年'],
  ['[$-404]e"年"m"月"', 45000, '112年3月'],
  ['#,##,##0.00', 1234567.5, '12,34,567.50'],
  ['[$₹-4009]#,##,##0', -123456789, '-₹12,34,56,789'],
  ['#,##,##0', 999, '999'],
  ['General" kg"', 12.5, '12.5 kg'],
  ['"ca. "General;"minus "General', -3, 'minus 3'],
  ['General', 12.5, '12.5'],
])('a number in the format %s is written as programs display it', (format, value, shown) => {
  const sheet = rows(['x']);
  sheet.A1 = { t: 'n', v: value, z: format } satisfies CellObject;
  const { html } = convertSpreadsheet({ type: 'xlsx', images: false }, workbook({ S: sheet }));
  expect(html).toContain(`<th>${shown}</th>`);
});

test.each(['xlsx', 'xls'] as const)(
  'links by formulas have their URLs, and cells their notes, in %s files',
  (type) => {
    const sheet = rows(['Name', 'Site'], ['Foo', 'Open site']);
    sheet.B2 = {
      t: 's',
      v: 'Open site',
      f: 'HYPERLINK("https://example.test/foo","Open site")',
    } satisfies CellObject;
    if (type === 'xlsx') sheet.A2!.c = [{ a: 'Bob', t: 'Reviewed\nby <Bob>' }];
    const { html } = convertSpreadsheet({ type, images: false }, workbook({ S: sheet }, [], type));
    expect(html).toContain('<td>Foo</td>');
    expect(html).toContain('Open site');
    if (type === 'xls') return;
    expect(html).toContain('<a href="https://example.test/foo">Open site</a>');
    expect(html).toContain('<p>Notes on cells:</p>\n<ul>\n<li>A2: Reviewed by &lt;Bob&gt;</li>\n</ul>');
  },
);

test('rows behind a gap beyond the limit are warned of, and empty ones that are only declared are not', () => {
  const limits = { maxRows: 10, maxCells: 1000 };
  const convert = (sheet: WorkSheet) =>
    convertSpreadsheet({ type: 'xlsx', images: false }, workbook({ S: sheet }), limits).warnings;
  const deep = rows(['top']);
  deep.A50 = { t: 's', v: 'bottom' } satisfies CellObject;
  deep['!ref'] = 'A1:A50';
  expect(convert(deep)).toEqual(['The sheet "S" was cut after 10 rows.']);
  const declared = rows(['top']);
  declared['!ref'] = 'A1:A50';
  expect(convert(declared)).toEqual([]);
});
