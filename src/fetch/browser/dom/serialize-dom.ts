/** Values that these functions share on `globalThis` of the frame's isolated world. */
interface InspectedWorld {
  winnowFrames?: Element[];
}

/**
 * Runs in the frame: returns its HTML if it has no frames or shadow trees to inline, otherwise the number of
 * its visible frames.
 */
export function inspectFrame(options: { isTop: boolean; minFramePx: number; maxCharacters: number }): {
  html?: string;
  frames: number;
} {
  const { isTop, minFramePx, maxCharacters } = options;
  const frames: Element[] = [];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (!/^i?frame$/i.test(element.localName)) continue;
      const { width, height } = element.getBoundingClientRect();
      if (width >= minFramePx && height >= minFramePx) frames.push(element);
    }
  }
  (globalThis as InspectedWorld).winnowFrames = frames;
  if (frames.length || roots.length > 1 || !isTop) return { frames: frames.length };
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return { html: (doctype + (document.documentElement?.outerHTML ?? '')).slice(0, maxCharacters), frames: 0 };
}

/** Runs in the frame: returns the element of a frame that `inspectFrame` found. */
export const frameElementAt = (index: number) => (globalThis as InspectedWorld).winnowFrames?.[index];

/**
 * Runs in the frame: returns its HTML with shadow trees and frames inlined. For a child frame, only the
 * content of its body.
 */
export function serializeDom(options: {
  isTop: boolean;
  maxCharacters: number;
  /** HTML of the frames that `inspectFrame` found, by their index. */
  contents: Record<number, string>;
}): string {
  const { isTop, maxCharacters, contents } = options;
  const frames = (globalThis as InspectedWorld).winnowFrames ?? [];
  // A document without a window runs no scripts, loads nothing and upgrades no custom elements.
  const inertDocument = document.implementation.createHTMLDocument();
  const MAX_DEPTH = 1_000;
  const URL_ATTRIBUTES = ['href', 'src', 'poster', 'data-src'];
  const resolveUrl = (url: string, { baseURI }: Node) => URL.parse(url, baseURI)?.href ?? url;
  const makeUrlsAbsolute = (copy: Element, element: Element) => {
    for (const name of URL_ATTRIBUTES) {
      const url = element.getAttribute(name);
      if (url && !/^\s*(data:|#)/i.test(url)) copy.setAttribute(name, resolveUrl(url, element));
    }
    const srcset = element.getAttribute('srcset');
    if (!srcset) return;
    const candidate = /(^|,\s)(\s*)([^\s,]\S*)/g;
    const resolved = (_: string, comma: string, blank: string, url: string) =>
      comma + blank + resolveUrl(url, element);
    copy.setAttribute('srcset', srcset.replace(candidate, resolved));
  };
  const inlineFrame = (frame: Element, content: string) => {
    const div = inertDocument.createElement('div');
    for (const { name, value } of frame.attributes) if (name !== 'srcdoc') div.setAttribute(name, value);
    div.setAttribute('data-original-tag', 'iframe');
    div.innerHTML = content;
    return div;
  };
  const copyElement = (element: Element) => {
    if (element.localName === 'frameset')
      return inertDocument.createElement(element === document.body ? 'body' : 'div');
    const copy = inertDocument.importNode(element, element.localName === 'template');
    if (!isTop) makeUrlsAbsolute(copy, element);
    return copy;
  };
  const copyInto = (parent: Node, nodes: Iterable<Node>, depth: number) => {
    for (const node of nodes) {
      const content = node instanceof Element ? contents[frames.indexOf(node)] : undefined;
      if (!(node instanceof Element)) {
        parent.appendChild(inertDocument.importNode(node));
      } else if (content !== undefined) {
        parent.appendChild(inlineFrame(node, content));
      } else if (node instanceof HTMLSlotElement && node.getRootNode() instanceof ShadowRoot) {
        const assigned = node.assignedNodes();
        copyInto(parent, assigned.length ? assigned : node.childNodes, depth + 1);
      } else {
        const copy = parent.appendChild(copyElement(node));
        // Scripts can nest elements deeper than recursion can follow; below this depth only the text is kept.
        if (depth > MAX_DEPTH) copy.textContent = node.textContent;
        else if (node.localName !== 'template')
          copyInto(copy, (node.shadowRoot ?? node).childNodes, depth + 1);
      }
    }
  };
  const container = inertDocument.createElement('div');
  const { body, documentElement } = document;
  const bodyNodes = body?.localName === 'frameset' ? [body] : (body?.childNodes ?? []);
  copyInto(container, isTop ? [documentElement] : bodyNodes, 0);
  const doctype = isTop && document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return (doctype + container.innerHTML).slice(0, maxCharacters);
}
