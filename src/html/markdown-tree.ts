import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { ServiceError } from '../errors.ts';
import { codeOf, languageOf } from './markdown-code.ts';

/** What has no place in markdown, with all that is inside. */
const SKIPPED = new Set([
  'svg',
  'canvas',
  'iframe',
  'object',
  'embed',
  'audio',
  'video',
  'select',
  'datalist',
  'textarea',
  'dialog',
  'map',
]);
/** More blanks in a row say nothing more, and turndown's patterns take long over them. */
const MOST_BLANKS = 200;
/** A shelf of books; conversion takes a few times its text in memory. */
const MOST_TEXT = 5_000_000;
/** Each level puts its mark before every line inside: deeper ones are flattened, for they would grow without end. */
const MOST_INDENTS = 20;
/** Characters times their levels. */
const MOST_INDENTED_TEXT = 20_000_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * A node of the tree that turndown walks and changes: the few members of the DOM that it asks for. So no page is
 * written out and parsed a second time, and what turndown asks again and again about a node is counted once.
 */
export class MarkdownNode {
  readonly nodeType: 1 | 3;
  /** In upper case. */
  readonly nodeName: string;
  data: string;
  parentNode: MarkdownNode | null = null;
  previousSibling: MarkdownNode | null = null;
  nextSibling: MarkdownNode | null = null;
  firstChild: MarkdownNode | null = null;
  /** Which item of its list it is, from 1; 0 for what is no item. */
  ordinal = 0;
  #lastChild: MarkdownNode | null = null;
  #items = 0;
  readonly #attributes: Element['attribs'];
  #text: string | undefined;
  #below: ReadonlySet<string> | undefined;

  constructor(name: string, data: string, attributes: Element['attribs'] = {}) {
    this.nodeType = name === '#text' ? 3 : 1;
    this.nodeName = name.toUpperCase();
    this.data = data;
    this.#attributes = attributes;
  }

  append(child: MarkdownNode): void {
    child.parentNode = this;
    child.previousSibling = this.#lastChild;
    if (this.#lastChild) this.#lastChild.nextSibling = child;
    else this.firstChild = child;
    this.#lastChild = child;
    if (child.nodeName === 'LI') child.ordinal = ++this.#items;
  }

  removeChild(child: MarkdownNode): void {
    if (child.previousSibling) child.previousSibling.nextSibling = child.nextSibling;
    else this.firstChild = child.nextSibling;
    if (child.nextSibling) child.nextSibling.previousSibling = child.previousSibling;
    else this.#lastChild = child.previousSibling;
  }

  /** The tree was made for one conversion: turndown may have it as it is. */
  cloneNode(): this {
    return this;
  }

  get nodeValue(): string | null {
    return this.nodeType === 3 ? this.data : null;
  }

  get childNodes(): MarkdownNode[] {
    const nodes: MarkdownNode[] = [];
    for (let child = this.firstChild; child; child = child.nextSibling) nodes.push(child);
    return nodes;
  }

  getAttribute(name: string): string | null {
    return this.#attributes[name] ?? null;
  }

  get type(): string {
    return this.#attributes.type?.toLowerCase() ?? '';
  }

  get checked(): boolean {
    return this.#attributes.checked !== undefined;
  }

  /** Kept once asked for: turndown asks after its last change to the tree. */
  get textContent(): string {
    if (this.nodeType === 3) return this.data;
    this.#text ??= this.childNodes.map((child) => child.textContent).join('');
    return this.#text;
  }

  /** Names of all elements inside, in upper case. */
  get below(): ReadonlySet<string> {
    if (!this.firstChild) return NONE;
    if (!this.#below) {
      const names = new Set<string>();
      for (const child of this.childNodes) {
        if (child.nodeType === 1) names.add(child.nodeName);
        for (const name of child.below) names.add(name);
      }
      this.#below = names;
    }
    return this.#below;
  }

  /** Only whether there are any is told. */
  getElementsByTagName(name: string): { length: number } {
    return { length: this.below.has(name) ? 1 : 0 };
  }
}

/**
 * The tree of a page's nodes, without what has no place in markdown; a `pre` has its code as one text.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for more text than can be converted
 */
export function markdownTree(nodes: ChildNode[]): MarkdownNode {
  const root = new MarkdownNode('x-root', '');
  let length = 0;
  let indentedLength = 0;
  const addText = (text: string, parent: MarkdownNode, indents: number) => {
    length += text.length;
    indentedLength += text.length * indents;
    if (length > MOST_TEXT || indentedLength > MOST_INDENTED_TEXT) {
      const message =
        'The page has too much text for markdown. Leave that format out, or choose a smaller part with includeTags.';
      throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message);
    }
    parent.append(new MarkdownNode('#text', text.length > MOST_BLANKS ? withoutGaps(text) : text));
  };
  // Recursion is safe: a parsed page is never deeper than browsers let it be.
  const addCopy = (node: ChildNode, parent: MarkdownNode, indents: number): void => {
    if (isText(node)) addText(node.data, parent, indents);
    if (!isTag(node) || SKIPPED.has(node.name)) return;
    const isIndented = node.name === 'li' || node.name === 'blockquote';
    const name = isIndented && indents >= MOST_INDENTS ? 'div' : node.name;
    const isCode = name === 'pre';
    const copy = new MarkdownNode(name, '', isCode ? { language: languageOf(node) } : node.attribs);
    if (isCode) addText(codeOf(node), copy, indents);
    else for (const child of node.children) addCopy(child, copy, isIndented ? indents + 1 : indents);
    parent.append(copy);
  };
  for (const node of nodes) addCopy(node, root, 0);
  return root;
}

const withoutGaps = (text: string) =>
  // Not {200,}: V8 needs memory for each blank of that.
  text.replace(/\s{200}\s*/g, (blanks) => blanks.slice(0, MOST_BLANKS));
