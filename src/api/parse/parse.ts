import {
  ACCEPTED_FILES,
  listUploadFormats,
  mayAcceptUpload,
  typeAgainstDeclared,
} from '../../content/parsers/upload-types.ts';
import { uploadUrl } from '../../content/upload-url.ts';
import { errorsRaisedBy, excerpt, quote, ServiceError } from '../../errors.ts';
import {
  MAX_UPLOAD_BYTES,
  parseBody,
  parseFormatsResponse,
  parseOptions,
  uploadUrlBody,
  uploadUrlResponse,
} from '../../schemas/parse.ts';
import { scrapeResponse, type UploadedFile } from '../../schemas/scrape.ts';
import { type EncryptedFile, tooLarge } from '../http/encrypted-file.ts';
import { type ApiDeps, defineRoute } from '../http/route.ts';
import { runScrape } from '../run-scrape.ts';
import type { JobFile } from '../synchronous-job.ts';
import { requiresEncryption } from '../zero-data-retention.ts';
import { grantUpload, signGrant, signReference, verifyReference } from './upload-tokens.ts';
import { UPLOAD_PATH } from './uploads.ts';

const create = defineRoute({
  method: 'post',
  path: '/v2/parse',
  tag: 'Parse',
  summary: 'Convert an uploaded file',
  body: parseBody,
  fileOptions: parseOptions,
  response: scrapeResponse,
  errors: [
    'PARSE_UNSUPPORTED_OPTIONS',
    'NOT_FOUND',
    ...errorsRaisedBy('start', 'options', 'upload', 'fetch', 'scrape'),
  ],
  minCredits: 1,
  mayJoinScrape: true,
  async handler({ caller, body, file, baseUrl, signal }, deps) {
    const { uploadRef, ...options } = body;
    const isEncrypted = requiresEncryption(options, caller);
    const parsed = file ? describeFile(file) : findFile(uploadRef ?? '', caller.teamId, deps);
    const { upload } = parsed;
    const request = { ...options, url: uploadUrl(upload.name), upload };
    return runScrape({ caller, request, signal, isEncrypted, file: parsed.file, baseUrl }, deps);
  },
});

/** The file of a job, and what its request says of it. */
interface ParsedFile {
  upload: UploadedFile;
  file: JobFile;
}

/** Describes the file of a multipart request. It is stored together with its job. */
function describeFile(file: EncryptedFile): ParsedFile {
  const { id, name, contentType, size, digest } = file;
  if (size === 0) throw new ServiceError('BAD_REQUEST', `The file ${name} is empty.`);
  return { upload: { id, name, contentType, digest }, file: { sent: file } };
}

/**
 * Finds the file of an `uploadRef`.
 * @throws ServiceError `NOT_FOUND` for the reference of another team, or none
 */
function findFile(uploadRef: string, teamId: string, { config }: ApiDeps): ParsedFile {
  const { id, name, contentType } = verifyReference(uploadRef, teamId, config.secretKey);
  return { upload: { id, name, contentType }, file: { uploadedId: id } };
}

const createUploadUrl = defineRoute({
  method: 'post',
  path: '/v2/parse/upload-url',
  tag: 'Parse',
  summary: 'Get a URL to upload a file to, which is then parsed by its uploadRef',
  body: uploadUrlBody,
  response: uploadUrlResponse,
  errors: ['UNSUPPORTED_FILE_TYPE'],
  minCredits: 1,
  async handler({ caller: { teamId }, body, baseUrl }, { config }) {
    const { filename, contentType = '', declaredSizeBytes = 0 } = body;
    if (declaredSizeBytes > MAX_UPLOAD_BYTES) throw tooLarge();
    const grant = grantUpload(teamId);
    const file = { ...grant, name: baseName(filename), contentType };
    requireParsable(file);
    const warning = warnOfTypes(file);
    return {
      success: true,
      data: {
        uploadUrl: `${baseUrl}${UPLOAD_PATH}/${signGrant(grant, config.secretKey)}`,
        uploadRef: signReference(file, config.secretKey),
        method: 'PUT' as const,
        expiresAt: grant.expiresAt.toISOString(),
        maxSizeBytes: MAX_UPLOAD_BYTES,
        ...(warning !== undefined && { warning }),
      },
    };
  },
});

/** The last segment of a path of any system. @throws ServiceError `BAD_REQUEST` if there is none */
function baseName(filename: string): string {
  const name = filename.split(/[\\/]/).at(-1) ?? '';
  if (/[^.\s]/.test(name)) return name;
  throw new ServiceError('BAD_REQUEST', `filename is not the name of a file: ${quote(filename)}.`);
}

/** @throws ServiceError `UNSUPPORTED_FILE_TYPE` before the upload, if it would be thrown after it */
function requireParsable({ name, contentType }: { name: string; contentType: string }): void {
  if (mayAcceptUpload({ name, contentType })) return;
  const declared = contentType && ` (${excerpt(contentType)})`;
  throw new ServiceError(
    'UNSUPPORTED_FILE_TYPE',
    `${excerpt(name)}${declared} is not of a type that can be parsed. ${ACCEPTED_FILES} If it is of one of them, say so by contentType or the ending of filename.`,
  );
}

/** Says that the declared type of a file and its name contradict each other; undefined if they do not. */
function warnOfTypes(file: { name: string; contentType: string }): string | undefined {
  const named = typeAgainstDeclared(file);
  return named === undefined
    ? undefined
    : `contentType is ${excerpt(file.contentType)}, but the name ${excerpt(file.name)} says ${named}. The bytes of the file decide: leave contentType out, or correct the name.`;
}

const listFormats = defineRoute({
  method: 'get',
  path: '/v2/parse/formats',
  tag: 'Parse',
  summary: 'List the types of files that can be parsed',
  response: parseFormatsResponse,
  errors: [],
  rateLimited: false,
  async handler() {
    const formats = listUploadFormats().map((format) => ({ ...format, available: true }));
    return { success: true as const, data: { formats } };
  },
});

/** The routes of uploaded files. */
export const parseRoutes = [create, createUploadUrl, listFormats];
