import type { z } from 'zod';
import type { Warn } from '../html/clean.ts';
import type { Content } from '../html/content.ts';

/** The part of an open browser page that takes screenshots. */
export interface ScreenshotTarget {
  viewportSize(): { width: number; height: number };
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(options: { type: 'png' | 'jpeg'; quality?: number; fullPage: boolean }): Promise<Uint8Array>;
}

/** The part of an open browser page that a format may use while the page is there. */
export interface OpenPage extends ScreenshotTarget {
  /** Evaluates a function in the isolated world of the page. It may use nothing from outside but its argument. */
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

/** Derives a result from a page; `undefined` leaves its field out. Pure; runs in a conversion thread. */
type Derive<Request, Value> = (content: Content, request: Request, warn: Warn) => Value | undefined;

/**
 * One output of a scrape. A new format is a file with such a record and one line in `formats/index.ts`:
 * request validation, the result's type and the API reference follow from it.
 */
export interface Format<Field extends string, Request extends z.ZodObject, Value extends z.ZodType> {
  /** Where the result stands in the document. */
  field: Field;
  /** The request object, with its `type` literal inside. */
  request: Request;
  /** The result as the user sees it. */
  value: Value;
  /** The half that needs the open page: its file is saved and reaches `run` as `content.files[type]`. */
  collect?: (page: ScreenshotTarget, request: z.output<Request>) => Promise<CollectedFile>;
  /** The same where it is no file but plain data: it reaches `run` as `content.snapshot.surveys[type]`. */
  survey?: (page: OpenPage, request: z.output<Request>) => Promise<unknown>;
  /** Where the page itself gives the result. Without this and `extract` it takes more than the page, and is made there. */
  run?: Derive<z.output<Request>, z.input<Value>>;
  /** Where a language model gives the result: what can be said without one, from the page alone. */
  extract?: Derive<z.output<Request>, z.input<Value>>;
}

/** Keeps the literal types of a record while checking it against {@link Format}. */
export function defineFormat<Field extends string, Request extends z.ZodObject, Value extends z.ZodType>(
  format: Format<Field, Request, Value>,
): Format<Field, Request, Value> {
  return format;
}
