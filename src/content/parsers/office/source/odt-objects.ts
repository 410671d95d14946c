import { posix } from 'node:path';
import { Parser } from 'htmlparser2';
import { escapeHtml } from '../../../html/parse/escape-html.ts';
import { localName } from '../../package-parts.ts';
import { ZipArchive } from '../../zip.ts';
import { rewriteElements } from './odf-elements.ts';
import { chartHtml } from './odt-charts.ts';
import { replaceParts, tryReadPart } from './replace-parts.ts';

const CONTENT = 'content.xml';
/** Limits in bytes: of the XML of one object and of all, and of the text. */
const MAX_OBJECT_BYTES = 256 * 1024;
const MAX_OBJECTS_BYTES = 8 * 1024 * 1024;
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 100;

/** A frame without frames inside, and the name of the object in it. */
const FRAME = /<draw:frame\b[^>]*>(?:(?!<\/?draw:frame\b)[\s\S])*<\/draw:frame>/g;
const OBJECT = /<draw:object\b[^>]*?\sxlink:href="([^"]+)"/;
/** The elements of MathML Core and of older versions that hold parts of formulas. */
const ELEMENTS = new Set(
  (
    'math mrow mi mn mo ms mtext mspace msup msub msubsup munder mover munderover mmultiscripts mprescripts none mfrac msqrt ' +
    'mroot mtable mtr mtd mstyle mfenced mpadded mphantom menclose'
  ).split(' '),
);
const ATTRIBUTES = new Set(['open', 'close', 'separators', 'mathvariant', 'accent', 'linethickness']);

/** Text in the place of an object: private characters of Unicode around its number. */
const MARK = /<p>\uE000(\d+)\uE001<\/p>|\uE000(\d+)\uE001/g;
/** The mark of an object by its number, which {@link insertObjects} replaces. */
export const markOf = (place: number) => `\uE000${place}\uE001`;

/** A file in which text marks the places of its formulas and charts, and their HTML. */
export interface MarkedObjects {
  bytes: Buffer;
  archive: ZipArchive;
  objects: string[];
}

/**
 * Puts marks into the text of an OpenDocument file for its formulas and charts, which are objects in files of
 * their own (OpenDocument 1.3, part 3, 10.4.6), because anydoc leaves them out, and rewrites other elements
 * that it does not know.
 * @returns undefined if there is nothing to change, or the file is damaged or too large
 */
export function markObjects(archive: ZipArchive, type: 'odt' | 'odp'): MarkedObjects | undefined {
  const xml = tryReadPart(archive, CONTENT, MAX_CONTENT_BYTES)?.toString('utf8') ?? '';
  const objects: string[] = [];
  let left = MAX_OBJECTS_BYTES;
  const marked = rewriteElements(xml, type).replace(FRAME, (frame) => {
    const name = OBJECT.exec(frame)?.[1];
    if (name === undefined || left <= 0) return frame;
    const part = posix.join(posix.normalize(name), CONTENT);
    const object = tryReadPart(archive, part, Math.min(left, MAX_OBJECT_BYTES))?.toString('utf8') ?? '';
    left -= object.length;
    const isFormula = /<(?:\w+:)?math\b/.test(object);
    const html = isFormula ? cleanMathml(object) : object.includes('<chart:chart') ? chartHtml(object) : '';
    if (!html) return frame;
    const text = markOf(objects.push(html) - 1);
    const mark =
      type === 'odt'
        ? text
        : `<draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
    // The picture of a chart stays, because it may be wanted.
    return isFormula ? mark : frame + mark;
  });
  if (marked === xml) return undefined;
  const bytes = replaceParts(archive, new Map([[CONTENT, marked]]));
  return bytes && { bytes, archive: new ZipArchive(bytes), objects };
}

/**
 * Replaces the marks in HTML by the objects. A chart, which is no text, replaces its paragraph or ends it.
 */
export const insertObjects = (html: string, objects: readonly string[]): string =>
  html.replace(MARK, (mark, paragraph: string | undefined, inline: string) => {
    const object = objects[Number(paragraph ?? inline)];
    if (object === undefined) return mark;
    if (paragraph === undefined) return object;
    return object.startsWith('<math') ? `<p>${object}</p>` : object;
  });

/** Keeps the elements of formulas, without prefixes, annotations and most attributes. */
function cleanMathml(xml: string): string {
  const open: string[] = [];
  let html = '';
  let depthOfAnnotation = 0;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = localName(tag);
        if (depthOfAnnotation > 0 || name.startsWith('annotation')) depthOfAnnotation++;
        const isKept = depthOfAnnotation === 0 && ELEMENTS.has(name) && open.length < MAX_DEPTH;
        open.push(isKept ? name : '');
        if (!isKept) return;
        const kept = Object.entries(attributes)
          .map(([attribute, value]) => [localName(attribute), value] as const)
          .filter(([attribute]) => ATTRIBUTES.has(attribute));
        html += `<${name}${kept.map(([attribute, value]) => ` ${attribute}="${escapeHtml(value)}"`).join('')}>`;
      },
      ontext(text) {
        if (depthOfAnnotation === 0) html += escapeHtml(text.trim());
      },
      onclosetag() {
        if (depthOfAnnotation > 0) depthOfAnnotation--;
        const name = open.pop();
        if (name) html += `</${name}>`;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return html;
}
