import type { z } from 'zod';
import type { ChangeTrackingMode, PageContent } from '../changes/compare.ts';
import type { CheckTask } from '../extraction/check-data.ts';
import type { Warn } from '../html/clean.ts';
import type { Content } from '../html/content.ts';
import type { PageMedia } from '../html/media/page-media.ts';
import type { CheckedResponse, LanguageModel, ModelFeature } from '../language-model.ts';
import type { MediaKind } from '../media-kind.ts';
import type { RunInPage } from '../open-page/page-function.ts';
import type { FetchedSnapshot } from '../snapshot.ts';

/** How a picture of a page is taken. */
export interface PictureOptions {
  type: 'png' | 'jpeg';
  quality?: number;
  fullPage: boolean;
  /** CSS selectors of elements that the picture leaves blank. */
  mask?: readonly string[] | undefined;
  /** Whether animations are stopped at a state that is the same each time. */
  still?: boolean | undefined;
}

/** The part of an open browser page that takes screenshots. */
export interface ScreenshotTarget {
  viewportSize(): { width: number; height: number };
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(options: PictureOptions): Promise<Uint8Array>;
}

/** The part of an open browser page that a format may use while the page is open. */
export interface OpenPage extends ScreenshotTarget {
  evaluate: RunInPage;
  /** Adds a warning for the user. */
  warn(text: string): void;
}

/** A file made from an open page. */
export interface CollectedFile {
  bytes: Uint8Array;
  /** Media type, e.g. `image/png`. */
  mediaType: string;
}

/** The result of a format on an open page: a file, or plain data. */
export type Collected = CollectedFile | { data: unknown };

/**
 * How a format uses the cache of pages.
 * - `normal`: the page may come from the cache, and is stored in it.
 * - `refresh`: the page is always fetched, and is stored in the cache.
 * - `bypass`: the page is always fetched, and is not stored. A request that is served from the cache only
 *   still gets the copy; the format is then left out with a warning.
 * - `never`: no copy can serve the format, not even for a request that is served from the cache only.
 */
export type CacheUse = 'normal' | 'refresh' | 'bypass' | 'never';

/** An option of a request that a format may exclude, or `crawl` for a crawl. */
export type ConflictingOption =
  | 'actions'
  | 'mobile'
  | 'profile'
  | 'waitFor'
  | 'minAge'
  | 'redactPII'
  | 'crawl';

/** The functions of the worker that `finish` can call. */
export interface FinishServices {
  /**
   * Compares the page with the version before it, and records it.
   * @param version.current the page's content; `undefined` if the page no longer exists. Its data for the
   * mode `json` is
   *   `json` or the result of `findJson`, which is not called for an unchanged page whose data is known
   * @returns the field `changeTracking`, or only the warnings if the comparison failed for good
   */
  trackChanges(version: {
    tag: string | null;
    modes: ChangeTrackingMode[];
    current: (PageContent & { fingerprint: Uint8Array; findJson?(): Promise<unknown> }) | undefined;
  }): Promise<{ changeTracking?: unknown; warnings: string[] }>;
  /**
   * Downloads the media of the page.
   * @returns a reference to a stored file for each kind
   * @throws ServiceError if a kind has no usable file
   */
  extractMedia(kinds: MediaKind[], media: PageMedia): Promise<Partial<Record<MediaKind, string>>>;
  /**
   * Asks a language model; absent if none is configured.
   * @param options.substitute the result if the model fails, which then has a warning more
   * @param options.subject name of the result in that warning
   * @throws ServiceError that is not about the model
   */
  askModel?: (
    feature: ModelFeature,
    ask: (services: AskServices) => Promise<unknown>,
    options: { substitute: Substitute; subject: string },
  ) => Promise<Substitute>;
}

/** A value that takes the place of the response of a model, and warnings about it. */
export interface Substitute {
  value: unknown;
  warnings: string[];
}

/** A rendered page, as `finish` sees it. */
interface RenderedPage {
  snapshot: FetchedSnapshot;
  /** The fields that `run` and `extract` derived. */
  fields: Record<string, unknown>;
  /** Whether the server says that the page no longer exists (404, 410). */
  isGone: boolean;
  /** Whether the service may contact only its cache for this request. */
  lockdown: boolean;
  /** Whether the page belongs to a crawl. A result that it lacks is then a warning instead of an error. */
  isCrawled: boolean;
  /** Whether the page may be recorded; false with zero data retention and lockdown. */
  isRecordable: boolean;
  /** Aborts the work; its reason is thrown. */
  signal: AbortSignal;
  services: FinishServices;
}

/** The requests that one call of `finish` serves, each with the value of its `prepare`; at least one. */
export type FinishRequests<Request> = [Prepared<Request>, ...Prepared<Request>[]];

interface Prepared<Request> {
  request: Request;
  prepared: unknown;
}

/** The result of `finish`. */
export interface Finished {
  /** Fields of the document. */
  fields: Record<string, unknown>;
  /** References to the files that were stored for the fields. */
  files?: string[];
  /** Types of the formats to charge for. */
  made: string[];
  warnings: string[];
}

/** The warning for a result that a language model would have written. */
export const NO_MODEL = 'No language model is configured, so rules derived these results from the page.';

type MaybePromise<Value> = Value | Promise<Value>;

