import {
  type ChildNode,
  Document,
  Element,
  isDirective,
  isTag,
  isText,
  type ParentNode,
  Text,
} from 'domhandler';
import { find } from 'domutils';
import type { CleanOptions, Snapshot } from '../snapshot.ts';
import { findBoilerplate } from './main-content.ts';
import { isMathScript } from './markdown/math.ts';
import { setChildren } from './parse.ts';
import { selectElements } from './selector.ts';
import { LAZY_SOURCES, LAZY_SRCSETS, largestCandidate } from './srcset.ts';
import { documentBaseUrl, resolveUrl } from './urls.ts';

export { isSelector } from './selector.ts';

/** Never content, whatever the options say. */
const NEVER_CONTENT = new Set(['head', 'script', 'style', 'template', 'meta', 'link', 'base']);
/** Attributes with an address that is made absolute. */
const URL_ATTRIBUTES: Record<string, string> = {
  a: 'href',
  area: 'href',
  img: 'src',
  source: 'src',
  video: 'src',
  audio: 'src',
  iframe: 'src',
};

/** Tells the user what could not be done as it was asked for, in a sentence. */
export type Warn = (sentence: string) => void;

/** The part of a snapshot that says how a page is read. */
type PageSource = Pick<Snapshot, 'url' | 'engine'>;

/**
 * A copy of what the options keep, without scripts and the like, with absolute addresses. When the main-content
 * filter leaves nothing to see, it is left out.
 * @param warn hears of `includeTags` that match nothing
 * @throws ServiceError `BAD_REQUEST` that names a selector which is none
 */
export function clean(page: Document, snapshot: PageSource, options: CleanOptions, warn?: Warn): Document {
  const { includeTags = [] } = options;
  if (
    warn &&
    includeTags.length &&
    includeTags.every((selector) => selectElements(selector, page).length === 0)
  )
    warn(`includeTags: ${includeTags.join(', ')} match nothing on the page, so nothing of it was kept.`);
  const cleaned = applyFilters(page, snapshot, options);
  return options.onlyMainContent && isBlank(cleaned)
    ? applyFilters(page, snapshot, { ...options, onlyMainContent: false })
    : cleaned;
}

function applyFilters(page: Document, snapshot: PageSource, options: CleanOptions): Document {
  const { url, engine } = snapshot;
  const included = options.includeTags?.length ? findMatches(options.includeTags, page) : undefined;
  const dropped = findMatches(options.excludeTags ?? [], page);
  if (options.onlyMainContent) {
    // What was asked for by name is wanted, whatever it looks like.
    for (const element of findBoilerplate(page, snapshot)) if (!included?.has(element)) dropped.add(element);
  }
  const base = documentBaseUrl(page, url);
  const copyAll = (nodes: Iterable<ChildNode>): ChildNode[] => [...nodes].flatMap(copy);
  // Recursion is safe: a parsed page is never deeper than browsers let it be.
  const copy = (node: ChildNode): ChildNode[] => {
    if (isText(node)) return [new Text(node.data)];
    if (!isTag(node)) return isDirective(node) ? [node.cloneNode()] : [];
    if (dropped.has(node) || isNeverContent(node)) return [];
    // Its content is for readers without scripts: that is who fetched the page, unless it was a browser.
    if (node.name === 'noscript') return engine === 'browser' ? [] : copyAll(node.children);
    if (node.name === 'noframes' && engine === 'browser') return [];
    const element = new Element(node.name, attributesWithAbsoluteUrls(node, base));
    setChildren(element, copyAll(node.children));
    return [element];
  };
  const cleaned = new Document([]);
  setChildren(cleaned, copyAll(included ? outermost(included) : page.children));
  return cleaned;
}

function findMatches(selectors: string[], page: Document): Set<ChildNode> {
  return new Set(selectors.flatMap((selector) => selectElements(selector, page)));
}

/** In the order of the selectors; a match inside another one stays there. */
function outermost(included: Set<ChildNode>): ChildNode[] {
  // A document is never among the matches; Set.has only wants it to be possible.
  const isIncluded = (node: ParentNode) => included.has(node as Element);
  return [...included].filter(({ parent }) => {
    for (let at = parent; at; at = at.parent) if (isIncluded(at)) return false;
    return true;
  });
}

function isNeverContent(element: Element): boolean {
  const { name, namespace, attribs } = element;
  if (name === 'script') return !isMathScript(element);
  // Inside svg a title is a part of the picture.
  if (name === 'title') return !namespace?.endsWith('svg');
  // Tracking pixels.
  if (name === 'img') return /^[01]$/.test(attribs.width ?? '') && /^[01]$/.test(attribs.height ?? '');
  return NEVER_CONTENT.has(name);
}

/** The attributes of an element, its address absolute and, for an image, that of the largest candidate. */
function attributesWithAbsoluteUrls({ name, attribs }: Element, base: string): Element['attribs'] {
  const copy = { ...attribs };
  if (name === 'img') {
    const source = imageSource(attribs);
    if (source !== undefined) copy.src = source;
  }
  const attribute = URL_ATTRIBUTES[name];
  const address = attribute === undefined ? undefined : copy[attribute];
  if (attribute !== undefined && address !== undefined && !/^\s*data:/i.test(address)) {
    copy[attribute] = resolveUrl(address, base) ?? address;
  }
  return copy;
}

/** What a script would put there when the image comes into view goes before what stands there until then. */
function imageSource(attribs: Element['attribs']): string | undefined {
  const valueIn = (names: string[]) => names.map((name) => attribs[name]?.trim()).find(Boolean);
  const lazy = valueIn(LAZY_SOURCES);
  // Some keep options there.
  const lazySource = lazy && !/[\s{<]/.test(lazy) ? lazy : undefined;
  const largest = largestCandidate(valueIn(LAZY_SRCSETS) ?? '');
  return largest ?? lazySource ?? largestCandidate(attribs.srcset ?? '') ?? attribs.src;
}

function isBlank(document: Document): boolean {
  const seen = find(
    (node) => (isText(node) ? /\S/.test(node.data) : isTag(node) && node.name === 'img'),
    document.children,
    true,
    1,
  );
  return seen.length === 0;
}
