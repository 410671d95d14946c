import { onInterrupt } from '../src/cli/interrupt.ts';

/**
 * Runs a benchmark that has to put something in order before it ends, also after Ctrl-C. The second Ctrl-C
 * ends it at once.
 * @param run gets a signal for the first Ctrl-C, and is expected to reject after that, when everything is in
 * order
 */
export async function runInterruptible(run: (interrupt: AbortSignal) => Promise<void>): Promise<void> {
  const { signal } = onInterrupt((text) => void process.stderr.write(`${text}\n`));
  try {
    await run(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    // Does not wait for running requests.
    process.exit(130);
  }
}
