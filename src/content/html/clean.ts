import { type ChildNode, Document, type Element, isDirective, type ParentNode, Text } from 'domhandler';
import { find } from 'domutils';
import { type CleanOptions, isScripted, type Snapshot } from '../snapshot.ts';
import type { Decisions } from './main-content/evidence/sign.ts';
import { findBoilerplate } from './main-content/index.ts';
import { isMathScript } from './markdown/math.ts';
import { backgroundPicture, imageSource, isImageElement, isTrackingPixel } from './media/image-sources.ts';
import { createElement, isTag, isText, NO_ATTRIBUTES } from './nodes.ts';
import { setChildren } from './parse/parse.ts';
import { selectElements } from './selector.ts';
import { documentBaseUrl, resolveUrl } from './urls.ts';

/** Elements that are removed whatever the options are. */
const NEVER_CONTENT = new Set(['head', 'script', 'style', 'template', 'meta', 'link', 'base']);
/** Elements whose content a browser that runs scripts does not show. */
const NOT_SHOWN_BY_BROWSERS = new Set(['noscript', 'noframes']);
/** The attributes that are resolved to absolute URLs. */
const URL_ATTRIBUTES: Record<string, string> = {
  a: 'href',
  area: 'href',
  source: 'src',
  video: 'src',
  audio: 'src',
  iframe: 'src',
};

/** Reports to the user, in a sentence, an option that could not be applied as requested. */
export type Warn = (sentence: string) => void;

/** The fields of a snapshot that determine how a page is read. */
type PageSource = Pick<Snapshot, 'url' | 'engine' | 'isUnrendered'>;

/** The parts of a page that the options keep. */
export interface CleanedPage {
  tree: Document;
  /** What the main-content filter dropped; absent if it was not applied. */
  decisions?: Decisions;
  /** What `excludeTags` match. */
  excluded: ReadonlySet<ChildNode>;
  /** What `includeTags` match; absent without them. */
  included?: ReadonlySet<ChildNode>;
}

/**
 * Copies the parts of a page that the options keep, without scripts and the like, with absolute URLs. If the
 * main-content filter leaves nothing visible, it is not applied.
 * @param warn called if `includeTags` match nothing, or `excludeTags` leave nothing of what they select
 * @throws ServiceError `BAD_REQUEST` for an invalid selector
 */
export function clean(page: Document, snapshot: PageSource, options: CleanOptions, warn?: Warn): CleanedPage {
  const { includeTags = [], excludeTags = [] } = options;
  const cleaned = applyFilters(page, snapshot, options);
  if (!isBlank(cleaned.tree)) return cleaned;
  if (warn && includeTags.length) {
    const selected = `includeTags: ${includeTags.join(', ')}`;
    if (includeTags.every((selector) => selectElements(selector, page).length === 0))
      warn(`${selected} match nothing on the page, so nothing of it was kept.`);
    else if (!isBlank(applyFilters(page, snapshot, { ...options, excludeTags: [] }).tree))
      warn(
        `excludeTags: ${excludeTags.join(', ')} remove all that ${selected} select, so nothing of the page was kept.`,
      );
  }
  return options.onlyMainContent
    ? applyFilters(page, snapshot, { ...options, onlyMainContent: false })
    : cleaned;
}

function applyFilters(page: Document, snapshot: PageSource, options: CleanOptions): CleanedPage {
  const included = options.includeTags?.length ? findMatches(options.includeTags, page) : undefined;
  const excluded = findMatches(options.excludeTags ?? [], page);
  const dropped = new Set(excluded);
  const decisions = options.onlyMainContent ? findBoilerplate(page, snapshot) : undefined;
  // An element that `includeTags` selects is kept even if it looks like boilerplate.
  for (const element of decisions?.elements() ?? []) if (!included?.has(element)) dropped.add(element);
  const filter = {
    dropped,
    quotes: decisions?.quotes,
    base: documentBaseUrl(page, snapshot.url),
    isScripted: isScripted(snapshot),
  };
  const tree = new Document([]);
  setChildren(tree, copyNodes(included ? outermost(included) : page.children, [], filter));
  return { tree, excluded, ...(included && { included }), ...(decisions && { decisions }) };
}

/** The parts of a page that are not copied as they are. */
interface CopyFilter {
  dropped: ReadonlySet<ChildNode>;
  /** How many quotes inside of each other the content of an element is put into. */
  quotes: ReadonlyMap<Element, number> | undefined;
  /** The URL that URLs are resolved against. */
  base: string;
  /** Whether the page was read in a browser, so that the content of `noscript` does not apply. */
  isScripted: boolean;
}

