import type { Express, Request, Response } from 'express';
import { ServiceError } from '../../errors.ts';
import { MAX_UPLOAD_BYTES } from '../../schemas/parse.ts';
import { findRateLimit } from '../../storage/db/teams/teams.ts';
import { requireUploadRoom } from '../../storage/db/upload-quota.ts';
import { insertUpload } from '../../storage/db/uploads.ts';
import type { ByteBudget } from '../http/byte-budget.ts';
import { EncryptedFile, tooLarge } from '../http/encrypted-file.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { ApiDeps } from '../http/route.ts';
import { requireSpeed } from '../http/upload-speed.ts';
import { verifyGrant } from './upload-tokens.ts';

/** Path under which files are uploaded, below the base of URLs in responses. */
export const UPLOAD_PATH = '/v2/parse/upload';

/**
 * Accepts files under signed upload URLs, which need no API key. They count towards a limit per minute of the
 * team that requested the URL.
 */
export function mountUploads(
  app: Express,
  deps: ApiDeps,
  { budget, rateLimit }: { budget: ByteBudget; rateLimit: RateLimit },
): void {
  app.put(`${UPLOAD_PATH}/:token`, async (request, response) => {
    const { config, db, uploads, storage } = deps;
    const { id, teamId, expiresAt } = verifyGrant(request.params.token, config.secretKey);
    await rateLimit({ teamId, rateLimitPerMinute: await requireTeam(deps, teamId) }, 'upload');
    await storage.requireSpace();
    const file = await receive({ id, teamId }, { request, response }, { deps, budget });
    if (file.size === 0)
      throw new ServiceError('BAD_REQUEST', 'The file is empty. Send its bytes as the body.');
    const { size, wrappedKey } = file;
    const blob = await file.store(uploads);
    try {
      const replaced = await insertUpload(db, { id, teamId, blob, wrappedKey, size, expiresAt });
      if (replaced) await uploads.remove(replaced);
    } catch (error) {
      await uploads.remove(blob);
      throw error;
    }
    response.json({ success: true });
  });
}

/** @returns how many requests the team may make in a minute. @throws ServiceError `NOT_FOUND` without a team */
async function requireTeam({ db }: ApiDeps, teamId: string): Promise<number> {
  const rateLimitPerMinute = await findRateLimit(db, teamId);
  if (rateLimitPerMinute !== undefined) return rateLimitPerMinute;
  throw new ServiceError(
    'NOT_FOUND',
    'The team of this upload URL does not exist any more. Request a URL with another key.',
  );
}

async function receive(
  { id, teamId }: { id: string; teamId: string },
  { request, response }: { request: Request; response: Response },
  { deps: { config, db }, budget }: { deps: ApiDeps; budget: ByteBudget },
): Promise<EncryptedFile> {
  const length = Number(request.get('content-length') ?? MAX_UPLOAD_BYTES);
  if (length > MAX_UPLOAD_BYTES) throw tooLarge();
  await budget.take({ teamId, bytes: length, response });
  // A file of unknown size may exceed the quota, but no further one.
  const bytes = Number(request.get('content-length') ?? 0);
  await requireUploadRoom(db, { id, teamId, bytes }, config.uploadQuota);
  try {
    // The name and type are in the reference to the upload.
    return await requireSpeed(request.socket, () =>
      EncryptedFile.receive({ id, name: '', contentType: '' }, request, config.secretKey),
    );
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('BAD_REQUEST', 'The upload ended before the file was complete. Send it again.', {
      cause: error,
    });
  }
}
