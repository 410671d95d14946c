import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
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
