import type { ErrorCode } from './errors.ts';

/** Kinds of media files. They are also the names of the formats and of their result fields. */
const MEDIA_KINDS = ['audio', 'video'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** The error for a page without a file of the kind. */
export const NO_MEDIA_ERROR: Record<MediaKind, ErrorCode> = {
  audio: 'SCRAPE_AUDIO_UNSUPPORTED_URL',
  video: 'SCRAPE_VIDEO_UNSUPPORTED_URL',
};

/** The media kinds among the requested formats. */
export const requestedMediaKinds = (formats: readonly { type: string }[]): MediaKind[] =>
  MEDIA_KINDS.filter((kind) => formats.some(({ type }) => type === kind));
