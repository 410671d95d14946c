/** How functions that run in a page read its elements; see {@link createPageDom}. */
export type PageDom = ReturnType<typeof createPageDom>;

/**
 * Runs in the page, in the isolated world. A control named `id` takes the place of the property `id` of its
 * form, and an image named `body` that of the document, in every world. These functions use the accessors of
 * the prototypes instead, which names cannot change, and which scripts of the page can only replace in
 * their own world.
 */
export function createPageDom() {
  const reader = <Owner extends object, Name extends string & keyof Owner>(prototype: Owner, name: Name) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
    if (!get) throw new Error(`The browser has no property ${name}.`);
    // The accessor of the prototype returns what the type of the property says.
    return (owner: Owner) => get.call(owner) as Owner[Name];
  };
  const page = document;
  const [element, ownDocument] = [Element.prototype, Document.prototype];
  const contains = Node.prototype.contains;
  const readBody = reader(ownDocument, 'body');
  return {
    localName: reader(element, 'localName'),
    id: reader(element, 'id'),
    classList: reader(element, 'classList'),
    parentElement: reader(Node.prototype, 'parentElement'),
    textContent: reader(Node.prototype, 'textContent'),
    attributeNames: (owner: Element) => element.getAttributeNames.call(owner),
    hasAttribute: (owner: Element, name: string) => element.hasAttribute.call(owner, name),
    matches: (owner: Element, selector: string) => element.matches.call(owner, selector),
    /** The body of the document, also where an element is named `body`. */
    body: () => readBody(page),
    find: (selector: string): Element | null => ownDocument.querySelector.call(page, selector),
    findAll: (selector: string): NodeListOf<Element> => ownDocument.querySelectorAll.call(page, selector),
    textWalker: (root: Node) => ownDocument.createTreeWalker.call(page, root, NodeFilter.SHOW_TEXT),
    /** Removes an element, unless the body of the document is in it. */
    removeUnlessBody(owner: Element): void {
      if (!contains.call(owner, readBody(page))) element.remove.call(owner);
    },
  };
}
