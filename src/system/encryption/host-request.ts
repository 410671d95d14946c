import { randomUUID } from 'node:crypto';
import { fieldsOf } from '../../json/json-object.ts';
import { deriveKey } from './cipher.ts';
import { readSignedToken, signToken } from './signed-token.ts';

/**
 * The header that proves to a host of browser sessions that a request comes from the API of the same service.
 */
export const HOST_REQUEST_HEADER = 'x-winnow-host-request';
/**
 * How far the clocks of two machines may differ, and how long a request may be on its way, in milliseconds.
 */
const MAX_AGE_MS = 60_000;

const keyOf = (secretKey: string) => deriveKey(secretKey, 'session host');

/** Signs one request to a host, with its method, path and time. */
export function signHostRequest(
  secretKey: string,
  { method, path }: { method: string; path: string },
): string {
  return signToken({ method, path, at: Date.now(), id: randomUUID() }, keyOf(secretKey));
}

/** A request as its host received it. */
interface ReceivedRequest {
  method: string;
  path: string;
  signature: string;
}

/** Recognizes the requests of an API at their host. */
export class HostRequestCheck {
  readonly #key: Buffer;
  /**
   * When each accepted request becomes too old to be accepted, in milliseconds since 1970, by its id. Oldest
   * first.
   */
  readonly #accepted = new Map<unknown, number>();

  constructor(secretKey: string) {
    this.#key = keyOf(secretKey);
  }

  /**
   * Whether the API signed the request within the last minute, and it is the first one with this signature.
   */
  accepts({ method, path, signature }: ReceivedRequest): boolean {
    const now = Date.now();
    const { id, at, ...signed } = fieldsOf(readSignedToken(signature, this.#key));
    const isCurrent = Math.abs(now - Number(at)) <= MAX_AGE_MS;
    if (signed.method !== method || signed.path !== path || !isCurrent || this.#accepted.has(id))
      return false;
    this.#forget(now);
    // A clock that is ahead keeps the signature valid for longer.
    this.#accepted.set(id, now + 2 * MAX_AGE_MS);
    return true;
  }

  #forget(now: number): void {
    for (const [id, until] of this.#accepted) {
      if (until > now) return;
      this.#accepted.delete(id);
    }
  }
}
