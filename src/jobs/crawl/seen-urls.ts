/**
 * A bounded set of URLs or other texts, used to process a link that is on every page only once. When the set
 * is full, it is cleared, so a text may then count as new again.
 */
export class SeenUrls {
  readonly #maxSize: number;
  readonly #seen = new Set<string>();

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** Adds a text. @returns whether it is new */
  add(text: string): boolean {
    if (this.#seen.has(text)) return false;
    if (this.#seen.size >= this.#maxSize) this.#seen.clear();
    this.#seen.add(text);
    return true;
  }
}
