import { CFB } from '@e965/xlsx';
import { toBuffer } from '../../../source-text.ts';
import { encodingOfCodePage } from '../../charsets/code-pages.ts';
import type { DocumentMetadata } from '../../document.ts';

/** Numbers of the properties (MS-OLEPS 3.1). */
const PROPERTIES: Record<number, keyof DocumentMetadata> = {
  2: 'title',
  3: 'subject',
  4: 'author',
  5: 'keywords',
  12: 'publishedTime',
  13: 'modifiedTime',
};
const CODE_PAGE = 1;
const MAX_PROPERTIES = 100;
const MAX_LENGTH = 2000;

const [SHORT, TEXT, WIDE_TEXT, TIME] = [0x02, 0x1e, 0x1f, 0x40];
/** Milliseconds from the epoch of FILETIME, the year 1601, to that of Unix. */
const EPOCH = 11_644_473_600_000;

/**
 * Reads the metadata of a doc or ppt file: the property set in the stream `SummaryInformation`. Damaged files
 * have none.
 */
export function readSummaryInformation(bytes: Uint8Array): DocumentMetadata {
  try {
    const file = CFB.read(toBuffer(bytes), { type: 'buffer' });
    const content = CFB.find(file, '/\u0005SummaryInformation')?.content;
    return content ? readPropertySet(Buffer.from(content as Uint8Array)) : {};
  } catch {
    // Metadata is not worth failing for; damage to the content is reported by its own reader.
    return {};
  }
}

/** @throws RangeError if an offset is outside the stream */
function readPropertySet(stream: Buffer): DocumentMetadata {
  const set = stream.subarray(stream.readUInt32LE(44));
  const offsets = new Map<number, number>();
  const count = Math.min(set.readUInt32LE(4), MAX_PROPERTIES);
  for (let place = 0; place < count; place++)
    offsets.set(set.readUInt32LE(8 + 8 * place), set.readUInt32LE(12 + 8 * place));
  const codePageAt = offsets.get(CODE_PAGE);
  const codePage =
    codePageAt !== undefined && set.readUInt16LE(codePageAt) === SHORT
      ? set.readUInt16LE(codePageAt + 4)
      : 1252;
  const metadata: DocumentMetadata = {};
  for (const [number, offset] of offsets) {
    const property = PROPERTIES[number];
    const value = property && readValue(set.subarray(offset), codePage);
    if (property && value) metadata[property] = value;
  }
  return metadata;
}

function readValue(value: Buffer, codePage: number): string | undefined {
  const type = value.readUInt16LE(0);
  if (type === TIME) {
    const date = new Date(Number(value.readBigUInt64LE(4) / 10_000n) - EPOCH);
    // Programs write a time of zero if they do not know it.
    return date.getTime() > -EPOCH && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
  }
  if (type !== TEXT && type !== WIDE_TEXT) return undefined;
  const length = Math.min(value.readUInt32LE(4) * (type === TEXT ? 1 : 2), 2 * MAX_LENGTH);
  const encoding = type === TEXT ? encodingOfCodePage(codePage) : 'utf-16le';
  const text = new TextDecoder(encoding).decode(value.subarray(8, 8 + length));
  return text.replace(/\0[\s\S]*$/, '').trim();
}
