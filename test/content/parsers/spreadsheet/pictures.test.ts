import { CFB, utils, write } from '@e965/xlsx';
import { expect, test } from 'vitest';
import { convertSpreadsheet } from '../../../../src/content/parsers/spreadsheet/index.ts';
import { ZipArchive } from '../../../../src/content/parsers/zip.ts';
import { writeCompoundFile } from '../compound-file-writer.ts';
import { writeZip } from '../zip-writer.ts';

const PICTURE = Buffer.from('picture');
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const relationships = (...targets: [kind: string, target: string][]) =>
  `<Relationships xmlns="${PACKAGE}">${targets.map(([kind, target], place) => `<Relationship Id="rId${place + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`).join('')}</Relationships>`;
const anchor = (row: number, id: string, description: string) =>
  `<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>${row}</xdr:row></xdr:from><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="Picture 1" descr="${description}"/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="${id}"/></xdr:blipFill></xdr:pic></xdr:oneCellAnchor>`;

/** A workbook with a value in the rows 1 and 9, and pictures in between and below. */
const xlsx = (media: Record<string, Buffer> = { 'xl/media/image1.png': PICTURE }) =>
  writeZip({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Sales" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(['worksheet', 'worksheets/sheet1.xml']),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="9"><c r="A9"><v>9</v></c></row></sheetData></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relationships(['drawing', '../drawings/drawing1.xml']),
    'xl/drawings/drawing1.xml': `<xdr:wsDr>${anchor(12, 'rId2', 'Below')}${anchor(4, 'rId1', 'Sales &lt;2024&gt;')}</xdr:wsDr>`,
    'xl/drawings/_rels/drawing1.xml.rels': relationships(
      ['image', '/xl/media/image1.png'],
      ['image', '../media/vector.svg'],
    ),
    'xl/media/vector.svg': '<svg onload="alert(1)"/>',
    ...media,
  });

test('pictures of a sheet are between its tables, as files if they are wanted', () => {
  const { html, images } = convertSpreadsheet({ type: 'xlsx', images: true }, xlsx());
  expect(html).toMatch(
    /1<\/th>.*<p><img src="document-image:0" alt="Sales &lt;2024&gt;"><\/p>.*9<\/th>.*<p>Below<\/p>$/s,
  );
  expect(images).toEqual([{ id: '0', mediaType: 'image/png', bytes: PICTURE }]);
});

test('a binary workbook has its pictures at their places', () => {
  const sheet = utils.aoa_to_sheet([[1]]);
  sheet.A9 = { t: 'n', v: 9 };
  sheet['!ref'] = 'A1:A9';
  const workbook = utils.book_new();
  utils.book_append_sheet(workbook, sheet, 'Größe');
  const written = new ZipArchive(write(workbook, { type: 'buffer', bookType: 'xlsb' }));
  const parts = written.names.map((name) => [name, written.read(name, 1_000_000) ?? Buffer.alloc(0)]);
  const file = writeZip({
    ...Object.fromEntries(parts),
    'xl/worksheets/_rels/sheet1.bin.rels': relationships(['drawing', '../drawings/drawing1.xml']),
    'xl/drawings/drawing1.xml': `<xdr:wsDr>${anchor(4, 'rId1', 'Sales')}</xdr:wsDr>`,
    'xl/drawings/_rels/drawing1.xml.rels': relationships(['image', '../media/image1.png']),
    'xl/media/image1.png': PICTURE,
  });
  const { html, images } = convertSpreadsheet({ type: 'xlsb', images: true }, file);
  expect(html).toMatch(/Größe<\/h2>.*1<\/th>.*<p><img src="document-image:0" alt="Sales"><\/p>.*9<\/th>/s);
  expect(images).toEqual([{ id: '0', mediaType: 'image/png', bytes: PICTURE }]);
});

