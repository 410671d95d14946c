import { type ChildNode, Element, type ParentNode, type Text } from 'domhandler';

/**
 * Functions that tell the nodes of a page apart and make its elements. The walks over a page ask for the kind
 * of each node several times. V8 reads a field of an object directly where it has met objects of at most four
 * shapes, and otherwise looks its place up in a table, which took a tenth of the time of a conversion. A
 * shape is the class and the fields, in the order in which they were added. Therefore all elements get the
 * same fields, and {@link isTag} and {@link isText} are asked about children only, which are elements, texts,
 * comments and the doctype. domhandler's functions of the same names are for code that also meets documents,
 * such as the content of a `template`.
 */

/** Whether a child of an element or of a document is an element. */
export function isTag(child: ChildNode): child is Element {
  const { type }: { type: string } = child;
  return type === 'tag' || type === 'script' || type === 'style';
}

/** Whether a child of an element or of a document is a text. */
export function isText(child: ChildNode): child is Text {
  const { type }: { type: string } = child;
  return type === 'text';
}

const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Whether an element is one of `h1` to `h6`. */
export const isHeading = ({ name }: Element): boolean => HEADINGS.has(name);

/** Whether the parent of a node is an element, and not the document. */
export const isParentElement = (parent: ParentNode | null | undefined): parent is Element =>
  parent instanceof Element;

/** The nearest element that passes a test: the given one or one around it. */
export function closest(from: ParentNode | null, test: (element: Element) => boolean): Element | undefined {
  for (let at = from; isParentElement(at); at = at.parent) if (test(at)) return at;
  return undefined;
}

/** Whether an element is another one or inside of it. */
export const isWithin = (element: Element, outer: Element): boolean =>
  closest(element, (at) => at === outer) !== undefined;

const NO_CHILDREN: ChildNode[] = [];

/** The children of an element; none for a `template`, whose content is a document of its own. */
export const childrenOf = ({ name, children }: Element): ChildNode[] =>
  name === 'template' ? NO_CHILDREN : children;

/**
 * The first elements inside of an element, in document order.
 * @param most their largest number, so that what is looked for in nested elements takes no time of its own
 */
export function firstElements(element: Element, most: number): Element[] {
  const found: Element[] = [];
  const open = childrenOf(element).toReversed();
  for (let at = open.pop(); at && found.length < most; at = open.pop()) {
    if (!isTag(at)) continue;
    found.push(at);
    const children = childrenOf(at);
    for (let last = children.length - 1; last >= 0; last--) open.push(children[last]!);
  }
  return found;
}

/**
 * Makes an element without children.
 * @param namespace the URI of its namespace; `undefined` if it does not matter
 */
export function createElement(
  name: string,
  attribs: Element['attribs'],
  namespace: string | undefined,
): Element {
  const element = new Element(name, attribs, []);
  element.namespace = namespace;
  return element;
}

/**
 * A record without inherited names, so that a page may call its attributes `constructor`. V8 keeps it in a
 * third of the memory of `Object.create(null)`.
 */
export class Attributes {
  [name: string]: string;
}
Object.setPrototypeOf(Attributes.prototype, null);
Reflect.deleteProperty(Attributes.prototype, 'constructor');
/** The attributes of all elements that have none, which are most. */
export const NO_ATTRIBUTES = Object.freeze(new Attributes());

/**
 * Whether an element has attributes. Code that asks each element for several of them asks this first:
 * elements have so many different sets of attributes that V8 looks each of them up in a table.
 */
export const hasAttributes = ({ attribs }: Element): boolean => attribs !== NO_ATTRIBUTES;
