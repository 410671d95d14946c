import type { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { FILE_MISSING, fileUploadResponse } from '../../schemas/session.ts';
import type { StoredSession } from '../../storage/db/sessions.ts';
import type { EncryptedFile } from '../http/encrypted-file.ts';
import type { ApiDeps } from '../http/route.ts';
import { callHost, readHostResponse } from './host-client.ts';

/** How long the host of a session may take to store a file, in milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * Stores a file in a session, by the host that runs its browser.
 * @param file undefined if the request has none
 * @throws ServiceError `BAD_REQUEST` without a file; as `callHost`; `REQUEST_TOO_LARGE` if the session has
 *   no room for it
 */
export async function uploadFile(
  session: StoredSession,
  file: EncryptedFile | undefined,
  deps: Pick<ApiDeps, 'config' | 'db' | 'temporal'>,
): Promise<z.output<typeof fileUploadResponse>> {
  if (!file) throw new ServiceError('BAD_REQUEST', `${FILE_MISSING}.`);
  try {
    const response = await callHost(
      session,
      {
        method: 'POST',
        resource: `files/${encodeURIComponent(file.name)}`,
        file: { content: file.decrypt(deps.config.secretKey), size: file.size },
        timeoutMs: TIMEOUT_MS,
      },
      deps,
    );
    const stored = fieldsOf(JSON.parse(await readHostResponse(response)));
    return fileUploadResponse.parse({ success: true, path: `/downloads/${stored.name}`, ...stored });
  } finally {
    file.discard();
  }
}
