import type { RequestHandler } from 'express';
import multer from 'multer';
import { excerpt, messageOf, quote, ServiceError } from '../../errors.ts';
import { fileName, MAX_UPLOAD_BYTES } from '../../schemas/parse.ts';
import type { ByteBudget } from './byte-budget.ts';
import { EncryptedFile, tooLarge } from './encrypted-file.ts';
import { requireBounds } from './json-body.ts';
import { describeMalformedJson } from './malformed-json.ts';
import { requireSpeed } from './upload-speed.ts';
import { validateText } from './validate-text.ts';

const MB = 1024 * 1024;
/** The options may be as large as a JSON body. */
const MAX_OPTIONS_BYTES = 10 * MB;
/** Space for boundaries and headers of the parts. */
const MAX_OVERHEAD_BYTES = 64 * 1024;
/** The options, and a few that the error names. Each may be as large as the options. */
const MAX_FIELDS = 5;

const badRequest = (message: string, cause?: unknown) => new ServiceError('BAD_REQUEST', message, { cause });

/** The dependencies of the parser. */
interface MultipartDeps {
  secretKey: string;
  /** The memory for files that are being received. */
  budget: ByteBudget;
  /** Parses any other body. */
  parseJson: RequestHandler;
}

/**
 * Creates the middleware for routes that accept a file. A multipart body (RFC 7578) becomes
 * `response.locals.file`, and its part `options` the body of the request. Any other body is parsed as JSON.
 */
export function createMultipartParser({ secretKey, budget, parseJson }: MultipartDeps): RequestHandler {
  const receive = multer({
    storage: encryptingStorage(secretKey),
    // Names are in UTF-8, although the parameter has no charset.
    defParamCharset: 'utf8',
    limits: {
      fileSize: MAX_UPLOAD_BYTES,
      files: 1,
      fieldSize: MAX_OPTIONS_BYTES,
      fields: MAX_FIELDS,
      fieldNestingDepth: 0,
    },
  }).single('file');
  return async (request, response, next) => {
    if (!/^\s*multipart\//i.test(request.get('content-type') ?? ''))
      return parseJson(request, response, next);
    const length = Number(request.get('content-length') ?? MAX_UPLOAD_BYTES);
    if (length > MAX_UPLOAD_BYTES + MAX_OPTIONS_BYTES + MAX_OVERHEAD_BYTES) throw tooLarge();
    const { teamId } = response.locals.caller;
    const release = await budget.take({ teamId, bytes: Math.min(length, MAX_UPLOAD_BYTES), response });
    await requireSpeed(
      request.socket,
      () =>
        new Promise<void>((resolve, reject) => {
          receive(request, response, (error) => (error ? reject(translate(error)) : resolve()));
        }),
    );
    const { options, unknown } = splitFields(request.body);
    const file: (Express.Multer.File & { encrypted?: EncryptedFile }) | undefined = request.file;
    if (!file?.encrypted) {
      throw badRequest(
        unknown.includes('file')
          ? 'The part `file` came as text, without the name of a file. Send the file itself in it, with its name in the parameter filename; curl does so with an @ before the path: -F file=@report.pdf.'
          : 'The part `file` is missing. Send the file in it, with its name in the parameter filename; with curl: -F file=@report.pdf.',
      );
    }
    if (unknown.length) {
      throw badRequest(
        `Unrecognized key in body -- ${excerpt(unknown.join(', '))}. Send the options as JSON in \`options\`, such as options={"formats":["markdown"]}.`,
      );
    }
    checkFileName(file.encrypted.name);
    file.encrypted.onFreed(release);
    response.locals.file = file.encrypted;
    request.body = parseOptions(options);
    // Only the handler needs the file from now on.
    delete request.file;
    next();
  };
}

/** @throws ServiceError `BAD_REQUEST` for the name of a file that is too long or cannot be stored */
function checkFileName(name: string): void {
  const { error } = fileName.safeParse(name);
  if (error) throw badRequest(`The file name is not valid: ${error.issues[0]?.message}.`, error);
  validateText(name);
}

/** Storage of multer that encrypts a file in memory. */
const encryptingStorage = (secretKey: string): multer.StorageEngine => ({
  _handleFile(_request, { originalname: name, mimetype: contentType, stream }, done) {
    EncryptedFile.receive({ name, contentType }, stream, secretKey).then(
      // multer copies the members of this object to the file.
      (encrypted) => done(null, { encrypted } as Partial<Express.Multer.File>),
      (error) => done(error),
    );
  },
  _removeFile: (_request, _file, done) => done(null),
});

/** Separates the part `options` from other parts that are not files. */
function splitFields(body: unknown): { options: unknown; unknown: string[] } {
  // multer makes an object of the fields.
  const { options, ...others } = body as Record<string, unknown>;
  return { options, unknown: Object.keys(others) };
}

function parseOptions(options: unknown): unknown {
  if (options === undefined) return {};
  if (typeof options !== 'string') {
    throw badRequest('`options` must be one part with a JSON object, not several parts.');
  }
  requireBounds(Buffer.from(options));
  let parsed: unknown;
  try {
    parsed = JSON.parse(options);
  } catch (error) {
    const reason = error instanceof Error ? describeMalformedJson(options, error) : messageOf(error);
    throw badRequest(
      `\`options\` is not valid JSON: ${reason}. Send an object such as options={"formats":["markdown"]}.`,
      error,
    );
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw badRequest('`options` must be a JSON object.');
  }
  return parsed;
}

/** Whether a file came in a part of another name than `file`. */
const isMisnamed = (error: Error): error is multer.MulterError & { field: string } =>
  error instanceof multer.MulterError && error.field !== undefined && error.field !== 'file';

/** Translates an error of multer, which has a code, or of its parser, which has none. */
function translate(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  // The types of multer do not have all of its codes.
  const code: string | undefined = error instanceof multer.MulterError ? error.code : undefined;
  switch (code) {
    case 'LIMIT_FILE_SIZE':
      return tooLarge();
    case 'LIMIT_FIELD_VALUE':
      return new ServiceError('REQUEST_TOO_LARGE', '`options` is larger than 10 MB.', { cause: error });
    case 'LIMIT_UNEXPECTED_FILE':
    case 'LIMIT_FILE_COUNT':
      return badRequest(
        isMisnamed(error)
          ? `The file came in the part ${quote(error.field)}. Name the part \`file\`.`
          : 'The body must have exactly one file, in the part `file`. Send every file in a request of its own, and the options as a part without a file name.',
        error,
      );
    case undefined:
      if (/boundary/i.test(error.message))
        return badRequest(
          'The Content-Type is multipart/form-data without a boundary, so the parts of the body cannot be found. Leave the header out: the HTTP client sets it with the boundary that it uses.',
          error,
        );
      return badRequest(`The multipart body could not be read: ${error.message.replace(/\.$/, '')}.`, error);
    case 'LIMIT_FIELD_NESTING':
      return badRequest(
        'The options came as fields with brackets in their names. Send them as JSON in one field `options`, such as options={"formats":["markdown"]}.',
        error,
      );
    default:
      return badRequest(`The multipart body was refused: ${error.message}.`, error);
  }
}
