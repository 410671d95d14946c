import type { ChildNode, Document, Element } from 'domhandler';
import { isHeading, isTag, isText } from '../../nodes.ts';
import { ElementMap } from './element-map.ts';

/** Counts over an element and its descendants. Lengths are in characters that are not blank. */
export interface Measure {
  length: number;
  /** The part of `length` that is inside links. */
  linked: number;
  /** The part of `length` in `pre` elements and in runs of at least 50 characters outside of links. */
  prose: number;
  links: number;
  /** The number of links to files. */
  downloads: number;
  headings: number;
  quotes: number;
  /** Images, and players of sound and video. */
  pictures: number;
}

export interface ElementMeasure extends Measure {
  /** Length of all text before the element on the page. */
  start: number;
  /** The level of the highest heading in it, where 1 is the highest; 7 if it has none. */
  rank: number;
}

/** The measures of all elements of a page that are not inside one without text. */
export type Measures = Readonly<ElementMap<ElementMeasure>>;

/** Elements whose content is not shown as text. */
const ELEMENTS_WITHOUT_TEXT = new Set(
  'head script style template title svg canvas iframe object embed audio video select datalist textarea map'.split(
    ' ',
  ),
);
/** Elements that continue a line of text instead of ending it. */
const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q ruby rb rp rt s samp ' +
    'small span strike strong sub sup time tt u var wbr'
  ).split(' '),
);
const PICTURES = new Set(['img', 'amp-img', 'svg', 'video', 'audio', 'iframe', 'object', 'embed']);
const NO_HEADING_LEVEL = 7;
/** A run of text with fewer characters is a label. */
const MIN_PARAGRAPH_LENGTH = 50;

/** A line of text that may span several inline elements. */
interface TextRun {
  length: number;
  linked: number;
}

/**
 * Measures every element of a page, in one pass.
 * @param isScripted whether a browser has rendered the page, so that `noscript` is not shown
 */
export const measureElements = (page: Document, isScripted: boolean): Measures =>
  new Measurement(page, isScripted).run();

/** One pass over a page. Its recursion is safe, because the parser limits the depth of a page. */
class Measurement {
  readonly #page: Document;
  readonly #isScripted: boolean;
  readonly #measures: ElementMap<ElementMeasure>;
  /** Length of all text so far. */
  #position = 0;

  constructor(page: Document, isScripted: boolean) {
    this.#page = page;
    this.#isScripted = isScripted;
    this.#measures = new ElementMap(page);
  }

  run(): Measures {
    const all = emptyMeasure(0);
    endRun(this.#measureNodes(this.#page.children, all, { length: 0, linked: 0 }, false), all);
    return this.#measures;
  }

  #isShown({ name, attribs }: Element): boolean {
    if (name === 'dialog') return attribs.open !== undefined;
    return !ELEMENTS_WITHOUT_TEXT.has(name) && !(this.#isScripted && name === 'noscript');
  }

  #measureNodes(nodes: ChildNode[], into: ElementMeasure, line: TextRun, isLink: boolean): TextRun {
    let run = line;
    for (const node of nodes) {
      if (isText(node)) {
        const length = countNonBlanks(node.data);
        this.#position += length;
        extendRun(run, length, isLink);
        into.length += length;
        if (isLink) into.linked += length;
      } else if (isTag(node)) {
        run = this.#measureElement(node, into, run, isLink);
      }
    }
    return run;
  }

  #measureElement(element: Element, into: ElementMeasure, line: TextRun, isLink: boolean): TextRun {
    const { name, attribs } = element;
    const own = emptyMeasure(this.#position);
    this.#measures.set(element, own);
    if (PICTURES.has(name)) own.pictures = 1;
    if (!this.#isShown(element)) {
      into.pictures += own.pictures;
      return line;
    }
    if (name === 'a') {
      own.links = 1;
      own.downloads = isDownload(element) ? 1 : 0;
    } else if (name === 'blockquote') own.quotes = 1;
    else if (isHeading(element)) {
      own.headings = 1;
      own.rank = Number(name[1]);
    }
    const isInline = INLINE.has(name);
    if (!isInline) endRun(line, into);
    const linksHere = isLink || (name === 'a' && attribs.href !== undefined);
    const first = isInline ? line : { length: 0, linked: 0 };
    const last = this.#measureNodes(element.children, own, first, linksHere);
    if (!isInline) endRun(last, own);
    if (name === 'pre') own.prose = own.length;
    addMeasure(into, own, 1);
    into.rank = Math.min(into.rank, own.rank);
    return isInline ? last : { length: 0, linked: 0 };
  }
}

const DOWNLOAD_URL =
  /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|tsv|epub|zip|gz|tgz|bz2|xz|7z|rar|dmg|exe|msi|apk|deb|rpm|iso)([?#]|$)/i;

/** Whether a link leads to a file to download. */
const isDownload = ({ attribs: { download, href = '' } }: Element) =>
  download !== undefined || DOWNLOAD_URL.test(href);

/** Adds a measure to another one, or subtracts it if `times` is -1. */
export function addMeasure(to: Measure, more: Measure, times: 1 | -1): void {
  to.length += times * more.length;
  to.linked += times * more.linked;
  to.prose += times * more.prose;
  to.links += times * more.links;
  to.downloads += times * more.downloads;
  to.headings += times * more.headings;
  to.quotes += times * more.quotes;
  to.pictures += times * more.pictures;
}

/**
 * The measure of an element before its content is counted. It has no spreads, because a page has thousands of
 * elements.
 */
const emptyMeasure = (start: number): ElementMeasure => ({
  length: 0,
  linked: 0,
  prose: 0,
  links: 0,
  downloads: 0,
  headings: 0,
  quotes: 0,
  pictures: 0,
  start,
  rank: NO_HEADING_LEVEL,
});

function extendRun(run: TextRun, length: number, isLink: boolean): void {
  run.length += length;
  if (isLink) run.linked += length;
}

/** Ends a run of text and counts it as prose if it is a paragraph. */
function endRun({ length, linked }: TextRun, into: Measure): void {
  const own = length - linked;
  if (own >= MIN_PARAGRAPH_LENGTH && linked < own) into.prose += length;
}

/** Room for the characters of a part of a text. */
const characters = new Uint16Array(8_192);
const characterBytes = Buffer.from(characters.buffer);

/**
 * The number of characters that are not blank. It reads them from an array, because the same loop over the
 * characters of a string takes five times as long in some processes as in others, depending on how V8
 * compiled it.
 */
export function countNonBlanks(text: string): number {
  let length = 0;
  for (let from = 0; from < text.length; from += characters.length) {
    const part = text.length > characters.length ? text.slice(from, from + characters.length) : text;
    const end = characterBytes.write(part, 'utf16le') / 2;
    for (let at = 0; at < end; at++) {
      const code = characters[at]!;
      if (code > 32 && code !== 160) length++;
    }
  }
  return length;
}
