import { frameIdApart, isBetweenDocuments, type Place, runApart } from './isolated-world.ts';
import { settle } from './settle.ts';
import type { Tab } from './tab.ts';

/** Frames of one page that are read, all levels together. */
const MOST_FRAMES = 30;
/** Frames inside frames. */
const MOST_LEVELS = 5;
/** A frame smaller than this in width or height has nothing for readers. */
const LEAST_FRAME_PX = 10;
/** A page that goes elsewhere each time it is read is given up. */
const MOST_TRIES = 3;

/** What may still be read. */
interface Budget {
  frames: number;
  characters: number;
}

/**
 * The page as it stands: open shadow trees where they are seen, slots filled, and each visible frame as
 * `<div data-original-tag="iframe">` with its content, whatever origin it is of.
 * @param maxCharacters of more than that, one character more is given
 */
export async function readHtml(tab: Tab, maxCharacters: number): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      const budget = { frames: MOST_FRAMES, characters: maxCharacters + 1 };
      return await readFrame(tab, await placesOf(tab), budget, 0);
    } catch (error) {
      if (tries === MOST_TRIES || !isBetweenDocuments(error)) throw error;
      await settle(tab);
    }
  }
}

/** How to reach each frame by its id: those of other sites may have processes, and sessions, of their own. */
async function placesOf({ page, session: main }: Tab): Promise<Map<string, Place>> {
  const sessions = [main];
  for (const frame of page.frames().slice(1)) {
    const own = page.context().newCDPSession(frame);
    // Most have none: that is how Playwright says it.
    const session = await own.catch(() => undefined);
    if (session) sessions.push(session);
  }
  const places = new Map<string, Place>();
  for (const session of sessions) {
    const trees = [(await session.send('Page.getFrameTree')).frameTree];
    for (const { frame, childFrames = [] } of trees) {
      places.set(frame.id, { session, frameId: frame.id });
      trees.push(...childFrames);
    }
  }
  return places;
}

async function readFrame(
  place: Place,
  places: Map<string, Place>,
  budget: Budget,
  level: number,
): Promise<string> {
  const asked = { isTop: level === 0, leastFramePx: LEAST_FRAME_PX, most: Math.max(0, budget.characters) };
  const { html, frames } = await runApart(place, survey, asked);
  if (html !== undefined) return html;
  const contents: Record<number, string> = {};
  for (let index = 0; index < frames && level < MOST_LEVELS && budget.frames > 0; index++) {
    const child = places.get((await frameIdApart(place, foundFrame, index)) ?? '');
    if (!child) continue;
    budget.frames--;
    try {
      const content = await readFrame(child, places, budget, level + 1);
      contents[index] = content;
      budget.characters -= content.length;
    } catch (error) {
      // A frame that goes elsewhere just now is left out.
      if (!isBetweenDocuments(error)) throw error;
    }
  }
  return runApart(place, flatten, { ...asked, contents });
}

/** What the functions below leave for each other in the frame's world. */
interface Found {
  winnowFrames?: Element[];
}

/** Runs in the frame: its source, if nothing has to be put into it; else how many frames it has. */
function survey({ isTop, leastFramePx, most }: { isTop: boolean; leastFramePx: number; most: number }): {
  html?: string;
  frames: number;
} {
  const frames: Element[] = [];
  let shadows = 0;
  const visit = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) {
        shadows++;
        visit(element.shadowRoot);
      }
      if (!/^i?frame$/i.test(element.localName)) continue;
      const { width, height } = element.getBoundingClientRect();
      if (width >= leastFramePx && height >= leastFramePx) frames.push(element);
    }
  };
  visit(document);
  (globalThis as Found).winnowFrames = frames;
  if (frames.length || shadows || !isTop) return { frames: frames.length };
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return { html: (doctype + (document.documentElement?.outerHTML ?? '')).slice(0, most), frames: 0 };
}

/** Runs in the frame. */
const foundFrame = (index: number) => (globalThis as Found).winnowFrames?.[index];

/** Runs in the frame: its source with shadow trees and frames put in; of a frame in a page, what its body holds. */
function flatten({
  isTop,
  most,
  contents,
}: {
  isTop: boolean;
  most: number;
  contents: Record<number, string>;
}): string {
  const frames = (globalThis as Found).winnowFrames ?? [];
  // A document without a window: nothing in it is run, loaded or upgraded.
  const inert = document.implementation.createHTMLDocument();
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
  const frameset = (element: Element) => inert.createElement(element === document.body ? 'body' : 'div');
  const copyOf = (element: Element, frame: number): Element => {
    if (frame >= 0 && contents[frame] !== undefined) {
      const div = inert.createElement('div');
      for (const { name, value } of element.attributes) if (name !== 'srcdoc') div.setAttribute(name, value);
      div.setAttribute('data-original-tag', 'iframe');
      div.innerHTML = contents[frame];
      return div;
    }
    if (element.localName === 'frameset') return frameset(element);
    const copied = inert.importNode(element, element.localName === 'template');
    if (!isTop) withAbsoluteAddresses(copied, element);
    return copied;
  };
  const copyInto = (parent: Node, nodes: Iterable<Node>) => {
    for (const node of nodes) {
      if (!(node instanceof Element)) {
        parent.appendChild(inert.importNode(node));
      } else if (node instanceof HTMLSlotElement && node.getRootNode() instanceof ShadowRoot) {
        const assigned = node.assignedNodes();
        copyInto(parent, assigned.length ? assigned : node.childNodes);
      } else {
        const copied = copyOf(node, frames.indexOf(node));
        if (!copied.hasAttribute('data-original-tag') && node.localName !== 'template')
          copyInto(copied, (node.shadowRoot ?? node).childNodes);
        parent.appendChild(copied);
      }
    }
  };
  const whole = inert.createDocumentFragment();
  if (!isTop) {
    copyInto(
      whole,
      document.body
        ? document.body.localName === 'frameset'
          ? [document.body]
          : document.body.childNodes
        : [],
    );
    const holder = inert.createElement('div');
    holder.append(whole);
    return holder.innerHTML.slice(0, most);
  }
  copyInto(whole, document.documentElement ? [document.documentElement] : []);
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return (doctype + (whole.firstElementChild?.outerHTML ?? '')).slice(0, most);
}

/** Whether an answer of this `Content-Type` is a page. */
export const isHtml = (contentType: string) => !contentType || /\bx?html\b/i.test(contentType);
