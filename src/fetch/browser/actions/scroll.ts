/**
 * Runs in the page: scrolls by one window height. If the page cannot scroll, scrolls the container at the
 * centre of the window.
 */
export function scrollPage(sign: number): void {
  const root = document.scrollingElement ?? document.documentElement;
  let target: Element = root;
  if (root.scrollHeight <= innerHeight) {
    let inner = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    while (
      inner &&
      !(inner.scrollHeight > inner.clientHeight && /auto|scroll/.test(getComputedStyle(inner).overflowY))
    )
      inner = inner.parentElement;
    target = inner ?? root;
  }
  target.scrollBy({ top: sign * (target === root ? innerHeight : target.clientHeight), behavior: 'instant' });
}

/**
 * Runs in the page: scrolls an element by its own height. An element that cannot scroll is brought into view.
 */
export function scrollElement(element: Element, sign: number): void {
  if (element.scrollHeight > element.clientHeight)
    element.scrollBy({ top: sign * element.clientHeight, behavior: 'instant' });
  else element.scrollIntoView({ block: 'center', behavior: 'instant' });
}
