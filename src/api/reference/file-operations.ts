import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { EXPORT_FORMATS } from '../../jobs/export/index.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { exportQuery } from '../../schemas/page-job.ts';
import { replayQuery } from '../../schemas/replay.ts';
import { fileUploadOptions, fileUploadResponse } from '../../schemas/session.ts';
import { FILE_ENDPOINTS, type FileEndpoint } from '../http/file-endpoints.ts';
import { errorCodesOf } from '../http/route-error-codes.ts';
import { HEADERS } from './headers.ts';
import { multipartBody, operationIdOf, templateOf } from './operations.ts';
import { bytes, describeErrors, json } from './responses.ts';

const FILE_HEADERS = {
  ETag: HEADERS.ETag,
  'Accept-Ranges': HEADERS['Accept-Ranges'],
  'Content-Length': HEADERS['Content-Length'],
};
const secretParams = jobIdParams.extend({
  secret: z.string().describe('the last part of the path of `cdpUrl`'),
});

const mailParams = z.object({
  token: z.string().describe('signed token, the last part of the URL in the mail'),
});

const describeFormats = () =>
  Object.entries(EXPORT_FORMATS)
    .map(([name, { summary }]) => `- \`${name}\`: ${summary}`)
    .join('\n');

/** What the reference says of an endpoint besides its method, path and errors. */
type Description = Omit<ZodOpenApiOperationObject, 'operationId' | 'responses'> & {
  success: ZodOpenApiOperationObject['responses'];
};

const DESCRIPTIONS: Record<keyof typeof FILE_ENDPOINTS, Description> = {
  download: {
    tags: ['Files'],
    summary: 'Download a file of a result by its URL',
    requestParams: {
      path: z.object({ token: z.string().describe('signed token, the last part of the URL in the result') }),
      header: z.object({
        Range: z.string().optional().describe('requested byte range, such as `bytes=0-99`'),
        'If-None-Match': z.string().optional().describe('ETag of the copy that the client has'),
      }),
    },
    success: {
      200: { description: 'The file', headers: z.object(FILE_HEADERS), content: bytes() },
      206: {
        description: 'The byte range that the header Range requests',
        headers: z.object({ ...FILE_HEADERS, 'Content-Range': HEADERS['Content-Range'] }),
        content: bytes(),
      },
      304: {
        description: 'The client already has the file: If-None-Match contains its ETag',
        headers: z.object({ ETag: HEADERS.ETag }),
      },
    },
  },
  upload: {
    tags: ['Parse'],
    summary: 'Upload a file that is to be parsed',
    requestParams: {
      path: z.object({ token: z.string().describe('signed token, the last part of the upload URL') }),
    },
    requestBody: { required: true, content: bytes() },
    success: {
      200: {
        description: 'The file was stored. Until it is parsed, another upload replaces it.',
        content: json(z.object({ success: z.literal(true) })),
      },
    },
  },
  subscriptionPage: {
    tags: ['Monitors'],
    summary: 'Show a recipient of mails the page to confirm or unsubscribe',
    requestParams: { path: mailParams },
    success: { 200: { description: 'The page', content: bytes('text/html') } },
  },
  subscription: {
    tags: ['Monitors'],
    summary: 'Confirm or unsubscribe as the recipient of mails',
    requestParams: { path: mailParams },
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': {
          schema: z.object({ 'List-Unsubscribe': z.literal('One-Click').optional() }),
        },
      },
    },
    success: { 200: { description: 'A page that says it was done', content: bytes('text/html') } },
  },
  monitorFeed: {
    tags: ['Monitors'],
    summary: 'Read the news of a monitor as a feed (Atom)',
    requestParams: {
      path: z.object({ token: z.string().describe('signed token, the last part of `feedUrl`') }),
      header: z.object({
        'If-None-Match': z.string().optional().describe('ETag of the copy that the client has'),
      }),
    },
    success: {
      200: {
        description: 'The feed, newest first',
        headers: z.object({ ETag: HEADERS.ETag }),
        content: bytes('application/atom+xml'),
      },
      304: {
        description: 'The client already has it: If-None-Match contains its ETag',
        headers: z.object({ ETag: HEADERS.ETag }),
      },
    },
  },
  export: {
    tags: ['Export'],
    summary: 'Export the documents of a batch or crawl as a file, also while it runs',
    requestParams: { path: jobIdParams, query: exportQuery },
    success: {
      200: {
        description: `The documents that there are, in the order of completion:\n\n${describeFormats()}`,
        headers: z.object({ 'Content-Disposition': HEADERS['Content-Disposition'] }),
        content: Object.assign({}, ...Object.values(EXPORT_FORMATS).map(({ mediaType }) => bytes(mediaType))),
      },
    },
  },
  sessionDownload: {
    tags: ['Browser'],
    summary: 'Download a file that the browser or the code of a session has stored',
    requestParams: {
      path: jobIdParams.extend({ name: z.string().describe('a name from the list of files') }),
    },
    success: {
      200: {
        description: 'The file',
        headers: z.object({
          'Content-Length': HEADERS['Content-Length'],
          'Content-Disposition': HEADERS['Content-Disposition'],
        }),
        content: bytes('application/octet-stream'),
      },
    },
  },
  sessionReplay: {
    tags: ['Browser'],
    summary: 'Read the recording of a browser session, also while it runs',
    requestParams: { path: jobIdParams, query: replayQuery },
    success: {
      200: {
        description:
          'JSON objects, one on each line. `t` is the time since the start in milliseconds, and `type` is `frame` (`data` is a JPEG image in base64), `pointer`, `input`, `navigation`, `console`, `requestfailed` or `download`. Nothing that was typed is in it.',
        content: bytes('application/x-ndjson'),
      },
    },
  },
  sessionUpload: {
    tags: ['Browser'],
    summary: 'Upload a file to a browser session by its secret URL, without a key',
    requestParams: { path: secretParams },
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema: multipartBody(fileUploadOptions) } },
    },
    success: { 200: { description: 'OK', content: json(fileUploadResponse) } },
  },
};

/**
 * Describes the endpoints of files, which are not among the routes because they have no JSON or no API key.
 */
export function describeFileEndpoints(): ZodOpenApiPathsObject {
  // The keys of an object literal are those of its type.
  const names = Object.keys(FILE_ENDPOINTS) as (keyof typeof FILE_ENDPOINTS)[];
  const entries = names.flatMap((name) => {
    const endpoint: FileEndpoint = FILE_ENDPOINTS[name];
    return endpoint.paths.map(
      (path) =>
        [templateOf(path), { [endpoint.method]: describe(endpoint, path, DESCRIPTIONS[name]) }] as const,
    );
  });
  const paths: ZodOpenApiPathsObject = {};
  for (const [path, item] of entries) paths[path] = { ...paths[path], ...item };
  return paths;
}

function describe(endpoint: FileEndpoint, path: string, { success, ...rest }: Description) {
  return {
    operationId: operationIdOf(endpoint.method, path),
    ...rest,
    ...(endpoint.needsKey === false && { security: [] }),
    responses: { ...success, ...describeErrors(errorCodesOf(endpoint)) },
  };
}
