import type { Session } from '../../fetch/browser/chromium/cdp.ts';
import { encodeScreencastFrame, type FrameMetadata, type ScreencastFrame } from './frame.ts';

const JPEG_QUALITY = 60;
/** Larger viewports are scaled down to this. */
const MAX_SIZE = { maxWidth: 1920, maxHeight: 1080 };
/** Chromium sends up to this many frames, or one more, ahead of the acknowledgements. It drops all others. */
const FRAMES_IN_FLIGHT = 2;
/**
 * If no frame follows an acknowledgement for this long, the page is still, and what Chromium dropped is
 * fetched.
 */
const SETTLED_MS = 120;

/** Callbacks of {@link Screencast}. */
export interface ScreencastOptions {
  onFrame(frame: ScreencastFrame): void;
  /** Whether any viewer could draw another frame. */
  isWanted(): boolean;
}

/**
 * The one screencast of a session, of the tab that is shown. Chromium captures the next frame when an earlier
 * one is acknowledged, so acknowledgements are delayed to the rate that viewers want: capturing is what costs
 * CPU time.
 */
export class Screencast {
  readonly #options: ScreencastOptions;
  #session: Session | undefined;
  /** Frames per second; 0 while nobody watches. */
  #fps = 0;
  /** Ends the running capture. */
  #stop: (() => void) | undefined;
  #frame: ScreencastFrame | undefined;
  #frameNumber = 0;
  /** Frames of the running capture that are not yet acknowledged, by Chromium's numbers. */
  #unacknowledged: number[] = [];
  #nextAckAt = 0;
  /**
   * When a frame was acknowledged last, in milliseconds since 1970, as Chromium gives the times of frames.
   */
  #acknowledgedAt = 0;
  #ackTimer: NodeJS.Timeout | undefined;
  #settleTimer: NodeJS.Timeout | undefined;
  #mayHaveMissedFrame = false;

  constructor(options: ScreencastOptions) {
    this.#options = options;
  }

  /** The newest frame of the tab that is shown. A page that does not change sends no other. */
  get frame(): ScreencastFrame | undefined {
    return this.#frame;
  }

  /** Shows another tab, or none. */
  show(session: Session | undefined): void {
    if (session === this.#session) return;
    this.#end();
    this.#session = session;
    this.#begin();
  }

  /** @param fps the rate of the fastest viewer; 0 when there are none, which ends the capture */
  setRate(fps: number): void {
    this.#fps = fps;
    if (!fps) this.#end();
    else if (!this.#stop) this.#begin();
  }

  /** Acknowledges frames that are due. To be called when a viewer could draw another one. */
  acknowledge(): void {
    if (!this.#unacknowledged.length || this.#ackTimer || !this.#options.isWanted()) return;
    const waitMs = this.#nextAckAt - performance.now();
    if (waitMs > 0) {
      this.#ackTimer = setTimeout(() => {
        this.#ackTimer = undefined;
        this.acknowledge();
      }, waitMs);
      return;
    }
    const sessionId = this.#unacknowledged.shift()!;
    this.#acknowledgedAt = Date.now();
    this.#nextAckAt = Math.max(this.#nextAckAt, performance.now() - 1000 / this.#fps) + 1000 / this.#fps;
    // A page that has been closed needs no acknowledgement.
    this.#session?.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
    clearTimeout(this.#settleTimer);
    if (this.#mayHaveMissedFrame) this.#settleTimer = setTimeout(() => this.#refresh(), SETTLED_MS);
    this.acknowledge();
  }

  /**
   * Whether Chromium was so far ahead of the acknowledgements when it captured the newest frame that it may
   * have dropped the one after it, which may be the last one of a page that does not change any more. Frames
   * that a busy machine takes long to encode may arrive one by one, and yet have been captured together.
   */
  #wasAhead({ timestamp }: FrameMetadata): boolean {
    const wereUnacknowledged = timestamp !== undefined && timestamp * 1000 <= this.#acknowledgedAt;
    return wereUnacknowledged || this.#unacknowledged.length >= FRAMES_IN_FLIGHT;
  }

  /** Starts the capture again, which yields a frame even if nothing has changed. */
  #refresh(): void {
    const last = this.#frame;
    this.#end();
    this.#frame = last;
    this.#begin();
  }

  #begin(): void {
    const session = this.#session;
    if (!session || !this.#fps) return;
    const onFrame = ({ data, metadata, sessionId }: CapturedFrame) => {
      clearTimeout(this.#settleTimer);
      this.#unacknowledged.push(sessionId);
      this.#mayHaveMissedFrame = this.#wasAhead(metadata);
      this.#frameNumber = (this.#frameNumber + 1) % 0x1_0000_0000;
      this.#frame = encodeScreencastFrame(this.#frameNumber, data, metadata);
      this.#options.onFrame(this.#frame);
      this.acknowledge();
    };
    session.on('Page.screencastFrame', onFrame);
    this.#stop = () => {
      session.off('Page.screencastFrame', onFrame);
      // The tab may have been closed.
      session.send('Page.stopScreencast').catch(() => undefined);
    };
    // A tab that is closed or has crashed sends no frames; the list of tabs says so.
    session
      .send('Page.startScreencast', { format: 'jpeg', quality: JPEG_QUALITY, ...MAX_SIZE })
      .catch(() => undefined);
  }

  #end(): void {
    clearTimeout(this.#ackTimer);
    clearTimeout(this.#settleTimer);
    this.#ackTimer = undefined;
    this.#unacknowledged = [];
    this.#mayHaveMissedFrame = false;
    this.#frame = undefined;
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** A frame as Chromium sends it. */
interface CapturedFrame {
  data: string;
  metadata: FrameMetadata;
  sessionId: number;
}