/** A record of a drawing (MS-ODRAW); containers have records as content. */
function drawingRecord(type: number, content: Buffer | Buffer[], instance = 0): Buffer {
  const bytes = Array.isArray(content) ? Buffer.concat(content) : content;
  const header = Buffer.alloc(8);
  header.writeUInt16LE((instance << 4) | (Array.isArray(content) ? 0xf : 0), 0);
  header.writeUInt16LE(type, 2);
  header.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

/** A record of a workbook (MS-XLS). */
function biffRecord(type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16LE(type, 0);
  header.writeUInt16LE(content.length, 2);
  return Buffer.concat([header, content]);
}

/** A picture on a sheet of an xls file: the shape, by the number of its file. */
function xlsShape(row: number, picture: number, description: string): Buffer {
  const text = Buffer.from(`${description}\0`, 'utf16le');
  const properties = Buffer.alloc(12);
  properties.writeUInt16LE(0x4104, 0);
  properties.writeUInt32LE(picture, 2);
  properties.writeUInt16LE(0xc381, 6);
  properties.writeUInt32LE(text.length, 8);
  const anchor = Buffer.alloc(18);
  anchor.writeUInt16LE(row, 6);
  return drawingRecord(0xf004, [
    drawingRecord(0xf00b, Buffer.concat([properties, text]), 2),
    drawingRecord(0xf010, anchor),
  ]);
}

/** Adds files of pictures and shapes to a workbook with one sheet. */
function withXlsPictures(file: Buffer, files: Buffer[], shapes: Buffer[]): Buffer {
  const found = CFB.find(CFB.read(file, { type: 'buffer' }), '/Workbook');
  const stream = Buffer.from(found?.content as Uint8Array);
  const end = Buffer.from([0x0a, 0, 0, 0]);
  const stored = drawingRecord(0xf000, [
    drawingRecord(
      0xf001,
      files.map((content) => drawingRecord(0xf007, Buffer.concat([Buffer.alloc(36), content]))),
    ),
  ]);
  // The files are spread over two records.
  const group = [biffRecord(0xeb, stored.subarray(0, 50)), biffRecord(0x3c, stored.subarray(50))];
  const drawing = drawingRecord(0xf002, [drawingRecord(0xf003, shapes)]);
  const workbookEnd = stream.indexOf(end);
  const sheetEnd = stream.lastIndexOf(end);
  for (let at = 0; at < workbookEnd; at += 4 + stream.readUInt16LE(at + 2))
    if (stream.readUInt16LE(at) === 0x85)
      stream.writeUInt32LE(stream.readUInt32LE(at + 4) + Buffer.concat(group).length, at + 4);
  return writeCompoundFile({
    Workbook: Buffer.concat([
      stream.subarray(0, workbookEnd),
      ...group,
      stream.subarray(workbookEnd, sheetEnd),
      biffRecord(0xec, drawing),
      stream.subarray(sheetEnd),
    ]),
  });
}

test('a workbook of Excel 97 to 2003 has its pictures at their places', () => {
  const sheet = utils.aoa_to_sheet([[1]]);
  sheet.A9 = { t: 'n', v: 9 };
  sheet['!ref'] = 'A1:A9';
  const workbook = utils.book_new();
  utils.book_append_sheet(workbook, sheet, 'Größe');
  const file = withXlsPictures(
    write(workbook, { type: 'buffer', bookType: 'biff8' }),
    [
      drawingRecord(0xf01a, Buffer.alloc(60), 0x3d4),
      drawingRecord(0xf01e, Buffer.concat([Buffer.alloc(33), PICTURE]), 0x6e1),
    ],
    [xlsShape(12, 1, 'Metafile'), xlsShape(4, 2, 'Sales <2024>'), xlsShape(1, 7, 'Unknown')],
  );
  const { html, images } = convertSpreadsheet({ type: 'xls', images: true }, file);
  expect(html).toMatch(
    /Größe<\/h2>.*1<\/th>.*<p><img src="document-image:0" alt="Sales &lt;2024&gt;"><\/p>.*9<\/th>.*<p>Metafile<\/p>$/s,
  );
  expect(images).toEqual([{ id: '0', mediaType: 'image/png', bytes: PICTURE }]);
  expect(convertSpreadsheet({ type: 'xls', images: false }, file).html).toContain(
    '<p>Sales &lt;2024&gt;</p>',
  );
});

test('alternative texts take the places of pictures that are not wanted', () => {
  const { html, images } = convertSpreadsheet({ type: 'xlsx', images: false }, xlsx());
  expect(html).toContain('<p>Sales &lt;2024&gt;</p>');
  expect(images).toEqual([]);
});

test('charts are their titles and the names of their series', () => {
  const text = (value: string) => `<a:p><a:r><a:t>${value}</a:t></a:r></a:p>`;
  const series = (name: string) =>
    `<c:ser><c:tx><c:strRef><c:f>A1</c:f><c:strCache><c:pt idx="0"><c:v>${name}</c:v></c:pt></c:strCache></c:strRef></c:tx><c:val><c:numRef><c:numCache><c:pt><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>`;
  const axis = `<c:valAx><c:title><c:tx><c:rich>${text('Euro')}</c:rich></c:tx></c:title></c:valAx>`;
  const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich>${text('Sales')}${text('by year')}</c:rich></c:tx></c:title><c:plotArea><c:barChart>${series('North')}${series('South &amp; East')}</c:barChart>${axis}</c:plotArea></c:chart></c:chartSpace>`;
  const frame =
    '<xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>3</xdr:row></xdr:from><xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="Chart 1"/></xdr:nvGraphicFramePr><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame></xdr:twoCellAnchor>';
  const file = xlsx({
    'xl/drawings/drawing1.xml': Buffer.from(`<xdr:wsDr>${frame}</xdr:wsDr>`),
    'xl/drawings/_rels/drawing1.xml.rels': Buffer.from(relationships(['chart', '../charts/chart1.xml'])),
    'xl/charts/chart1.xml': Buffer.from(chart),
  });
  const { html, images } = convertSpreadsheet({ type: 'xlsx', images: true }, file);
  expect(html).toMatch(/1<\/th>.*<p>Sales by year \(North, South &amp; East\)<\/p>.*9<\/th>/s);
  expect(images).toEqual([]);
});

test('text boxes of a sheet are paragraphs at their place', () => {
  const text = (content: string) => `<a:p><a:r><a:t>${content}</a:t></a:r></a:p>`;
  const box = `<xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>3</xdr:row></xdr:from><xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="TextBox 1" descr="a box"/></xdr:nvSpPr><xdr:txBody>${text('Prices')}${text('without tax')}</xdr:txBody></xdr:sp><xdr:sp/></xdr:twoCellAnchor>`;
  const file = xlsx({ 'xl/drawings/drawing1.xml': Buffer.from(`<xdr:wsDr>${box}</xdr:wsDr>`) });
  const { html } = convertSpreadsheet({ type: 'xlsx', images: true }, file);
  expect(html).toMatch(/1<\/th>[^P]*<p>Prices without tax<\/p>.*9<\/th>/s);
});

test('pictures that are too large are left out, with a warning', () => {
  const large = Buffer.alloc(65 * 1024 * 1024);
  const { html, images, warnings } = convertSpreadsheet(
    { type: 'xlsx', images: true },
    xlsx({ 'xl/media/image1.png': large }),
  );
  expect(html).toContain('<p>Sales &lt;2024&gt;</p>');
  expect(images).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('pictures')]);
});

test('an OpenDocument workbook has its pictures at their places', () => {
  const cell = (text: string, content = '') =>
    `<table:table-row><table:table-cell office:value-type="string"><text:p>${text}</text:p>${content}</table:table-cell></table:table-row>`;
  const frame =
    '<draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:title>A</svg:title><svg:desc>Chart of sales</svg:desc></draw:frame>';
  const file = writeZip({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="d" xmlns:svg="s" xmlns:xlink="x"><office:body><office:spreadsheet><table:table table:name="S">${cell('top')}<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>${cell('bottom', frame)}</table:table></office:spreadsheet></office:body></office:document-content>`,
    'styles.xml': '<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>',
    'META-INF/manifest.xml': '<manifest:manifest xmlns:manifest="m"/>',
    'Pictures/a.png': PICTURE,
  });
  const { html, images } = convertSpreadsheet({ type: 'ods', images: true }, file);
  expect(html).toContain('<img src="document-image:0" alt="Chart of sales">');
  expect(images[0]?.bytes).toEqual(PICTURE);
});
