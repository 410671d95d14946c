import { open as openFile, readFile, stat } from 'node:fs/promises';
import type { MessagePort } from 'node:worker_threads';
import {
  ADTS,
  BufferSource,
  Conversion,
  CustomPathedSource,
  CustomSource,
  FLAC,
  FlacOutputFormat,
  HLS,
  Input,
  type InputAudioTrack,
  type InputFormat,
  type InputTrack,
  type InputVideoTrack,
  Logging,
  LogLevel,
  MATROSKA,
  MkvOutputFormat,
  MP3,
  MP4,
  MPEG_TS,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OGG,
  Output,
  type OutputFormat,
  QTFF,
  type Source,
  StreamTarget,
  type StreamTargetChunk,
  WAVE,
  WavOutputFormat,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';
import { messageOf, ServiceError } from '../../errors.ts';
import { type MediaKind, NO_MEDIA_ERROR } from '../media-kind.ts';

/** A file to take an audio or video track from. */
export interface RemuxTask {
  kind: MediaKind;
  /** The URL that the file came from, for error messages. */
  url: string;
  /** Path of the file. */
  path: string;
  /** Path to which the track is written, unless the file contains nothing else. */
  target: string;
  /**
   * Set for a playlist: a port that replies to the URL of each file in the playlist with the path of a
   * local copy.
   */
  files?: MessagePort;
}

/** The file with the track: either the input file or a new one. */
export interface RemuxedFile {
  path: string;
  /** Media type, without parameters. */
  mediaType: string;
}

/** A reply on the port for the files of a playlist. */
export type FileReply = { id: number } & ({ path: string } | { code: string; message: string });

/**
 * The formats of single files. Playlist formats must not be among them, because a playlist could name any
 * file of this machine. A playlist is read only if its files are provided through `TrackTask.files`.
 */
const FILE_FORMATS: InputFormat[] = [MP4, QTFF, MATROSKA, WEBM, WAVE, OGG, FLAC, MP3, ADTS, MPEG_TS];
const PLAYLIST_FORMATS: InputFormat[] = [HLS, MPEG_TS, MP4, ADTS, MP3];

/**
 * The output formats in the order of preference: formats for one codec come before general containers. The
 * first one that supports the codecs of the tracks is used.
 */
const AUDIO_TARGETS = [
  () => new Mp3OutputFormat(),
  () => new FlacOutputFormat(),
  () => new WavOutputFormat(),
  () => new WebMOutputFormat(),
  () => new Mp4OutputFormat({ fastStart: false }),
  () => new MkvOutputFormat(),
];
const VIDEO_TARGETS = [() => new Mp4OutputFormat({ fastStart: false }), () => new MkvOutputFormat()];

/**
 * Receives the errors of reads that no code awaits. They fail the current task instead of ending the
 * thread.
 */
let onUnawaitedError: (error: unknown) => void = () => undefined;
// This module is loaded only in threads of the pool, so the handler does not affect the rest of the
// service.
process.on('unhandledRejection', (error) => onUnawaitedError(error));

/**
 * Takes the audio or video out of a file without re-encoding: packets are copied, which needs little
 * memory. A single file is returned as it is if a video is requested, or if audio is requested and the file
 * has no video track.
 * @throws ServiceError `SCRAPE_AUDIO_UNSUPPORTED_URL`, `SCRAPE_VIDEO_UNSUPPORTED_URL`
 */
export async function remuxTrack(task: RemuxTask): Promise<RemuxedFile> {
  Logging.level = LogLevel.Silent;
  const failure = Promise.withResolvers<never>();
  onUnawaitedError = failure.reject;
  // The race below may have ended before this rejects.
  failure.promise.catch(() => undefined);
  await using open = new AsyncDisposableStack();
  open.defer(() => task.files?.close());
  using input = new Input({
    formats: task.files ? PLAYLIST_FORMATS : FILE_FORMATS,
    source: task.files
      ? new CustomPathedSource(task.url, playlistFiles(task, task.files, failure.reject))
      : await sourceOf(task.path),
    formatOptions: { hls: { offsetTimestampsByDateTime: false } },
  });
  try {
    return await Promise.race([extractTrack(input, task, open), failure.promise]);
  } catch (error) {
    if (error instanceof ServiceError || isLocalIoError(error)) throw error;
    throw unsupported(task, `cannot be read: ${messageOf(error).replace(/\.+$/, '')}`, error);
  }
}

/** @param open collects the resources to close afterwards, whether the track was extracted or not */
async function extractTrack(input: Input, task: RemuxTask, open: AsyncDisposableStack): Promise<RemuxedFile> {
  if (!(await input.canRead())) throw unsupported(task, 'is in no format that is known');
  const [audio, video] = [await input.getPrimaryAudioTrack(), await input.getPrimaryVideoTrack()];
  const requiredTracks = task.kind === 'audio' ? audio : video;
  if (!requiredTracks) throw unsupported(task, `has no ${task.kind} track`);
  if (await requiredTracks.isLive()) throw unsupported(task, 'is live: it has no end');
  const isAlone = task.kind === 'video' || !video;
  if (isAlone && !task.files) {
    await requirePackets(requiredTracks, task);
    return { path: task.path, mediaType: mediaTypeOf(await input.getMimeType(), task.kind) };
  }
  return task.kind === 'audio'
    ? copy(input, task, { audio: requiredTracks as InputAudioTrack, video: null }, open)
    : copy(input, task, { audio, video: requiredTracks as InputVideoTrack }, open);
}

/**
 * Makes sure that a track has packets, because a file may announce a track and end before its first packet.
 */
async function requirePackets(track: InputTrack, task: RemuxTask): Promise<void> {
  const timestamp = await track.getFirstTimestamp();
  const ends = await track.computeDuration();
  if (!(ends > timestamp)) throw unsupported(task, `has an empty ${task.kind} track`);
}

async function copy(
  input: Input,
  task: RemuxTask,
  tracks: { audio: InputAudioTrack | null; video: InputVideoTrack | null },
  open: AsyncDisposableStack,
): Promise<RemuxedFile> {
  const format = await targetFor(task, tracks);
  const file = open.use(await openFile(task.target, 'wx', 0o600));
  const write = async ({ data, position }: StreamTargetChunk) => {
    const { bytesWritten } = await file.write(data, 0, data.length, position);
    if (bytesWritten < data.length) throw new Error(`${task.target} cannot be written to: is the disk full?`);
  };
  const target = new StreamTarget(new WritableStream({ write }), { chunked: true });
  const output = new Output({ format, target });
  const conversion = await Conversion.init({
    input,
    output,
    tracks: 'primary',
    ...(!tracks.video && { video: { discard: true } }),
    showWarnings: false,
  });
  const requiredTracks = [tracks.audio, tracks.video].filter((track) => track !== null);
  const missing = requiredTracks.filter((track) => !conversion.utilizedTracks.includes(track));
  if (!conversion.isValid || missing.length) {
    const reasons = conversion.discardedTracks.map(({ track, reason }) => `${track.type}: ${reason}`);
    throw unsupported(task, `has a track that cannot be copied (${reasons.join(', ')})`);
  }
  await conversion.execute();
  return { path: task.target, mediaType: mediaTypeOf(await output.getMimeType(), task.kind) };
}

async function targetFor(
  task: RemuxTask,
  { audio, video }: { audio: InputAudioTrack | null; video: InputVideoTrack | null },
): Promise<OutputFormat> {
  const sound = await audio?.getCodec();
  const pictures = await video?.getCodec();
  if (sound === null || pictures === null) throw unsupported(task, 'is encoded in a way that is not known');
  for (const create of video ? VIDEO_TARGETS : AUDIO_TARGETS) {
    const format = create();
    const canHold = (codec: string | undefined) =>
      codec === undefined || format.getSupportedCodecs().some((each) => each === codec);
    if (canHold(sound) && canHold(pictures)) return format;
  }
  throw unsupported(
    task,
    `is encoded as ${[sound, pictures].filter(Boolean).join(' and ')}, which no file of ours can hold`,
  );
}

/**
 * Reads the files of a playlist through a port when they are needed. If one is unavailable, the whole task
 * fails.
 */
function playlistFiles(task: RemuxTask, port: MessagePort, fail: (error: ServiceError) => void) {
  const pending = new Map<number, (path: string) => void>();
  port.on('message', (response: FileReply) => {
    if ('path' in response) pending.get(response.id)?.(response.path);
    // The code is valid, because the error was a ServiceError on the other side of the port.
    else fail(new ServiceError(response.code as ServiceError['code'], response.message));
    pending.delete(response.id);
  });
  let id = 0;
  return async ({ path: url, isRoot }: { path: string; isRoot: boolean }) => {
    if (isRoot) return sourceOf(task.path);
    const path = await new Promise<string>((resolve) => {
      pending.set(++id, resolve);
      port.postMessage({ id, url });
    });
    return sourceOf(path);
  };
}

/** Files up to this size are read into memory at once. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/**
 * Opens a file as a source, which closes the file when it is disposed. The file source of mediabunny 1.61
 * leaves files open if it is used twice before it knows their size, and cannot read a playlist inside a
 * playlist from a file of less than 1 kB.
 */
async function sourceOf(path: string): Promise<Source> {
  const { size } = await stat(path);
  if (size <= MAX_BUFFERED_BYTES) return new BufferSource(await readFile(path));
  const handle = await openFile(path);
  return new CustomSource({
    getSize: () => size,
    async read(start, end) {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(end - start), 0, end - start, start);
      if (bytesRead < end - start) throw new Error(`${path} ends before ${end}`);
      return buffer;
    },
    dispose: () => void handle.close(),
    prefetchProfile: 'fileSystem',
  });
}

/**
 * Returns a media type without codecs. For audio it is `audio/…`, even if the container has a `video/…`
 * type.
 */
function mediaTypeOf(mimeType: string, kind: MediaKind): string {
  const type = mimeType.split(';', 1)[0]!.trim();
  return kind === 'audio' ? type.replace(/^video\//, 'audio/') : type;
}

/** Whether an error came from the file system of this machine rather than from the content of the file. */
const isLocalIoError = (error: unknown) => error instanceof Error && 'syscall' in error;

function unsupported({ kind, url }: RemuxTask, what: string, cause?: unknown): ServiceError {
  return new ServiceError(NO_MEDIA_ERROR[kind], `${url} ${what}.`, { cause });
}
