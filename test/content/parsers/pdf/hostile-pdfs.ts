import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { jbig2Bomb, jpegBomb2000 } from './image-bombs.ts';
import { writePdf } from './pdf-writer.ts';

const CATALOG = '<</Type/Catalog/Pages 2 0 R>>';
const page = (rest = '', number = 4) =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R/I 6 0 R>>>>/Contents ${number} 0 R${rest}>>`;
const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
const SHOWN = 'BT /F1 12 Tf 72 700 Td (Some text that can be read.) Tj ET';
const tree = (kids = '3 0 R', count = 1) => `<</Type/Pages/Kids[${kids}]/Count ${count}>>`;

const stream = (content: Buffer | string, dictionary = '') =>
  Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${content.length}>>\nstream\n`),
    Buffer.from(content as string, 'latin1'),
    Buffer.from('\nendstream'),
  ]);
const packed = (content: Buffer | string, dictionary = '') =>
  stream(deflateSync(content, { level: 9 }), `${dictionary}/Filter/FlateDecode`);

/** Writes objects, numbered from 1, of which the first one is the catalog. */
function file(objects: (string | Buffer)[], trailer = ''): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  let length = parts[0]!.length;
  const offsets = objects.map((body, place) => {
    const offset = length;
    const part = Buffer.concat([
      Buffer.from(`${place + 1} 0 obj\n`),
      Buffer.from(body as string, 'latin1'),
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    length += part.length;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}

/** A file with one page and this content stream. */
const content = (body: Buffer | string, more: (string | Buffer)[] = [], rest = '') =>
  file([CATALOG, tree(), page(rest), body, FONT, ...more]);

/**
 * A small stream that a filter of the file turns into many repetitions of a text. It is put together from
 * compressed blocks, so that the whole is never in memory here; its checksum is wrong, which readers of PDF
 * ignore.
 */
function bomb(text: string, bytes: number): Buffer {
  const block = Buffer.alloc(16 * 1024 * 1024, text);
  const packedBlock = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH });
  const blocks = Array<Buffer>(Math.ceil(bytes / block.length)).fill(packedBlock);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, deflateRawSync(''), Buffer.alloc(4)]);
}
const GIGABYTE = 1024 ** 3;

/** A page that an image covers, with text below it or without any, so that the page is rendered for OCR. */
const imagePage = (image: Buffer, filter: string, side: number, text = '') =>
  content(stream(`${text} q 612 0 0 792 0 0 cm /I Do Q`), [
    stream(
      image,
      `/Type/XObject/Subtype/Image/Width ${side}/Height ${side}/BitsPerComponent ${filter === 'JBIG2Decode' ? 1 : 8}/ColorSpace/Device${filter === 'JBIG2Decode' ? 'Gray' : 'RGB'}/Filter/${filter}`,
    ),
  ]);

/**
 * Files of which nothing can be read, because they are broken or because they exceed the limits of their
 * parser.
 */
export const UNREADABLE_PDFS: Record<string, () => Buffer> = {
  'an empty file': () => Buffer.alloc(0),
  'a header and nothing else': () => Buffer.from('%PDF-1.7\n'),
  'random bytes after the header': () =>
    Buffer.concat([
      Buffer.from('%PDF-1.7\n'),
      Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * i * 31) % 251)),
    ]),
  'a page in HTML': () => Buffer.from(`<!doctype html><title>No PDF</title>${'<p>text'.repeat(1000)}`),
  'a zip archive': () => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(10_000, 1)]),
  'a cross-reference table of 4 billion entries': () =>
    Buffer.concat([
      Buffer.from(
        '%PDF-1.7\nxref\n0 4294967295\n0000000000 65535 f \ntrailer\n<</Size 4294967295/Root 1 0 R>>\nstartxref\n9\n%%EOF\n',
      ),
    ]),
  'a cross-reference stream of 2 billion entries': () => {
    const body = packed(
      Buffer.alloc(1000),
      '/Type/XRef/Size 2147483647/W[8 8 8]/Index[0 2147483647]/Root 1 0 R',
    );
    return Buffer.concat([
      Buffer.from('%PDF-1.7\n1 0 obj\n'),
      body,
      Buffer.from('\nendobj\nstartxref\n9\n%%EOF\n'),
    ]);
  },
  'cross-reference tables in a circle': () =>
    Buffer.from(
      '%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Prev 9/Root 1 0 R>>\nstartxref\n9\n%%EOF\n',
    ),
  'objects that refer to each other in a circle': () => file([CATALOG, '3 0 R', '4 0 R', '2 0 R', FONT]),
  'a gigabyte of spaces as content': () => content(stream(bomb(' ', GIGABYTE), '/Filter/FlateDecode')),
  'a gigabyte that is compressed twice': () =>
    content(stream(deflateSync(bomb(' ', GIGABYTE)), '/Filter[/FlateDecode/FlateDecode]')),
  'forms that multiply to ten billion': () => {
    const forms = Array.from({ length: 10 }, (_, i) =>
      stream(
        i === 9 ? SHOWN : '/X Do '.repeat(10),
        `/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 5 0 R>>/XObject<</X ${7 + i} 0 R>>>>`,
      ),
    );
    return file([CATALOG, tree(), page(), stream('/X Do'), FONT, ...forms]);
  },
  'states of graphics that are saved ten million times': () =>
    content(packed('q '.repeat(10_000_000) + SHOWN)),
  'outlines in a circle': () =>
    file([
      '<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>',
      tree(),
      page(),
      stream(SHOWN),
      FONT,
      '<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>',
      '<</Title(Again)/Parent 6 0 R/Next 7 0 R/First 6 0 R>>',
    ]),
  'a megabyte of "1 0 obj"': () =>
    Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from('1 0 obj '.repeat(131_072))]),
  'ten megabytes of digits and spaces': () =>
    Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(10 * 1024 * 1024, '1 ')]),
};

