import { ServiceError } from '../errors.ts';
import { JOB_KINDS, type JobKind } from '../job-kinds.ts';
import { findOwnKind } from '../storage/db/jobs/find-own-kind.ts';
import type { ApiDeps } from './http/route.ts';

/** The kinds whose status is at their path and id. */
const READABLE = ['scrape', 'batch_scrape', 'crawl', 'extract', 'agent', 'browser', 'interact'] as const;

/**
 * The error for an id that is not one of the kind which a path serves. If it is of another job of the team,
 * the message says of which kind, and under which path it is.
 * @param wanted.message what is missing, as a whole message
 * @param wanted.kind the kind that the path serves, whose own id is never told to be that of another path
 */
export async function jobNotFound(
  { db }: Pick<ApiDeps, 'db'>,
  { id, teamId, message, kind: served }: { id: string; teamId: string; message: string; kind?: JobKind },
): Promise<ServiceError> {
  const own = await findOwnKind(db, id, teamId);
  const kind = READABLE.find((each) => each === own && each !== served);
  if (!kind) return new ServiceError('NOT_FOUND', message);
  const { noun, path } = JOB_KINDS[kind];
  return new ServiceError('NOT_FOUND', `${message} The id is that of a ${noun}: use ${path}/${id}.`);
}
