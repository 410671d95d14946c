import { z } from 'zod';
import type { PageElement, PageNode } from '../../content/open-page/page-dom.ts';
import { pageFunction } from '../../content/open-page/page-function.ts';

const PageActivity = z.object({
  /** Milliseconds since the DOM last changed, by the clock of the page. */
  quietMs: z.number(),
  /** Changes with the document and its DOM. */
  version: z.string().max(100),
  origin: z.string().max(2_000),
  /** Characters of text, counted up to a bound. */
  textLength: z.int(),
  /** The page shows nothing: no text, no image, no frame, no shadow tree. */
  isEmpty: z.boolean(),
  hasScripts: z.boolean(),
  /** Its `<meta http-equiv="refresh">`, if it has one of a usual length. */
  refresh: z
    .object({ content: z.string().max(10_000), url: z.string().max(10_000), baseUrl: z.string().max(10_000) })
    .optional(),
});

/** The activity of a page, as measured inside it. */
export type PageActivity = z.infer<typeof PageActivity>;

/** What is known of a page whose activity cannot be measured: it settles by its requests alone. */
export const UNKNOWN_ACTIVITY: PageActivity = {
  quietMs: Number.POSITIVE_INFINITY,
  version: '',
  origin: '',
  textLength: 0,
  isEmpty: false,
  hasScripts: true,
};

/**
 * Runs in the page, in the isolated world. The first call installs a mutation observer. Nodes that keep
 * changing without growing (clocks, counters, carousels) do not count as activity.
 */
export const probeActivity = pageFunction(PageActivity, (maxTextLength: number, dom): PageActivity => {
  const MAX_REPEATS = 3;
  const MAX_REFRESH_LENGTH = 10_000;
  const observed = dom.keep<{ lastChange: number; changes: number }>('activity', () => {
    const activity = { lastChange: performance.now(), changes: 0 };
    const changeCounts = new WeakMap<PageNode, number>();
    const sizeOf = (nodes: Iterable<PageNode>) => {
      let size = 0;
      for (const node of nodes) size += 1 + (dom.textContent(node)?.length ?? 0);
      return size;
    };
    const isRelevantChange = ({ type, target, addedNodes, removedNodes }: MutationRecord) => {
      // Scripts may replace a text node each time, while its parent stays.
      const container = type === 'characterData' ? (dom.parentNode(target) ?? target) : target;
      const times = (changeCounts.get(container) ?? 0) + 1;
      changeCounts.set(container, times);
      if (times <= MAX_REPEATS) return true;
      return type === 'childList' && sizeOf(addedNodes) > sizeOf(removedNodes) + 2;
    };
    dom.observe({ subtree: true, childList: true, characterData: true }, (records) => {
      // `filter` instead of `some`, because each record has to be counted.
      if (!records.filter(isRelevantChange).length) return;
      activity.lastChange = performance.now();
      activity.changes++;
    });
    return activity;
  });
  const body = dom.body();
  let textLength = 0;
  if (body) {
    const walker = dom.walker(body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text && textLength < maxTextLength; text = walker.nextNode()) {
      const parent = dom.parentElement(text);
      if (!parent || !/^(script|style|noscript|template)$/i.test(dom.localName(parent)))
        textLength += dom.nodeValue(text)?.trim().length ?? 0;
    }
  }
  const isVisual = (element: PageElement) =>
    /^(img|svg|canvas|video|i?frame|embed|object)$/i.test(dom.localName(element)) || dom.shadowRoot(element);
  const meta = dom.find('meta[http-equiv="refresh" i]');
  const content = meta && dom.attribute(meta, 'content');
  const refresh = content ? { content, url: location.href, baseUrl: dom.baseUrl(dom.document()) } : undefined;
  const isUsual = refresh && Object.values(refresh).every(({ length }) => length <= MAX_REFRESH_LENGTH);
  return {
    quietMs: performance.now() - observed.lastChange,
    version: `${performance.timeOrigin} ${observed.changes}`,
    origin,
    textLength,
    isEmpty: textLength === 0 && ![...dom.findAll('*')].some(isVisual),
    hasScripts: dom.find('script') !== null,
    ...(isUsual && { refresh }),
  };
});
