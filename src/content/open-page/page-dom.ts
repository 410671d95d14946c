/**
 * A node of a page. Its properties are hidden except for a constant, because names in the page may take their
 * place: only {@link PageDom} reads it.
 */
export type PageNode = Pick<Node, 'ELEMENT_NODE'>;

/** An element of a page. Only {@link PageDom} reads it, or its own class once `instanceof` has told that. */
export type PageElement = Pick<Element, 'ELEMENT_NODE' | 'slot'>;

/** Nodes of a page. */
export type PageNodes<Kind extends PageNode = PageNode> = ArrayLike<Kind> & Iterable<Kind>;

/** Visits the nodes below another one, in the order of the document. */
export interface PageWalker {
  nextNode(): PageNode | null;
}

/** How functions that run in a page read it; see {@link createPageDom}. */
export type PageDom = ReturnType<typeof createPageDom>;

/** What a property of the browser holds, with its nodes as {@link PageDom} takes them. */
type Read<Value> = Value extends Element
  ? PageElement
  : Value extends Node
    ? PageNode
    : Value extends HTMLCollection
      ? PageNodes<PageElement>
      : Value extends NodeList
        ? PageNodes
        : Value;

/**
 * Runs in the page, in the isolated world. A control named `id` takes the place of the property `id` of its
 * form, and an element named `winnow` that of a global variable, in every world. These functions use the
 * accessors and methods of the prototypes instead, which names cannot change, and which scripts of the page
 * can only replace in their own world.
 */
