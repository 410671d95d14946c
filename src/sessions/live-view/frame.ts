import { FRAME_HEADER_BYTES } from '../../schemas/live-view.ts';

/** A frame as it is sent to viewers. */
export interface ScreencastFrame {
  number: number;
  /** Header and image. */
  data: Buffer;
}

/** A frame as Chromium describes it. Sizes are in CSS pixels, `timestamp` in seconds since 1970. */
export interface FrameMetadata {
  deviceWidth: number;
  deviceHeight: number;
  offsetTop: number;
  timestamp?: number | undefined;
}

/**
 * Puts a frame into the format of the protocol.
 * @param jpeg the image, in base64
 */
export function encodeScreencastFrame(
  number: number,
  jpeg: string,
  metadata: FrameMetadata,
): ScreencastFrame {
  const image = Buffer.from(jpeg, 'base64');
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt32LE(number, 0);
  header.writeUInt16LE(toUint16(metadata.deviceWidth), 4);
  header.writeUInt16LE(toUint16(metadata.deviceHeight), 6);
  header.writeUInt16LE(toUint16(metadata.offsetTop), 8);
  const capturedAtMs = metadata.timestamp === undefined ? Date.now() : metadata.timestamp * 1000;
  header.writeUInt16LE(Math.round(capturedAtMs) % 0x1_0000, 10);
  return { number, data: Buffer.concat([header, image]) };
}

const toUint16 = (value: number) => Math.min(0xffff, Math.max(0, Math.round(value)));
