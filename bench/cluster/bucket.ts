import S3rver from 's3rver';
import { runProcess } from '../../src/run/process/run-process.ts';
import { createLogger } from '../../src/system/logger.ts';

/**
 * An S3 server on loopback in the place of Garage. It is a separate program, so that it can be killed like
 * the others.
 */

/** The environment variables of the program. */
export type BucketSettings = Record<'BUCKET_DIRECTORY' | 'BUCKET_PORT' | 'BUCKET_NAME', string>;

async function serve() {
  // planBucket, the only caller, sets all three.
  const settings = process.env as BucketSettings;
  const server = new S3rver({
    port: Number(settings.BUCKET_PORT),
    silent: true,
    directory: settings.BUCKET_DIRECTORY,
    configureBuckets: [{ name: settings.BUCKET_NAME, configs: [] }],
  });
  await server.run();
  return { logger: createLogger('bucket', 'error'), stop: () => server.close() };
}

if (import.meta.main) await runProcess('bucket', serve);
