import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** An answer whose last field is a list that is too long to be held: it is sent as it is read. */
export class JsonStream {
  readonly #head: object;
  readonly #field: string;
  readonly #items: AsyncIterable<string>;

  /**
   * @param head the fields before the list
   * @param items the list's members as JSON
   */
  constructor(head: object, field: string, items: AsyncIterable<string>) {
    this.#head = head;
    this.#field = field;
    this.#items = items;
  }

  /** The answer's text, piece by piece. */
  async *text(): AsyncGenerator<string> {
    yield `${JSON.stringify(this.#head).slice(0, -1)},${JSON.stringify(this.#field)}:[`;
    let first = true;
    for await (const item of this.#items) {
      yield first ? item : `,${item}`;
      first = false;
    }
    yield ']}';
  }

  /** Sends it as fast as the client reads; a failure on the way cuts the answer off. */
  async sendTo(response: Response): Promise<void> {
    response.type('json');
    await pipeline(Readable.from(this.text(), { objectMode: false }), response);
  }
}
