import { ServiceError } from '../errors.ts';
import { EndpointError } from './endpoint.ts';

/**
 * Runs a call of the model, and translates errors of the endpoint.
 * @throws ServiceError `MODEL_UNAVAILABLE` if the endpoint does not respond or does not accept the service,
 *   `MODEL_RESPONSE_UNUSABLE` if it does not accept the prompt or its response is no completion; other errors
 *   unchanged
 */
export async function withServiceErrors<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    const isUnusable = error.fault === 'rejected' || error.fault === 'malformed';
    throw new ServiceError(isUnusable ? 'MODEL_RESPONSE_UNUSABLE' : 'MODEL_UNAVAILABLE', error.message, {
      cause: error,
    });
  }
}
