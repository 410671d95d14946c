import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { contentDigest } from '../../archive/content-digest.ts';

const compress = promisify(gzip);
/** Higher levels take three times as long for a tenth less. */
const COMPRESSION = { level: 3 };

/** What an index says of a record besides where it is. */
export interface RecordIndex {
  url: string;
  date: Date;
  mime: string;
  statusCode: number | null;
  /** SHA-1 of the payload. */
  digest: string;
}

/** A record of a web archive: its named fields besides those that all have, and its block. */
export interface WarcRecord {
  type: 'warcinfo' | 'request' | 'response' | 'revisit' | 'resource' | 'conversion' | 'metadata';
  id: string;
  date: Date;
  contentType: string;
  block: Uint8Array;
  /** The URL that the record is about; `undefined` for that of the file itself. */
  url?: string;
  /** Further fields; those without a value are left out. */
  fields?: Record<string, string | undefined>;
  /** What an index has of it; absent for records that are not replayed. */
  index?: RecordIndex;
}

/** Makes the id of a record. */
export const newRecordId = (): string => `<urn:uuid:${randomUUID()}>`;

/** Writes a record (WARC 1.1, ISO 28500:2017), compressed for itself, so that it can be read without the others. */
export async function writeRecord(record: WarcRecord): Promise<Buffer> {
  const { type, id, date, contentType, block, url, fields: further = {} } = record;
  const fields = {
    'WARC-Type': type,
    'WARC-Record-ID': id,
    // Nothing that could begin another field is in a URL, which has its control characters escaped.
    'WARC-Target-URI': url?.replace(/[\r\n]/g, ''),
    'WARC-Date': date.toISOString(),
    ...further,
    'WARC-Block-Digest': `sha1:${contentDigest(block)}`,
    'Content-Type': contentType,
    'Content-Length': String(block.length),
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  );
  const head = Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`);
  return compress(Buffer.concat([head, block, Buffer.from('\r\n\r\n')]), COMPRESSION);
}
