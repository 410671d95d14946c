import { type PdfPageContent, writePdf } from './pdf-writer.ts';

/**
 * A tag with its text (by the place in the list of texts) and further tags; the type can have attributes
 * behind it.
 */
export type TagNode = [type: string, ...children: (TagNode | number)[]];

/**
 * Text and its position, in points from the top left corner to the baseline. Empty text is drawn as a shape.
 */
export type TaggedText = [text: string, x: number, y: number];

/** The number of the first object of the tag tree, above those of the page. */
const ROOT = 90;

/**
 * Writes a PDF of one page whose texts are the contents of tags. Its cross-reference table is cut off, so it
 * is repaired.
 */
export function writeTaggedPdf(
  texts: readonly TaggedText[],
  tree: readonly TagNode[],
  images: PdfPageContent['images'] = [],
): Buffer {
  const raw = texts.map(([text, x, y], id) =>
    text
      ? `/P <</MCID ${id}>> BDC BT /F0 10 Tf ${x} ${792 - y} Td (${text}) Tj ET EMC`
      : `/P <</MCID ${id}>> BDC ${x} ${792 - y} 3 3 re f EMC`,
  );
  const file = writePdf([{ texts: [], images, raw: raw.join('\n') }], {
    catalog: `/MarkInfo<</Marked true>>/StructTreeRoot ${ROOT} 0 R`,
  }).toString('latin1');
  const page = /(\d+) 0 obj\n<<\/Type\/Page\/Parent/.exec(file)?.[1];
  const objects: string[] = [];
  const parents: string[] = [];
  const write = ([type, ...children]: TagNode, parent: number): number => {
    const own = ROOT + 1 + objects.push('');
    const kids = children.map((child) => {
      if (typeof child !== 'number') return `${write(child, own)} 0 R`;
      parents[child] = `${own} 0 R`;
      return String(child);
    });
    objects[own - ROOT - 2] =
      `${own} 0 obj\n<</Type/StructElem/S/${type}/P ${parent} 0 R/Pg ${page} 0 R/K[${kids.join(' ')}]>>\nendobj\n`;
    return own;
  };
  const roots = tree.map((node) => `${write(node, ROOT)} 0 R`).join(' ');
  const root = `${ROOT} 0 obj\n<</Type/StructTreeRoot/K[${roots}]/ParentTree<</Nums[0[${parents.join(' ')}]]>>>>\nendobj\n`;
  const body = file
    .slice(0, file.indexOf('xref'))
    .replace('/Type/Page/Parent', '/Type/Page/StructParents 0/Parent');
  return Buffer.from(body + root + objects.join(''), 'latin1');
}
