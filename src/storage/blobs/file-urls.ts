import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { readSignedToken, signToken } from '../../system/encryption/signed-token.ts';

/** Path under which stored files are served, below the base of URLs in responses. */
export const FILES_PATH = '/v2/files';

const HOUR_MS = 3_600_000;
/** Audio and video files are large and seldom downloaded twice, so their URLs expire sooner. */
const lifetimeOf = (mediaType: string) => (/^(?:audio|video)\//.test(mediaType) ? HOUR_MS : 24 * HOUR_MS);

const fileFields = [z.string(), z.number(), z.string(), z.number()] as const;
const tokenPayload = z.union([z.tuple([...fileFields]), z.tuple([...fileFields, z.literal('monitors')])]);
const blobReference = /^blob:([0-9a-f]{64});(\d+);(.+)$/;
/** File references in a document's JSON. */
const REFERENCES = /blob:[0-9a-f]{64};\d+;[\w.+-]+\/[\w.+-]+/g;
/** Those that are a whole string. */
const WHOLE_REFERENCES = new RegExp(`"(${REFERENCES.source})"`, 'g');
/** Those whose first letter is not a part of an escape sequence of JSON. */
const UNESCAPED_REFERENCES = new RegExp(`(?<!\\\\)${REFERENCES.source}`, 'g');

/** A stored file. */
export interface StoredFile {
  /** Key of its blob. */
  key: string;
  /** Size in bytes. */
  size: number;
  mediaType: string;
  /** The space that it is in, if that is not the one of results. */
  space?: 'monitors';
}

/** Formats the reference by which a document refers to a stored file. */
export const formatFileReference = ({ key, size, mediaType }: Omit<StoredFile, 'space'>) =>
  `blob:${key};${size};${mediaType}`;

/** Parses a file reference. @returns `undefined` for any other text */
export function parseFileReference(reference: string): StoredFile | undefined {
  const [, key, size, mediaType] = blobReference.exec(reference) ?? [];
  return key && mediaType ? { key, size: Number(size), mediaType } : undefined;
}

/**
 * Creates the URL of a stored file. It works without an API key for at least 24 hours, or one hour for audio
 * and video. The expiry is rounded up to the next multiple of that time, so that a file which is returned
 * again, such as a cached screenshot, keeps its URL and clients can tell that it is the same.
 * @param reference as {@link formatFileReference} returns it; any other text is returned unchanged
 * @param space the space that the file is in, if that is not the one of results
 */
export function createFileUrl(
  reference: string,
  baseUrl: string,
  secretKey: string,
  space?: StoredFile['space'],
): string {
  const file = parseFileReference(reference);
  if (!file) return reference;
  const { key, size, mediaType } = file;
  const lifetimeMs = lifetimeOf(mediaType);
  const expiresAt = Math.ceil(Date.now() / lifetimeMs + 1) * lifetimeMs;
  const payload = [key, size, mediaType, expiresAt, ...(space ? [space] : [])];
  return `${baseUrl}${FILES_PATH}/${signToken(payload, secretKey)}`;
}

/**
 * Escapes all text in a document's JSON that looks like a file reference but is none, so that
 * {@link withFileUrls} does not make URLs of it. A page may have any text, which formats such as `attributes`
 * return as it is.
 * @param references the references of the document's own files
 * @returns JSON with the same values
 */
export function escapeOtherReferences(json: string, references: Iterable<string>): string {
  const own = new Set(references);
  return json.replace(REFERENCES, (text) => (own.has(text) ? text : text.replace(':', '\\u003a')));
}

/**
 * Replaces the file references in a document's JSON with URLs. A reference that is a whole string is replaced
 * wherever else it occurs, too, such as in the markdown of a document with images.
 * @param json as {@link escapeOtherReferences} returns it
 */
export function withFileUrls(json: string, baseUrl: string, secretKey: string): string {
  const urls = new Map<string, string>();
  for (const [, reference] of json.matchAll(WHOLE_REFERENCES)) {
    if (!urls.has(reference!)) urls.set(reference!, createFileUrl(reference!, baseUrl, secretKey));
  }
  return urls.size === 0
    ? json
    : json.replace(UNESCAPED_REFERENCES, (reference) => urls.get(reference) ?? reference);
}

/**
 * Verifies the last path segment of a file's URL and returns the file.
 * @throws ServiceError `NOT_FOUND` for a token with a wrong signature or an expired one
 */
export function verifyFileToken(token: string, secretKey: string): StoredFile {
  const payload = readSignedToken(token, secretKey);
  if (payload === undefined) {
    throw new ServiceError(
      'NOT_FOUND',
      'This is not the URL of a file. Use the URL from the response, unchanged.',
    );
  }
  const [key, size, mediaType, expiresAt, space] = tokenPayload.parse(payload);
  if (expiresAt < Date.now()) {
    throw new ServiceError(
      'NOT_FOUND',
      `This URL has expired: the URL of such a file works for at least ${lifetimeOf(mediaType) / HOUR_MS} hours. Read the result again for a new URL, or scrape the page again.`,
    );
  }
  return { key, size, mediaType, ...(space && { space }) };
}
