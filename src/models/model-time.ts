import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.ts';

/** The time that a language model has for the work of an activity. */
export interface ModelTime extends Disposable {
  /**
   * Fires when the time is over, with `MODEL_UNAVAILABLE` as its reason, or when the activity is cancelled.
   */
  signal: AbortSignal;
  /** When the time is over, as a value of `performance.now()`. */
  endsAt: number;
}

/**
 * Starts the time of a model, so that an endpoint that is silent ends with an error that says so.
 * @param cancelled fires when the activity is cancelled
 */
export function startModelTime(ms: number, cancelled: AbortSignal): ModelTime {
  const late = new AbortController();
  const message = `The language model did not respond within ${ms / 1_000} seconds.`;
  const timer = setTimeout(() => late.abort(new ServiceError('MODEL_UNAVAILABLE', message)), ms);
  return {
    signal: AbortSignal.any([cancelled, late.signal]),
    endsAt: performance.now() + ms,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
