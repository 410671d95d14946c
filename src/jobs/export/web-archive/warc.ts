import { archivedUrl } from '../../../fetch/net/exchange.ts';
import { readVersion } from '../../../system/version.ts';
import { contentDigest } from '../../archive/content-digest.ts';
import type { PageArchive } from '../../archive/page-archive.ts';
import type { ExportedPage, WriteExport } from '../export-format.ts';
import { type ExportedDocument, readExportedDocument } from '../exported-document.ts';
import { ResponseRecords } from './response-records.ts';
import { newRecordId, type WarcRecord, writeRecord } from './warc-record.ts';

/** A page of a web archive: its document, and when what it was made of was fetched. */
export interface ArchivedPage {
  document: ExportedDocument;
  date: Date;
}

/**
 * Writes documents as a web archive (WARC 1.1), each record compressed for itself.
 *
 * - Of a job with `archive`, what the sites sent is in `response` records, or in `revisit` records where the body was
 *   there before; what was made of a page in `conversion` records, everything else in a `metadata` record.
 * - Of other jobs, the HTML of a page is a `resource`. There is no `response`, because the response of the site with
 *   its headers is not kept.
 */
export const writeWarc: WriteExport = async function* (pages) {
  for await (const record of warcRecords(pages)) yield writeRecord(record);
};

/**
 * The records of documents, in their order.
 * @param onPage told of each page before its records
 */
export async function* warcRecords(
  pages: AsyncIterable<ExportedPage>,
  onPage: (page: ArchivedPage) => Promise<void> = async () => undefined,
): AsyncGenerator<WarcRecord> {
  const responses = new ResponseRecords();
  yield fileInfo();
  for await (const { json, finishedAt, readArchive } of pages) {
    const document = readExportedDocument(json);
    const archive = await readArchive?.();
    await onPage({ document, date: fetchedAt(document, archive) ?? finishedAt });
    let pageId: string | undefined;
    if (archive) {
      const url = archivedUrl(document.url);
      for await (const record of responses.of(archive)) {
        if (record.url === url && record.type !== 'request') pageId = record.id;
        yield record;
      }
    }
    yield* documentRecords(document, { date: finishedAt, pageId, isArchived: archive !== undefined });
  }
}

/** When the response was asked for that brought a page. */
function fetchedAt({ url }: ExportedDocument, archive: PageArchive | undefined): Date | undefined {
  const page = archive?.exchanges.findLast((each) => each.url === archivedUrl(url) && each.method === 'GET');
  return page && new Date(page.startedAt);
}

const fileInfo = (): WarcRecord => ({
  type: 'warcinfo',
  id: newRecordId(),
  date: new Date(),
  contentType: 'application/warc-fields',
  block: Buffer.from(`software: Winnow/${readVersion()}\r\nformat: WARC File Format 1.1\r\n`),
});

/**
 * The records of what was made of a page, which refer to its response or, without one, to the first of them.
 * @param of.pageId id of the record of the response; undefined if there is none
 */
function documentRecords(
  document: ExportedDocument,
  of: { date: Date; pageId: string | undefined; isArchived: boolean },
): WarcRecord[] {
  const { url, rawHtml, html, markdown, links, metadata, rest } = document;
  const parts = [
    // What the browser has made of the page would hide the response if it stood for the URL.
    {
      type: of.isArchived ? 'conversion' : 'resource',
      contentType: 'text/html;charset=utf-8',
      text: rawHtml,
    },
    { type: 'conversion', contentType: 'text/html;charset=utf-8', text: html },
    { type: 'conversion', contentType: 'text/markdown;charset=utf-8', text: markdown },
    {
      type: 'metadata',
      contentType: 'application/json',
      text: JSON.stringify({ ...rest, ...(links !== undefined && { links }), metadata }),
    },
  ] as const;
  const records: WarcRecord[] = [];
  for (const { type, contentType, text } of parts) {
    if (text === null) continue;
    const block = Buffer.from(text);
    records.push({
      type,
      contentType,
      block,
      id: newRecordId(),
      date: of.date,
      url,
      fields: { 'WARC-Refers-To': of.pageId ?? records[0]?.id },
      ...(type === 'resource' && {
        index: { url, date: of.date, mime: 'text/html', statusCode: 200, digest: contentDigest(block) },
      }),
    });
  }
  return records;
}
