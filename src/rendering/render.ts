import type { z } from 'zod';
import { computeFingerprint } from '../changes/fingerprint.ts';
import type { changeTracking } from '../formats/change-tracking.ts';
import { FORMATS } from '../formats/index.ts';
import { extractData } from '../formats/json.ts';
import type { Warn } from '../html/clean.ts';
import { type Content, createContent } from '../html/content.ts';
import type { PageMedia } from '../html/media/page-media.ts';
import { requestedMediaKinds } from '../media-kind.ts';
import type { CleanOptions, Snapshot } from '../snapshot.ts';

/** A page, and the formats to derive from it. */
export interface RenderTask {
  snapshot: Snapshot;
  clean: CleanOptions;
  /** Validated format requests. */
  formats: { type: string }[];
  /** Whether to also list the links of the whole page, independently of the formats. */
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
  /** URLs of all links and frames of the whole page, absolute and unique; set if `discover` is. */
  discovered?: string[];
  /** Where the page may have media; set if audio or video is requested. */
  media?: PageMedia;
  /** Fingerprint of the page's markdown; set if changes are tracked. */
  fingerprint?: Uint8Array;
  /** The data that the mode `json` of `changeTracking` compares. */
  trackedJson?: unknown;
}

const NO_MODEL = 'This service has no language model: what one would write was taken from the page by rules.';

/**
 * Derives the requested formats from a page. It is pure but slow, so the service runs it in conversion
 * threads.
 */
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
 * Derives the value of a format. Only this function decides whether a language model is used. The service
 * has none, so formats that would use one fall back to `extract`.
 */
function derive(format: (typeof FORMATS)[number], content: Content, requested: unknown, warn: Warn): unknown {
  if (format.extract) warn(NO_MODEL);
  // The request was validated with the schema of the same format.
  const make = (format.run ?? format.extract) as
    | ((content: Content, request: unknown, warn: Warn) => unknown)
    | undefined;
  return make?.(content, requested, warn);
}

type Tracking = z.output<typeof changeTracking.request>;
const isTracking = (format: { type: string }): format is Tracking => format.type === 'changeTracking';

/**
 * Returns the data that `changeTracking` compares: the value of the format `json`, unless that is missing
 * or the request has a schema or prompt of its own, in which case the data is extracted for it.
 */
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
