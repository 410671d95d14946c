/** What these functions leave for each other in the frame's world. */
interface Found {
  winnowFrames?: Element[];
}

/** Runs in the frame: its source, if nothing has to be put into it; else how many frames it has. */
export function survey(asked: { isTop: boolean; leastFramePx: number; most: number }): {
  html?: string;
  frames: number;
} {
  const { isTop, leastFramePx, most } = asked;
  const frames: Element[] = [];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (!/^i?frame$/i.test(element.localName)) continue;
      const { width, height } = element.getBoundingClientRect();
      if (width >= leastFramePx && height >= leastFramePx) frames.push(element);
    }
  }
  (globalThis as Found).winnowFrames = frames;
  if (frames.length || roots.length > 1 || !isTop) return { frames: frames.length };
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return { html: (doctype + (document.documentElement?.outerHTML ?? '')).slice(0, most), frames: 0 };
}

/** Runs in the frame: the element of one of the frames that `survey` has found. */
export const foundFrame = (index: number) => (globalThis as Found).winnowFrames?.[index];

/** Runs in the frame: its source with shadow trees and frames put in; of a frame in a page, what its body holds. */
export function flatten(asked: {
  isTop: boolean;
  most: number;
  /** Of the frames that `survey` has found, by their places among them. */
  contents: Record<number, string>;
}): string {
  const { isTop, most, contents } = asked;
  const frames = (globalThis as Found).winnowFrames ?? [];
  // A document without a window: nothing in it is run, loaded or upgraded.
  const inert = document.implementation.createHTMLDocument();
  const MOST_DEPTH = 1_000;
  const ADDRESSES = ['href', 'src', 'poster', 'data-src'];
  const absolute = (address: string, { baseURI }: Node) => URL.parse(address, baseURI)?.href ?? address;
  const withAbsoluteAddresses = (copied: Element, element: Element) => {
    for (const name of ADDRESSES) {
      const address = element.getAttribute(name);
      if (address && !/^\s*(data:|#)/i.test(address)) copied.setAttribute(name, absolute(address, element));
    }
    const srcset = element.getAttribute('srcset');
    if (!srcset) return;
    const candidate = /(^|,\s)(\s*)([^\s,]\S*)/g;
    const resolved = (_: string, comma: string, blank: string, url: string) =>
      comma + blank + absolute(url, element);
    copied.setAttribute('srcset', srcset.replace(candidate, resolved));
  };
  const inlined = (frame: Element, content: string) => {
    const div = inert.createElement('div');
    for (const { name, value } of frame.attributes) if (name !== 'srcdoc') div.setAttribute(name, value);
    div.setAttribute('data-original-tag', 'iframe');
    div.innerHTML = content;
    return div;
  };
  const shallow = (element: Element) => {
    if (element.localName === 'frameset')
      return inert.createElement(element === document.body ? 'body' : 'div');
    const copied = inert.importNode(element, element.localName === 'template');
    if (!isTop) withAbsoluteAddresses(copied, element);
    return copied;
  };
  const copyInto = (parent: Node, nodes: Iterable<Node>, depth: number) => {
    for (const node of nodes) {
      const content = node instanceof Element ? contents[frames.indexOf(node)] : undefined;
      if (!(node instanceof Element)) {
        parent.appendChild(inert.importNode(node));
      } else if (content !== undefined) {
        parent.appendChild(inlined(node, content));
      } else if (node instanceof HTMLSlotElement && node.getRootNode() instanceof ShadowRoot) {
        const assigned = node.assignedNodes();
        copyInto(parent, assigned.length ? assigned : node.childNodes, depth + 1);
      } else {
        const copied = parent.appendChild(shallow(node));
        // Nobody reads so deep; scripts can nest deeper than a stack can follow.
        if (depth > MOST_DEPTH) copied.textContent = node.textContent;
        else if (node.localName !== 'template')
          copyInto(copied, (node.shadowRoot ?? node).childNodes, depth + 1);
      }
    }
  };
  const whole = inert.createElement('div');
  const { body, documentElement } = document;
  const inside = body?.localName === 'frameset' ? [body] : (body?.childNodes ?? []);
  copyInto(whole, isTop ? [documentElement] : inside, 0);
  const doctype = isTop && document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return (doctype + whole.innerHTML).slice(0, most);
}
