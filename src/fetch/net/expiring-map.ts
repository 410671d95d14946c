/** A map whose entries expire after a time and that drops the oldest entry when it is full. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { value: Value; expiresAt: number }>();
  readonly #limit: number;
  readonly #ttlMs: number;

  constructor({ limit, ttlMs }: { limit: number; ttlMs: number }) {
    this.#limit = limit;
    this.#ttlMs = ttlMs;
  }

  /** The value of a key; `undefined` if there is none or it has expired. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry && entry.expiresAt <= performance.now()) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry?.value;
  }

  /** Stores a value, which begins a new lifetime. A full map drops the entry that was written first. */
  set(key: string, value: Value): void {
    // Deleting first moves the entry to the end, so that the map is ordered by time of writing.
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: performance.now() + this.#ttlMs });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#limit && !oldest.done) this.#entries.delete(oldest.value);
  }

  /** Removes an entry, if there is one. */
  delete(key: string): void {
    this.#entries.delete(key);
  }
}
