import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { parse as parseHost } from 'tldts';
import { contentDigest } from '../archive/content-digest.ts';
import type { ExportedPage, WriteExport } from './export-format.ts';
import { type ExportedDocument, readExportedDocument } from './exported-document.ts';
import { surtKey } from './surt-key.ts';

/** A row group ends at this many rows or characters, whichever comes first; one is in memory at a time. */
const MAX_ROWS = 1_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** A page with what its columns are derived from. */
interface Row extends ExportedDocument {
  finishedAt: Date;
  surtKey: string;
  target: URL | null;
  host: ReturnType<typeof parseHost>;
}

/** A column, with the type of Parquet and its value of a row. */
type Column = [name: string, type: BasicType, read: (row: Row) => unknown];

const labelOf = (row: Row, fromTheRight: number) =>
  row.host.isIp ? null : (row.host.hostname?.split('.').at(-fromTheRight) ?? null);

/**
 * The columns. Those up to `content_languages` have the names and meanings of the index of Common Crawl
 * (https://commoncrawl.org/columnar-index); where there is no such value, they are null.
 */
const COLUMNS: Column[] = [
  ['url_surtkey', 'STRING', (row) => row.surtKey],
  ['url', 'STRING', ({ url }) => url],
  ['url_host_name', 'STRING', ({ target }) => target?.hostname],
  ['url_host_tld', 'STRING', (row) => labelOf(row, 1)],
  ['url_host_2nd_last_part', 'STRING', (row) => labelOf(row, 2)],
  ['url_host_3rd_last_part', 'STRING', (row) => labelOf(row, 3)],
  ['url_host_registry_suffix', 'STRING', ({ host }) => host.publicSuffix],
  ['url_host_registered_domain', 'STRING', ({ host }) => host.domain],
  ['url_protocol', 'STRING', ({ target }) => target?.protocol.slice(0, -1)],
  ['url_port', 'INT32', ({ target }) => (target?.port ? Number(target.port) : null)],
  ['url_path', 'STRING', ({ target }) => target?.pathname],
  ['url_query', 'STRING', ({ target }) => target?.search.slice(1) || null],
  ['fetch_time', 'TIMESTAMP', ({ finishedAt }) => finishedAt],
  ['fetch_status', 'INT32', ({ statusCode }) => statusCode],
  ['content_digest', 'STRING', ({ rawHtml }) => rawHtml && contentDigest(rawHtml)],
  ['content_mime_type', 'STRING', ({ contentType }) => contentType?.split(';')[0]?.trim()],
  ['content_charset', 'STRING', ({ contentType }) => /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1]],
  ['content_languages', 'STRING', ({ language }) => language],
  ['scrape_id', 'STRING', ({ scrapeId }) => scrapeId],
  ['title', 'STRING', ({ title }) => title],
  ['description', 'STRING', ({ description }) => description],
  ['markdown', 'STRING', ({ markdown }) => markdown],
  ['html', 'STRING', ({ html }) => html],
  ['raw_html', 'STRING', ({ rawHtml }) => rawHtml],
  ['links', 'JSON', ({ links }) => links],
  ['metadata', 'JSON', ({ metadata }) => metadata],
  ['document', 'JSON', ({ rest }) => rest],
];

/** Writes documents as Apache Parquet, whose row groups are sorted by `url_surtkey`. */
export const writeParquet: WriteExport = async function* (pages) {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: columnsOf([]) }),
    createdBy: 'Winnow',
  });
  for await (const rows of groupRows(pages)) {
    await file.write({ columnData: columnsOf(rows), rowGroupSize: rows.length });
    yield takeBytes(bytes);
  }
  await file.finish();
  yield takeBytes(bytes);
};

/** Takes what was written so far out of the buffer, which goes on at the same offset of the file. */
function takeBytes(bytes: ByteWriter): Uint8Array {
  const taken = bytes.getBytes().slice();
  bytes.index = 0;
  return taken;
}

const columnsOf = (rows: Row[]) =>
  COLUMNS.map(([name, type, read]) => ({
    name,
    type,
    nullable: true,
    data: rows.map((row) => read(row) ?? null),
  }));

/** Collects the rows of each row group, sorted by their keys. */
async function* groupRows(pages: AsyncIterable<ExportedPage>): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  let characters = 0;
  for await (const { json, finishedAt } of pages) {
    rows.push(readRow(json, finishedAt));
    characters += json.length;
    if (rows.length < MAX_ROWS && characters < MAX_CHARACTERS) continue;
    yield sortRows(rows);
    rows = [];
    characters = 0;
  }
  if (rows.length) yield sortRows(rows);
}

function readRow(json: string, finishedAt: Date): Row {
  const document = readExportedDocument(json);
  const { url } = document;
  return { ...document, finishedAt, surtKey: surtKey(url), target: URL.parse(url), host: parseHost(url) };
}

const sortRows = (rows: Row[]): Row[] =>
  rows.toSorted((a, b) => (a.surtKey < b.surtKey ? -1 : Number(a.surtKey > b.surtKey)));
