import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { CFB, write } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDocumentConverter,
  type DocumentConverter,
} from '../../../../src/content/parsers/conversion/document-converter.ts';
import type { ConvertedDocument, DocumentType } from '../../../../src/content/parsers/document.ts';
import { sampleOf } from '../../../support/suite/corpus.ts';
import { writeCompoundFile } from '../compound-file-writer.ts';
import { docx, paragraph, run } from '../office/docx-writer.ts';
import {
  slidePicture,
  slideText,
  writeEpub,
  writeOpenDocument,
  writePptx,
} from '../office/package-writers.ts';
import { writeZip } from '../zip-writer.ts';

/** Files that attack their parsers, which run in the sandbox as in the service. */

let directory: string;
let converter: DocumentConverter;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'winnow-hostile-'));
  const logger = { warn: () => undefined, debug: () => undefined };
  converter = await createDocumentConverter({ cacheDir: directory, processes: 2, logger });
});
afterAll(async () => {
  await converter.close();
  await rm(directory, { recursive: true });
});

const convert = (type: DocumentType, bytes: Uint8Array): Promise<ConvertedDocument> =>
  converter.convert({ type, images: true }, bytes, { signal: AbortSignal.timeout(150_000), owner: 'a' });

const GOOD = docx(paragraph(run('A good document')));

/** Converts a hostile file and a good one at the same time. */
async function attack(type: DocumentType, bytes: Uint8Array) {
  const [hostile, good] = await Promise.all([
    convert(type, bytes).then(
      (document) => ({ document, code: undefined }),
      (error: { code?: string }) => ({ document: undefined, code: error.code ?? String(error) }),
    ),
    convert('docx', GOOD),
  ]);
  expect(good.html).toBe('<p>A good document</p>');
  return hostile;
}

const UNREADABLE = 'SCRAPE_DOCUMENT_UNREADABLE';
const ENCRYPTED = 'SCRAPE_DOCUMENT_ENCRYPTED';

/** An archive whose only entry expands to `bytes` zeros, whatever its directory says. */
function bomb(name: string, bytes: number, declared: number): Buffer {
  return writeZip({ [name]: Buffer.alloc(bytes, ' ') }, { [name]: declared });
}

/** An archive with very many entries in its directory that share the bytes of one. */
function overlapping(names: string[], content: Buffer): Buffer {
  const compressed = deflateRawSync(content);
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(8, 4);
  header.writeUInt32LE(compressed.length, 14);
  header.writeUInt32LE(content.length, 18);
  const named = (name: string) => {
    const copy = Buffer.from(header);
    copy.writeUInt16LE(Buffer.byteLength(name), 22);
    return copy;
  };
  const [first = 'a'] = names;
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), named(first), Buffer.from(first), compressed]);
  const directory = Buffer.concat(
    names.map((name) =>
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), named(name), Buffer.alloc(14), Buffer.from(name)]),
    ),
  );
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(Math.min(names.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(names.length, 0xffff), 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directory, end]);
}

const count = (length: number, name: (index: number) => string) =>
  Array.from({ length }, (_, index) => name(index));

/** The parts of a workbook with the given sheet. */
const xlsx = (sheet: string, prologue = '') =>
  writeZip({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    'xl/workbook.xml':
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `${prologue}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${sheet}</worksheet>`,
  });
const cell = (reference: string, text: string) =>
  `<row r="${/\d+/.exec(reference)?.[0]}"><c r="${reference}" t="inlineStr"><is><t>${text}</t></is></c></row>`;

const LAUGHS = `<!DOCTYPE l [<!ENTITY a0 "lol">${count(30, (level) => `<!ENTITY a${level + 1} "&a${level};&a${level};&a${level};&a${level};">`).join('')}]>`;
const OUTSIDE = '<!DOCTYPE o [<!ENTITY x SYSTEM "file:///etc/hostname">]>';

/** Replaces the allocation table of a compound file: every sector leads to itself. */
function cyclic(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const table = (copy.readUInt32LE(76) + 1) * 512;
  for (let place = 0; place < 128; place++) copy.writeUInt32LE(place, table + 4 * place);
  return copy;
}
const book = { SheetNames: ['S'], Sheets: { S: { '!ref': 'A1', A1: { t: 's', v: 'x' } } } };
const xls = Buffer.from(write(book as never, { type: 'buffer', bookType: 'biff8' }) as Uint8Array);

