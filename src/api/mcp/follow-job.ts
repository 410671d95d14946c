import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { JobProgress, JobType } from './jobs.ts';
import type { CallRoute, RouteCall, RouteResponse } from './route-call.ts';

/** How often the state of a job is read while a call waits for it, in milliseconds. */
const POLL_MS = 1_000;
/** How long a call waits whose client is told nothing meanwhile: many give up after a minute. */
const SILENT_WAIT_MS = 45_000;
/** How long a call waits whose client gets notifications of progress. */
const WAIT_MS = 600_000;
/** After how long a notification is sent although nothing has changed, so that the client goes on waiting. */
const REPEAT_MS = 15_000;
/** How much progress grows by then, because the protocol demands that it does. */
const SMALL_STEP = 0.001;

/** The client that waits for a job. */
export interface Waiting {
  call: CallRoute;
  /** Fires when the client has gone or cancels its call: the job is then cancelled. */
  disconnected: AbortSignal;
  /** Fires when the process stops: the job goes on. */
  closing: AbortSignal;
  /** Notifies the client; absent if it does not want that. */
  notify?: ((progress: JobProgress) => Promise<void>) | undefined;
}

/** Whether a state is that of a job that has ended. */
export const isEnded = ({ status }: RouteResponse) => status !== 'scraping' && status !== 'processing';

/**
 * Waits for the end of a job, but only for so long as its client may wait.
 * @returns its state with the result so far
 * @throws ServiceError if the client has gone, after the job was cancelled
 */
export async function followJob(type: JobType, id: string, waiting: Waiting): Promise<RouteResponse> {
  const { call, disconnected, closing, notify } = waiting;
  const callOnce = (each: RouteCall) => call(each, disconnected);
  const until = Date.now() + (notify ? WAIT_MS : SILENT_WAIT_MS);
  const report = notify && progressReports(notify);
  const stop = AbortSignal.any([disconnected, closing]);
  try {
    for (;;) {
      stop.throwIfAborted();
      const state = await type.state(id, callOnce);
      if (isEnded(state) || Date.now() > until) return await type.result(id, callOnce);
      await report?.(type.progressOf(state));
      await sleep(POLL_MS, undefined, { signal: stop });
    }
  } catch (error) {
    if (!stop.aborted) throw error;
    if (disconnected.aborted) await type.cancel(id, (each) => call(each, new AbortController().signal));
    const fate = disconnected.aborted ? 'was cancelled' : 'goes on';
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      `The call has ended early. The ${type.kind} ${id} ${fate}.`,
    );
  }
}

/** Sends progress that has changed, and the same from time to time as a little more. */
function progressReports(notify: NonNullable<Waiting['notify']>) {
  let last = -SMALL_STEP;
  let message = '';
  let at = 0;
  return async (progress: JobProgress) => {
    if (progress.message === message && Date.now() - at < REPEAT_MS) return;
    last = Math.max(progress.done, last + SMALL_STEP);
    message = progress.message;
    at = Date.now();
    await notify({ ...progress, done: last });
  };
}
