import { ServiceError } from '../errors.ts';
import { JOB_KINDS, type JobKind } from '../job-kinds.ts';
import { findOwnKind } from '../storage/db/jobs/find-own-kind.ts';
import type { ApiDeps } from './http/route.ts';

/** The kinds whose status is at their path and id. */
const READABLE = ['scrape', 'batch_scrape', 'crawl', 'extract', 'agent', 'browser', 'interact'] as const;

/** A job that a path should have by its id. */
interface WantedJob {
  id: string;
  teamId: string;
  /** What is missing, as a whole message. */
  message: string;
  /** The kind that the path serves, whose own id is never told to be that of another path. */
  kind?: JobKind;
  /** What to do with a job of another kind, where its own path does not do the same; empty for that path. */
  instead?: (kind: JobKind) => string;
  /** What the request asks for below the id, such as `/errors`, which every job with pages has. */
  below?: string;
}

/**
 * The error for an id that is not one of the kind which a path serves. If it is of another job of the team,
 * the message says of which kind, and under which path it is.
 */
export async function jobNotFound(
  { db }: Pick<ApiDeps, 'db'>,
  { id, teamId, message, kind: served, instead, below = '' }: WantedJob,
): Promise<ServiceError> {
  const own = await findOwnKind(db, id, teamId);
  const kind = READABLE.find((each) => each === own && each !== served);
  if (!kind) return new ServiceError('NOT_FOUND', message);
  const { noun, path, hasPages } = JOB_KINDS[kind];
  const advice = instead?.(kind) || `use ${path}/${id}${hasPages ? below : ''}`;
  return new ServiceError('NOT_FOUND', `${message} The id is that of ${withArticle(noun)}: ${advice}.`);
}

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
