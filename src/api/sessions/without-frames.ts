import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Lines begin with the time and the type. Quotes of texts are escaped in JSON, so no text looks like this. */
const FRAME = /^\{"t":\d+,"type":"frame",/;

/** The lines of a recording but those of its pictures, which are nearly all of its bytes. */
export async function* withoutFrames(recording: Readable): AsyncGenerator<string> {
  for await (const line of createInterface({ input: recording, crlfDelay: Number.POSITIVE_INFINITY }))
    if (!FRAME.test(line)) yield `${line}\n`;
}
