import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { readVersion } from '../../../system/version.ts';
import type { ExportedPage, WriteExport } from '../export-format.ts';
import { surtKey } from '../surt-key.ts';
import { LineFiles } from './sorted-lines.ts';
import { type ArchivedPage, warcRecords } from './warc.ts';
import { type RecordIndex, writeRecord } from './warc-record.ts';

const WARC_NAME = 'data.warc.gz';

/** A file of the package, as its list names it. */
interface PackagedFile {
  name: string;
  path: string;
  hash: string;
  bytes: number;
}

/**
 * Writes documents as a package of a web archive that programs replay without reading all of it (WACZ 1.1.1): the
 * archive as {@link warcRecords} makes it, an index of its records (CDXJ), and the list of pages. It is written while
 * it is read; only the lines of index and list wait on the disk for the end of the archive.
 */
export const writeWacz: WriteExport = async function* (pages) {
  await using lines = await LineFiles.create();
  const zip = new ZipFile();
  // The library types its output by an interface that has no iterator.
  const output = zip.outputStream as Readable;
  const fail = (error: Error) => void output.destroy(error);
  zip.once('error', fail);
  const reader = new AbortController();
  const filling = fill({ zip, lines, signal: reader.signal }, pages).catch(fail);
  try {
    yield* output;
  } finally {
    // Whoever leaves early leaves nothing that waits to be read.
    reader.abort();
    await filling;
  }
};

/** A package that is being written. */
interface OpenPackage {
  zip: ZipFile;
  lines: LineFiles;
  /** Ends the work. */
  signal: AbortSignal;
}

async function fill(target: OpenPackage, pages: AsyncIterable<ExportedPage>): Promise<void> {
  const { zip, lines } = target;
  const files: PackagedFile[] = [];
  let first: ArchivedPage | undefined;
  await lines.add(JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All pages' }));
  const listPage = async (page: ArchivedPage) => {
    first ??= page;
    await lines.add(pageLine(page));
  };
  // Readers need the bytes of a record without those before it, so that the archive is not compressed once more.
  const records = writeRecords(pages, lines, listPage);
  files.push(await addFile(target, { path: `archive/${WARC_NAME}`, compress: false }, records));
  files.push(await addFile(target, { path: 'indexes/index.cdxj' }, endLines(lines.sorted())));
  files.push(await addFile(target, { path: 'pages/pages.jsonl' }, endLines(lines.plain())));
  const list = Buffer.from(JSON.stringify(packageOf(files, first), null, 2));
  zip.addBuffer(list, 'datapackage.json');
  const digest = { path: 'datapackage.json', hash: `sha256:${sha256(list)}` };
  zip.addBuffer(Buffer.from(JSON.stringify(digest)), 'datapackage-digest.json');
  zip.end();
}

/** Writes the records of an archive, and a line of the index for each that is replayed. */
async function* writeRecords(
  pages: AsyncIterable<ExportedPage>,
  lines: LineFiles,
  onPage: (page: ArchivedPage) => Promise<void>,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const record of warcRecords(pages, onPage)) {
    const bytes = await writeRecord(record);
    const place = { length: bytes.length, offset };
    if (record.index) await lines.addSorted(indexLine(record.index, place));
    offset += bytes.length;
    yield bytes;
  }
}

/** Adds a file while it is written. @returns what the list has of it, when it is whole */
function addFile(
  { zip, signal }: OpenPackage,
  { path, compress = true }: { path: string; compress?: boolean },
  content: AsyncIterable<string | Uint8Array>,
): Promise<PackagedFile> {
  const { promise, resolve, reject } = Promise.withResolvers<PackagedFile>();
  const hash = createHash('sha256');
  let bytes = 0;
  async function* counted() {
    for await (const part of content) {
      const chunk = Buffer.from(part);
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
    resolve({ name: path.split('/').at(-1) ?? path, path, hash: `sha256:${hash.digest('hex')}`, bytes });
  }
  const stream = Readable.from(counted(), { objectMode: false, signal });
  stream.once('error', reject);
  // Its size is not known before, so that it may need the larger fields.
  zip.addReadStream(stream, path, { compress, forceZip64Format: true });
  return promise;
}

async function* endLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** A line of an index (CDXJ): key, time and where the record is. */
function indexLine(
  { url, date, mime, statusCode, digest }: RecordIndex,
  { length, offset }: { length: number; offset: number },
): string {
  const fields = {
    url,
    mime,
    ...(statusCode !== null && { status: String(statusCode) }),
    digest: `sha1:${digest}`,
    length: String(length),
    offset: String(offset),
    filename: WARC_NAME,
  };
  return `${surtKey(url).replaceAll(' ', '%20')} ${date.toISOString().replace(/\D/g, '')} ${JSON.stringify(fields)}`;
}

const pageLine = ({ document: { scrapeId, url, title }, date }: ArchivedPage) =>
  JSON.stringify({
    ...(scrapeId !== null && { id: scrapeId }),
    url,
    ts: date.toISOString(),
    ...(title !== null && { title }),
  });

/** The list of files (Frictionless Data Package). */
const packageOf = (resources: PackagedFile[], first: ArchivedPage | undefined) => ({
  profile: 'data-package',
  wacz_version: '1.1.1',
  created: new Date().toISOString(),
  software: `Winnow/${readVersion()}`,
  ...(first && { mainPageUrl: first.document.url, mainPageDate: first.date.toISOString() }),
  resources,
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
