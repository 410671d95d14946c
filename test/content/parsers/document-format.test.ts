import { describe, expect, it } from 'vitest';
import { detectDocumentFormat } from '../../../src/content/parsers/document-format.ts';
import { ReceivedFile } from '../../../src/content/parsers/received-file.ts';
import { writeCompoundFile } from './compound-file-writer.ts';

const formatOf = (contentType: string, body: Uint8Array, path: string) =>
  detectDocumentFormat(new ReceivedFile({ url: `https://files.test${path}`, contentType, body }))?.type;

/** A ZIP archive of stored files (APPNOTE 4.3), without checksums: nobody here unpacks it. */
function zip(files: Record<string, string | Buffer>, comment = ''): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content);
    const local = Buffer.alloc(30);
    local.write('PK\x03\x04', 'latin1');
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(data.length, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02', 'latin1');
    entry.writeUInt16LE(name.length, 28);
    locals.push(local, Buffer.from(name), data);
    entries.push(entry, Buffer.from(name));
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(Buffer.concat(locals).length, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, directory, end, Buffer.from(comment)]);
}

const compound = (stream: string) =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(504),
    Buffer.from(`${stream}\0`, 'utf16le'),
  ]);
const TYPES = '[Content_Types].xml';
const docx = zip({ [TYPES]: '<Types/>', '_rels/.rels': '', 'word/document.xml': '<w:document/>' });
const UNKNOWN = ['', 'application/octet-stream', 'application/zip', 'text/html', 'text/plain'];

describe('a document is recognised by its bytes, whatever its type and name', () => {
  it.each([
    ['docx', docx],
    ['xlsx', zip({ [TYPES]: '', 'xl/workbook.xml': '' })],
    ['xlsb', zip({ [TYPES]: '', 'xl/workbook.bin': '' })],
    ['pptx', zip({ [TYPES]: '', 'ppt/presentation.xml': '' }, 'with a comment at its end')],
    ['odt', zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '' })],
    ['ods', zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '' })],
    ['odp', zip({ mimetype: 'application/vnd.oasis.opendocument.presentation', 'content.xml': '' })],
    ['epub', zip({ mimetype: 'application/epub+zip', 'META-INF/container.xml': '' })],
    ['doc', compound('WordDocument')],
    ['xls', compound('Workbook')],
    ['ppt', compound('PowerPoint Document')],
    ['msg', writeCompoundFile({ '__properties_version1.0': 'x', WordDocument2: 'x' })],
    ['msg', writeCompoundFile({ '__properties_version1.0': 'x', 'attached/WordDocument': 'x' })],
    ['doc', writeCompoundFile({ WordDocument: 'x', 'ObjectPool/Workbook': 'x' })],
    ['rtf', Buffer.from('{\\rtf1\\ansi Hello}')],
  ])('%s', (format, bytes) => {
    for (const type of [...UNKNOWN, 'application/vnd.ms-excel', 'image/png']) {
      expect(formatOf(type, bytes, '/file.bin'), type).toBe(format);
    }
  });
});

describe('a document', () => {
  const truncated = docx.subarray(0, 60);

  it('whose bytes are ambiguous is recognised by its type, otherwise by its extension', () => {
    expect(formatOf('application/epub+zip', truncated, '/a.docx')).toBe('epub');
    expect(formatOf('application/octet-stream', truncated, '/a/b.DOCX')).toBe('docx');
    expect(formatOf('application/octet-stream', truncated, '/a.xlsm')).toBe('xlsx');
    expect(formatOf('', compound('Else'), '/a.doc')).toBe('doc');
    expect(formatOf('application/msword', Buffer.from('anything'), '/')).toBe('doc');
  });

  it('that is an encrypted docx, xlsx or pptx file has the type that is declared', () => {
    const encrypted = writeCompoundFile({ EncryptedPackage: 'x', EncryptionInfo: 'x' });
    expect(formatOf('application/octet-stream', encrypted, '/a.xlsx')).toBe('xlsx');
    expect(formatOf('', encrypted, '/a')).toBe('docx');
  });

  it('of text is recognised by its type, or by its name where the type says no more than text', () => {
    const table = Buffer.from('a,b\n1,2');
    expect(formatOf('text/csv', table, '/export')).toBe('csv');
    expect(formatOf('text/plain', table, '/a.csv')).toBe('csv');
    expect(formatOf('', table, '/a.TSV')).toBe('tsv');
    expect(formatOf('application/vnd.ms-excel', table, '/a.csv')).toBe('csv');
    expect(formatOf('text/plain', table, '/a.txt')).toBeUndefined();
    expect(formatOf('text/html', table, '/a.csv')).toBeUndefined();
    expect(formatOf('text/csv', Buffer.from([0, 1, 2, 3]), '/a.csv')).toBeUndefined();
    expect(formatOf('text/csv', docx, '/a.csv')).toBe('docx');
    expect(formatOf('text/plain', Buffer.from('Subject: x\n\ny'), '/a.eml')).toBe('eml');
  });

  it.each([
    ['an archive', zip({ 'a.txt': 'text' }), '/a.zip'],
    ['an archive of documents', zip({ 'a.docx': docx }), '/a.zip'],
    ['a part of an archive', truncated, '/a.zip'],
    ['an archive with a strange name', truncated, '/a.constructor'],
    ['a compound file of another program', compound('Else'), '/a.msi'],
    ['text called like one', Buffer.from('words'), '/a.docx'],
    ['nothing', Buffer.alloc(0), '/a.docx'],
  ])('is not recognised in %s', (_name, bytes, path) => {
    for (const type of UNKNOWN) expect(formatOf(type, bytes, path), type).toBeUndefined();
  });

  it('may be damaged in any way without an error', () => {
    for (let length = 0; length < docx.length; length++) formatOf('', docx.subarray(0, length), '/');
    const lying = Buffer.from(docx);
    lying.writeUInt32LE(0xffffffff, lying.length - 6);
    expect(formatOf('', lying, '/')).toBeUndefined();
    expect(
      formatOf('', Buffer.from('PK\x03\x04'.padEnd(30, '\0').concat('mimetype'), 'latin1'), '/'),
    ).toBeUndefined();
  });
});
