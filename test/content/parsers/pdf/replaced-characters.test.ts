import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { withPlaceholders } from '../../../../src/content/parsers/pdf/source/replaced-characters.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

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
      result.replaced.get(String.fromCharCode(Number.parseInt(code, 16)))?.character;
    const targets = Array.from(text.matchAll(/<(a[\da-f]{3})>/g), ([, code = '']) => characterOf(code));
    expect(targets).toEqual(['😀', '𝐀', '𠮷']);
    expect(text).toContain('<0002><0041>');
    expect(characterOf(/<0003><0066(....)>/.exec(text)?.[1] ?? '')).toBe('🚀');
    expect([...result.replaced.values()].map(({ character }) => character)).toEqual(
      expect.arrayContaining(['𝐀', '𝐁', '𝐂']),
    );
  });

  test('never get a placeholder that a font of the file uses itself', () => {
    const { replaced } = withPlaceholders(
      fileWith(`${HEAD}2 beginbfchar <01> <A000> <02> <D83DDE00> endbfchar`),
    );
    expect([...replaced]).toEqual([['\ua001', { character: '😀' }]]);
  });

  test('are found where fonts are compressed objects, and where there are many of them', () => {
    const map = `${HEAD}1 beginbfchar <01> <D83DDE00> endbfchar`;
    const many = Array.from({ length: 40 }, (_, place) => `<</ToUnicode ${place} 0 R>>`).join('');
    for (const font of ['<</Type/ObjStm>>', many])
      expect([...withPlaceholders(fileWith(map, font)).replaced.values()]).toEqual([{ character: '😀' }]);
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

describe('bold, italic and monospaced words of PDFs', () => {
  test('are known by the descriptors of fonts that have no name themselves', () => {
    const map = `${HEAD}1 beginbfrange <20> <7e> <0020> endbfrange`;
    const type3 = '<</Type/Font/Subtype/Type3/ToUnicode 5 0 R/FontDescriptor 7 0 R>>';
    const stylesOf = (name: string) => {
      const descriptor = `<</Type/FontDescriptor/FontName/${name}>>`;
      const { replaced, fonts } = withPlaceholders(fileWith(map, `${type3}\nendobj\n7 0 obj\n${descriptor}`));
      return { fonts: [...fonts], styles: new Set([...replaced.values()].map(({ style }) => style)) };
    };
    const bold = { bold: true, italic: false, monospaced: true };
    expect(stylesOf('ABCDEF+BridgeMono-Bold')).toEqual({
      fonts: ['BridgeMono-Bold', ''],
      styles: new Set([bold]),
    });
    expect(stylesOf('ABCDEF+Bridge')).toEqual({ fonts: [], styles: new Set() });
  });

  /** Texts of one line, each with its font and the place where it begins. */
  const line = (y: number, parts: [x: number, text: string, font?: PlacedText['font']][]) =>
    parts.map(([x, text, font = 'Helvetica']) => ({ x, y, text, font }));
  const htmlOf = async (texts: PlacedText[]) =>
    (await pdfToHtml(writePdf([{ texts }], { ownMaps: true }))).html;

  test('are marked inside of paragraphs, without the marks around them', async () => {
    const html = await htmlOf([
      ...line(100, [
        [60, 'All goods stay'],
        [128, 'our property', 'Helvetica-Bold'],
        [187.5, ', as the law ('],
        [241.5, 'German', 'Helvetica-Oblique'],
        [275.6, ') says, until the whole invoice is paid.'],
      ]),
      ...line(112, [
        [60, 'Note', 'Helvetica-Bold'],
        [82, ': the option'],
        [137, '--quiet', 'Courier'],
        [182, 'prints nothing, while all other options are described below it.'],
      ]),
    ]);
    expect(html).toContain('stay <strong>our property</strong>, as the law (<em>German</em>) says');
    expect(html).toContain('<strong>Note</strong>: the option <code>--quiet</code> prints nothing');
  });

  test('are marked together with the signs at their beginning', async () => {
    const html = await htmlOf([
      ...line(100, [
        [60, '\u00a7 4 Deposit', 'Helvetica-Bold'],
        [125, 'The tenant pays'],
        [203, '\u00a3 900', 'Helvetica-Bold'],
        [231, 'before the first day of the lease, in cash or otherwise.'],
      ]),
    ]);
    expect(html).toContain('<strong>§ 4 Deposit</strong> The tenant pays <strong>£ 900</strong> before');
  });

  test('are told by fonts that are named with their encoding', () => {
    const font =
      '<</BaseFont/ABCDEF+Serif-Bold-Identity-H/Encoding/Identity-H/DescendantFonts[7 0 R]/ToUnicode 5 0 R>>';
    const file = fileWith(
      `${HEAD}3 beginbfchar <01> <0041> <02> <0042> <03> <0043> endbfchar${' '.repeat(200)}`,
      font,
    );
    expect([...withPlaceholders(file).fonts]).toEqual(['Serif-Bold']);
  });

  test('stay in their line of code where a run begins with a sign', async () => {
    const html = await htmlOf([
      ...line(100, [[60, 'for attempt in range(times):', 'Courier']]),
      ...line(112, [
        [84, 'if attempt == times', 'Courier'],
        [216, '- 1:', 'Courier'],
      ]),
      ...line(124, [[108, 'raise', 'Courier']]),
      ...line(160, [[60, 'The function above calls three times, and then it gives up and throws.']]),
    ]);
    expect(html).toContain('if attempt == times   - 1:\n');
  });

  test('do not make the words behind them bold or monospaced', async () => {
    const html = await htmlOf([
      ...line(100, [
        [60, 'Important', 'Helvetica-Bold'],
        [110, 'things are said in the middle of a line, and go on in the next one as they'],
      ]),
      ...line(112, [
        [60, 'winnow', 'Courier'],
        [100, 'began, in a font of which all letters have their own widths again.'],
      ]),
    ]);
    expect(html).toContain('<strong>Important</strong> things are said');
    expect(html).toContain('as they <code>winnow</code> began, in a font');
  });

  test('are not code in a text that is written in such a font', async () => {
    const letter = textLines(60, 100, [
      'Dear Sir or Madam, we thank you for your letter of the third',
      'of May, and are sorry that the goods were damaged on the way.',
    ]).map((text) => ({ ...text, font: 'Courier' as const }));
    expect(await htmlOf(letter)).not.toContain('<strong>');
    expect(
      await htmlOf([...letter.slice(0, 1), ...line(150, [[60, 'Yours sincerely, Anna Berg']])]),
    ).not.toContain('<p><code>');
  });

  test('keep their hyphens where code continues on the next line', async () => {
    const html = await htmlOf([
      ...line(100, [
        [60, 'The program is started anew each time, and it understands the option'],
        [375, '--no-', 'Courier'],
      ]),
      ...line(112, [
        [60, 'cache', 'Courier'],
        [95, 'as its only one, which is why there is no list of them in this manual.'],
      ]),
    ]);
    expect(html).toContain('option <code>--no-cache</code> as its only one');
  });

  test('stay as PDFium reports them where fonts of several styles share a map', async () => {
    const file = writePdf(
      [
        {
          texts: line(100, [
            [60, 'All goods'],
            [110, 'stay', 'Helvetica-Bold'],
          ]),
        },
      ],
      {
        mappedTo: '0020',
      },
    );
    expect(withPlaceholders(file).file).toBe(file);
  });
});
