import { writevSync } from 'node:fs';
import { encodeFrame, type Frame, FrameReader } from './frames.ts';

/** File descriptor of the pipe for results. Standard output is for whatever libraries print. */
export const RESULT_FD = 3;

/**
 * The header of a result: that of the handler, or why the handler threw. Reports of progress come before it.
 * The first frame of a process says that it reads tasks.
 */
type ResultHeader = { value: unknown } | { fault: string } | { progress: unknown } | { ready: true };

/** Works on one task. @param report tells the service of the progress, which is any JSON value */
type Handler = (task: Frame, report: (progress: unknown) => void) => Promise<Frame>;

/**
 * Works on tasks inside a sandboxed process: reads one from standard input, writes its result, then reads the
 * next one. The process exits when the service closes the pipe.
 */
export function serveTasks(handle: Handler): void {
  const reader = new FrameReader(Number.POSITIVE_INFINITY);
  process.stdin.on('data', (chunk: Buffer) => {
    // The service sends the next task when it has the result of this one.
    for (const task of reader.push(chunk)) void perform(handle, task).then(writeFrame);
  });
  process.stdin.on('end', () => process.exit());
  writeFrame({ header: { ready: true } satisfies ResultHeader, parts: [] });
}

async function perform(handle: Handler, task: Frame): Promise<Frame> {
  try {
    const { header, parts } = await handle(task, (progress) =>
      writeFrame({ header: { progress } satisfies ResultHeader, parts: [] }),
    );
    return { header: { value: header } satisfies ResultHeader, parts };
  } catch (error) {
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { header: { fault } satisfies ResultHeader, parts: [] };
  }
}

/** Writes a frame. The pipe blocks, so nothing is lost when the process exits next. */
function writeFrame(frame: Frame): void {
  // Everything is written at once, because each write wakes the service up.
  let chunks = encodeFrame(frame);
  while (chunks.length > 0) chunks = chunksAfter(chunks, writevSync(RESULT_FD, chunks));
}

/** The chunks without the bytes that are written. */
function chunksAfter(chunks: readonly Uint8Array[], written: number): Uint8Array[] {
  let rest = written;
  return chunks.flatMap((chunk) => {
    const done = Math.min(rest, chunk.byteLength);
    rest -= done;
    return done < chunk.byteLength ? [chunk.subarray(done)] : [];
  });
}
