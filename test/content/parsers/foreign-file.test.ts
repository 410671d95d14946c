import { describe, expect, test } from 'vitest';
import { detectDocumentFormat } from '../../../src/content/parsers/document-format.ts';
import { convertMail } from '../../../src/content/parsers/mail/index.ts';
import { convertOffice } from '../../../src/content/parsers/office/index.ts';
import type { OfficeType } from '../../../src/content/parsers/office/model.ts';
import { ReceivedFile } from '../../../src/content/parsers/received-file.ts';
import { convertSpreadsheet } from '../../../src/content/parsers/spreadsheet/index.ts';
import { writeCompoundFile } from './compound-file-writer.ts';
import { writeDoc } from './office/doc-writer.ts';
import { writePptx } from './office/package-writers.ts';

const office = (type: OfficeType, bytes: Uint8Array) => convertOffice({ type, images: false }, bytes);
const latin = (text: string) => Buffer.from(text, 'latin1');

describe('a file of another format than its name says', () => {
  test.each([
    ['doc', 'a JSON file', latin('{"a": [1, 2]}')],
    ['doc', 'a WordPerfect document', latin('\xffWPC\x10\0\0\0')],
    ['doc', 'a document of Word for Windows 2', latin('\xdb\xa5\x2d\0aaaa')],
    ['doc', 'a text file', latin('Dear Ann')],
    [
      'doc',
      'a Word 2003 XML document',
      latin('<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>'),
    ],
    ['docx', 'a JSON file', latin('[{"a": 1}]')],
    ['pptx', 'an HTML page', latin('<!DOCTYPE html><html>')],
    ['rtf', 'a PDF file', latin('%PDF-1.7')],
    ['epub', 'a binary file of an unknown format', latin('\0\x01\x02')],
  ] as const)('%s is refused as what it is: %s', async (type, name, bytes) => {
    await expect(office(type, bytes)).rejects.toMatchObject({
      fault: 'unsupported',
      message: expect.stringMatching(
        new RegExp(`^The file is ${name}, although it is named or declared as ${type}\\.`),
      ),
    });
  });

  test.each([
    ['a PNG image', latin('\x89PNG\r\n\x1a\n\0\0')],
    ['a JSON file', latin('{"a": 1}')],
    ['a binary file of an unknown format', latin('\0\x07\x01\xff\x02abc,def')],
  ])('is no workbook: %s', (name, bytes) => {
    expect(() => convertSpreadsheet({ type: 'xls', images: false }, bytes)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`The file is ${name}, although`) }),
    );
  });

  test('is read as a page if a program has saved it as one', async () => {
    expect((await office('doc', latin('<html><body><h1>Hi</h1></body></html>'))).html).toBe('<h1>Hi</h1>');
    const archive =
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<h1>Hi</h1>\r\n--b--\r\n';
    expect((await office('doc', latin(archive))).html.trim()).toBe('<h1>Hi</h1>');
  });

  test('is read as a table or a mail if it is one in text', async () => {
    const table = convertSpreadsheet(
      { type: 'xls', images: false },
      latin('\xc8\xec\xff\t\xc3\xee\xf0\xee\xe4\n\xc8\xe2\xe0\xed\t\xcc\xee\xf1\xea\xe2\xe0'),
    );
    expect(table.html).toBe(
      '<table>\n<tr><th>Имя</th><th>Город</th></tr>\n<tr><td>Иван</td><td>Москва</td></tr>\n</table>',
    );
    const mail = await convertMail(
      { type: 'msg', images: false },
      latin('From: a@b.test\r\nSubject: Hi\r\n\r\nText'),
    );
    expect(mail.html).toContain('<h1>Hi</h1>');
    await expect(convertMail({ type: 'msg', images: false }, latin('{}'))).rejects.toMatchObject({
      message: expect.stringContaining('a JSON file'),
    });
  });
});

describe('an old Word document', () => {
  const word = (version: number, signature = 0xa5dc) => {
    const stream = Buffer.alloc(4096);
    stream.writeUInt16LE(signature, 0);
    stream.writeUInt16LE(version, 2);
    return writeCompoundFile({ WordDocument: stream });
  };

  test.each([
    [101, 'Word 6'],
    [104, 'Word 95'],
  ])('of version %d is refused as one of %s', async (version, program) => {
    await expect(office('doc', word(version))).rejects.toMatchObject({
      message: `The document was made by ${program}, whose format is not supported. Save it as docx.`,
    });
  });

  test('of Word 97 is read whatever the case of the names of its streams is', async () => {
    const file = writeDoc([{ text: 'Hello\r' }]);
    const upper = Buffer.from(file);
    for (const name of ['WordDocument', '1Table', '0Table'])
      for (let at = 0; at >= 0; ) {
        at = upper.indexOf(Buffer.from(`${name}\0`, 'utf16le'), at);
        if (at >= 0) upper.write(name.toUpperCase(), at, 'utf16le');
      }
    expect(upper.equals(file)).toBe(false);
    expect((await office('doc', upper)).html).toBe((await office('doc', file)).html);
    expect((await office('doc', upper)).html).toContain('Hello');
    const received = new ReceivedFile({ url: 'https://files.test/a', contentType: '', body: upper });
    expect(detectDocumentFormat(received)?.type).toBe('doc');
  });
});

test('a presentation without slides says so, and a document without text has a warning', async () => {
  await expect(office('pptx', writePptx([]))).rejects.toMatchObject({
    message: 'The presentation has no slides.',
  });
  expect((await office('pptx', writePptx([{ shapes: '' }]))).warnings).toEqual(['The document has no text.']);
});
