import {
  AdtsOutputFormat,
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Input,
  Mp3OutputFormat,
  Mp4OutputFormat,
  MpegTsOutputFormat,
  Output,
  type OutputFormat,
  WavOutputFormat,
  WebMOutputFormat,
} from 'mediabunny';

/** Containers of the files that tests make, each with the sound and the pictures that it has. */
const CONTAINERS = {
  mp4: { format: () => new Mp4OutputFormat(), sound: 'aac', pictures: 'vp8' },
  webm: { format: () => new WebMOutputFormat(), sound: 'opus', pictures: 'vp8' },
  ts: { format: () => new MpegTsOutputFormat(), sound: 'aac', pictures: 'avc' },
  wav: { format: () => new WavOutputFormat(), sound: 'pcm-s16', pictures: 'vp8' },
  aac: { format: () => new AdtsOutputFormat(), sound: 'aac', pictures: 'vp8' },
  mp3: { format: () => new Mp3OutputFormat(), sound: 'mp3', pictures: 'vp8' },
} as const satisfies Record<string, { format: () => OutputFormat; sound: string; pictures: string }>;

const RATE = 48_000;
const PACKETS = 25;
const SECONDS = 0.02;

const AUDIO = {
  aac: {
    bytes: (n: number) => new Uint8Array(150).fill(n + 1),
    config: { codec: 'mp4a.40.2', description: Uint8Array.of(0x11, 0x90) },
  },
  // A packet of silence.
  opus: { bytes: () => Uint8Array.of(0xfc, 0xff, 0xfe), config: { codec: 'opus' } },
  'pcm-s16': { bytes: (n: number) => new Uint8Array(960 * 4).fill(n), config: { codec: 'pcm-s16' } },
  // MPEG-1, layer III, 128 kbit/s, 44.1 kHz: a frame of 417 bytes.
  mp3: {
    bytes: (n: number) =>
      new Uint8Array(417).fill(n).fill(0xff, 0, 1).fill(0xfb, 1, 2).fill(0x90, 2, 3).fill(0, 3, 4),
    config: { codec: 'mp3' },
  },
} as const;

/** Units of H.264 as a stream has them (ITU-T H.264, annex B). */
const units = (...each: number[][]) => Uint8Array.from(each.flatMap((unit) => [0, 0, 0, 1, ...unit]));
/** A sequence of 16 by 16 pixels, its pictures, and one of them. */
const SEQUENCE = [0x67, 0x42, 0xc0, 0x0a, 0xda, 0x79];
const PICTURES = [0x68, 0xce, 0x38, 0x80];

const VIDEO = {
  vp8: { bytes: (n: number) => Uint8Array.of(0x10, 2, 0, 0x9d, 1, 0x2a, 16, 0, 16, 0, n), codec: 'vp8' },
  avc: { bytes: (n: number) => units(SEQUENCE, PICTURES, [0x65, 0x88, 0x84, n + 1]), codec: 'avc1.42c00a' },
} as const;

/** A file of half a second, of a few KB: its packets are well-formed, what they hold is noise. */
export async function mediaFile(
  container: keyof typeof CONTAINERS,
  { video = false, audio = true } = {},
): Promise<Buffer> {
  const { format, sound, pictures: seen } = CONTAINERS[container];
  const output = new Output({ format: format(), target: new BufferTarget() });
  const pictures = video ? new EncodedVideoPacketSource(seen) : undefined;
  const track = audio ? new EncodedAudioPacketSource(sound) : undefined;
  if (pictures) output.addVideoTrack(pictures);
  if (track) output.addAudioTrack(track);
  await output.start();
  for (let n = 0; n < PACKETS; n++) {
    const place = [n * SECONDS, SECONDS] as const;
    await pictures?.add(new EncodedPacket(VIDEO[seen].bytes(n), 'key', ...place), {
      decoderConfig: { codec: VIDEO[seen].codec, codedWidth: 16, codedHeight: 16 },
    });
    const { bytes, config } = AUDIO[sound];
    await track?.add(new EncodedPacket(bytes(n), 'key', ...place), {
      decoderConfig: { ...config, sampleRate: sound === 'mp3' ? 44_100 : RATE, numberOfChannels: 2 },
    });
  }
  await output.finalize();
  return Buffer.from(output.target.buffer ?? new ArrayBuffer());
}

/** The media type of a file with its codecs, and the first bytes of the packets of each track. */
export async function look(bytes: Uint8Array) {
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const tracks = await input.getTracks();
  return {
    mimeType: await input.getMimeType(),
    tracks: tracks.map(({ type }) => type),
    seconds: await input.computeDuration(),
  };
}
