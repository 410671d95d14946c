import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** Runs something when it is its turn. */
type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** A JSON response that is sent while its last field, a list that may not fit into memory, is read. */
export class JsonStream {
  readonly #head: object;
  readonly #field: string;
  readonly #items: AsyncIterable<string>;

  /**
   * @param head the fields before the list
   * @param field the name of the list
   * @param items the items of the list, each as JSON
   */
  constructor(head: object, field: string, items: AsyncIterable<string>) {
    this.#head = head;
    this.#field = field;
    this.#items = items;
  }

  /** The same response with other fields before the list. */
  withHead(change: (head: object) => object): JsonStream {
    return new JsonStream(change(this.#head), this.#field, this.#items);
  }

  /**
   * Generates the text of the response in parts.
   * @param inTurn reads an item when it is its turn; by default at once
   */
  async *text(inTurn: InTurn = (read) => read()): AsyncGenerator<string> {
    yield `${JSON.stringify(this.#head).slice(0, -1)},${JSON.stringify(this.#field)}:[`;
    const items = this.#items[Symbol.asyncIterator]();
    try {
      let item = await inTurn(() => items.next());
      for (let first = true; !item.done; first = false) {
        yield first ? item.value : `,${item.value}`;
        item = await inTurn(() => items.next());
      }
    } finally {
      await items.return?.();
    }
    yield ']}';
  }

  /** Sends the response as fast as the client reads it. A failure to read the list aborts the response. */
  async sendTo(response: Response, inTurn: InTurn): Promise<void> {
    response.type('json');
    await pipeline(Readable.from(this.text(inTurn), { objectMode: false }), response);
  }
}
