import type { Logger } from '../../system/logger.ts';
import { Disconnected } from './chromium/cdp.ts';
import { isBetweenDocuments } from './dom/isolated-world.ts';

/**
 * Takes a step that only helps to read a page. If it fails, this is logged, and the page is read without it.
 * A page that navigates or is closed meanwhile is not worth a line.
 * @param consequence what the log says, e.g. `a page is read with its advertisements`
 * @returns `undefined` if the step failed
 */
export async function takeOptionalStep<Result>(
  logger: Pick<Logger, 'warn'>,
  consequence: string,
  step: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await step();
  } catch (error) {
    if (!isBetweenDocuments(error) && !(error instanceof Disconnected))
      logger.warn({ err: error }, consequence);
    return undefined;
  }
}