/** How a language model makes the result of a format. */
interface Asking<Request, Value> {
  /** The feature that the operator can configure a model for. */
  feature: ModelFeature;
  /**
   * Derives from the page what the model needs, in a rendering thread.
   * @param promptTokens tokens that a prompt may have
   * @returns plain data
   */
  prepare(content: Content, request: Request, promptTokens: number): unknown;
  /**
   * Asks the model, in the activity. If this throws a `MODEL_…` error, the result of `extract` takes its
   * place.
   * @param prepared the value of `prepare`
   * @returns `undefined` leaves the field out
   */
  ask(prepared: unknown, request: Request, services: AskServices): Promise<Value | undefined>;
}

/** The functions of the worker that `ask` can call. */
export interface AskServices {
  model: LanguageModel;
  warn: Warn;
  /** Checks data against a schema of the user, in a rendering thread. */
  checkData(task: CheckTask): Promise<CheckedResponse>;
  /** Returns the model for another feature. */
  modelFor(feature: ModelFeature): LanguageModel;
}

/**
 * One output of a scrape, with everything that the service has to know about it. A new format needs a file
 * with such a record and a line in `content/formats/index.ts`. The validation of requests, the type of the
 * result, the API reference, the price, the use of the cache and the limits of zero data retention are
 * derived from it.
 */
export interface Format<Field extends string, Request extends z.ZodObject, Value extends z.ZodType> {
  /** The field of the document that holds the result. */
  field: Field;
  /** The request object, with its `type` literal inside. */
  request: Request;
  /** The result as the user sees it. */
  value: Value;

  /** Credits for a result, in addition to those of the page; 0 by default. */
  credits?: number;
  /**
   * Whether the result is or needs data that stays stored after the request, such as a file. Such a format
   * cannot be combined with zero data retention.
   */
  keepsData?: true;
  /** `normal` by default. */
  cache?: CacheUse | ((request: z.output<Request>) => CacheUse);
  /** The part of the request that makes the copy in the cache a different one; it becomes part of the key. */
  cacheVariant?(request: z.output<Request>): unknown;
  /**
   * The source of the format in addition to the page itself: the unchanged `body` of the response, the
   * `media` files that the page plays, or the `images` inside a document.
   */
  source?: 'body' | 'media' | 'images';
  /** Milliseconds that the browser waits at least before it reads the page; 0 by default. */
  minWaitMs?(options: { zeroDataRetention?: boolean | undefined }): number;

  /** Whether a request may contain the format only once. */
  isUnique?: true;
  /** Whether the format must be the only one of its request. */
  isExclusive?: true;
  /** Types of formats that must be in the same request. */
  requires?: string[];
  /** Types of formats that must not be in the same request. */
  excludes?: string[];
  /** Options that must not be in the same request, each with the message for the user. */
  conflicts?: Partial<Record<ConflictingOption, string>>;

  /**
   * The step that needs the open page. The file that it returns is saved; `run` finds it as
   * `content.files[type]`.
   */
  collect?(page: ScreenshotTarget, request: z.output<Request>): Promise<CollectedFile>;
  /** Like `collect`, but returns plain data, which `run` finds as `content.snapshot.collectedData[type]`. */
  collectData?(page: OpenPage, request: z.output<Request>): Promise<unknown>;
  /**
   * Derives the result from the page alone; `undefined` leaves its field out. It must be pure, because it
   * runs in a rendering thread. Code that only this format needs is imported when it runs, so that the API
   * does not load it, and neither do threads until they need it.
   */
  run?(content: Content, request: z.output<Request>, warn: Warn): MaybePromise<z.input<Value> | undefined>;
  /** Makes the result with a language model. Such a format also has `extract`. */
  ask?: Asking<z.output<Request>, z.input<Value>>;
  /** Like `run`, but derives a substitute for the result of `ask`, for when there is no language model. */
  extract?(
    content: Content,
    request: z.output<Request>,
    warn: Warn,
  ): MaybePromise<z.input<Value> | undefined>;
  /**
   * Derives from the page what `finish` needs, in a rendering thread, after the fields of all formats.
   * @returns plain data
   */
  prepare?(content: Content, request: z.output<Request>, rendered: RenderedFields): unknown;
  /**
   * Makes the result in the activity, after rendering, if it needs more than the page. Requested formats with
   * the same function are finished together in one call.
   */
  finish?(requests: FinishRequests<z.output<Request>>, page: RenderedPage): Promise<Finished>;
}

/** The fields derived so far, and whether `finish` can ask a language model. */
export interface RenderedFields {
  fields: Record<string, unknown>;
  hasModel: boolean;
}

/** A format of any kind. */
export type AnyFormat = Format<string, z.ZodObject, z.ZodType>;

/**
 * Keeps the literal types of a record while checking it against {@link Format}.
 * @example
 * export const links = defineFormat({
 *   field: 'links',
 *   request: z.strictObject({ type: z.literal('links') }),
 *   value: z.array(z.string()).describe('absolute URLs of the links in the content'),
 *   run: (content) => content.links,
 * });
 */
export function defineFormat<Field extends string, Request extends z.ZodObject, Value extends z.ZodType>(
  format: Format<Field, Request, Value>,
): Format<Field, Request, Value> {
  return format;
}
