import type { z } from 'zod';
import type { UnconvertedDocument } from './document.ts';
import type { ParsedFile, ReceivedFile } from './received-file.ts';

/**
 * Why a parser takes a file, the strongest reason first: the file begins with a signature of the type, its
 * media type is declared, or nothing is declared and the content looks like the type.
 */
export const EVIDENCE = ['signature', 'type', 'content'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/**
 * The result of a parser. A document is not parsed at once, but returned with the task of converting it in
 * the sandbox, which takes longer.
 */
export type ParseResult = ParsedFile | UnconvertedDocument;

/** The input of a parser in addition to the file. */
export interface ParseContext<Options> {
  /** The options of the request for this parser; `undefined` if the request does not allow the parser. */
  options: Options | undefined;
  /** Whether the images inside a document are requested. */
  wantsImages: boolean;
}

/**
 * A type of files that the service can read. A new parser needs a file with such a record and a line in
 * `content/parsers/index.ts`. The schema of the option `parsers` is derived from the records.
 */
export interface Parser<Type extends string, Options extends z.ZodObject> {
  type: Type;
  /**
   * The object in the option `parsers` of a request, with its `type` literal inside. A parser without it is
   * always allowed.
   */
  options?: Options;
  /** Says whether the file is of this type, and why; `undefined` if it is not. */
  detect(file: ReceivedFile): Evidence | undefined;
  /** @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` for a file that cannot be converted */
  parse(file: ReceivedFile, context: ParseContext<z.output<Options>>): ParseResult;
}

/** A parser of any type. */
export type AnyParser = Parser<string, z.ZodObject>;

/**
 * Keeps the literal types of a record while checking it against {@link Parser}.
 * @example
 * export const json = defineParser({
 *   type: 'json',
 *   detect: ({ mediaType }) => (mediaType === 'application/json' ? 'type' : undefined),
 *   parse: (file) => ({ kind: 'json', text: file.decode() }),
 * });
 */
export function defineParser<
  Type extends string,
  Options extends z.ZodObject,
  Record extends Parser<Type, Options>,
>(parser: Record & Parser<Type, Options>): Record {
  return parser;
}
