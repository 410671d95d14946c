import type { ErrorCode } from '../../errors.ts';

/** What decides which errors the checks before a handler may cause. */
export interface CheckedEndpoint {
  /** Error codes that the handler may throw. */
  errors: readonly ErrorCode[];
  /** The schema of a JSON body, if there is one. */
  body?: unknown;
  /** Credits that the team needs to have left. */
  minCredits?: unknown;
  /** `false` for an endpoint whose URL is its own key. */
  needsKey?: false;
}

/**
 * Lists every error code that an endpoint can respond with: those that it declares, and those of the checks
 * before its handler. The tests compare every error response of the API with this list.
 */
export function errorCodesOf({ body, minCredits, needsKey, errors }: CheckedEndpoint): ErrorCode[] {
  const codes: ErrorCode[] = [
    ...(needsKey === false ? [] : (['UNAUTHORIZED'] as const)),
    'UNTRUSTED_ORIGIN',
    'METHOD_NOT_ALLOWED',
    // Every route refuses query parameters that it does not know, and every path a % that begins no
    // character.
    'BAD_REQUEST',
    'REQUEST_HEADER_TOO_LARGE',
    'REQUEST_TOO_SLOW',
    ...(body ? (['BAD_REQUEST_INVALID_JSON', 'REQUEST_TOO_LARGE'] as const) : []),
    ...(minCredits === undefined ? [] : (['INSUFFICIENT_CREDITS'] as const)),
    // Without a rate limit, too many may be open at once.
    'RATE_LIMITED',
    ...errors,
    'UNKNOWN_ERROR',
    'SERVICE_UNAVAILABLE',
  ];
  // A route may name a code that one of its stages raises, too.
  return [...new Set(codes)];
}
