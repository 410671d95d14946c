import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';

/** A request whose body has been parsed, in the form of the Fetch standard; it has no body. */
export function toWebRequest(request: ExpressRequest, url: string): Request {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return new Request(url, { method: request.method, headers });
}

/** Sends a response of the Fetch standard while its body comes. A client that has gone ends it. */
export async function sendWebResponse(from: Response, to: ExpressResponse): Promise<void> {
  to.status(from.status);
  // The connection belongs to the server, and a proxy in front of it.
  for (const [name, value] of from.headers) if (name !== 'connection') to.set(name, value);
  const isStream = from.headers.get('content-type')?.startsWith('text/event-stream');
  if (!from.body || !isStream) return void to.end(await from.text());
  to.flushHeaders();
  try {
    // The two types of the same class do not know each other.
    await pipeline(Readable.fromWeb(from.body as Parameters<typeof Readable.fromWeb>[0]), to);
  } catch (error) {
    if (!to.destroyed) throw error;
  }
}
