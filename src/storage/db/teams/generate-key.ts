import { randomBytes } from 'node:crypto';

/** Generates an API key: `fc-` and 32 hex digits, which are also valid as a WebSocket subprotocol. */
export function generateKey(): string {
  return `fc-${randomBytes(16).toString('hex')}`;
}
