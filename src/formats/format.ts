import type { z } from 'zod';
import type { Warn } from '../html/clean.ts';
import type { Content } from '../html/content.ts';

/** The part of an open browser page that takes screenshots. */
export interface ScreenshotTarget {
  viewportSize(): { width: number; height: number };
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(options: { type: 'png' | 'jpeg'; quality?: number; fullPage: boolean }): Promise<Uint8Array>;
}

/** The part of an open browser page that a format may use while the page is open. */
export interface OpenPage extends ScreenshotTarget {
  /**
   * Evaluates a function in the isolated world of the page. The function may use nothing from outside but
   * its argument.
   */
  ask<Argument, Result>(run: (argument: Argument) => Result, argument: Argument): Promise<Awaited<Result>>;
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
export type Collected = CollectedFile | { survey: unknown };

/**
 * Derives a result from a page; `undefined` leaves its field out. It must be pure, because it runs in a
 * rendering thread.
 */
type Derive<Request, Value> = (content: Content, request: Request, warn: Warn) => Value | undefined;

/**
 * One output of a scrape. A new format needs a file with such a record and a line in `formats/index.ts`.
 * The validation of requests, the type of the result and the API reference are derived from the record.
 */
export interface Format<Field extends string, Request extends z.ZodObject, Value extends z.ZodType> {
  /** The field of the document that holds the result. */
  field: Field;
  /** The request object, with its `type` literal inside. */
  request: Request;
  /** The result as the user sees it. */
  value: Value;
  /**
   * The step that needs the open page. The file that it returns is saved; `run` finds it as
   * `content.files[type]`.
   */
  collect?: (page: ScreenshotTarget, request: z.output<Request>) => Promise<CollectedFile>;
  /** Like `collect`, but returns plain data, which `run` finds as `content.snapshot.surveys[type]`. */
  survey?: (page: OpenPage, request: z.output<Request>) => Promise<unknown>;
  /**
   * Derives the result from the page alone. A format with neither `run` nor `extract` needs more than the
   * page, and is made in `activities/`.
   */
  run?: Derive<z.output<Request>, z.input<Value>>;
  /** Derives a substitute from the page alone, for a result that takes a language model. */
  extract?: Derive<z.output<Request>, z.input<Value>>;
}

/** Keeps the literal types of a record while checking it against {@link Format}. */
export function defineFormat<Field extends string, Request extends z.ZodObject, Value extends z.ZodType>(
  format: Format<Field, Request, Value>,
): Format<Field, Request, Value> {
  return format;
}
