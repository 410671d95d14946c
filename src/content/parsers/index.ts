import { feed } from './feed.ts';
import { html } from './html.ts';
import { image } from './image.ts';
import { json } from './json.ts';
import { office } from './office.ts';
import { type AnyParser, EVIDENCE, type ParseContext, type ParseResult } from './parser.ts';
import { pdf } from './pdf.ts';
import type { ReceivedFile } from './received-file.ts';
import { text } from './text.ts';

/**
 * All parsers. Of those with the strongest evidence for a file, the first one takes it: special types come
 * before general ones.
 */
export const PARSERS = [pdf, image, office, feed, html, json, text] as const;

/** Finds the parser of a file; `undefined` if no parser takes it. */
export function findParser(file: ReceivedFile): AnyParser | undefined {
  const all: readonly AnyParser[] = PARSERS;
  const candidates = all.map((parser) => ({ parser, evidence: parser.detect(file) }));
  for (const strongest of EVIDENCE) {
    const found = candidates.find(({ evidence }) => evidence === strongest);
    if (found) return found.parser;
  }
  return undefined;
}

/**
 * Parses a file.
 * @param context.parsers the parsers that the request allows, each with its options
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` for a file that nothing can convert
 */
export function parseFile(
  file: ReceivedFile,
  { parsers, ...context }: Omit<ParseContext<unknown>, 'options'> & { parsers: readonly { type: string }[] },
): ParseResult {
  const parser = findParser(file);
  if (!parser) throw file.unsupportedError();
  const options = parsers.find(({ type }) => type === parser.type);
  return parser.parse(file, { options, ...context });
}
