/**
 * Waits for a part of the service for a limited time. The work itself goes on.
 * @throws Error that says so after `timeoutMs` milliseconds; what the work throws
 */
export async function withTimeLimit<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
