import { parseFile } from '../../content/parsers/index.ts';
import { type FileResponse, ReceivedFile } from '../../content/parsers/received-file.ts';
import type { EngineResult, PageRequest } from './engine.ts';

/**
 * Converts the body of a response to the content of a snapshot. All engines use this function. A document
 * stays unconverted.
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` for a file that nothing can convert
 */
export function readBody(
  response: FileResponse,
  { wantsBody, wantsImages, parsers }: Pick<PageRequest, 'wantsBody' | 'wantsImages' | 'parsers'>,
): Pick<EngineResult, 'kind' | 'text' | 'unconverted'> {
  const file = new ReceivedFile(response);
  if (wantsBody) return file.toBase64();
  const parsed = parseFile(file, { parsers, wantsImages });
  return 'text' in parsed ? parsed : { kind: 'html', text: '', unconverted: parsed };
}
