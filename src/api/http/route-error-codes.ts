import type { ErrorCode } from '../../errors.ts';
import type { AnyRoute } from './route.ts';

/**
 * Lists every error code that a route can respond with: those that it declares, and those of the checks
 * before its handler. The tests compare every error response of the API with this list.
 */
export function errorCodesOf(route: AnyRoute): ErrorCode[] {
  const { body, rateLimited, minCredits, errors } = route;
  const codes: ErrorCode[] = [
    'UNAUTHORIZED',
    'UNTRUSTED_ORIGIN',
    'METHOD_NOT_ALLOWED',
    // Every route refuses query parameters that it does not know.
    'BAD_REQUEST',
    ...(body ? (['BAD_REQUEST_INVALID_JSON', 'REQUEST_TOO_LARGE'] as const) : []),
    ...(minCredits === undefined ? [] : (['INSUFFICIENT_CREDITS'] as const)),
    ...(rateLimited === false ? [] : (['RATE_LIMITED'] as const)),
    ...errors,
    'UNKNOWN_ERROR',
    'SERVICE_UNAVAILABLE',
  ];
  // A route may name a code that one of its stages raises, too.
  return [...new Set(codes)];
}
