import { z } from 'zod';
import type { PageElement, PageNode } from '../../../content/open-page/page-dom.ts';
import { type PageCode, pageFunction } from '../../../content/open-page/page-function.ts';

/** What the functions for reading a frame keep in its isolated world. */
interface Inspected {
  /** Its visible frames. */
  frames: PageElement[];
}

interface InspectOptions {
  isTop: boolean;
  minFramePx: number;
  maxCharacters: number;
}

/**
 * Runs in the frame: returns its HTML if it has no frames or shadow trees to inline, otherwise the number of
 * its visible frames.
 */
export const inspectFrame = pageFunction(
  z.object({ html: z.string().optional(), frames: z.int() }),
  ({ isTop, minFramePx, maxCharacters }: InspectOptions, dom) => {
    const frames: PageElement[] = [];
    const trees = [dom.document()];
    for (const tree of trees) {
      for (const element of dom.findAll('*', tree)) {
        const shadowTree = dom.shadowRoot(element);
        if (shadowTree) trees.push(shadowTree);
        if (!/^i?frame$/i.test(dom.localName(element))) continue;
        const { width, height } = dom.rect(element);
        if (width >= minFramePx && height >= minFramePx) frames.push(element);
      }
    }
    dom.keep<Inspected>('inspected', () => ({ frames: [] })).frames = frames;
    if (frames.length || trees.length > 1 || !isTop) return { frames: frames.length };
    const root = dom.root();
    return { html: (dom.doctype() + (root ? dom.outerHtml(root) : '')).slice(0, maxCharacters), frames: 0 };
  },
);

/** Runs in the frame: returns the element of a frame that `inspectFrame` found. */
export const frameElementAt: PageCode<number, PageElement | undefined> = (index, dom) =>
  dom.keep<Inspected>('inspected', () => ({ frames: [] })).frames[index];

interface SerializeOptions {
  isTop: boolean;
  maxCharacters: number;
  /** HTML of the frames that `inspectFrame` found, by their index. */
  contents: Record<number, string>;
}

/**
 * Runs in the frame: returns its HTML with shadow trees and frames inlined. For a child frame, only the
 * content of its body.
 */
export const serializeDom = pageFunction(
  z.string(),
  ({ isTop, maxCharacters, contents }: SerializeOptions, dom): string => {
    const { frames } = dom.keep<Inspected>('inspected', () => ({ frames: [] }));
    // A document without a window runs no scripts, loads nothing and upgrades no custom elements.
    const inertDocument = dom.createInertDocument();
    const MAX_DEPTH = 1_000;
    const URL_ATTRIBUTES = ['href', 'src', 'poster', 'data-src'];
    const resolveUrl = (url: string, base: PageNode) => URL.parse(url, dom.baseUrl(base))?.href ?? url;
    const makeUrlsAbsolute = (copy: PageElement, element: PageElement) => {
      for (const name of URL_ATTRIBUTES) {
        const url = dom.attribute(element, name);
        if (url && !/^\s*(data:|#)/i.test(url)) dom.setAttribute(copy, name, resolveUrl(url, element));
      }
      const srcset = dom.attribute(element, 'srcset');
      if (!srcset) return;
      const candidate = /(^|,\s)(\s*)([^\s,]\S*)/g;
      const resolved = (_: string, comma: string, blank: string, url: string) =>
        comma + blank + resolveUrl(url, element);
      dom.setAttribute(copy, 'srcset', srcset.replace(candidate, resolved));
    };
    const contentOf = new Map(frames.map((frame, index) => [frame, contents[index]]));
    const inlineFrame = (frame: PageElement, content: string) => {
      const div = inertDocument.createElement('div');
      // Parsers allow names that `setAttribute` refuses.
      for (const attribute of dom.attributes(frame))
        if (attribute.name !== 'srcdoc') div.setAttributeNode(inertDocument.importNode(attribute));
      div.setAttribute('data-original-tag', 'iframe');
      div.innerHTML = content;
      return div;
    };
    const copyElement = (element: PageElement): PageElement => {
      if (dom.localName(element) === 'frameset')
        return inertDocument.createElement(element === dom.body() ? 'body' : 'div');
      const copy = dom.copyFor(inertDocument, element, dom.localName(element) === 'template');
      if (!isTop) makeUrlsAbsolute(copy, element);
      return copy;
    };
    /** The nodes that a slot in a shadow tree shows. */
    const slotted = (slot: PageElement): Iterable<PageNode> | undefined => {
      if (!(slot instanceof HTMLSlotElement && slot.getRootNode() instanceof ShadowRoot)) return undefined;
      const assigned = slot.assignedNodes();
      return assigned.length ? assigned : slot.childNodes;
    };
    const copyInto = (parent: PageNode, nodes: Iterable<PageNode>, depth: number) => {
      for (const node of nodes) {
        if (!dom.isElement(node)) {
          dom.append(parent, dom.copyFor(inertDocument, node, false));
          continue;
        }
        const content = contentOf.get(node);
        const shown = slotted(node);
        if (content !== undefined) dom.append(parent, inlineFrame(node, content));
        else if (shown) copyInto(parent, shown, depth + 1);
        else {
          const copy = copyElement(node);
          dom.append(parent, copy);
          // Scripts can nest elements deeper than recursion can follow; below this depth only the text is kept.
          if (depth > MAX_DEPTH) dom.append(copy, inertDocument.createTextNode(dom.textContent(node) ?? ''));
          else if (dom.localName(node) !== 'template')
            copyInto(copy, dom.childNodes(dom.shadowRoot(node) ?? node), depth + 1);
        }
      }
    };
    const container = inertDocument.createElement('div');
    const [root, body] = [dom.root(), dom.body()];
    const isFrameset = body && dom.localName(body) === 'frameset';
    if (isTop) copyInto(container, root ? [root] : [], 0);
    else if (body) copyInto(container, isFrameset ? [body] : dom.childNodes(body), 0);
    return ((isTop ? dom.doctype() : '') + container.innerHTML).slice(0, maxCharacters);
  },
);
