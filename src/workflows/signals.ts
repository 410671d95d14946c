import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Retuning } from '../schemas/page-job.ts';
import type { SessionUsage } from '../sessions/session-usage.ts';

/** Keeps the job from starting more pages until `resume`. The API has stored that before it sends the signal. */
export const pause = defineSignal<[source?: 'api']>('pause');
/** Lets a paused job start pages again. The API has stored that before it sends the signal. */
export const resume = defineSignal<[source?: 'api']>('resume');
/** Changes the limit, concurrency or delay of a job. */
export const retune = defineSignal<[Retuning]>('retune');
/** Says that there may be new work in the database. */
export const wake = defineSignal('wake');
/** Requests another page worker, because the one that sends it cannot take all pages that are due. */
export const help = defineSignal('help');

/** Ends an agent after the calls that are running, without waiting for its model. */
export const stopAgent = defineSignal('stop');

/** Ends a browser session. */
export const stopSession = defineSignal('stop');
/** Lets a browser session last longer: until a time in milliseconds since 1970. The API stores it when it has sent the signal. */
export const extendSession = defineSignal<[expiresAt: number]>('extend');
/**
 * Tells the workflow of a browser session when it was last active, in milliseconds since 1970, and how it is
 * used.
 */
export const touchSession = defineSignal<[at: number, usage?: SessionUsage]>('touch');
/** Waits until the browser of a session can be used. */
export const sessionOpened = defineUpdate('opened');
