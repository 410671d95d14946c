import type { Duplex } from 'node:stream';
import { FrameBoundary } from './frame-boundary.ts';

/** How long a client may take to close its connection after it was told to, in milliseconds. */
const CLOSE_MS = 1_000;
/** The last frame for clients of an API that is stopped: the code 1001, going away, and the reason (RFC 6455, 5.5.1). */
const GOING_AWAY_FRAME = closeFrame(1001, 'The API is stopping. Connect again.');

/** The WebSockets between clients and hosts that an API passes on. */
export class SocketRelays {
  readonly #ends = new Set<() => void>();

  /**
   * Passes bytes in both directions unread until one side ends.
   * @param firstBytes what the host has sent already, which is passed on
   */
  join(client: Duplex, host: Duplex, firstBytes: Buffer): void {
    const frames = new FrameBoundary();
    const pass = (chunk: Buffer) => frames.follow(chunk);
    pass(firstBytes);
    if (firstBytes.length) client.write(firstBytes);
    host.on('data', pass);
    // An error of one side ends the other; `close` follows it.
    for (const [from, to] of [
      [client, host],
      [host, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.once('close', () => to.destroy());
    }
    const end = () => {
      host.off('data', pass).unpipe(client);
      client.unpipe(host).resume();
      // The client cannot read anything more in the middle of a frame.
      if (frames.isBetweenFrames) client.end(GOING_AWAY_FRAME);
      else client.destroy();
      setTimeout(() => client.destroy(), CLOSE_MS).unref();
    };
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
