/**
 * Parses the header `Retry-After` (RFC 9110 10.2.3), a number of seconds or a date.
 * @returns milliseconds from now; `undefined` for a header that is missing, invalid or in the past
 */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return ms > 0 ? ms : undefined;
}
