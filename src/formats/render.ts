import type { z } from 'zod';
import { computeFingerprint } from '../changes/fingerprint.ts';
import type { Warn } from '../html/clean.ts';
import { type Content, createContent } from '../html/content.ts';
import type { PageMedia } from '../html/page-media.ts';
import { requestedMediaKinds } from '../media-kind.ts';
import type { CleanOptions, Snapshot } from '../snapshot.ts';
import type { changeTracking } from './change-tracking.ts';
import { FORMATS } from './index.ts';
import { extractData } from './json.ts';

/** A page, and the formats to derive from it. */
export interface RenderTask {
  snapshot: Snapshot;
  clean: CleanOptions;
  /** Validated format requests. */
  formats: { type: string }[];
  /** Whether to list the links of the whole page too, whatever the formats are. */
  discover?: boolean;
}

/** The fields of the requested formats, and what the page says about itself. */
export interface Rendered {
  fields: Record<string, unknown>;
  metadata: Record<string, string | string[]>;
  /** Types of the formats that have a value. */
  made: string[];
  /** Warnings for the user. */
  warnings: string[];
  /** Absolute and unique; those of the whole page, frames among them. */
  discovered?: string[];
  /** Where there may be something to play, where that is asked for. */
  media?: PageMedia;
  /** What the page is recognised by, where changes are tracked. */
  fingerprint?: Uint8Array;
  /** What of the page is compared by the mode `json` of `changeTracking`. */
  trackedJson?: unknown;
}

const NO_MODEL = 'This service has no language model: what one would write was taken from the page by rules.';

/** Derives the requested formats from a page. Pure; heavy, so the service runs it in conversion threads. */
export function render({ snapshot, clean, formats, discover }: RenderTask): Rendered {
  const warnings = new Set<string>();
  const warn = (sentence: string) => warnings.add(sentence);
  const content = createContent(snapshot, clean, warn);
  const fields: Record<string, unknown> = {};
  const made: string[] = [];
  for (const requested of formats) {
    const format = FORMATS.find((each) => each.request.shape.type.value === requested.type);
    const value = format && derive(format, content, requested, warn);
    if (!format || value === undefined) continue;
    fields[format.field] = value;
    made.push(requested.type);
  }
  const requested = formats.find(isTracking);
  const trackedJson = requested?.modes.includes('json')
    ? extractTrackedJson(content, requested, fields.json, warn)
    : undefined;
  const wantsMedia = requestedMediaKinds(formats).length > 0;
  return {
    fields,
    metadata: content.metadata,
    made,
    warnings: [...warnings],
    ...(discover && { discovered: content.discovered }),
    ...(wantsMedia && { media: content.media }),
    ...(requested && { fingerprint: computeFingerprint(content.markdown) }),
    ...(trackedJson !== undefined && { trackedJson }),
  };
}

/**
 * The value of a format. Whether a language model gives it is decided here alone: there is none, so formats that want
 * one extract it.
 */
function derive(format: (typeof FORMATS)[number], content: Content, requested: unknown, warn: Warn): unknown {
  if (format.extract) warn(NO_MODEL);
  // The request was made by this very format's schema.
  const make = (format.run ?? format.extract) as
    | ((content: Content, request: unknown, warn: Warn) => unknown)
    | undefined;
  return make?.(content, requested, warn);
}

type Tracking = z.output<typeof changeTracking.request>;
const isTracking = (format: { type: string }): format is Tracking => format.type === 'changeTracking';

/** The data that changes are looked for in: by an order of its own, else that of the format `json`. */
function extractTrackedJson(
  content: Content,
  { schema, prompt }: Tracking,
  json: unknown,
  warn: Warn,
): unknown {
  if (json !== undefined && schema === undefined && prompt === undefined) return json;
  warn(NO_MODEL);
  return extractData(content, { schema, prompt }, warn, 'The json of changeTracking');
}