/** Files that take longer than a request has, or just so; which of the two depends on the machine. */
export const SLOW_PDFS: Record<string, () => Buffer> = {
  'a JPEG 2000 image of 400 million pixels': () => imagePage(jpegBomb2000(20_000), 'JPXDecode', 20_000),
  'a JBIG2 image of 900 million pixels': () => imagePage(jbig2Bomb(30_000), 'JBIG2Decode', 30_000),
  'a page tree of 100,000 levels': () =>
    file([
      CATALOG,
      ...Array.from(
        { length: 100_000 },
        (_, i) => `<</Type/Pages/Count 1/Kids[${i + 3} 0 R]/Parent ${i + 1} 0 R>>`,
      ),
      page(),
    ]),
  'a page tree with one page a million times': () =>
    file([CATALOG, tree('3 0 R '.repeat(1_000_000), 1_000_000), page(), stream(SHOWN), FONT]),
  'a gigabyte of operators': () => content(stream(bomb('q Q ', GIGABYTE), '/Filter/FlateDecode')),
  'two million letters, each drawn by itself': () =>
    content(packed(`BT /F1 1 Tf 72 700 Td ${'(a) Tj 1 0 Td '.repeat(2_000_000)} ET`)),
  'half a million lines as for a table': () =>
    content(
      packed(
        `${Array.from({ length: 250_000 }, (_, i) => `${i % 600} 0 m ${i % 600} 792 l S 0 ${i % 790} m 612 ${i % 790} l S`).join('\n')}\n${SHOWN}`,
      ),
    ),
  'a grid of 300 by 300 ruled cells with text': () =>
    content(
      packed(
        [
          ...Array.from(
            { length: 300 },
            (_, i) => `${i * 2} 0 m ${i * 2} 600 l S 0 ${i * 2} m 600 ${i * 2} l S`,
          ),
          ...Array.from(
            { length: 90_000 },
            (_, i) => `BT /F1 1 Tf ${(i % 300) * 2} ${Math.floor(i / 300) * 2} Td (a) Tj ET`,
          ),
        ].join('\n'),
      ),
    ),
};

/**
 * Images that expand to gigabytes. The text beside them is read, unless the parser runs out of memory before
 * it gives up.
 */
export const IMAGE_BOMBS: Record<string, () => Buffer> = {
  'a JPEG 2000 image of 3.6 billion pixels beside text': () =>
    imagePage(jpegBomb2000(60_000), 'JPXDecode', 60_000, SHOWN),
  'a JPEG 2000 image of 3.6 billion pixels that covers the page': () =>
    imagePage(jpegBomb2000(60_000), 'JPXDecode', 60_000),
  'a JPEG 2000 image that is larger than its file says': () =>
    imagePage(jpegBomb2000(60_000), 'JPXDecode', 10, SHOWN),
  'a JBIG2 image of four billion pixels beside text': () =>
    imagePage(jbig2Bomb(65_000), 'JBIG2Decode', 65_000, SHOWN),
  'a JBIG2 image of four billion pixels that covers the page': () =>
    imagePage(jbig2Bomb(65_000), 'JBIG2Decode', 65_000),
  'a JBIG2 image that is larger than its file says': () =>
    imagePage(jbig2Bomb(65_000), 'JBIG2Decode', 10, SHOWN),
};

