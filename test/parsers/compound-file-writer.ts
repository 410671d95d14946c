import { CFB } from '@e965/xlsx';

/** Writes a compound file (MS-CFB) with streams of the given names, which are paths. */
export function writeCompoundFile(streams: Record<string, string | Buffer>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [name, content] of Object.entries(streams))
    CFB.utils.cfb_add(file, `/${name}`, Buffer.from(content));
  // With this option the result is an array of bytes.
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}
