import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { base32 } from '../../../src/jobs/archive/base32.ts';

/** A record of a web archive. The block of an HTTP message is taken apart. */
export interface WarcRecord {
  fields: Record<string, string>;
  block: Buffer;
  /** First line and headers of an HTTP message, else empty. */
  head: string;
  /** Body of an HTTP message, else the block. */
  body: Buffer;
}

const END = '\r\n\r\n';

/** Reads the records of a compressed web archive, and checks their structure and digests. */
export function readWarc(compressed: Buffer): WarcRecord[] {
  let rest = gunzipSync(compressed);
  const records: WarcRecord[] = [];
  while (rest.length) {
    const end = rest.indexOf(END);
    const [version, ...lines] = rest.subarray(0, end).toString().split('\r\n');
    expect(version).toBe('WARC/1.1');
    const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
    const length = Number(fields['Content-Length']);
    const block = rest.subarray(end + 4, end + 4 + length);
    expect(rest.subarray(end + 4 + length, end + 8 + length).toString()).toBe(END);
    expect(fields['WARC-Block-Digest']).toBe(digestOf(block));
    rest = rest.subarray(end + 8 + length);
    records.push({ fields, block, ...readMessage(fields, block) });
  }
  return records;
}

function readMessage(fields: Record<string, string>, block: Buffer): Pick<WarcRecord, 'head' | 'body'> {
  if (!fields['Content-Type']?.startsWith('application/http')) return { head: '', body: block };
  const end = block.indexOf(END);
  expect(end).toBeGreaterThan(0);
  const body = block.subarray(end + 4);
  if (fields['WARC-Type'] === 'response') expect(fields['WARC-Payload-Digest']).toBe(digestOf(body));
  return { head: block.subarray(0, end + 4).toString(), body };
}

const digestOf = (bytes: Buffer) => `sha1:${base32(createHash('sha1').update(bytes).digest())}`;

/** A packaged web archive. */
export interface Wacz {
  files: Map<string, Buffer>;
  /** The names of files that are not compressed. */
  stored: string[];
  /** The lines of the index: key, time and fields. */
  index: { key: string; timestamp: string; fields: Record<string, string> }[];
  /** The lines of the list of pages, without the first one. */
  pages: Record<string, string>[];
  /** Reads the records to which a line of the index leads. */
  recordAt(fields: Record<string, string>): WarcRecord[];
}

/** Reads a packaged web archive, and checks its hashes, its list of files and the order of its index. */
export async function readWacz(bytes: Buffer): Promise<Wacz> {
  const { files, stored } = await unzip(bytes);
  const list = JSON.parse(files.get('datapackage.json')!.toString());
  expect(list).toMatchObject({ profile: 'data-package', wacz_version: '1.1.1' });
  const digest = JSON.parse(files.get('datapackage-digest.json')!.toString());
  expect(digest).toEqual({ path: 'datapackage.json', hash: sha256(files.get('datapackage.json')!) });
  const found = [...files].filter(([name]) => !name.startsWith('datapackage'));
  expect(list.resources).toEqual(
    found.map(([path, content]) => ({
      name: path.split('/').at(-1),
      path,
      hash: sha256(content),
      bytes: content.length,
    })),
  );
  const lines = linesOf(files.get('indexes/index.cdxj')!);
  expect(lines).toEqual(lines.toSorted());
  const [header, ...pages] = linesOf(files.get('pages/pages.jsonl')!).map((line) => JSON.parse(line));
  expect(header.format).toBe('json-pages-1.0');
  return {
    files,
    stored,
    pages,
    index: lines.map((line) => {
      const [, key = '', timestamp = '', json = ''] = /^(\S+) (\d{17}) (.*)$/.exec(line) ?? [];
      return { key, timestamp, fields: JSON.parse(json) };
    }),
    recordAt({ filename, offset, length }) {
      const start = Number(offset);
      return readWarc(files.get(`archive/${filename}`)!.subarray(start, start + Number(length)));
    },
  };
}

const linesOf = (bytes: Buffer) => bytes.toString().split('\n').filter(Boolean);
const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function unzip(bytes: Buffer): Promise<Pick<Wacz, 'files' | 'stored'>> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const files = new Map<string, Buffer>();
  const stored: string[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entry.compressionMethod === 0) stored.push(entry.fileName);
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  }
  return { files, stored };
}
