import type { ReceivedFile } from '../../content/parsers/received-file.ts';
import { ACCEPTED_FILES, acceptUpload, documentMediaType } from '../../content/parsers/upload-types.ts';
import { ServiceError } from '../../errors.ts';
import type { UploadedFile } from '../../schemas/scrape.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { findUpload } from '../../storage/db/uploads.ts';
import { decryptUpload } from '../../system/encryption/upload-cipher.ts';
import type { EngineResult, PageRequest } from './engine.ts';
import { readBody } from './read-body.ts';

/** Options of the engine. */
export interface UploadEngineOptions {
  db: Database;
  /** Storage of the uploaded files. */
  uploads: Blobs;
  /** Decrypts the files. */
  secretKey: string;
}

/** Reads uploaded files as if they were pages. */
export interface UploadEngine {
  /**
   * @throws ServiceError `UNSUPPORTED_FILE_TYPE`; `NOT_FOUND` if the file has been deleted
   */
  readUpload(upload: UploadedFile, request: PageRequest, signal: AbortSignal): Promise<EngineResult>;
}

/** Creates the engine for uploaded files. */
export function createUploadEngine(options: UploadEngineOptions): UploadEngine {
  return {
    async readUpload(upload, request, signal) {
      const { url, sourceUrl } = request;
      const body = await loadUpload(upload, options);
      signal.throwIfAborted();
      const file = acceptUpload({ ...upload, url, body });
      if (!file) throw unsupportedType(upload);
      const content = readFile(upload, file, request);
      const type = content.unconverted?.task.type;
      const contentType = type ? documentMediaType(type, file) : file.contentType;
      return {
        sourceUrl,
        url,
        contentType,
        ...content,
        statusCode: 200,
        engine: 'upload',
        proxy: 'basic',
        files: {},
        fetchedAt: Date.now(),
      };
    },
  };
}

function readFile(upload: UploadedFile, file: ReceivedFile, request: PageRequest) {
  try {
    return readBody(file, request);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'SCRAPE_UNSUPPORTED_FILE_ERROR') throw error;
    // The type is accepted, so only an option of the request can be the reason.
    const reason = error.message.replace(file.url, upload.name);
    throw new ServiceError('UNSUPPORTED_FILE_TYPE', reason, { cause: error });
  }
}

async function loadUpload(
  { id, name }: UploadedFile,
  { db, uploads, secretKey }: UploadEngineOptions,
): Promise<Buffer> {
  const stored = await findUpload(db, id);
  if (!stored) throw new ServiceError('NOT_FOUND', `${name} has been deleted. Upload it again.`);
  const { blob, wrappedKey } = stored;
  return decryptUpload({ id, wrappedKey, ciphertext: await uploads.get(blob) }, secretKey);
}

function unsupportedType({ name }: UploadedFile, cause?: unknown): ServiceError {
  return new ServiceError(
    'UNSUPPORTED_FILE_TYPE',
    `${name} is not of a type that can be parsed. ${ACCEPTED_FILES} Upload it in one of them.`,
    { cause },
  );
}
