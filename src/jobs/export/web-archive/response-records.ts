import type { ArchivedExchange, PageArchive } from '../../archive/page-archive.ts';
import { headerOf, writeRequest, writeResponseHead } from './http-message.ts';
import { newRecordId, type WarcRecord } from './warc-record.ts';

/** Number of bodies that are remembered; a body that comes again after so many others is written again. */
const MAX_REMEMBERED = 50_000;

const SAME_PAYLOAD = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';

/** The first record of a body. */
interface FirstRecord {
  url: string;
  date: Date;
}

/**
 * Makes the records of requests and responses. Each body is in one `response` record; where it comes again, a
 * `revisit` record names that one.
 */
export class ResponseRecords {
  readonly #written = new Map<string, FirstRecord>();

  /** @returns the records of one page, each response before its request */
  async *of({ exchanges, readBody }: PageArchive): AsyncGenerator<WarcRecord> {
    for (const exchange of exchanges) {
      const response = await this.#responseOf(exchange, readBody);
      yield response;
      yield {
        type: 'request',
        id: newRecordId(),
        date: response.date,
        url: exchange.url,
        contentType: 'application/http;msgtype=request',
        block: Buffer.from(writeRequest(exchange)),
        fields: { 'WARC-Concurrent-To': response.id },
      };
    }
  }

  async #responseOf(exchange: ArchivedExchange, readBody: PageArchive['readBody']): Promise<WarcRecord> {
    const { url, digest, size, isCut } = exchange;
    const date = new Date(exchange.startedAt);
    const head = Buffer.from(writeResponseHead(exchange));
    const first = size > 0 ? this.#written.get(digest) : undefined;
    const record = {
      id: newRecordId(),
      date,
      url,
      contentType: 'application/http;msgtype=response',
      // Requests with a body are in the archive, but their responses stand for no URL.
      ...(exchange.method === 'GET' && { index: indexOf(exchange, date, first !== undefined) }),
    };
    const fields = {
      'WARC-Payload-Digest': `sha1:${digest}`,
      'WARC-Truncated': isCut ? 'length' : undefined,
    };
    if (!first) {
      this.#remember(digest, { url, date });
      const block = Buffer.concat([head, size > 0 ? await readBody(exchange) : new Uint8Array()]);
      return { ...record, type: 'response', block, fields };
    }
    return {
      ...record,
      type: 'revisit',
      block: head,
      fields: {
        ...fields,
        'WARC-Profile': SAME_PAYLOAD,
        'WARC-Refers-To-Target-URI': first.url,
        'WARC-Refers-To-Date': first.date.toISOString(),
      },
    };
  }

  #remember(digest: string, record: FirstRecord): void {
    this.#written.set(digest, record);
    if (this.#written.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#written.keys();
    if (oldest !== undefined) this.#written.delete(oldest);
  }
}

function indexOf(exchange: ArchivedExchange, date: Date, isRevisit: boolean) {
  const { url, statusCode, digest } = exchange;
  const type = headerOf(exchange, 'content-type')?.split(';')[0]?.trim();
  return { url, date, mime: isRevisit ? 'warc/revisit' : type || 'unk', statusCode, digest };
}