/** The first bytes of the stream of a Word file: identifier and version. */
const wordStream = (identifier: number, version: number) => {
  const stream = Buffer.alloc(5000);
  stream.writeUInt16LE(identifier, 0);
  stream.writeUInt16LE(version, 2);
  return stream;
};

const ENCRYPTED_PART =
  '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>';

/** An xls file with the record FilePass (MS-XLS 2.4.117) behind its first record. */
function encryptedXls(): Buffer {
  const stream = Buffer.from(CFB.find(CFB.read(xls, { type: 'buffer' }), '/Workbook')?.content as Uint8Array);
  const firstBytes = 4 + stream.readUInt16LE(2);
  const filePass = Buffer.alloc(4 + 54);
  filePass.writeUInt16LE(0x2f, 0);
  filePass.writeUInt16LE(54, 2);
  filePass.writeUInt16LE(1, 4);
  filePass.writeUInt16LE(1, 6);
  filePass.writeUInt16LE(1, 8);
  return writeCompoundFile({
    Workbook: Buffer.concat([stream.subarray(0, firstBytes), filePass, stream.subarray(firstBytes)]),
  });
}

/** Small archives that would take much memory or time. Each is refused only after seconds. */
const BOMBS: [string, DocumentType, () => Buffer, string][] = [
  ['a docx file that expands to 400 MB', 'docx', () => bomb('word/document.xml', 4e8, 4e8), UNREADABLE],
  [
    'an xlsx file that says that it expands to 2 GB',
    'xlsx',
    () => bomb('xl/workbook.xml', 1, 2 ** 31),
    UNREADABLE,
  ],
  [
    'an xlsx file that hides that it expands to 400 MB',
    'xlsx',
    () => bomb('xl/workbook.xml', 4e8, 10),
    UNREADABLE,
  ],
  ['an epub file that expands to 400 MB', 'epub', () => bomb('META-INF/container.xml', 4e8, 4e8), UNREADABLE],
  [
    'an archive of a million entries',
    'xlsx',
    () =>
      overlapping(
        count(1_000_000, (index) => `${index}`),
        Buffer.from('x'),
      ),
    UNREADABLE,
  ],
  [
    'a docx archive of a million entries',
    'docx',
    () =>
      overlapping(
        count(1_000_000, (index) => `${index}`),
        Buffer.from('x'),
      ),
    UNREADABLE,
  ],
  [
    'overlapping entries of 4 GB together',
    'xlsx',
    () =>
      overlapping(
        count(400, (index) => `xl/${index}.xml`),
        Buffer.alloc(1e7),
      ),
    UNREADABLE,
  ],
];

