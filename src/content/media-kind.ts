import type { ErrorCode } from '../errors.ts';

/** A kind of media files, which is also the type of its format and the field of its result. */
export type MediaKind = 'audio' | 'video';

/** The error for a page without a file of the kind. */
export const NO_MEDIA_ERROR: Record<MediaKind, ErrorCode> = {
  audio: 'SCRAPE_AUDIO_UNSUPPORTED_URL',
  video: 'SCRAPE_VIDEO_UNSUPPORTED_URL',
};
