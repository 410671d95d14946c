import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { uploadNotFound } from '../../storage/db/uploads.ts';
import { deriveKey } from '../../system/encryption/cipher.ts';
import { readSignedToken, signToken } from '../../system/encryption/signed-token.ts';

/** How long an upload URL works and its file waits to be parsed, in milliseconds. */
const LIFETIME_MS = 3_600_000;

/** A file that a team may upload. */
export interface UploadGrant {
  id: string;
  teamId: string;
  expiresAt: Date;
}

const grantPayload = z.tuple([z.string(), z.string(), z.number()]);
const referencePayload = z.tuple([z.string(), z.string(), z.string(), z.string()]);

/** The two kinds of tokens have different keys, so that neither can be used as the other. */
const urlKey = (secretKey: string) => deriveKey(secretKey, 'upload url');
const referenceKey = (secretKey: string) => deriveKey(secretKey, 'upload reference');

/** Allows a team to upload one file within an hour. */
export const grantUpload = (teamId: string): UploadGrant => ({
  id: uuidv7(),
  teamId,
  expiresAt: new Date(Date.now() + LIFETIME_MS),
});

/**
 * Creates the last segment of an upload URL. It does not have the name of the file, because proxies log URLs.
 */
export const signGrant = ({ id, teamId, expiresAt }: UploadGrant, secretKey: string) =>
  signToken([id, teamId, expiresAt.getTime()], urlKey(secretKey));

/**
 * Verifies the last segment of an upload URL.
 * @throws ServiceError `NOT_FOUND` for a token with a wrong signature or an expired one
 */
export function verifyGrant(token: string, secretKey: string): UploadGrant {
  const payload = readSignedToken(token, urlKey(secretKey));
  if (payload === undefined) {
    throw new ServiceError(
      'NOT_FOUND',
      'This is not an upload URL. Use the URL from the response of POST /v2/parse/upload-url, unchanged.',
    );
  }
  const [id, teamId, expiresAt] = grantPayload.parse(payload);
  if (expiresAt < Date.now()) {
    throw new ServiceError(
      'NOT_FOUND',
      'This upload URL has expired: it works for one hour. Request another one.',
    );
  }
  return { id, teamId, expiresAt: new Date(expiresAt) };
}

/** The file that an `uploadRef` refers to. */
interface ReferencedFile {
  id: string;
  teamId: string;
  name: string;
  contentType: string;
}

/** Creates the `uploadRef` of a file. */
export const signReference = ({ id, teamId, name, contentType }: ReferencedFile, secretKey: string) =>
  signToken([id, teamId, name, contentType], referenceKey(secretKey));

/** Verifies an `uploadRef`. @throws ServiceError `NOT_FOUND` unless the team was given it */
export function verifyReference(reference: string, teamId: string, secretKey: string): ReferencedFile {
  const payload = readSignedToken(reference, referenceKey(secretKey));
  if (payload === undefined) throw uploadNotFound();
  const [id, owner, name, contentType] = referencePayload.parse(payload);
  if (owner !== teamId) throw uploadNotFound();
  return { id, teamId, name, contentType };
}
