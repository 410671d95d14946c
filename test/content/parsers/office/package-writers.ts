import { writeZip } from '../zip-writer.ts';

const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const SLIDE =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNg+M8AAAMBAQAY3Y2wAAAAAElFTkSuQmCC',
  'base64',
);

export const relationships = (...targets: [id: string, type: string, target: string][]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** The part of a bar chart with a title, and a reference to it by the identifier `rId1`. */
export const CHART = {
  part: `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:idx val="0"/><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:ptCount val="2"/><c:pt idx="0"><c:v>2024</c:v></c:pt><c:pt idx="1"><c:v>2025</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>17</c:v></c:pt><c:pt idx="1"><c:v>19.5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`,
  reference: `<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="${OFFICE}" r:id="rId1"/></a:graphicData></a:graphic>`,
  html: '<p><strong>Sales</strong></p>\n<table>\n<tr><th></th><th>North</th></tr>\n<tr><td>2024</td><td>17</td></tr>\n<tr><td>2025</td><td>19.5</td></tr>\n</table>',
};

/** Text of a slide in a placeholder, such as `title`. */
export const slideText = (placeholder: string, text: string) =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

/** The picture of a slide. */
export const slidePicture = (description: string) =>
  `<p:pic><p:nvPicPr><p:cNvPr id="7" name="Picture 6" descr="${description}"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="rId1"/></p:blipFill><p:spPr/></p:pic>`;

const tree = (name: string, shapes: string, attributes = '') =>
  `<p:${name} ${SLIDE}${attributes}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shapes}</p:spTree></p:cSld></p:${name}>`;

/**
 * Writes a pptx file with {@link PNG} as its picture.
 * @param slides the shapes of each slide, with the shapes of its speaker notes
 * @param options.target what `rId1` refers to, relative to the slides, and of which type; by default the
 * picture
 * @param options.parts further parts of the archive by their names
 */
export function writePptx(
  slides: { shapes: string; notes?: string; isHidden?: boolean }[],
  {
    target = ['image', '../media/image1.png'],
    parts: more = {},
  }: { target?: [type: string, target: string]; parts?: Record<string, string> } = {},
): Buffer {
  const parts: Record<string, string | Buffer> = { ...more };
  for (const [index, { shapes, notes, isHidden }] of slides.entries()) {
    const name = `slide${index}.xml`;
    parts[`ppt/slides/${name}`] = tree('sld', shapes, isHidden ? ' show="0"' : '');
    const note: [string, string, string][] = notes ? [['rId2', 'notesSlide', `../notesSlides/${name}`]] : [];
    parts[`ppt/slides/_rels/${name}.rels`] = relationships(['rId1', ...target], ...note);
    if (notes) parts[`ppt/notesSlides/${name}`] = tree('notes', notes);
  }
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index}"/>`).join('');
  return writeZip({
    '[Content_Types].xml': `<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`,
    '_rels/.rels': relationships(['rId1', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation ${SLIDE}><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships(
      ...slides.map((_, index): [string, string, string] => [
        `rId${index}`,
        'slide',
        `slides/slide${index}.xml`,
      ]),
    ),
    'docProps/core.xml':
      '<cp:coreProperties xmlns:cp="x" xmlns:dc="y" xmlns:dcterms="z"><dc:title>Deck</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2026-03-02T09:00:00Z</dcterms:created></cp:coreProperties>',
    ...parts,
    'ppt/media/image1.png': PNG,
  });
}

/** Writes an EPUB file with the bodies of its chapters, and {@link PNG} as `i.png`. */
export function writeEpub(chapters: string[], more: Record<string, string> = {}): Buffer {
  const names = chapters.map((_, index) => `c${index}`);
  return writeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/content.opf': `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>My book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:language>en</dc:language><dc:date>2020-01-02</dc:date><meta property="dcterms:modified">2021-01-02T00:00:00Z</meta></metadata><manifest><item id="i" href="i.png" media-type="image/png"/>${names
      .map((name) => `<item id="${name}" href="${name}.xhtml" media-type="application/xhtml+xml"/>`)
      .join(
        '',
      )}</manifest><spine>${names.map((name) => `<itemref idref="${name}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((body, index) => [
        `OEBPS/c${index}.xhtml`,
        `<html xmlns="http://www.w3.org/1999/xhtml"><body>${body}</body></html>`,
      ]),
    ),
    'OEBPS/i.png': PNG,
    ...more,
  });
}

const OPEN_DOCUMENT = ['office', 'text', 'drawing', 'presentation', 'table', 'style']
  .map(
    (name) =>
      `xmlns:${name === 'drawing' ? 'draw' : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  )
  .join(' ');

/**
 * Writes an OpenDocument file.
 * @param kind such as `text` or `presentation`
 * @param body content of the element of that name
 * @param more entries of the manifest, automatic styles, and further parts of the archive by their names
 */
export const writeOpenDocument = (
  kind: string,
  body: string,
  {
    manifest = '',
    styles = '',
    parts = {},
  }: { manifest?: string; styles?: string; parts?: Record<string, string> } = {},
) =>
  writeZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content ${OPEN_DOCUMENT}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">${manifest}</manifest:manifest>`,
    ...parts,
  });
