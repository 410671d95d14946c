import { fieldsOf } from '../json-object.ts';
import { deriveKey } from './cipher.ts';
import { readSignedToken, signToken } from './signed-token.ts';

/** The header that proves to a host of browser sessions that a request comes from the API of the same service. */
export const HOST_REQUEST_HEADER = 'x-winnow-host-request';
/** How far the clocks of two machines may differ, and how long a request may be on its way, in milliseconds. */
const MAX_AGE_MS = 60_000;

const keyOf = (secretKey: string) => deriveKey(secretKey, 'session host');

/** Signs a request to a host, with its method, path and time. */
export function signHostRequest(
  secretKey: string,
  { method, path }: { method: string; path: string },
): string {
  return signToken({ method, path, at: Date.now() }, keyOf(secretKey));
}

/** Whether the API signed the request within the last minute. */
export function isHostRequest(
  secretKey: string,
  { method, path, signature }: { method: string; path: string; signature: string | undefined },
): boolean {
  const signed = fieldsOf(readSignedToken(signature ?? '', keyOf(secretKey)));
  return (
    signed.method === method && signed.path === path && Math.abs(Date.now() - Number(signed.at)) <= MAX_AGE_MS
  );
}
