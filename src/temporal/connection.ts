import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError as GrpcError, isGrpcServiceError } from '@temporalio/client';
// The API needs a connection only. The whole package would also load webpack's parts and the sandbox of
// workflows, 15 MB.
import { NativeConnection } from '@temporalio/worker/lib/connection.js';
import { TransportError } from '@temporalio/worker/lib/errors.js';
import type { TemporalSecurity } from '../config.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { readSecurity } from './security.ts';
import { parseTemporalAddress } from './target.ts';

/**
 * Connects to the Temporal server. Worker and API use the same kind of connection.
 * @param target see {@link parseTemporalAddress}
 * @param security how the connection is secured; without it, it is not
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the server does not respond, `BAD_REQUEST` if a file of
 * `security` cannot be read
 */
export async function connectTemporal(
  target: string,
  security?: TemporalSecurity,
): Promise<NativeConnection> {
  const { address, credentials } = parseTemporalAddress(target);
  return withUnavailableError(
    NativeConnection.connect({
      address,
      ...readSecurity(security),
      grpcCompression: { codec: 'none' },
      ...(credentials && {
        proxy: { type: 'http-connect', targetHost: address, basicAuth: credentials },
      }),
    }),
  );
}

/**
 * Awaits a call to the server.
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the server does not respond, `BAD_REQUEST` if it refuses our
 * credentials
 */
export async function withUnavailableError<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof TransportError && REFUSED.test(error.message)) {
      throw new ServiceError(
        'BAD_REQUEST',
        `The Temporal server refuses the credentials of this process. Check TEMPORAL_API_KEY and TEMPORAL_TLS_CLIENT_CERT_PATH. It says: ${error.message}`,
        { cause: error },
      );
    }
    const cause = error instanceof GrpcError ? error.cause : error;
    const isUnavailable =
      error instanceof TransportError ||
      (isGrpcServiceError(cause) && (cause.code === UNAVAILABLE || cause.code === DEADLINE_EXCEEDED));
    throw isUnavailable ? unavailableError(error) : error;
  }
}

/** What the native library makes of UNAUTHENTICATED and PERMISSION_DENIED while it connects. */
const REFUSED = /valid authentication credentials|does not have permission/;
// gRPC status codes, see https://grpc.io/docs/guides/status-codes/.
const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

/** The error for a Temporal server that does not respond. */
export const unavailableError = (cause: unknown) =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The workflow engine does not respond. Try again in a few seconds.',
    { retryAfterSeconds: 5, cause },
  );

/** Resolves if the server responds within three seconds. */
export async function pingTemporal(connection: NativeConnection): Promise<void> {
  await connection.withDeadline(Date.now() + 3_000, () => connection.workflowService.getSystemInfo({}));
}

const UNPREPARED_PAUSE_MS = 500;

/**
 * Repeats the start of a workflow while the server does not know our search attributes yet: it takes a moment
 * until all parts of the server know what a worker has just registered.
 * @param deadline as a timestamp in milliseconds
 */
export async function repeatUntilPrepared<Result>(
  start: () => Promise<Result>,
  deadline: number,
): Promise<Result> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!isUnknownSearchAttribute(error) || Date.now() + UNPREPARED_PAUSE_MS > deadline) throw error;
      await sleep(UNPREPARED_PAUSE_MS);
    }
  }
}

function isUnknownSearchAttribute(error: unknown): boolean {
  const text = error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : '';
  return /search attribute/i.test(text);
}
