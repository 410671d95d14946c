import type { Document, Element } from 'domhandler';
import { listElements } from '../../element-list.ts';

/**
 * Values for elements of one page. Several are read for each element by most stages, so they are found by the
 * element's place in the list of all elements, which takes a fraction of the time of a `Map`.
 */
export class ElementMap<Value> {
  readonly #elements: readonly Element[];
  readonly #values: (Value | undefined)[];

  constructor(document: Document) {
    this.#elements = listElements(document);
    this.#values = new Array(this.#elements.length).fill(undefined);
  }

  /** The value of an element; `undefined` if there is none. */
  get(element: Element): Value | undefined {
    const { startIndex } = element;
    return startIndex !== null && this.#elements[startIndex] === element
      ? this.#values[startIndex]
      : undefined;
  }

  /** Whether an element has a value. */
  has(element: Element): boolean {
    return this.get(element) !== undefined;
  }

  /** Sets the value of an element of the page. */
  set(element: Element, value: Value): void {
    this.#values[element.startIndex!] = value;
  }

  /** The elements that have a value, in document order. */
  keys(): Element[] {
    const keys: Element[] = [];
    for (let place = 0; place < this.#values.length; place++)
      if (this.#values[place] !== undefined) keys.push(this.#elements[place]!);
    return keys;
  }
}
