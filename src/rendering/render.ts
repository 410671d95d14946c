import { type AnyFormat, NO_MODEL } from '../formats/format.ts';
import { recordsOf } from '../formats/index.ts';
import type { Warn } from '../html/clean.ts';
import { type Content, createContent } from '../html/content.ts';
import type { ToMarkdown } from '../html/markdown-converter.ts';
import type { CleanOptions, Snapshot } from '../snapshot.ts';
import { derivePageResults, type PageResults } from './page-results.ts';

/** A page, and the formats to derive from it. */
export interface RenderTask {
  snapshot: Snapshot;
  clean: CleanOptions;
  /** Validated format requests. */
  formats: { type: string }[];
  /** Which results for the single pages of a document are requested. */
  pageResults?: PageResults;
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
  /** The data that formats prepared for `finish`, by type. */
  prepared: Record<string, unknown>;
}

/**
 * Derives the requested formats from a page. It is pure but slow, so the service runs it in rendering
 * threads.
 */
export function render(
  { snapshot, clean, formats, pageResults, discover }: RenderTask,
  toMarkdown?: ToMarkdown,
): Rendered {
  const warnings = new Set<string>();
  const warn = (sentence: string) => warnings.add(sentence);
  const content = createContent(snapshot, clean, warn, toMarkdown);
  const fields: Record<string, unknown> = {};
  const made: string[] = [];
  const records = recordsOf(formats);
  for (const { format, request } of records) {
    const value = derive(format, content, request, warn);
    if (value === undefined) continue;
    fields[format.field] = value;
    made.push(request.type);
  }
  if (pageResults && snapshot.document?.pages) {
    Object.assign(fields, derivePageResults({ snapshot, clean, toMarkdown }, pageResults, fields));
  }
  const prepared: Record<string, unknown> = {};
  for (const { format, request } of records) {
    if (format.prepare) prepared[request.type] = format.prepare(content, request, { fields, warn });
  }
  return {
    fields,
    metadata: content.metadata,
    made,
    warnings: [...warnings],
    prepared,
    ...(discover && { discovered: content.discovered }),
  };
}

/**
 * Derives the value of a format. Only this function decides whether a language model is used. The service
 * has none, so formats that would use one fall back to `extract`.
 */
function derive(format: AnyFormat, content: Content, request: { type: string }, warn: Warn): unknown {
  if (format.run) return format.run(content, request, warn);
  if (!format.extract) return undefined;
  warn(NO_MODEL);
  return format.extract(content, request, warn);
}
