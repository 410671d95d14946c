import { expect, test } from 'vitest';
import { DocumentError, type DocumentFault } from '../../../../src/content/parsers/document-error.ts';
import { canReplaceAnydoc, convertWithMammoth } from '../../../../src/content/parsers/office/mammoth.ts';
import { ZipArchive } from '../../../../src/content/parsers/zip.ts';
import { writeZip } from '../zip-writer.ts';
import { docx, paragraph, run } from './docx-writer.ts';
import { PNG } from './package-writers.ts';

const fallBack = (bytes: Buffer, fault: DocumentFault, images = false) =>
  convertWithMammoth(bytes, new ZipArchive(bytes), {
    images,
    failure: new DocumentError(fault, 'anydoc failed'),
  });

const IMAGE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/image';
const picture =
  '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr descr="A &quot;dot&quot;"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:embed="rId9"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>';
const letter = docx(paragraph(run('Letter'), 'Heading1') + paragraph(run('See ') + picture), '', {
  'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/><Relationship Id="rId9" Type="${IMAGE}" Target="media/dot.png"/></Relationships>`,
  'word/media/dot.png': PNG.toString('latin1'),
});

test('mammoth replaces anydoc where it cannot be loaded, and says so', async () => {
  const { html, warnings } = await fallBack(letter, 'unavailable');
  expect(html).toBe('<h1>Letter</h1><p>See A &quot;dot&quot;</p>');
  expect(warnings).toEqual([expect.stringContaining('cannot be loaded on this machine')]);
});

test('mammoth returns pictures if they are wanted', async () => {
  const { html, images, warnings } = await fallBack(letter, 'damaged', true);
  expect(html).toContain('src="document-image:0"');
  expect(images).toMatchObject([{ id: '0', mediaType: 'image/png' }]);
  expect(warnings).toEqual(['The document is damaged; parts of it may be missing.']);
});

test('what mammoth cannot read either fails as it failed with anydoc', async () => {
  await expect(fallBack(writeZip({ 'a.txt': 'x' }), 'damaged')).rejects.toMatchObject({
    fault: 'damaged',
    message: 'anydoc failed',
  });
});

test('mammoth is not tried for documents beyond its limits or with a password', async () => {
  const bomb = writeZip({ 'word/document.xml': 'x' }, { 'word/document.xml': 2 ** 31 });
  await expect(fallBack(bomb, 'damaged')).rejects.toMatchObject({ fault: 'too-large' });
  expect(canReplaceAnydoc(new DocumentError('password', ''))).toBe(false);
  expect(canReplaceAnydoc(new Error('a bug'))).toBe(false);
});
