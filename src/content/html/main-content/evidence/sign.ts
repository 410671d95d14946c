import type { Element } from 'domhandler';

/**
 * What tells that an element is not main content. Only signs of different kinds are independent of each
 * other.
 *
 * - `name`: a word in its class names or id
 * - `heading`: the heading of its section
 * - `tag`: its tag or ARIA role
 * - `links`: most of its text is in links
 * - `place`: it is outside of the part of the page that has the running text, or beside the content root
 * - `repetition`: its text is elsewhere on the page too
 * - `hidden`: readers do not see it
 * - `shape`: it consists of cards or controls, or is a caption without a picture
 * - `words`: its text is that of a notice, a call to action, or remarks of readers with their dates
 */
type SignKind = 'name' | 'heading' | 'tag' | 'links' | 'place' | 'repetition' | 'hidden' | 'shape' | 'words';

/** One reason to drop an element. */
export interface Sign {
  kind: SignKind;
  /** What was found, such as the word in a class name. */
  detail: string;
}

/**
 * The elements of a page that were dropped so far, each with the signs that decided, and those that are shown
 * as answers.
 */
export class Decisions {
  readonly #signs = new Map<Element, readonly Sign[]>();
  /** Whether decisions were taken back, because most of the page's running text was missing. */
  areDisputed = false;
  /** How many quotes inside of each other the content of an element is shown in, as that of an answer is. */
  readonly quotes = new Map<Element, number>();

  /** Whether the element itself was dropped. The elements inside of a dropped one need not be. */
  has(element: Element): boolean {
    return this.#signs.has(element);
  }

  /** Drops an element. The signs of an earlier decision stay. */
  drop(element: Element, ...signs: Sign[]): void {
    if (!this.#signs.has(element)) this.#signs.set(element, signs);
  }

  /** Takes a decision back. */
  restore(element: Element): void {
    this.#signs.delete(element);
  }

  /** The signs that decided about an element; undefined if it was not dropped. */
  signsOf(element: Element): readonly Sign[] | undefined {
    return this.#signs.get(element);
  }

  /** The dropped elements. */
  elements(): Iterable<Element> {
    return this.#signs.keys();
  }

  /** The dropped elements with their signs, in the order of the decisions. */
  entries(): Iterable<[Element, readonly Sign[]]> {
    return this.#signs.entries();
  }
}
