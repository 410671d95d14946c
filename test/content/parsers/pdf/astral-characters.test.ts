import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { withPlaceholders } from '../../../../src/content/parsers/pdf/source/astral-characters.ts';
import { textLines, writePdf } from './pdf-writer.ts';

/** A file with one stream, which is compressed, and to which fonts refer unless these are compressed too. */
function fileWith(map: string, font = '<</ToUnicode 5 0 R>>'): Buffer {
  const stream = deflateSync(Buffer.from(map, 'latin1'));
  return Buffer.concat([
    Buffer.from(`%PDF-1.7\n5 0 obj\n<</Filter/FlateDecode/Length ${stream.length}>>\nstream\n`),
    stream,
    Buffer.from(`\nendstream\nendobj\n6 0 obj\n${font}\nendobj\n`),
  ]);
}

const HEAD = '/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n';
const streamOf = (file: Buffer) =>
  inflateSync(file.subarray(file.indexOf('stream\n') + 'stream\n'.length)).toString('latin1');

describe('characters above U+FFFF', () => {
  test('of PDFs are kept in their words', async () => {
    // The space is mapped to U+1D400, so the letter A is mapped to U+1D421.
    const file = writePdf([{ texts: textLines(60, 100, ['AB']) }], { mappedTo: 'D835DC00' });
    expect((await pdfToHtml(file)).html).toContain('𝐡𝐢');
  });

  test('are replaced in compressed maps, alone, in ranges, in lists and within ligatures, and stay in their place', () => {
    const map = `${HEAD}1 begincodespacerange <0000> <ffff> endcodespacerange
3 beginbfchar <0001> <D83DDE00> <0002> <0041> <0003> <0066D83DDE80> endbfchar
2 beginbfrange <0010> <0012> <D835DC00> <0020> <0021> [<D842DFB7> <0042>] endbfrange`;
    const file = fileWith(map);
    const result = withPlaceholders(file);
    expect(result.file).toHaveLength(file.length);
    const text = streamOf(result.file);
    const characterOf = (code: string) =>
      result.characters.get(String.fromCharCode(Number.parseInt(code, 16)));
    const targets = Array.from(text.matchAll(/<(a[\da-f]{3})>/g), ([, code = '']) => characterOf(code));
    expect(targets).toEqual(['😀', '𝐀', '𠮷']);
    expect(text).toContain('<0002><0041>');
    expect(characterOf(/<0003><0066(....)>/.exec(text)?.[1] ?? '')).toBe('🚀');
    expect([...result.characters.values()]).toEqual(expect.arrayContaining(['𝐀', '𝐁', '𝐂']));
  });

  test('never get a placeholder that a font of the file uses itself', () => {
    const { characters } = withPlaceholders(
      fileWith(`${HEAD}2 beginbfchar <01> <A000> <02> <D83DDE00> endbfchar`),
    );
    expect([...characters]).toEqual([['\ua001', '😀']]);
  });

  test('are found where fonts are compressed objects, and where there are many of them', () => {
    const map = `${HEAD}1 beginbfchar <01> <D83DDE00> endbfchar`;
    const many = Array.from({ length: 40 }, (_, place) => `<</ToUnicode ${place} 0 R>>`).join('');
    for (const font of ['<</Type/ObjStm>>', many])
      expect([...withPlaceholders(fileWith(map, font)).characters.values()]).toEqual(['😀']);
  });

  test('leave files without them, and files that only pretend to have maps, as they are', () => {
    const files = [
      fileWith(`${HEAD}1 beginbfchar <01> <0041> endbfchar`),
      Buffer.from('5 0 obj <</Length 99999999>>\nstream\nbegincmap <D83DDE00>'),
      Buffer.from('<</Filter/FlateDecode/Length 5>>stream\nwrongendstream'),
      Buffer.from('stream'.repeat(1000)),
    ];
    for (const file of files) expect(withPlaceholders(file).file).toBe(file);
  });
});
