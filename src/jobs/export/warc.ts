import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readVersion } from '../../system/version.ts';
import { contentDigest } from './content-digest.ts';
import type { WriteExport } from './export-format.ts';
import { type ExportedDocument, readExportedDocument } from './exported-document.ts';

const compress = promisify(gzip);

/** A record: its named fields besides those that all have, and its block. */
interface WarcRecord {
  type: 'warcinfo' | 'resource' | 'conversion' | 'metadata';
  id: string;
  date: Date;
  contentType: string;
  block: string;
  /** The URL that the record is about; `undefined` for that of the file itself. */
  url?: string;
  /** The id of the record that this one was made from. */
  refersTo?: string | undefined;
}

/**
 * Writes documents as a web archive (WARC 1.1, ISO 28500:2017), each record compressed for itself. The HTML of a page is a
 * `resource`, what was derived from it a `conversion`, and everything else a `metadata` record. There is no
 * `response`, because the response of the site with its headers is not kept.
 */
export const writeWarc: WriteExport = async function* (pages) {
  yield compress(writeRecord(fileInfo()));
  for await (const { json, finishedAt } of pages)
    for (const record of recordsOf(readExportedDocument(json), finishedAt))
      yield compress(writeRecord(record));
};

const newId = () => `<urn:uuid:${randomUUID()}>`;

const fileInfo = (): WarcRecord => ({
  type: 'warcinfo',
  id: newId(),
  date: new Date(),
  contentType: 'application/warc-fields',
  block: `software: Winnow/${readVersion()}\r\nformat: WARC File Format 1.1\r\n`,
});

/** The records of a document, in which all others refer to the first one. */
function recordsOf(document: ExportedDocument, date: Date): WarcRecord[] {
  const { url, rawHtml, html, markdown, links, metadata, rest } = document;
  const parts = [
    { type: 'resource', contentType: 'text/html;charset=utf-8', block: rawHtml },
    { type: 'conversion', contentType: 'text/html;charset=utf-8', block: html },
    { type: 'conversion', contentType: 'text/markdown;charset=utf-8', block: markdown },
    {
      type: 'metadata',
      contentType: 'application/json',
      block: JSON.stringify({ ...rest, ...(links !== undefined && { links }), metadata }),
    },
  ] as const;
  const records: WarcRecord[] = [];
  for (const { block, ...part } of parts)
    if (block !== null) records.push({ ...part, block, id: newId(), date, url, refersTo: records[0]?.id });
  return records;
}

function writeRecord({ type, id, date, contentType, block, url, refersTo }: WarcRecord): Buffer {
  const bytes = Buffer.from(block);
  const fields = [
    ['WARC-Type', type],
    ['WARC-Record-ID', id],
    // Nothing that could begin another field is in a URL, which has its control characters escaped.
    ...(url === undefined ? [] : [['WARC-Target-URI', url.replace(/[\r\n]/g, '')]]),
    ['WARC-Date', date.toISOString()],
    ...(refersTo === undefined ? [] : [['WARC-Refers-To', refersTo]]),
    ['WARC-Block-Digest', `sha1:${contentDigest(bytes)}`],
    ['Content-Type', contentType],
    ['Content-Length', String(bytes.length)],
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`WARC/1.1\r\n${fields.join('')}\r\n`), bytes, Buffer.from('\r\n\r\n')]);
}
