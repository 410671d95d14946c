/**
 * Waits for the result of `work`, but only until the signal fires. What the work does after that is its own
 * affair.
 * @throws the reason of the signal when it fires first; the work does not even begin when it has fired before
 */
export async function untilAborted<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted, work()]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