describe('a hostile file is refused:', () => {
  test.each<[string, DocumentType, () => Buffer, string]>([
    ...sampleOf(BOMBS, 4, 2),
    [
      'a doc file whose sectors form cycles',
      'doc',
      () => cyclic(writeCompoundFile({ WordDocument: wordStream(0xa5ec, 193) })),
      UNREADABLE,
    ],
    ['an xls file whose sectors form cycles', 'xls', () => cyclic(xls), UNREADABLE],
    [
      'an msg file whose sectors form cycles',
      'msg',
      () => cyclic(writeCompoundFile({ '__properties_version1.0': Buffer.alloc(5000) })),
      UNREADABLE,
    ],
    [
      'a file of Word 6',
      'doc',
      () => writeCompoundFile({ WordDocument: wordStream(0xa5dc, 101) }),
      UNREADABLE,
    ],
    [
      'a file of Word 95',
      'doc',
      () => writeCompoundFile({ WordDocument: wordStream(0xa5dc, 104) }),
      UNREADABLE,
    ],
    [
      'an encrypted docx file',
      'docx',
      () => writeCompoundFile({ EncryptedPackage: 'x', EncryptionInfo: 'x' }),
      ENCRYPTED,
    ],
    [
      'an encrypted xlsx file',
      'xlsx',
      () => writeCompoundFile({ EncryptedPackage: 'x', EncryptionInfo: 'x' }),
      ENCRYPTED,
    ],
    [
      'an encrypted pptx file',
      'pptx',
      () => writeCompoundFile({ EncryptedPackage: 'x', EncryptionInfo: 'x' }),
      ENCRYPTED,
    ],
    [
      'an encrypted odt file',
      'odt',
      () => writeOpenDocument('text', 'x', { manifest: ENCRYPTED_PART }),
      ENCRYPTED,
    ],
    [
      'an encrypted odp file',
      'odp',
      () => writeOpenDocument('presentation', 'x', { manifest: ENCRYPTED_PART }),
      ENCRYPTED,
    ],
    [
      'an encrypted ods file',
      'ods',
      () => writeOpenDocument('spreadsheet', 'x', { manifest: ENCRYPTED_PART }),
      ENCRYPTED,
    ],
    ['an encrypted xls file', 'xls', encryptedXls, ENCRYPTED],
    [
      'a cell that is repeated in billions of places, in ods',
      'ods',
      () =>
        writeOpenDocument(
          'spreadsheet',
          '<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
          { parts: { 'styles.xml': '<office:document-styles/>' } },
        ),
      UNREADABLE,
    ],
    [
      'mail parts without end',
      'eml',
      () =>
        Buffer.from(
          `Subject: x\r\n${count(3000, (index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`).join('')}`,
        ),
      UNREADABLE,
    ],
  ])('%s', async (_, type, bytes, code) => {
    expect((await attack(type, bytes())).code).toBe(code);
  });

  const TYPES = [
    'docx',
    'doc',
    'odt',
    'rtf',
    'pptx',
    'ppt',
    'odp',
    'epub',
    'xlsx',
    'xlsb',
    'xls',
    'ods',
    'msg',
  ] as const;

  test.each(TYPES)('an empty %s file', async (type) => {
    expect((await attack(type, Buffer.alloc(0))).code).toBe(UNREADABLE);
  });

  test.each(TYPES.filter((type) => type !== 'rtf'))('a picture that is called %s', async (type) => {
    const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(3000, 0xb5)]);
    expect((await attack(type, picture)).code).toBe(UNREADABLE);
  });

  test.each<[DocumentType, () => Buffer]>([
    ['docx', () => GOOD],
    ['xlsx', () => xlsx(`<sheetData>${cell('A1', 'x')}</sheetData>`)],
    ['pptx', () => writePptx([{ shapes: slideText('title', 'x') }])],
    ['odt', () => writeOpenDocument('text', '<text:p>x</text:p>')],
    ['epub', () => writeEpub(['<p>x</p>'])],
    ['xls', () => xls],
    ['msg', () => writeCompoundFile({ '__properties_version1.0': Buffer.alloc(5000) })],
  ])('a truncated %s file', async (type, bytes) => {
    const whole = bytes();
    expect((await attack(type, whole.subarray(0, whole.length / 3))).code).toBe(UNREADABLE);
  });
});

describe('a hostile file ends as a document within limits:', () => {
  test.each<[string, DocumentType, () => Buffer]>([
    [
      'entities that expand to 4^30 times their text, in docx',
      'docx',
      () => docx(paragraph(run('x&a30;')), LAUGHS),
    ],
    [
      'entities that expand to 4^30 times their text, in xlsx',
      'xlsx',
      () => xlsx(`<sheetData>${cell('A1', 'x&a30;')}</sheetData>`, LAUGHS),
    ],
    ['an entity that is a file of the system, in docx', 'docx', () => docx(paragraph(run('x&x;')), OUTSIDE)],
    [
      'an entity that is a file of the system, in xlsx',
      'xlsx',
      () => xlsx(`<sheetData>${cell('A1', 'x&x;')}</sheetData>`, OUTSIDE),
    ],
    [
      'a chapter with entities that expand, in epub',
      'epub',
      () =>
        writeEpub(['<p>x</p>'], {
          'OEBPS/c0.xhtml': `${LAUGHS}<html xmlns="http://www.w3.org/1999/xhtml"><body>x&a30;</body></html>`,
        }),
    ],
    [
      'a picture whose path leads out of the archive',
      'pptx',
      () =>
        writePptx([{ shapes: slideText('title', 'x') + slidePicture('dot') }], {
          target: ['image', '../../../../../../etc/passwd'],
        }),
    ],
    [
      'formulas nested deeply, and objects whose paths lead out of the archive',
      'odt',
      () =>
        writeOpenDocument(
          'text',
          `<text:p>x${['Object 1', '../../../etc/passwd'].map((name) => `<draw:frame><draw:object xlink:href="${name}"/></draw:frame>`).join('')}</text:p>`,
          { parts: { 'Object 1/content.xml': `<math>${'<mrow>'.repeat(20_000)}` } },
        ),
    ],
    [
      'entries whose names lead out of the archive',
      'docx',
      () => docx(paragraph(run('x')), '', { '../../../../tmp/escaped': 'y', '/etc/escaped': 'y' }),
    ],
    [
      'a span of millions of columns in docx',
      'docx',
      () =>
        docx(
          `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="9999999"/></w:tcPr>${paragraph(run('x'))}</w:tc></w:tr></w:tbl>`,
        ),
    ],
    [
      'a span of millions of columns in pptx',
      'pptx',
      () =>
        writePptx([
          {
            shapes: `${slideText('title', 'x')}<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="9999999" rowSpan="9999999"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`,
          },
        ]),
    ],
    [
      'millions of repeated columns and rows in odt',
      'odt',
      () =>
        writeOpenDocument(
          'text',
          '<text:p>x</text:p><table:table><table:table-row table:number-rows-repeated="9999999"><table:table-cell table:number-columns-repeated="9999999"><text:p>y</text:p></table:table-cell></table:table-row></table:table>',
        ),
    ],
    [
      'a merged range of a whole sheet',
      'xlsx',
      () =>
        xlsx(
          `<sheetData>${cell('A1', 'x')}</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`,
        ),
    ],
    [
      'cells in opposite corners of a sheet',
      'xlsx',
      () => xlsx(`<sheetData>${cell('A1', 'x')}${cell('XFD1048576', 'y')}</sheetData>`),
    ],
    [
      'tables in tables in docx',
      'docx',
      () =>
        docx(
          `${'<w:tbl><w:tr><w:tc>'.repeat(3000)}${paragraph(run('x'))}${'</w:tc></w:tr></w:tbl>'.repeat(3000)}`,
        ),
    ],
    [
      'elements in elements in epub',
      'epub',
      () => writeEpub([`<p>x</p>${'<div>'.repeat(50_000)}y${'</div>'.repeat(50_000)}`]),
    ],
    [
      'lists in lists in odt',
      'odt',
      () =>
        writeOpenDocument(
          'text',
          `<text:p>x</text:p>${'<text:list><text:list-item>'.repeat(5000)}<text:p>y</text:p>${'</text:list-item></text:list>'.repeat(5000)}`,
        ),
    ],
    [
      'groups in groups in rtf',
      'rtf',
      () => Buffer.from(`{\\rtf1 x${'{'.repeat(300_000)}y${'}'.repeat(300_000)}}`),
    ],
    ['binary data of impossible length in rtf', 'rtf', () => Buffer.from('{\\rtf1 x\\par\\bin4294967295 y}')],
    [
      'elements in elements in the HTML of a mail',
      'eml',
      () => Buffer.from(`Subject: x\r\nContent-Type: text/html\r\n\r\n${'<div>'.repeat(100_000)}y`),
    ],
    [
      'mails in mails',
      'eml',
      () =>
        Buffer.from(
          `${count(300, (depth) => `Subject: x${depth}\r\nContent-Type: message/rfc822\r\n\r\n`).join('')}Subject: y\r\n\r\nx`,
        ),
    ],
    ['a table of millions of columns in csv', 'csv', () => Buffer.from(`x${','.repeat(3_000_000)}y`)],
    ['a table of millions of rows in csv', 'csv', () => Buffer.from('x,y\n'.repeat(2_000_000))],
    ['quotes without end in csv', 'csv', () => Buffer.from(`x,${'"'.repeat(200_001)}`)],
  ])('%s', async (_, type, bytes) => {
    const { document, code } = await attack(type, bytes());
    if (document) {
      expect(document.html).toContain('x');
      expect(document.html).not.toMatch(/lollol|root:/);
      expect(document.html.length).toBeLessThan(2_000_000);
      expect(document.images).toEqual([]);
    } else expect(code).toBe(UNREADABLE);
  });

  test('a sheet of very many rows is cut, with a warning', async () => {
    const rows = count(60_000, (index) => cell(`A${index + 1}`, `r${index}`)).join('');
    const { html, warnings } = await convert('xlsx', xlsx(`<sheetData>${rows}</sheetData>`));
    expect(html).toContain('r19999');
    expect(html).not.toContain('r20000');
    expect(warnings).toEqual(['The sheet "S" was cut after 20000 rows.']);
  });
});
