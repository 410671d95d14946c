import { fingerprintOf } from '../changes/fingerprint.ts';
import { type Content, createContent } from '../html/content.ts';
import type { PageMedia } from '../html/media.ts';
import type { CleanOptions, Snapshot } from '../snapshot.ts';
import { FORMATS } from './index.ts';

/** What is to be derived from a page. */
export interface RenderTask {
  snapshot: Snapshot;
  clean: CleanOptions;
  /** Validated format requests. */
  formats: { type: string }[];
  /** Where the whole page leads is wanted too, whatever the formats are. */
  discover?: boolean;
}

/** The fields of the requested formats, and what the page says about itself. */
export interface Rendered {
  fields: Record<string, unknown>;
  metadata: Record<string, string | string[]>;
  /** Absolute and unique; those of the whole page, frames among them. */
  discovered?: string[];
  /** Where there may be something to play, where that is asked for. */
  media?: PageMedia;
  /** What the page is recognised by, where changes are tracked. */
  fingerprint?: Uint8Array;
}

/** Derives the requested formats from a page. Pure; heavy, so the service runs it in conversion threads. */
export function render({ snapshot, clean, formats, discover }: RenderTask): Rendered {
  const content = createContent(snapshot, clean);
  const fields: Record<string, unknown> = {};
  for (const asked of formats) {
    const format = FORMATS.find((each) => each.request.shape.type.value === asked.type);
    // The request was made by this very format's schema.
    const run = format?.run as ((content: Content, request: unknown) => unknown) | undefined;
    const value = run?.(content, asked);
    if (format && value !== undefined) fields[format.field] = value;
  }
  const isPlayed = formats.some(({ type }) => type === 'audio' || type === 'video');
  const isTracked = formats.some(({ type }) => type === 'changeTracking');
  return {
    fields,
    metadata: content.metadata,
    ...(discover && { discovered: content.discovered }),
    ...(isPlayed && { media: content.media }),
    ...(isTracked && { fingerprint: fingerprintOf(content.markdown) }),
  };
}
