import S3rver from 's3rver';
import { runProcess } from '../../src/process/run-process.ts';

/** A bucket on loopback in place of Garage: a program of its own, so that it can die like the other parts. */

/** What the program is started with, in its environment. */
export type BucketSettings = Record<'BUCKET_DIRECTORY' | 'BUCKET_PORT' | 'BUCKET_NAME', string>;

async function serve() {
  // planBucket, which alone starts it, sets all three.
  const settings = process.env as BucketSettings;
  const server = new S3rver({
    port: Number(settings.BUCKET_PORT),
    silent: true,
    directory: settings.BUCKET_DIRECTORY,
    configureBuckets: [{ name: settings.BUCKET_NAME, configs: [] }],
  });
  await server.run();
  return { stop: () => server.close() };
}

if (import.meta.main) await runProcess('bucket', serve);
