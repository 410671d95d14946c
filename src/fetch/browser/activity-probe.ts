/** The activity of a page, as measured inside it. */
export interface PageActivity {
  /** Milliseconds since the DOM last changed, by the clock of the page. */
  quietMs: number;
  /** Changes with the document and its DOM. */
  version: string;
  origin: string;
  /** Characters of text, counted up to a bound. */
  textLength: number;
  /** The page shows nothing: no text, no image, no frame, no shadow tree. */
  isEmpty: boolean;
  hasScripts: boolean;
  /** Its `<meta http-equiv="refresh">`, if it has one. */
  refresh?: { content: string; url: string; baseUrl: string };
}

/**
 * Runs in the page, in the isolated world. The first call installs a mutation observer. Nodes that keep
 * changing without growing (clocks, counters, carousels) do not count as activity.
 */
export function probeActivity(maxTextLength: number): PageActivity {
  const MAX_REPEATS = 3;
  const world = globalThis as { winnowLastChange?: number; winnowChanges?: number };
  if (world.winnowLastChange === undefined) {
    world.winnowLastChange = performance.now();
    world.winnowChanges = 0;
    const changeCounts = new WeakMap<Node, number>();
    const sizeOf = (nodes: NodeList) => {
      let size = 0;
      for (const node of nodes) size += 1 + (node.textContent?.length ?? 0);
      return size;
    };
    const isRelevantChange = ({ type, target, addedNodes, removedNodes }: MutationRecord) => {
      // Scripts may replace a text node each time, while its parent stays.
      const container = type === 'characterData' ? (target.parentNode ?? target) : target;
      const times = (changeCounts.get(container) ?? 0) + 1;
      changeCounts.set(container, times);
      if (times <= MAX_REPEATS) return true;
      return type === 'childList' && sizeOf(addedNodes) > sizeOf(removedNodes) + 2;
    };
    new MutationObserver((records) => {
      // `filter` instead of `some`, because each record has to be counted.
      if (!records.filter(isRelevantChange).length) return;
      world.winnowLastChange = performance.now();
      world.winnowChanges = (world.winnowChanges ?? 0) + 1;
    }).observe(document, { subtree: true, childList: true, characterData: true });
  }
  let textLength = 0;
  if (document.body) {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (textLength < maxTextLength && walker.nextNode()) {
      const text = walker.currentNode;
      if (!/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/i.test(text.parentElement?.tagName ?? ''))
        textLength += text.nodeValue?.trim().length ?? 0;
    }
  }
  const isVisual = (element: Element) =>
    /^(img|svg|canvas|video|i?frame|embed|object)$/i.test(element.tagName) || element.shadowRoot;
  const isEmpty = textLength === 0 && ![...document.querySelectorAll('*')].some(isVisual);
  const content = document.querySelector<HTMLMetaElement>('meta[http-equiv="refresh" i]')?.content;
  return {
    quietMs: performance.now() - world.winnowLastChange,
    version: `${performance.timeOrigin} ${world.winnowChanges}`,
    origin,
    textLength,
    isEmpty,
    hasScripts: document.scripts.length > 0,
    ...(content && { refresh: { content, url: location.href, baseUrl: document.baseURI } }),
  };
}
