import type { Writable } from 'node:stream';
import { ServiceError } from '../../errors.ts';

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
   * Waits until the bytes are free and takes them. They are freed when the response closes, if not before.
   * @param response the response to the request that the bytes belong to
   * @returns the function that frees them, which may be called several times
   * @throws ServiceError `BAD_REQUEST` if the response closes before, because the client has disconnected
   */
  take(bytes: number, response: Writable): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const disconnected = () => reject(new ServiceError('BAD_REQUEST', 'The client has disconnected.'));
      // The event `close` of a request that was aborted early has already happened.
      if (response.destroyed || response.closed) return disconnected();
      const entry: Waiting = {
        bytes,
        start: () => {
          let isTaken = true;
          const release = () => {
            if (isTaken) this.#release(bytes);
            isTaken = false;
          };
          response.off('close', abandon).once('close', release);
          resolve(release);
        },
      };
      const abandon = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        this.#startNext();
        disconnected();
      };
      response.once('close', abandon);
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
