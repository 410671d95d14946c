import { parseFile } from '../parsers/index.ts';
import type { ParsedFile } from '../parsers/parser.ts';
import { ReceivedFile } from '../parsers/received-file.ts';
import type { PageRequest } from './engine.ts';

/**
 * Converts the body of a response to the content of a snapshot. Both engines use this function.
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` for a file that nothing can convert; the reason of the
 *   signal
 */
export async function readBody(
  response: { url: string; contentType: string; body: Uint8Array },
  { wantsBody, parsers }: Pick<PageRequest, 'wantsBody' | 'parsers'>,
  signal: AbortSignal,
): Promise<ParsedFile> {
  const file = new ReceivedFile(response);
  return wantsBody ? file.toBase64() : parseFile(file, { parsers, signal });
}
