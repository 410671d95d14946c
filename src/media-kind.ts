import type { ErrorCode } from './errors.ts';

/** What a file that plays is mostly for: also the formats that give it, and the fields of their results. */
const MEDIA_KINDS = ['audio', 'video'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** What a page without a file of the kind is answered with. */
export const UNSUPPORTED_URL: Record<MediaKind, ErrorCode> = {
  audio: 'SCRAPE_AUDIO_UNSUPPORTED_URL',
  video: 'SCRAPE_VIDEO_UNSUPPORTED_URL',
};

/** The kinds that formats ask for. */
export const mediaKindsOf = (formats: readonly { type: string }[]): MediaKind[] =>
  MEDIA_KINDS.filter((kind) => formats.some(({ type }) => type === kind));