/** Adds copies of nodes to `copies`. Recursion is safe, because the parser limits the depth of a page. */
function copyNodes(nodes: readonly ChildNode[], copies: ChildNode[], filter: CopyFilter): ChildNode[] {
  const { dropped, quotes, base, isScripted } = filter;
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (isText(node)) copies.push(new Text(node.data));
    else if (isDirective(node)) copies.push(node.cloneNode());
    else if (!isTag(node) || dropped.has(node) || isNeverContent(node)) continue;
    else if (node.name === 'noscript' && !isScripted) {
      if (!isMarkup(node)) copyNodes(node.children, copies, filter);
    } else if (isImageElement(node)) copies.push(imageElement(node.attribs, node, base));
    else if (!isScripted || !NOT_SHOWN_BY_BROWSERS.has(node.name)) {
      const element = createElement(node.name, attributesWithAbsoluteUrls(node, base), node.namespace);
      const children = copyChildren(node.children, filter);
      const picture = backgroundPicture(node);
      if (picture) children.unshift(imageElement(picture, node, base));
      setChildren(element, quotes?.size ? quote(children, quotes.get(node) ?? 0) : children);
      copies.push(element);
    }
  }
  return copies;
}

/**
 * Whether an element contains markup as text. That of `noscript` is text to a browser with scripts, and escaped
 * in a page that was saved from there.
 */
const isMarkup = ({ children: [only, ...others] }: Element) =>
  only !== undefined && others.length === 0 && isText(only) && /^\s*<[a-z!]/i.test(only.data);

/**
 * Many elements have no other child than a text, and V8 makes room for sixteen more as soon as a list grows.
 */
function copyChildren(nodes: readonly ChildNode[], filter: CopyFilter): ChildNode[] {
  const [only] = nodes;
  return nodes.length === 1 && only && isText(only) ? [new Text(only.data)] : copyNodes(nodes, [], filter);
}

/** Puts nodes into quotes inside of each other. */
function quote(nodes: ChildNode[], levels: number): ChildNode[] {
  if (levels === 0) return nodes;
  const element = createElement('blockquote', NO_ATTRIBUTES, undefined);
  setChildren(element, quote(nodes, levels - 1));
  return [element];
}

function findMatches(selectors: string[], page: Document): Set<ChildNode> {
  return new Set(selectors.flatMap((selector) => selectElements(selector, page)));
}

/** The matches that are not inside another match, in the order of the selectors. */
function outermost(included: Set<ChildNode>): ChildNode[] {
  // The cast is for the type of `Set.has` only; a document is never among the matches.
  const isIncluded = (node: ParentNode) => included.has(node as Element);
  return [...included].filter(({ parent }) => {
    for (let at = parent; at; at = at.parent) if (isIncluded(at)) return false;
    return true;
  });
}

function isNeverContent(element: Element): boolean {
  const { name, namespace } = element;
  if (name === 'script') return !isMathScript(element);
  // A title inside svg is part of the picture.
  if (name === 'title') return !namespace?.endsWith('svg');
  if (isImageElement(element)) return isTrackingPixel(element);
  return NEVER_CONTENT.has(name);
}

/** The attributes of an element with an absolute URL. Most elements have no URL, and share their attributes with their copies. */
function attributesWithAbsoluteUrls({ name, attribs }: Element, base: string): Element['attribs'] {
  const attribute = URL_ATTRIBUTES[name];
  const url = attribute === undefined ? undefined : attribs[attribute];
  return attribute === undefined || url === undefined
    ? attribs
    : { ...attribs, [attribute]: absoluteUrl(url, base) };
}

/** An `img` in place of an element, with the absolute URL of the largest candidate. */
function imageElement(attribs: Element['attribs'], { namespace, parent }: Element, base: string): Element {
  const src = imageSource(attribs, parent);
  const absolute = src === undefined ? attribs : { ...attribs, src: absoluteUrl(src, base) };
  return createElement('img', absolute, namespace);
}

const absoluteUrl = (url: string, base: string) =>
  /^\s*data:/i.test(url) ? url : (resolveUrl(url, base) ?? url);

function isBlank(document: Document): boolean {
  const seen = find(
    (node) => (isText(node) ? /\S/.test(node.data) : isTag(node) && node.name === 'img'),
    document.children,
    true,
    1,
  );
  return seen.length === 0;
}
