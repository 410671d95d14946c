/** Where a Temporal server is, and the HTTP proxy that leads to it, if it is in a network of its own. */
export interface TemporalTarget {
  address: string;
  credentials?: { username: string; password: string };
}

/**
 * Splits the address of a Temporal server.
 * @param text `host:port`, or `user:password@host:port` if an HTTP proxy at that address leads to the server
 */
export function parseTemporalAddress(text: string): TemporalTarget {
  const [, username, password, address] = /^([^:@]*):([^@]*)@(.*)$/.exec(text) ?? [];
  if (username === undefined || password === undefined || address === undefined) return { address: text };
  return { address, credentials: { username, password } };
}
