import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { FRAME_HEADER_BYTES } from '../../schemas/live-view.ts';
import type { ReplayEvent } from '../../schemas/replay.ts';
import type { ScreencastFrame } from '../live-view/frame.ts';

/** Frames per second that are recorded at most. */
export const RECORDED_FPS = 2;
/** Bytes after which no more frames, and bytes after which nothing more, is recorded of a session. */
const MAX_FRAME_BYTES = 48 * 1024 * 1024;
const MAX_BYTES = 56 * 1024 * 1024;
/** The recording waits for the disk up to this many bytes; what comes meanwhile is not recorded. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Events of one type that are recorded in a second. Pages may cause any number. */
const MAX_EVENTS_PER_SECOND = 20;

/** Options of {@link SessionRecorder}. */
interface RecorderOptions {
  /** The file that is written. */
  file: string;
  /** Called when it cannot be written, which ends the recording. */
  onFault(error: unknown): void;
  /** Bytes of frames that are recorded at most; by default {@link MAX_FRAME_BYTES}. */
  maxFrameBytes?: number;
}

/**
 * Records what happens in a session into a file of JSON lines (see `schemas/replay.ts`), within bounds of size
 * and rate. While nothing happens, it does nothing.
 */
export class SessionRecorder {
  readonly file: string;
  readonly #output: WriteStream;
  readonly #maxFrameBytes: number;
  readonly #startedAt = performance.now();
  #bytes = 0;
  #hasEnded = false;
  #frame: ScreencastFrame | undefined;
  #frameTimer: NodeJS.Timeout | undefined;
  #nextFrameAt = 0;
  /** How many events of each type were recorded in the current second. */
  #counts = new Map<string, number>();
  #second = 0;

  constructor({ file, onFault, maxFrameBytes = MAX_FRAME_BYTES }: RecorderOptions) {
    this.file = file;
    this.#maxFrameBytes = maxFrameBytes;
    this.#output = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    this.#output.on('error', (error) => {
      this.#hasEnded = true;
      onFault(error);
    });
  }

  /** Records an event, unless there are too many of its type. */
  add(event: ReplayEvent): void {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = this.#counts.get(event.type) ?? 0;
    this.#counts.set(event.type, count + 1);
    if (count < MAX_EVENTS_PER_SECOND) this.#write(event, MAX_BYTES);
  }

  /** Records a frame, at the rate of recordings; the last one of a change is never left out. */
  addFrame(frame: ScreencastFrame): void {
    this.#frame = frame;
    const waitMs = this.#nextFrameAt - performance.now();
    if (waitMs <= 0) this.#writeFrame();
    else this.#frameTimer ??= setTimeout(() => this.#writeFrame(), waitMs);
  }

  /** Resolves when everything so far is in the file. */
  async flush(): Promise<void> {
    if (!this.#hasEnded) await new Promise<void>((resolve) => this.#output.write('', () => resolve()));
  }

  /** Ends the recording. Resolves when all of it is in the file. */
  async close(): Promise<void> {
    if (this.#frameTimer) this.#writeFrame();
    this.#hasEnded = true;
    // A file that could not be written was reported.
    if (!this.#output.closed) await finished(this.#output.end()).catch(() => undefined);
  }

  #writeFrame(): void {
    clearTimeout(this.#frameTimer);
    this.#frameTimer = undefined;
    const data = this.#frame?.data;
    this.#frame = undefined;
    if (!data) return;
    this.#nextFrameAt = performance.now() + 1_000 / RECORDED_FPS;
    const [width, height] = [data.readUInt16LE(4), data.readUInt16LE(6)];
    const image = data.subarray(FRAME_HEADER_BYTES).toString('base64');
    this.#write({ type: 'frame', width, height, data: image }, this.#maxFrameBytes);
  }

  #write(event: ReplayEvent, limit: number): void {
    if (this.#hasEnded || this.#output.writableLength > MAX_WAITING_BYTES) return;
    const line = `${JSON.stringify({ t: Math.round(performance.now() - this.#startedAt), ...event })}\n`;
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > limit) return;
    this.#bytes += bytes;
    this.#output.write(line);
  }
}
