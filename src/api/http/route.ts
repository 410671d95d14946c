import type { z } from 'zod';
import type { Config } from '../../config.ts';
import type { ErrorCode } from '../../errors.ts';
import type { StartDirectly } from '../../jobs/direct-start/protocol.ts';
import type { WorkerHealth } from '../../jobs/direct-start/worker-health.ts';
import type { DiskSpace } from '../../storage/blobs/disk-space.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import type { StoredResults } from '../../storage/db/teams/quotas.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import type { Logger } from '../../system/logger.ts';
import type { Temporal } from '../../temporal/workflow-client.ts';
import type { WatchedJobs } from '../page-jobs/watched-jobs.ts';
import type { RouteDeprecation } from './deprecations.ts';
import type { EncryptedFile } from './encrypted-file.ts';
import type { JsonStream } from './json-stream.ts';
import type { JsonText } from './json-text.ts';
import type { RateBucket } from './rate-limit.ts';

/** The services that handlers depend on. */
export interface ApiDeps {
  config: Config & { secretKey: string };
  db: Database;
  /** The results of jobs, and the files that belong to them. */
  results: Blobs;
  /** Storage of uploaded files. */
  uploads: Blobs;
  /** What checks of monitors have found. */
  monitorBlobs: Blobs;
  temporal: Temporal;
  /** The batches and crawls that clients wait for. */
  watched: WatchedJobs;
  /** Starts quick scrapes directly, where a worker is on this machine. */
  startDirectly?: StartDirectly | undefined;
  /** Tells how that worker is. */
  worker?: WorkerHealth | undefined;
  storage: DiskSpace;
  storedResults: StoredResults;
  logger: Logger;
  /** Fires when the process was asked to stop. Requests that only wait for a job then end with an error. */
  closing: AbortSignal;
}

/** A request that passed all checks, as its handler receives it. */
export interface RouteRequest<Body, Query, Params> {
  caller: Caller;
  body: Body;
  /** The file of a multipart body; see `Route.fileOptions`. */
  file: EncryptedFile | undefined;
  query: Query;
  params: Params;
  /** The body before its schema filled in defaults. */
  rawBody: unknown;
  /** Base of the URLs in responses, without a trailing slash. */
  baseUrl: string;
  /** The value of the header `x-idempotency-key`, or of `Idempotency-Key`, as other APIs call it. */
  idempotencyKey: string | undefined;
  /** Fires when the client has disconnected. */
  disconnected: AbortSignal;
  /** Fires when the client has disconnected or the process was asked to stop. */
  signal: AbortSignal;
}

/** The definition of one endpoint. Routing, validation, limits and the API reference are derived from it. */
export interface Route<Body, Query, Params, ResponseBody> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** The path in the syntax of Express, such as `/v2/scrape/:id`. */
  path: string;
  /** The group of the route in the API reference. */
  tag: string;
  summary: string;
  body?: z.ZodType<Body>;
  /**
   * The schema of the part `options` of a multipart body, which replaces a JSON body and has a file besides.
   * Without it, bodies are JSON.
   */
  fileOptions?: z.ZodType<Body>;
  /** Whether a request without a file is refused, so that the API reference has no JSON body. */
  needsFile?: true;
  /** That the route is deprecated, and what takes its place. Responses say so in their headers. */
  deprecation?: RouteDeprecation;
  query?: z.ZodType<Query>;
  params?: z.ZodType<Params>;
  response: z.ZodType<ResponseBody>;
  /** Error codes that the handler may throw. `errorCodesOf` adds those of the checks before the handler. */
  errors: readonly ErrorCode[];
  /** Begins messages about a body that does not match its schema, where clients of the API expect that. */
  faultPrefix?: string;
  /** Whether the rate limit of the team applies; true by default, false for routes that only read a state. */
  rateLimited?: boolean;
  /** With which others its requests are counted; `request` by default. */
  rateBucket?: RateBucket;
  /** Credits that the team needs to have left. A function receives the body before it is validated. */
  minCredits?: number | ((rawBody: unknown) => number);
  /**
   * Whether a request may join an earlier scrape, which costs nothing more; see
   * {@link requireCreditsUnlessJoining}.
   */
  mayJoinScrape?: true;
  handler: (
    request: RouteRequest<Body, Query, Params>,
    deps: ApiDeps,
  ) => Promise<ResponseBody | JsonStream | JsonText>;
}

/** A route of unknown body, query, path and response types, as lists of routes contain it. */
export type AnyRoute = Route<unknown, unknown, unknown, unknown>;

/**
 * Defines a route. The compiler checks its handler against the types of its schemas.
 * @example
 * const status = defineRoute({
 *   method: 'get',
 *   path: '/v2/team/jobs/:id',
 *   tag: 'Team',
 *   summary: 'Get the status of a job of the team',
 *   params: jobIdParams,
 *   response: z.object({ status: z.string() }),
 *   errors: ['NOT_FOUND'],
 *   async handler({ caller, params: { id } }, { db }) {
 *     const job = await findJob(db, id);
 *     if (job?.team_id !== caller.teamId) throw new ServiceError('NOT_FOUND', `There is no job ${id}.`);
 *     return { status: job.status };
 *   },
 * });
 */
export function defineRoute<Body, Query, Params, ResponseBody>(
  route: Route<Body, Query, Params, ResponseBody>,
): AnyRoute {
  // Safe, because `runRoute` calls the handler only with values that the schemas of the route returned.
  return route as unknown as AnyRoute;
}
