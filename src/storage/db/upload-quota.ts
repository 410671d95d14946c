import { sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { Database } from './client.ts';

/** Bytes of uploaded files that may be stored at once. */
export interface UploadQuota {
  bytes: number;
  bytesOfTeam: number;
}

/** A file that is to be stored. */
interface NewUpload {
  /** The id of the upload, whose earlier file it replaces. */
  id: string;
  teamId: string;
  /** Its size as far as it is known. */
  bytes: number;
}

/** The bytes that each file counts as at least, so that small ones cannot fill the table. */
const MIN_COUNTED_BYTES = 256 * 1024;
/** How often upkeep deletes what has expired, in seconds. */
const UPKEEP_SECONDS = 600;
/** The time after which clients are asked to repeat a request while other teams have taken the space. */
const RETRY_AFTER_SECONDS = 60;

/**
 * Requires room for a file, before it is stored. Files that are sent at the same time may exceed the quota together,
 * by no more than the API keeps in memory.
 * @throws ServiceError `RATE_LIMITED` if the files of the team leave too little room, which says when the first of
 *   them is deleted; `INSUFFICIENT_STORAGE` if those of all teams do
 */
export async function requireUploadRoom(
  db: Database,
  { id, teamId, bytes }: NewUpload,
  quota: UploadQuota,
): Promise<void> {
  const counted = Math.max(bytes, MIN_COUNTED_BYTES);
  const stored = await storedBytes(db, { id, teamId });
  if (stored.ofTeam + counted > quota.bytesOfTeam) {
    const seconds = stored.secondsLeft + UPKEEP_SECONDS;
    const until = new Date(Date.now() + seconds * 1000).toISOString();
    throw new ServiceError(
      'RATE_LIMITED',
      `Your team has ${megabytes(stored.ofTeam)} of uploaded files, each of which counts as 256 KiB at least, and may have ${megabytes(quota.bytesOfTeam)}. Parse them, which deletes them; the oldest is deleted by ${until} in any case.`,
      { retryAfterSeconds: seconds },
    );
  }
  if (stored.ofAll + counted > quota.bytes)
    throw new ServiceError(
      'INSUFFICIENT_STORAGE',
      `The uploaded files of all teams take the ${megabytes(quota.bytes)} that this service has for them. They are deleted when they are parsed, and after an hour. Try again later, or ask its operator to raise WINNOW_MAX_UPLOADS_MB.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
}

/** The bytes of stored uploads other than `id`, and the seconds until the first of the team expires. */
async function storedBytes(db: Database, { id, teamId }: Omit<NewUpload, 'bytes'>) {
  const { rows } = await sql<{ ofAll: number; ofTeam: number; secondsLeft: number }>`
    select
      coalesce(sum(bytes), 0)::float8 as "ofAll",
      coalesce(sum(bytes) filter (where is_own), 0)::float8 as "ofTeam",
      greatest(0, ceil(extract(epoch from min(expires_at) filter (where is_own) - now())))::float8 as "secondsLeft"
    from (
      select greatest(size, ${MIN_COUNTED_BYTES}) as bytes, team_id = ${teamId} as is_own, expires_at
      from uploads where id <> ${id}) as others`.execute(db.query);
  return rows[0] ?? { ofAll: 0, ofTeam: 0, secondsLeft: 0 };
}

const megabytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
