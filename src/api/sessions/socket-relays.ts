import type { Duplex } from 'node:stream';
import { GOING_AWAY_CODE } from '../../schemas/live-view.ts';
import { FrameBoundary } from './frame-boundary.ts';

/** How long a client may take to close its connection after it was told to, in milliseconds. */
const CLOSE_MS = 1_000;
/** The last frame for clients of an API that is stopped: the code and the reason (RFC 6455, 5.5.1). */
const GOING_AWAY_FRAME = closeFrame(GOING_AWAY_CODE, 'The API is stopping. Connect again.');

/**
 * The last frame for clients whose host died: the code that sessions without a browser have, and the reason.
 */
const LOST_FRAME = closeFrame(
  4500,
  'lost: The machine of the session no longer responds. Read the status of the session, then connect again.',
);

const NO_FRAME = Buffer.alloc(0);

/** The WebSockets between clients and hosts that an API passes on. */
export class SocketRelays {
  readonly #ends = new Set<() => void>();

  /**
   * Passes bytes in both directions unread until one side ends.
   * @param options.firstBytes what the host has sent already, which is passed on
   * @param options.readsCloseFrames whether the client knows the frame that closes a connection. One that
   *   does not takes its code for a message; its connection ends without that frame, as Chromium ends them.
   */
  join(
    client: Duplex,
    host: Duplex,
    { firstBytes, readsCloseFrames }: { firstBytes: Buffer; readsCloseFrames: boolean },
  ): void {
    const frames = new FrameBoundary();
    const pass = (chunk: Buffer) => {
      const before = frames.follow(chunk);
      const passed = readsCloseFrames ? chunk : chunk.subarray(0, before);
      if (passed.length && !client.write(passed)) {
        host.pause();
        client.once('drain', () => host.resume());
      }
      if (frames.hasClosed && !readsCloseFrames) finish(NO_FRAME);
    };
    let hasEnded = false;
    const finish = (lastFrame: Buffer) => {
      if (hasEnded) return;
      hasEnded = true;
      host.off('data', pass);
      client.unpipe(host).resume();
      if (frames.hasClosed || !readsCloseFrames) client.end();
      // The client cannot read anything more in the middle of a frame.
      else if (frames.isBetweenFrames) client.end(lastFrame);
      else client.destroy();
      setTimeout(() => client.destroy(), CLOSE_MS).unref();
    };
    host.on('data', pass);
    if (firstBytes.length) pass(firstBytes);
    client.pipe(host);
    client.on('error', () => host.destroy()).once('close', () => host.destroy());
    // An error is followed by `close`, without `end`.
    host.on('error', () => host.destroy());
    for (const event of ['end', 'close']) host.once(event, () => finish(LOST_FRAME));
    const end = () => finish(GOING_AWAY_FRAME);
    this.#ends.add(end);
    client.once('close', () => this.#ends.delete(end));
  }

  /** Tells all clients to connect to another API, and disconnects them. Their sessions continue. */
  close(): void {
    for (const end of this.#ends) end();
  }
}

function closeFrame(code: number, reason: string): Buffer {
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
  return Buffer.concat([Buffer.from([0x88, payload.length]), payload]);
}
