import { ServiceError } from '../../errors.ts';
import { every } from '../../system/every.ts';

/** How often the speed of an upload is measured, in milliseconds. */
const MEASURE_MS = 5_000;
/** How long an upload may take to begin, in milliseconds. */
const GRACE_MS = 15_000;
/** The lowest average speed of an upload, which is half a megabit per second. */
const MIN_BYTES_PER_SECOND = 64 * 1024;

/**
 * Runs the reception of an upload, which ends if the client sends too slowly: the memory for it is missing
 * for others.
 * @param socket the connection of the request
 * @throws ServiceError `UPLOAD_TOO_SLOW`; the error of the reception
 */
export async function requireSpeed<Result>(
  socket: { readonly bytesRead: number },
  receive: () => Promise<Result>,
): Promise<Result> {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  const startedAt = Date.now();
  const bytesBefore = socket.bytesRead;
  const measure = () => {
    const seconds = Math.max(0, Date.now() - startedAt - GRACE_MS) / 1000;
    if (socket.bytesRead - bytesBefore < seconds * MIN_BYTES_PER_SECOND) reject(slowError());
  };
  const timer = every(MEASURE_MS, measure, reject);
  try {
    return await Promise.race([receive(), tooSlow]);
  } finally {
    clearInterval(timer);
  }
}

const slowError = () =>
  new ServiceError(
    'UPLOAD_TOO_SLOW',
    `The upload was slower than ${MIN_BYTES_PER_SECOND / 1024} KiB per second, so it was ended. Send the file again over a faster connection, or as smaller files.`,
  );
