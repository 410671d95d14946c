import { gzipSync } from 'node:zlib';
import { writeZip } from '../../test/content/parsers/zip-writer.ts';
import type { Attack } from './attack.ts';
import { textAt } from './attacker.ts';

/** Attacks by files that are uploaded to be parsed. */

const LANES = 6;
const BOMB_MB = 100;
const UPLOAD_BYTES = 8 * 1024 * 1024;

const zeros = () => Buffer.alloc(BOMB_MB * 1024 * 1024, '<w:p>');
const docx = (document: string | Buffer) =>
  writeZip({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    'word/document.xml': document,
  });
const entities = `<!DOCTYPE a [${Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')}]><a>&e20;</a>`;
const cells = () => `<table>${`<tr>${'<td rowspan=9999>x'.repeat(100)}`.repeat(300)}</table>`;

/** Files by their names. */
const FILES: Record<string, () => string | Buffer> = {
  'bomb.docx': () => docx(zeros()),
  'entities.docx': () => docx(entities),
  'deep.docx': () => docx('<w:p>'.repeat(500_000)),
  'bomb.xlsx': () => writeZip({ 'xl/workbook.xml': '<workbook/>', 'xl/worksheets/sheet1.xml': zeros() }),
  'bomb.odt': () => writeZip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': zeros() }),
  'deep.ods': () =>
    writeZip({
      mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
      'content.xml': '<table:table-cell>'.repeat(500_000),
    }),
  'wide.ods': () =>
    writeZip({
      mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
      'content.xml': `<office:document-content>${'<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>'.repeat(100)}</office:document-content>`,
    }),
  'bomb.pptx': () =>
    writeZip({ 'ppt/presentation.xml': '<p:presentation/>', 'ppt/slides/slide1.xml': zeros() }),
  'entries.epub': () =>
    writeZip(
      Object.fromEntries([
        ['mimetype', 'application/epub+zip'],
        ...Array.from({ length: 50_000 }, (_, n) => [`${n}.xhtml`, '']),
      ]),
    ),
  'zips.zip': () => writeZip({ 'a.docx': writeZip({ 'b.docx': docx(zeros()) }) }),
  'bomb.html.gz': () => gzipSync(zeros()),
  'cells.html': cells,
  'deep.html': () => '<div>'.repeat(200_000),
  'groups.rtf': () => `{\\rtf1 ${'{\\b '.repeat(200_000)}`,
  'deep.json': () => '['.repeat(1_000_000),
  'wide.csv': () => `${','.repeat(100_000)}\n`.repeat(20),
  'parts.eml': () =>
    `Content-Type: multipart/mixed; boundary=b\n\n${'--b\nContent-Type: multipart/mixed; boundary=b\n\n'.repeat(50_000)}`,
  'objects.pdf': () =>
    `%PDF-1.7\n${'1 0 obj <</Kids [1 0 R] /Parent 1 0 R /Count 999999999>> endobj\n'.repeat(10_000)}trailer <</Root 1 0 R>>`,
};

const documents: Attack = {
  name: 'documents',
  aim: 'files that expand, nest or refer to themselves',
  async run(attacker) {
    const names = Object.keys(FILES);
    const made = new Map<string, Blob>();
    await attacker.repeat(LANES, (turn) => {
      const name = names[turn % names.length]!;
      const blob = made.get(name) ?? new Blob([Uint8Array.from(Buffer.from(FILES[name]!()))]);
      made.set(name, blob);
      const raw = new FormData();
      raw.append('options', JSON.stringify({ timeout: attacker.timeoutMs }));
      raw.append('file', blob, name);
      return attacker.call('POST /v2/parse', { raw });
    });
  },
};

const uploads: Attack = {
  name: 'uploads',
  aim: 'disk: uploads that nobody parses, and files of results that are read again and again',
  async run(attacker) {
    const bytes = new Uint8Array(UPLOAD_BYTES).fill(120);
    const shot = await attacker.call('POST /v2/scrape', {
      json: { url: `${attacker.around.site}/plain/1`, formats: ['screenshot'] },
    });
    const file = textAt(shot.body, 'data', 'screenshot').split('/').at(-1) ?? '';
    await attacker.repeat(LANES, async () => {
      const grant = await attacker.call('POST /v2/parse/upload-url', { json: { filename: 'x.txt' } });
      const token = textAt(grant.body, 'data', 'uploadUrl').split('/').at(-1) ?? '';
      await attacker.call('PUT /v2/parse/upload/{token}', { path: { token }, raw: bytes });
      await attacker.call('PUT /v2/parse/upload/{token}', { path: { token }, raw: bytes });
      await attacker.call('GET /v2/files/{token}', { path: { token: decodeURIComponent(file) } });
    });
    // One that is parsed, whose text is one line of eight megabytes.
    const grant = await attacker.call('POST /v2/parse/upload-url', { json: { filename: 'x.txt' } });
    const token = textAt(grant.body, 'data', 'uploadUrl').split('/').at(-1) ?? '';
    await attacker.call('PUT /v2/parse/upload/{token}', { path: { token }, raw: bytes });
    const uploadRef = textAt(grant.body, 'data', 'uploadRef');
    await attacker.call('POST /v2/parse', { json: { uploadRef, timeout: attacker.timeoutMs } });
  },
};

export const FILE_ATTACKS: Attack[] = [documents, uploads];
