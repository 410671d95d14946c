import { type ChildNode, Comment, type Element, isText, type ParentNode, Text } from 'domhandler';
import type { html, Token, TreeAdapter } from 'parse5';
import { adapter, type Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';
import { ServiceError } from '../../../errors.ts';
import { Attributes, createElement, hasAttributes, NO_ATTRIBUTES } from '../nodes.ts';

/** Far more than real pages have, and few enough for the memory of a rendering thread. */
const MAX_NODES = 600_000;
/** The parser searches its open elements at most tags, so very many of them would take quadratic time. */
const MAX_OPEN_ELEMENTS = 20_000;
/** Further attributes of an element are dropped. */
const MAX_ATTRIBUTES = 1_000;

/** parse5's interface with its optional functions as methods, so that a class can override them. */
interface Adapter extends TreeAdapter<Htmlparser2TreeAdapterMap> {
  onItemPush(element: Element): void;
  onItemPop(element: Element, newTop: ParentNode): void;
}
/** The library's adapter as a class. */
const LibraryAdapter = class {} as new () => Adapter;
Object.assign(LibraryAdapter.prototype, adapter);

/**
 * Lets parse5 build a tree of domhandler nodes. Compared with the library's own adapter, its nodes need less
 * memory, it usually finds a node among its siblings in constant time, and it limits the size of the page. An
 * adapter is used for one page only. It is a class, because an object literal with a getter would have a
 * shape of its own for each page, so that V8 would look up its functions whenever the parser calls one.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` during parsing, for a page beyond the limits
 */
export class BoundedAdapter extends LibraryAdapter {
  /** The largest number of elements that were open at once so far. */
  maxOpen = 0;
  #open = 0;
  #nodes = 0;

  override createElement(name: string, namespace: html.NS, attributes: Token.Attribute[]): Element {
    this.#countNode();
    const element = createElement(name, attributes.length ? new Attributes() : NO_ATTRIBUTES, namespace);
    const known = attributes.length > MAX_ATTRIBUTES ? attributes.slice(0, MAX_ATTRIBUTES) : attributes;
    // The tokenizer has already removed duplicate names.
    for (const { name, value } of known) element.attribs[name] = value;
    return element;
  }

  override createCommentNode(text: string): Comment {
    this.#countNode();
    return new Comment(text);
  }

  override insertText(parent: ParentNode, text: string): void {
    const last = parent.children.at(-1);
    if (last && isText(last)) {
      last.data += text;
    } else {
      this.#countNode();
      this.appendChild(parent, new Text(text));
    }
  }

  override insertTextBefore(parent: ParentNode, text: string, reference: ChildNode): void {
    const before = reference.prev;
    if (before && isText(before)) {
      before.data += text;
    } else {
      this.#countNode();
      this.insertBefore(parent, new Text(text), reference);
    }
  }

  override adoptAttributes(element: Element, attributes: Token.Attribute[]): void {
    if (!hasAttributes(element)) element.attribs = new Attributes();
    for (const { name, value } of attributes) element.attribs[name] ??= value;
  }

  /**
   * Adds a node behind the last child. The list of the first child is made for one, because many elements
   * have no other, and V8 makes room for sixteen more as soon as a list grows.
   */
  override appendChild(parent: ParentNode, node: ChildNode): void {
    const { children } = parent;
    const last = children.at(-1);
    node.parent = parent;
    if (last) {
      last.next = node;
      node.prev = last;
      children.push(node);
    } else parent.children = [node];
  }

  override insertBefore(parent: ParentNode, node: ChildNode, reference: ChildNode): void {
    node.parent = parent;
    node.prev = reference.prev;
    node.next = reference;
    if (reference.prev) reference.prev.next = node;
    reference.prev = node;
    // The search starts at the end, because the parser usually moves recent nodes.
    parent.children.splice(parent.children.lastIndexOf(reference), 0, node);
  }

  override detachNode(node: ChildNode): void {
    const { parent, prev, next } = node;
    if (!parent) return;
    if (prev) prev.next = next;
    if (next) next.prev = prev;
    parent.children.splice(parent.children.lastIndexOf(node), 1);
    node.parent = null;
    node.prev = null;
    node.next = null;
  }

  override onItemPush(): void {
    if (++this.#open > this.maxOpen) this.maxOpen = this.#open;
    if (this.#open > MAX_OPEN_ELEMENTS)
      refuse(`nests more than ${MAX_OPEN_ELEMENTS} elements into each other`);
  }

  override onItemPop(): void {
    this.#open--;
  }

  #countNode(): void {
    if (++this.#nodes > MAX_NODES) refuse(`has more than ${MAX_NODES} elements and texts`);
  }
}

function refuse(what: string): never {
  throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', `The page ${what}. Fetch a smaller part of it.`);
}
