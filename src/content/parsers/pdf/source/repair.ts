import { inflateSync } from 'node:zlib';
import { greatest } from '../boxes.ts';

/** Limits the time and memory for hostile files. */
const MAX_OBJECTS = 200_000;
/** In bytes. */
const MAX_INFLATED = 32 * 1024 * 1024;
const OBJECT = /(?:^|[\r\n\s])(\d{1,7})\s+(\d{1,5})\s+obj\b/g;

interface FoundObject {
  number: number;
  generation: number;
  /** Position of the object in the file, in bytes. */
  offset: number;
  /** The first 2,000 characters of the object's content. */
  head: string;
}

/**
 * Appends a new cross-reference table to a damaged file, such as a truncated one. Objects of compressed
 * object streams are appended uncompressed. If the page tree is lost, a new one is appended.
 * @returns undefined if the file has no pages
 */
export function repairPdf(file: Buffer): Buffer | undefined {
  const text = file.toString('latin1');
  const objects = new Map<number, FoundObject>();
  for (const object of findObjects(text)) objects.set(object.number, object);
  // PDFium skips a stream without an end, such as the last one of a truncated file, but reads a part of one.
  const end = Buffer.from(text.lastIndexOf('endstream') < lastStream(text) ? '\nendstream\nendobj\n' : '\n');
  const parts: Buffer[] = [file, end];
  let length = file.length + end.length;
  const append = (number: number, body: string) => {
    const written = Buffer.from(`${number} 0 obj\n${body}\nendobj\n`, 'latin1');
    parts.push(written);
    objects.set(number, { number, generation: 0, offset: length, head: body.slice(0, 2000) });
    length += written.length;
  };
  for (const { number, body } of compressedObjects(text, file, [...objects.values()]))
    if (!objects.has(number)) append(number, body);
  const root = findRoot(objects, append);
  if (root === undefined) return undefined;
  parts.push(Buffer.from(crossReferences(objects, root, length), 'latin1'));
  return Buffer.concat(parts);
}

/** Position of the last beginning of a stream; -1 without one. */
const lastStream = (text: string) =>
  Math.max(text.lastIndexOf('>>stream'), text.lastIndexOf('>>\nstream'), text.lastIndexOf('>>\r\nstream'));

function* findObjects(text: string): Generator<FoundObject> {
  let count = 0;
  for (const match of text.matchAll(OBJECT)) {
    if (++count > MAX_OBJECTS) return;
    const offset = match.index + match[0].search(/\d/);
    const head =
      text.slice(match.index + match[0].length, match.index + match[0].length + 2000).split('endobj')[0] ??
      '';
    yield { number: Number(match[1]), generation: Number(match[2]), offset, head };
  }
}

/** The objects inside object streams (ISO 32000-1, 7.5.7). */
function* compressedObjects(
  text: string,
  file: Buffer,
  objects: readonly FoundObject[],
): Generator<{ number: number; body: string }> {
  let budget = MAX_INFLATED;
  for (const { offset, head } of objects) {
    if (!/\/Type\s*\/ObjStm/.test(head) || !/\/FlateDecode/.test(head) || /\/Predictor/.test(head)) continue;
    const start = text.indexOf('stream', offset) + 'stream'.length;
    const data = file.subarray(start + (text[start] === '\r' ? 2 : 1), text.indexOf('endstream', start));
    let content: string;
    try {
      content = inflateSync(data, { maxOutputLength: Math.max(1, budget) }).toString('latin1');
    } catch {
      // The objects of a damaged stream are lost.
      continue;
    }
    budget -= content.length;
    const count = Number(/\/N\s+(\d+)/.exec(head)?.[1] ?? 0);
    const first = Number(/\/First\s+(\d+)/.exec(head)?.[1] ?? 0);
    const numbers = content.slice(0, first).trim().split(/\s+/).map(Number);
    for (let place = 0; place < Math.min(count, numbers.length / 2); place++) {
      const begin = first + (numbers[2 * place + 1] as number);
      const end = place + 1 < count ? first + (numbers[2 * place + 3] as number) : content.length;
      yield { number: numbers[2 * place] as number, body: content.slice(begin, end) };
    }
  }
}

/**
 * The object number of the catalog. If the catalog or the page tree is lost, new ones with all pages are
 * appended.
 */
function findRoot(
  objects: ReadonlyMap<number, FoundObject>,
  append: (number: number, body: string) => void,
): number | undefined {
  const all = [...objects.values()];
  const catalog = all.findLast(({ head }) => /\/Type\s*\/Catalog\b/.test(head));
  const tree = /\/Pages\s+(\d+)/.exec(catalog?.head ?? '')?.[1];
  if (catalog && tree && objects.has(Number(tree))) return catalog.number;
  const pages = all.filter(({ head }) => /\/Type\s*\/Page\b/.test(head));
  if (pages.length === 0) return undefined;
  const next = greatest(objects.keys()) + 1;
  const kids = pages.map(({ number, generation }) => `${number} ${generation} R`).join(' ');
  // The pages still refer to their lost parent, but PDFium does not read that reference.
  append(next, `<</Type/Pages/Count ${pages.length}/Kids[${kids}]/MediaBox[0 0 612 792]>>`);
  append(next + 1, `<</Type/Catalog/Pages ${next} 0 R>>`);
  return next + 1;
}

function crossReferences(objects: ReadonlyMap<number, FoundObject>, root: number, start: number): string {
  const entries = [...objects.values()]
    .sort((a, b) => a.number - b.number)
    .map(
      ({ number, generation, offset }) =>
        `${number} 1\n${String(offset).padStart(10, '0')} ${String(generation).padStart(5, '0')} n \n`,
    );
  const size = greatest(objects.keys()) + 1;
  return `xref\n0 1\n0000000000 65535 f \n${entries.join('')}trailer\n<</Size ${size}/Root ${root} 0 R>>\nstartxref\n${start}\n%%EOF\n`;
}
