import type { Page } from 'playwright';

/** What somebody meets who goes through a page by the Tab key alone. */
export interface TabOrder {
  /** Elements that the key should reach, and did not. */
  missed: string[];
  /** Elements that came before one that stands above them. */
  misplaced: string[];
  /** Elements that do not show that they have the focus, or are out of sight while they have it. */
  hidden: string[];
  reached: number;
}

/** More elements than any view has at first. */
const MAX_STEPS = 400;

/** Goes through a page by the Tab key, from its beginning until the focus has left its last element. */
export async function walkByTab(page: Page): Promise<TabOrder> {
  await page.evaluate(prepare);
  for (let step = 0; step < MAX_STEPS; step++) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate(visit))) break;
  }
  return page.evaluate(report);
}

/** What the functions that run in the page know of the walk. */
interface Walk {
  expected: Element[];
  visited: Element[];
  misplaced: string[];
  hidden: string[];
  name: (element: Element) => string;
}
declare global {
  var tabWalk: Walk;
}

/** Runs in the page: finds what the key should reach. */
function prepare(): void {
  const focusable =
    'a[href], button:enabled, input:enabled:not([type="hidden"]), select:enabled, textarea:enabled, summary, [tabindex="0"]';
  const isReached = (element: Element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    if (element.getAttribute('tabindex') === '-1') return false;
    // A group of choices is one stop.
    return !(element instanceof HTMLInputElement && element.type === 'radio' && !element.checked);
  };
  (document.activeElement as HTMLElement | null)?.blur();
  globalThis.tabWalk = {
    expected: [...document.querySelectorAll(focusable)].filter(isReached),
    visited: [],
    misplaced: [],
    hidden: [],
    name: (element) => element.outerHTML.replace(element.innerHTML, element.textContent).slice(0, 160),
  };
}

/** Runs in the page: looks at the element that has the focus. @returns whether there is a new one */
function visit(): boolean {
  const { visited, misplaced, hidden, name } = globalThis.tabWalk;
  const element = document.activeElement;
  const before = visited.at(-1);
  // The field of a date has a stop for each of its parts.
  if (element === before && element instanceof HTMLInputElement && element.type === 'date') return true;
  if (!element || element === document.body || visited.includes(element)) return false;
  if (before && !(before.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING))
    misplaced.push(name(element));
  visited.push(element);
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  const { left, top, width, height } = element.getBoundingClientRect();
  // A part that is larger than the window shows a piece of its outline.
  const points = [
    [left + Math.min(width / 2, 8), top + Math.min(height / 2, 8)],
    [left + width / 2, top + height / 2],
    [left + width - Math.min(width / 2, 8), top + height - Math.min(height / 2, 8)],
  ] as const;
  const isSeen = points.some(([x, y]) => {
    const found = document.elementFromPoint(x, y);
    return (
      found &&
      (element.contains(found) || found.contains(element) || found.closest('label')?.contains(element))
    );
  });
  if (!hasOutline || !isSeen)
    hidden.push(`${hasOutline ? 'out of sight' : 'without an outline'}: ${name(element)}`);
  return true;
}

/** Runs in the page: sums the walk up. Parts that a view has replaced meanwhile were not missed. */
function report(): TabOrder {
  const { expected, visited, misplaced, hidden, name } = globalThis.tabWalk;
  const missed = expected.filter((element) => element.isConnected && !visited.includes(element)).map(name);
  return { missed, misplaced, hidden, reached: visited.length };
}
