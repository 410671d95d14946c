import { z } from 'zod';
import { excerpt, ServiceError } from '../../../errors.ts';
import { fieldsOf } from '../../../json/json-object.ts';
import { document } from '../../../schemas/document.ts';
import { parseOptions } from '../../../schemas/parse.ts';
import { validate } from '../../validation/validate.ts';
import { defineTool } from '../tool.ts';
import { memberOf, resultOf } from './responses.ts';
import { contentParameters, toScrapeOptions } from './scrape-parameters.ts';

/** Reads a file of the client's machine. */
export const parse = defineTool({
  name: 'firecrawl_parse',
  title: 'Read a file',
  description:
    'Reads a file (PDF, Word, Excel, PowerPoint, OpenDocument, RTF, e-book, mail, HTML) and returns its content, as markdown or in the given formats. Call it with filePath. The result is the content; or, where the server cannot read your files, it has a command that uploads the file from the machine that has it: run that, and call the tool again with the uploadRef. For a file at a URL use firecrawl_scrape.',
  input: z.looseObject({
    filePath: z.string().optional().describe('path of the file on your machine'),
    uploadRef: z.string().optional().describe('from the first call, once the file has been uploaded'),
    contentType: z.string().optional().describe('media type of the file; by its name if absent'),
    declaredSizeBytes: z.int().optional().describe('size of the file, if it is known'),
    ...contentParameters,
  }),
  output: document
    .partial()
    .extend({ upload: z.looseObject({ command: z.string(), uploadRef: z.string() }).optional() }),
  hints: {},
  readAgain: (document, { zeroDataRetention }) =>
    zeroDataRetention
      ? undefined
      : resultOf('/v2/scrape', fieldsOf(document.metadata).scrapeId, { member: 'data' }),
  async run({ filePath, uploadRef, contentType, declaredSizeBytes, ...given }, { call, parseFile }) {
    if ((filePath === undefined) === (uploadRef === undefined)) throw needsFile(given);
    const options = toScrapeOptions(given);
    if (uploadRef !== undefined)
      return memberOf(
        await call({ method: 'post', path: '/v2/parse', body: { uploadRef, ...options } }),
        'data',
      );
    if (filePath !== undefined && parseFile)
      return memberOf(await parseFile({ path: filePath, contentType, options }), 'data');
    // A wrong option would be told only after the upload otherwise.
    validate(parseOptions, options, 'body');
    const body = { filename: filePath, contentType, declaredSizeBytes };
    const upload = memberOf(await call({ method: 'post', path: '/v2/parse/upload-url', body }), 'data');
    const command = `curl -X PUT --upload-file ${inShell(filePath ?? '')} ${inShell(String(upload.uploadUrl))}`;
    return { upload: { ...upload, command } };
  },
});

/** The error for arguments that name no file, or two. */
function needsFile({ url, ...others }: Record<string, unknown>): ServiceError {
  const path = others.path ?? others.file ?? others.fileName ?? others.filename;
  const advice =
    typeof url === 'string'
      ? ' A file at a URL is read by firecrawl_scrape.'
      : typeof path === 'string'
        ? ` Write ${JSON.stringify({ filePath: excerpt(path) })}.`
        : '';
  return new ServiceError('BAD_REQUEST', `Either filePath or uploadRef is needed, and not both.${advice}`);
}

/** Quotes a word for a POSIX shell. */
const inShell = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