/** Files that are made to harm their reader, and of which the harmless part is read. */
export const READABLE_PDFS: Record<string, () => Buffer> = {
  'a file that ends in the middle': () => {
    const whole = writePdf(
      Array.from({ length: 20 }, () => ({ texts: [{ x: 72, y: 72, text: 'A page.' }] })),
    );
    return whole.subarray(0, whole.length / 2);
  },
  'a page tree that contains itself': () =>
    file([CATALOG, tree('2 0 R 3 0 R 2 0 R', 3), page(), stream(SHOWN), FONT]),
  'a page tree that claims two billion pages': () =>
    file([CATALOG, tree('3 0 R', 2_147_483_647), page(), stream(SHOWN), FONT]),
  'a page that is its own parent': () =>
    file([CATALOG, tree(), page().replace('2 0 R', '3 0 R'), stream(SHOWN), FONT]),
  '100,000 objects that nothing uses': () =>
    content(
      stream(SHOWN),
      Array.from({ length: 100_000 }, (_, i) => `[${i}]`),
    ),
  'an object stream that extends itself': () =>
    file([
      CATALOG,
      tree(),
      page(),
      packed('2 0 3 10 <<>> <<>>', '/Type/ObjStm/N 2/First 8/Extends 4 0 R'),
      FONT,
    ]),
  'lengths of streams that are negative and huge': () =>
    file([
      CATALOG,
      tree('3 0 R 6 0 R', 2),
      page(),
      `<</Length -5>>\nstream\n${SHOWN}\nendstream`,
      FONT,
      page('', 7),
      `<</Length 99999999999>>\nstream\n${SHOWN}\nendstream`,
    ]),
  '200,000 letters at the same place': () =>
    content(packed('BT /F1 12 Tf 1 0 0 1 72 700 Tm (a) Tj ET '.repeat(200_000))),
  '200,000 words on one line': () =>
    content(packed(`BT /F1 0.01 Tf 72 700 Td (${'ab '.repeat(200_000)}) Tj ET`)),
  'a form that draws itself': () =>
    content(stream('/X Do'), [
      stream('/X Do', '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>'),
    ]),
  'arrays a million levels deep in the content': () => content(packed(`${'['.repeat(1_000_000)} ${SHOWN}`)),
  'dictionaries 100,000 levels deep in the catalog': () =>
    file([
      `<</Type/Catalog/Pages 2 0 R/X ${'<</X '.repeat(100_000)}1${'>>'.repeat(100_000)}>>`,
      tree(),
      page(),
      stream(SHOWN),
      FONT,
    ]),
  'tags in a circle': () =>
    file([
      '<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R>>',
      tree(),
      page('/StructParents 0'),
      stream(`/P <</MCID 0>> BDC ${SHOWN} EMC`),
      FONT,
      '<</Type/StructTreeRoot/K[7 0 R]/ParentTree 8 0 R>>',
      '<</S/P/P 6 0 R/K[7 0 R 0]/Pg 3 0 R>>',
      '<</Nums[0 [7 0 R]]/Kids[8 0 R]>>',
    ]),
  'form fields in a circle': () =>
    file([
      '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]>>>>',
      tree(),
      page('/Annots[6 0 R]'),
      stream(SHOWN),
      FONT,
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(b)/Rect[0 0 9 9]/Parent 6 0 R/Kids[6 0 R]>>',
    ]),
  '100,000 links on one page': () =>
    content(
      stream(SHOWN),
      [],
      `/Annots[${'<</Type/Annot/Subtype/Link/Rect[0 0 600 790]/A<</S/URI/URI(https://example.com/)>>>>'.repeat(100_000)}]`,
    ),
  'a font whose characters map to four billion others': () =>
    file([
      CATALOG,
      tree(),
      page(),
      stream(SHOWN),
      FONT.replace('>>', '/ToUnicode 6 0 R>>'),
      stream(
        'begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange endcmap',
      ),
    ]),
  'an image of 100,000 by 100,000 pixels': () =>
    content(stream(`q 600 0 0 700 0 0 cm /I Do Q ${SHOWN}`), [
      stream(
        bomb('\0', GIGABYTE),
        '/Type/XObject/Subtype/Image/Width 100000/Height 100000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode',
      ),
    ]),
  'a page of a million by a million points': () =>
    file([CATALOG, tree(), page().replace('612 792', '1000000 1000000'), stream(SHOWN), FONT]),
  '2,000 images of one pixel': () =>
    content(packed('/I Do '.repeat(2000) + SHOWN), [
      stream(
        Buffer.from([1, 2, 3]),
        '/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB',
      ),
    ]),
  'content in a file of the machine': () =>
    content('<</Length 0/F(/etc/passwd)/FFilter/ASCIIHexDecode>>\nstream\n\nendstream'),
  'links and actions that point to the machine': () =>
    file([
      '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>',
      tree(),
      page(
        '/Annots[<</Type/Annot/Subtype/Link/Rect[60 690 300 720]/A<</S/URI/URI(javascript:alert\\(1\\))>>>><</Type/Annot/Subtype/Link/Rect[60 690 300 720]/A<</S/Launch/F(file:///etc/passwd)>>>>]',
      ),
      stream(SHOWN),
      FONT,
    ]),
  'ten megabytes of opening brackets as title': () =>
    file(
      [CATALOG, tree(), page(), stream(SHOWN), FONT, `<</Title (${'('.repeat(10_000_000)})>>`],
      '/Info 6 0 R',
    ),
};
