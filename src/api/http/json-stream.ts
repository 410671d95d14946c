import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

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

  /** Generates the text of the response in parts. */
  async *text(): AsyncGenerator<string> {
    yield `${JSON.stringify(this.#head).slice(0, -1)},${JSON.stringify(this.#field)}:[`;
    let first = true;
    for await (const item of this.#items) {
      yield first ? item : `,${item}`;
      first = false;
    }
    yield ']}';
  }

  /** Sends the response as fast as the client reads it. A failure to read the list aborts the response. */
  async sendTo(response: Response): Promise<void> {
    response.type('json');
    await pipeline(Readable.from(this.text(), { objectMode: false }), response);
  }
}
