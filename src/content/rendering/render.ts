import { type AnyFormat, NO_MODEL, type Substitute } from '../formats/format.ts';
import { recordsOf } from '../formats/index.ts';
import type { Warn } from '../html/clean.ts';
import { type Content, createContent } from '../html/content.ts';
import { toMarkdown as ownConverter } from '../html/markdown/index.ts';
import type { ToMarkdown } from '../html/markdown-converter.ts';
import { makePageEntry, type PageEntry } from '../indexing/page-entry.ts';
import { type Redaction, withPlainTags } from '../redaction/redaction.ts';
import type { ActionResults, CleanOptions, FetchedSnapshot, Snapshot } from '../snapshot.ts';
import { wholeText } from '../source-text.ts';
import { derivePageResults, type PageResults } from './page-results.ts';

/** A page, and the formats to derive from it. */
export interface RenderTask {
  snapshot: FetchedSnapshot;
  clean: CleanOptions;
  /** Validated format requests. */
  formats: { type: string }[];
  /** Replaces personal data before anything else is derived from the page. */
  redaction?: Redaction;
  /** Which results for the single pages of a document are requested. */
  pageResults?: PageResults;
  /** Whether to also list the links of the whole page, independently of the formats. */
  discover?: boolean;
  /** Whether to make the entry of the page for the index of `POST /v2/search`. */
  index?: boolean;
  /** Whether there is a language model, which is then asked for the formats that it can make. */
  hasModel?: boolean;
  /** Tokens that a prompt of this model may have. */
  promptTokens?: number;
}

/** A format that a language model is asked for after rendering. */
export interface OpenQuestion {
  request: { type: string };
  /** The value of the format's `ask.prepare`. */
  prepared: unknown;
  /** The result by rules, which takes the place of one that the model cannot give. */
  fallback: Substitute;
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
  /** The formats that a language model is to make; empty without one. */
  questions: OpenQuestion[];
  /** The data that formats prepared for `finish`, by type. */
  prepared: Record<string, unknown>;
  /** The share of the page's text that was kept, from 0 to 1; absent if the page is not HTML. */
  contentShare?: number;
  /** Whether a second opinion brought text back that the main-content filter had dropped. */
  isDisputed: boolean;
  /** Set if `index` is. */
  entry?: PageEntry;
  /** The results of the actions; absent if the request had none. */
  actions?: ActionResults;
}

/**
 * Derives the requested formats from a page. It is pure but slow, so the service runs it in rendering
 * threads.
 */
export async function render(
  {
    snapshot: fetched,
    clean,
    formats,
    redaction,
    pageResults,
    discover,
    hasModel = false,
    promptTokens = 0,
    index,
  }: RenderTask,
  converter?: ToMarkdown,
): Promise<Rendered> {
  const source: Snapshot = { ...fetched, text: wholeText(fetched.text) };
  const warnings = new Set<string>();
  const warn = (sentence: string) => warnings.add(sentence);
  const { snapshot, toMarkdown } = redaction
    ? await redact(source, { redaction, warn, converter })
    : { snapshot: source, toMarkdown: converter };
  const content = createContent(snapshot, clean, warn, toMarkdown);
  const fields: Record<string, unknown> = {};
  const made: string[] = [];
  const records = recordsOf(formats);
  const questions: OpenQuestion[] = [];
  for (const { format, request } of records) {
    if (hasModel && format.ask) {
      questions.push(await createQuestion(format, content, { request, promptTokens }));
      continue;
    }
    const value = await derive(format, content, request, warn);
    if (value === undefined) continue;
    fields[format.field] = value;
    made.push(request.type);
  }
  if (pageResults && snapshot.document?.pages) {
    Object.assign(fields, derivePageResults({ snapshot, clean, toMarkdown }, pageResults, fields));
  }
  const prepared: Record<string, unknown> = {};
  for (const { format, request } of records) {
    if (format.prepare) prepared[request.type] = await format.prepare(content, request, { fields, hasModel });
  }
  const { metadata, share, isDisputed } = content;
  return {
    fields,
    metadata,
    made,
    warnings: [...warnings],
    questions,
    prepared,
    isDisputed,
    ...(share !== undefined && { contentShare: share }),
    // A crawl follows the links as the site has them.
    ...(discover && { discovered: (redaction ? createContent(source, clean) : content).discovered }),
    ...(snapshot.actions && { actions: snapshot.actions }),
    ...(index && {
      entry: makePageEntry({
        url: snapshot.url,
        fetchedAt: snapshot.fetchedAt,
        documentType: snapshot.document?.type,
        fields,
        metadata,
      }),
    }),
  };
}

interface Redacting {
  redaction: Redaction;
  warn: Warn;
  converter: ToMarkdown | undefined;
}

/** Replaces personal data in a page. Its tags are not escaped in markdown, as readers of the result expect. */
async function redact(
  source: Snapshot,
  { redaction, warn, converter = ownConverter }: Redacting,
): Promise<{ snapshot: Snapshot; toMarkdown: ToMarkdown }> {
  // Most threads never replace anything, and the plans of telephone numbers are large.
  const { redactSnapshot } = await import('../redaction/redact-snapshot.ts');
  return {
    snapshot: redactSnapshot(source, redaction, warn),
    toMarkdown: (tree, options) => withPlainTags(converter(tree, options)),
  };
}

/** Derives the value of a format without a language model. */
async function derive(
  format: AnyFormat,
  content: Content,
  request: { type: string },
  warn: Warn,
): Promise<unknown> {
  if (format.run) return format.run(content, request, warn);
  if (!format.extract) return undefined;
  warn(NO_MODEL);
  return format.extract(content, request, warn);
}

/** Derives what a language model needs for a format, and the result by rules in case that the model fails. */
async function createQuestion(
  format: AnyFormat,
  content: Content,
  { request, promptTokens }: { request: { type: string }; promptTokens: number },
): Promise<OpenQuestion> {
  const warnings = new Set<string>();
  const value = await format.extract?.(content, request, (sentence) => warnings.add(sentence));
  const prepared = await format.ask?.prepare(content, request, promptTokens);
  return { request, prepared, fallback: { value, warnings: [...warnings] } };
}
