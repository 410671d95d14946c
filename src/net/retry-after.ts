/**
 * Reads the header `Retry-After` (RFC 9110 10.2.3): seconds, or a date.
 * @returns milliseconds from now; `undefined` where there is none, or it cannot be read or lies in the past
 */
export function readRetryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return ms > 0 ? ms : undefined;
}
