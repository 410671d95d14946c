import type { Readable } from 'node:stream';

/** Maximum bytes of a line: a result of a million characters, each of which may be escaped. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Reads lines of JSON from a program that is not trusted. Lines that are not JSON are ignored, because code
 * may write to the pipe of its program.
 * @param onLine gets the value of each line
 * @param onFlood is called for a line that is too long
 */
export function readJsonLines(
  stream: Readable,
  { onLine, onFlood }: { onLine: (value: unknown) => void; onFlood: () => void },
): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      parts = [];
      bytes = 0;
      start = end + 1;
      if (!line) continue;
      const value = parse(line);
      if (value !== undefined) onLine(value);
    }
    if (start >= chunk.length) return;
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > MAX_LINE_BYTES) {
      parts = [];
      bytes = 0;
      onFlood();
    }
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Something else was written to the pipe.
    return undefined;
  }
}
