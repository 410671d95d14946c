import type { EventEmitter } from 'node:events';

interface Waiting {
  bytes: number;
  start(): void;
}

/** Limits how many bytes of received files are in memory. Requests beyond the limit wait for their turn. */
export class ByteBudget {
  #free: number;
  readonly #waiting: Waiting[] = [];

  /** @param bytes the limit, which is at least as large as any single file */
  constructor(bytes: number) {
    this.#free = bytes;
  }

  /**
   * Waits until the bytes are free and takes them.
   * @param owner the bytes are not taken if its event `close` happens before
   * @returns the function that frees them, which may be called several times
   */
  take(bytes: number, owner: EventEmitter): Promise<() => void> {
    return new Promise((resolve) => {
      const entry: Waiting = {
        bytes,
        start: () => {
          owner.off('close', abandon);
          let isTaken = true;
          resolve(() => {
            if (isTaken) this.#release(bytes);
            isTaken = false;
          });
        },
      };
      const abandon = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        this.#startNext();
      };
      owner.on('close', abandon);
      this.#waiting.push(entry);
      this.#startNext();
    });
  }

  #release(bytes: number): void {
    this.#free += bytes;
    this.#startNext();
  }

  #startNext(): void {
    for (let [next] = this.#waiting; next && next.bytes <= this.#free; [next] = this.#waiting) {
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.start();
    }
  }
}