export function createPageDom() {
  const [nodes, elements, documents] = [Node.prototype, Element.prototype, Document.prototype];
  const fragments = DocumentFragment.prototype;
  const getter = <Owner extends object, Name extends string & keyof Owner>(prototype: Owner, name: Name) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
    if (!get) throw new Error(`The browser has no property ${name}.`);
    // The accessor of the prototype returns what the type of the property says.
    return (owner: Read<Owner>) => get.call(owner) as Read<Owner[Name]>;
  };
  const ofDocument = <Name extends string & keyof Document>(name: Name) => {
    const get = getter(documents, name);
    return () => get(document);
  };
  const nodeType = getter(nodes, 'nodeType');
  const [elementChildren, fragmentChildren] = [getter(elements, 'children'), getter(fragments, 'children')];
  const shadowRoot = getter(elements, 'shadowRoot');
  const doctype = ofDocument('doctype');
  const implementation = ofDocument('implementation');
  const activeElement = ofDocument('activeElement');
  const activeElementIn = getter(ShadowRoot.prototype, 'activeElement');
  const body = ofDocument('body');
  const [htmlStyle, svgStyle] = [
    getter(HTMLElement.prototype, 'style'),
    getter(SVGElement.prototype, 'style'),
  ];
  const isElement = (node: PageNode): node is PageElement => nodeType(node) === Node.ELEMENT_NODE;
  const serialize = (node: PageNode) => new XMLSerializer().serializeToString(node as Node);
  const findAll = (selector: string, root: PageNode = document): PageNodes<PageElement> => {
    const owner = isElement(root) ? elements : root === document ? documents : fragments;
    return owner.querySelectorAll.call(root, selector);
  };
  const keptValues = new WeakMap<Document, Map<string, unknown>>();

  return {
    isElement,
    isText: (node: PageNode) => nodeType(node) === Node.TEXT_NODE,
    nodeValue: getter(nodes, 'nodeValue'),
    textContent: getter(nodes, 'textContent'),
    baseUrl: getter(nodes, 'baseURI'),
    parentNode: getter(nodes, 'parentNode'),
    parentElement: getter(nodes, 'parentElement'),
    childNodes: getter(nodes, 'childNodes'),
    firstChild: getter(nodes, 'firstChild'),
    nextSibling: getter(nodes, 'nextSibling'),

    localName: getter(elements, 'localName'),
    id: getter(elements, 'id'),
    classList: getter(elements, 'classList'),
    attributes: getter(elements, 'attributes'),
    shadowRoot,
    outerHtml: getter(elements, 'outerHTML'),
    childElementCount: getter(elements, 'childElementCount'),
    scrollWidth: getter(elements, 'scrollWidth'),
    scrollHeight: getter(elements, 'scrollHeight'),
    clientHeight: getter(elements, 'clientHeight'),
    attribute: (element: PageElement, name: string) => elements.getAttribute.call(element, name),
    attributeNames: (element: PageElement) => elements.getAttributeNames.call(element),
    hasAttribute: (element: PageElement, name: string) => elements.hasAttribute.call(element, name),
    matches: (element: PageElement, selector: string) => elements.matches.call(element, selector),
    rect: (element: PageElement) => elements.getBoundingClientRect.call(element),
    isVisible: (element: PageElement, checked: CheckVisibilityOptions) =>
      elements.checkVisibility.call(element, checked),
    style: (element: PageElement, pseudo?: string) => getComputedStyle(element as Element, pseudo),
    /** The declarations in the attribute `style`; `undefined` for an element that is neither HTML nor SVG. */
    inlineStyle: (element: PageElement) =>
      element instanceof HTMLElement
        ? htmlStyle(element)
        : element instanceof SVGElement
          ? svgStyle(element)
          : undefined,
    styleMap: (element: PageElement) => elements.computedStyleMap.call(element),
    /** The elements in an element or a shadow tree that no other element of it is around. */
    children: (parent: PageNode) => (isElement(parent) ? elementChildren(parent) : fragmentChildren(parent)),

    setAttribute: (element: PageElement, name: string, value: string) =>
      elements.setAttribute.call(element, name, value),
    removeAttribute: (element: PageElement, name: string) => elements.removeAttribute.call(element, name),
    append: (parent: PageNode, child: PageNode) => void nodes.appendChild.call(parent, child as Node),
    remove: (element: PageElement) => elements.remove.call(element),
    /** Removes an element, unless the body of the document is in it. */
    removeUnlessBody(element: PageElement): void {
      if (!nodes.contains.call(element, body() as Element | null)) elements.remove.call(element);
    },

    /** Scrolls down by a number of CSS pixels at once. */
    scrollBy: (element: PageElement, top: number) =>
      Reflect.apply(elements.scrollBy, element, [{ top, behavior: 'instant' }]),
    /** Brings an element to the middle of the window at once. */
    scrollIntoView: (element: PageElement) =>
      elements.scrollIntoView.call(element, { block: 'center', behavior: 'instant' }),

    document: (): PageNode => document,
    dispatch: (target: PageNode, event: Event) => EventTarget.prototype.dispatchEvent.call(target, event),
    /** Runs a command of the browser's editor, such as `copy`. */
    execute: (command: string, value?: string) => documents.execCommand.call(document, command, false, value),
    /** Empties the document. */
    open: () => void Reflect.apply(documents.open, document, []),
    body,
    root: ofDocument('documentElement'),
    title: ofDocument('title'),
    contentType: ofDocument('contentType'),
    fonts: ofDocument('fonts'),
    activeElement,
    /** The element that has the focus, also in a shadow tree. */
    focusedElement() {
      let element = activeElement();
      for (let inner = element; inner; ) {
        element = inner;
        const root = shadowRoot(inner);
        inner = root && activeElementIn(root);
      }
      return element;
    },
    scrollingElement: ofDocument('scrollingElement'),
    animations: () => documents.getAnimations.call(document),
    /** The document type declaration as HTML; empty without one. */
    doctype() {
      const node = doctype();
      return node ? serialize(node) : '';
    },
    /** The node as XML. */
    serialize,
    find: (selector: string): PageElement | null => documents.querySelector.call(document, selector),
    /** Finds elements in the document, in an element, or in a shadow tree. */
    findAll,
    /**
     * Finds elements in the document and in its open shadow trees, in the order of Playwright: those of a tree
     * come before those of the trees in it.
     */
    findAllDeep(selector: string): PageElement[] {
      const found: PageElement[] = [];
      const trees: PageNode[] = [document];
      for (let tree = trees.pop(); tree; tree = trees.pop()) {
        for (const element of findAll(selector, tree)) found.push(element);
        const inner: PageNode[] = [];
        for (const host of findAll('*', tree)) {
          const root = shadowRoot(host);
          if (root) inner.push(root);
        }
        for (const root of inner.reverse()) trees.push(root);
      }
      return found;
    },
    elementAt: (x: number, y: number): PageElement | null => documents.elementFromPoint.call(document, x, y),
    walker: (root: PageNode, shown: number, filter?: (node: PageNode) => number): PageWalker =>
      documents.createTreeWalker.call(document, root as Node, shown, filter),
    /** Calls the listener after changes of the document. */
    observe: (changes: MutationObserverInit, listener: (records: MutationRecord[]) => void) =>
      new MutationObserver(listener).observe(document, changes),
    /** A document without a window: it runs no scripts, loads nothing and upgrades no custom elements. */
    createInertDocument: () => implementation().createHTMLDocument(),
    /** Copies a node for another document, without the nodes in it unless it is `deep`. */
    copyFor: <Kind extends PageNode>(target: Document, node: Kind, deep: boolean) =>
      // A copy is of the kind of what it copies.
      documents.importNode.call(target, node as unknown as Node, deep) as unknown as Kind,

    /**
     * A value that later calls get again until the document changes.
     * @param make makes it for the first call; `name` always has values of the same type
     */
    keep<Value>(name: string, make: () => Value): Value {
      const values = keptValues.get(document) ?? new Map<string, unknown>();
      keptValues.set(document, values);
      if (!values.has(name)) values.set(name, make());
      // The type belongs to the name.
      return values.get(name) as Value;
    },
  };
}
