import { type ChildNode, type Document, type Element, isTag, isText } from 'domhandler';

/** What an element and all that is in it amount to. Lengths are characters that are not blanks. */
export interface Measure {
  length: number;
  /** Of it, inside links. */
  linked: number;
  /** Of it, in paragraphs: runs of text that are long enough to be sentences and mostly no links, and code. */
  prose: number;
  links: number;
  /** Of the links, those to files. */
  downloads: number;
  headings: number;
  quotes: number;
  /** Images, and players of sound and video. */
  pictures: number;
}

export interface Measured extends Measure {
  /** Length of all that comes before the element on the page. */
  start: number;
  /** The level of the highest heading in it, 1 the highest; 7 without one. */
  rank: number;
}

/** In document order. */
export type Measures = ReadonlyMap<Element, Measured>;

/** Never shown as text. */
const UNSEEN = new Set(
  (
    'head script style template title svg canvas iframe object embed audio video select datalist textarea ' +
    'dialog map'
  ).split(' '),
);
/** What stands in a line of text instead of interrupting it. */
const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q ruby rb rp rt s samp ' +
    'small span strike strong sub sup time tt u var wbr'
  ).split(' '),
);
const PICTURES = new Set(['img', 'svg', 'video', 'audio', 'iframe', 'object', 'embed']);
const NO_HEADING = 7;
/** A shorter run of text is a label. */
const SHORTEST_PARAGRAPH = 50;

/** A line of text as it runs on through inline elements. */
interface Run {
  length: number;
  linked: number;
}

/**
 * Measures every element of a page, in one pass.
 * @param isScripted whether a browser has rendered the page, so that `noscript` is not shown
 */
export function measure(page: Document, isScripted: boolean): Measures {
  const measures = new Map<Element, Measured>();
  let position = 0;
  const isShown = ({ name }: Element) => !UNSEEN.has(name) && !(isScripted && name === 'noscript');

  // Recursion is safe: a parsed page is never deeper than browsers let it be.
  const visit = (nodes: ChildNode[], into: Measured, line: Run, isLink: boolean): Run => {
    let run = line;
    for (const node of nodes) {
      if (isText(node)) {
        const length = lengthOf(node.data);
        position += length;
        extend(run, length, isLink);
        into.length += length;
        if (isLink) into.linked += length;
      } else if (isTag(node)) {
        run = enter(node, into, run, isLink);
      }
    }
    return run;
  };
  const enter = (element: Element, into: Measured, line: Run, isLink: boolean): Run => {
    const { name, attribs } = element;
    const own = { ...nothing(), start: position, rank: NO_HEADING };
    measures.set(element, own);
    if (PICTURES.has(name)) own.pictures = 1;
    if (!isShown(element)) {
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
    if (!isInline) finish(line, into);
    const linksHere = isLink || (name === 'a' && attribs.href !== undefined);
    const after = visit(element.children, own, isInline ? line : { length: 0, linked: 0 }, linksHere);
    if (!isInline) finish(after, own);
    if (name === 'pre') own.prose = own.length;
    add(into, own, 1);
    into.rank = Math.min(into.rank, own.rank);
    return isInline ? after : { length: 0, linked: 0 };
  };
  const all = { ...nothing(), start: 0, rank: NO_HEADING };
  finish(visit(page.children, all, { length: 0, linked: 0 }, false), all);
  return measures;
}

export const isHeading = ({ name }: Element): boolean => /^h[1-6]$/.test(name);

const FILE =
  /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|tsv|epub|zip|gz|tgz|bz2|xz|7z|rar|dmg|exe|msi|apk|deb|rpm|iso)([?#]|$)/i;

/** Whether a link is there to download a file. */
const isDownload = ({ attribs: { download, href = '' } }: Element) =>
  download !== undefined || FILE.test(href);

/** Changes one measure by another one, `times` 1 or -1. */
export function add(to: Measure, more: Measure, times: 1 | -1): void {
  to.length += times * more.length;
  to.linked += times * more.linked;
  to.prose += times * more.prose;
  to.links += times * more.links;
  to.downloads += times * more.downloads;
  to.headings += times * more.headings;
  to.quotes += times * more.quotes;
  to.pictures += times * more.pictures;
}

const nothing = (): Measure => ({
  ...{ length: 0, linked: 0, prose: 0, links: 0, downloads: 0, headings: 0, quotes: 0, pictures: 0 },
});

function extend(run: Run, length: number, isLink: boolean): void {
  run.length += length;
  if (isLink) run.linked += length;
}

/** The end of a line: was it a paragraph? */
function finish({ length, linked }: Run, into: Measure): void {
  const own = length - linked;
  if (own >= SHORTEST_PARAGRAPH && linked < own) into.prose += length;
}

function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 32 && code !== 160) length++;
  }
  return length;
}
