import { readConfig } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { USER_AGENT } from '../../fetch/net/user-agent.ts';

/** The configuration of a worker, in which the external services and the secret key are set. */
export function readWorkerConfig() {
  const config = readConfig();
  const { databaseUrl, temporalAddress, secretKey } = config;
  if (!databaseUrl || !temporalAddress || !secretKey) {
    throw new ServiceError(
      'BAD_REQUEST',
      'The worker needs DATABASE_URL, TEMPORAL_ADDRESS and WINNOW_SECRET_KEY. `npm start` sets them by itself.',
    );
  }
  return { ...config, databaseUrl, temporalAddress, secretKey, userAgent: config.userAgent ?? USER_AGENT };
}

export type WorkerConfig = ReturnType<typeof readWorkerConfig>;
