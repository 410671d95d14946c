import { compile, selectAll } from 'css-select';
import { type Document, Element, type ParentNode } from 'domhandler';
import { removeElement } from 'domutils';
import { ServiceError } from '../errors.ts';
import { baseOf, largestCandidate, resolve } from './address.ts';

/** Never content, whatever the options say. */
const NOISE = 'head, script, style, template, noscript, meta, link';

/** Whether a text is a CSS selector that we understand. */
export function isSelector(text: string): boolean {
  try {
    compile(text);
    return true;
  } catch {
    // css-what tells only by throwing.
    return false;
  }
}

/**
 * All elements that match, in document order.
 * @throws ServiceError `BAD_REQUEST` that names a selector which is none
 */
export function select(selector: string, root: ParentNode): Element[] {
  if (!isSelector(selector))
    throw new ServiceError('BAD_REQUEST', `${JSON.stringify(selector)} is no CSS selector.`);
  return selectAll(framesToo(selector), root).filter((node) => node instanceof Element);
}

/** Inlined frames are divs that remember what they were. */
const framesToo = (selector: string) =>
  selector.replace(/(^|[\s>+~,(])iframe\b/g, '$1:is(iframe, div[data-original-tag="iframe"])');

/** Removes what is never content. */
export function removeNoise(document: Document): void {
  for (const element of select(NOISE, document)) removeElement(element);
}

/** Keeps only what matches: a new body with the matches, in the order of the selectors; a match inside another stays there. */
export function keepOnly(document: Document, selectors: string[]): void {
  const matches = new Set(selectors.flatMap((selector) => select(selector, document)));
  const outermost = [...matches].filter((element) => !ancestors(element).some((each) => matches.has(each)));
  const body = select('body', document)[0] ?? document;
  body.children = [];
  for (const element of outermost) {
    element.prev = body.children.at(-1) ?? null;
    element.next = null;
    element.parent = body;
    if (element.prev) element.prev.next = element;
    body.children.push(element);
  }
}

function ancestors(element: Element): Element[] {
  const found: Element[] = [];
  for (let at = element.parent; at instanceof Element; at = at.parent) found.push(at);
  return found;
}

/** Removes what matches. */
export function drop(document: Document, selectors: string[]): void {
  for (const selector of selectors) for (const element of select(selector, document)) removeElement(element);
}

/** Makes links and images absolute, and gives every image its largest candidate. */
export function absolutize(document: Document, pageUrl: string): void {
  const base = baseOf(document, pageUrl);
  for (const image of select('img, source', document)) {
    const source = largestCandidate(image.attribs.srcset) ?? image.attribs.src ?? image.attribs['data-src'];
    if (source !== undefined && image.name === 'img') image.attribs.src = resolve(source, base) ?? source;
  }
  for (const anchor of select('a[href]', document)) {
    const href = anchor.attribs.href!;
    if (!href.startsWith('#')) anchor.attribs.href = resolve(href, base) ?? href;
  }
}
