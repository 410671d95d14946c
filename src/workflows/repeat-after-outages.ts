import { log, patched } from '@temporalio/workflow';
import { toServiceError } from '../errors.ts';

/** How often the attempts of an activity begin anew. */
const MAX_REPETITIONS = 3;

/**
 * Runs an activity with few attempts, and runs it again if a part of the service did not respond to the last of them:
 * the attempts limit how often one page may end its worker, and an outage says nothing about the page.
 * @throws any other error of the activity, and that of the last repetition
 */
export async function repeatAfterOutages<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let left = MAX_REPETITIONS; ; left--) {
    try {
      return await run();
    } catch (error) {
      const { code, message } = toServiceError(error);
      if (code !== 'SERVICE_UNAVAILABLE' || left === 0 || !patched('repeat-after-outages')) throw error;
      log.warn(`the attempts begin anew after an outage: ${message}`);
    }
  }
}
