import { type Readable, Transform } from 'node:stream';

/** Headers of a request or response, in their order; a name may be there several times. */
export type HeaderList = [name: string, value: string][];

/** A request and its response as it came, for a web archive. */
export interface Exchange {
  /** URL without user name, password and fragment. */
  url: string;
  method: string;
  /** Without credentials and without headers of the user, because archives are handed on. */
  requestHeaders: HeaderList;
  /** Body of the request; absent if it had none. */
  requestBody?: string;
  statusCode: number;
  statusText: string;
  responseHeaders: HeaderList;
  /** The body in the content coding that the headers name. */
  body: Uint8Array;
  /** Whether the body was not read to its end. */
  isCut?: boolean;
  /** When the request was sent, in milliseconds since 1970. */
  startedAt: number;
}

/** Headers that contain credentials, or belong to the connection to a proxy. */
const WITHHELD_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * The headers of a request that an archive may have.
 * @param userHeaders those that the user has set, whose values may be secrets under any name
 */
export function archivedRequestHeaders(
  headers: Record<string, string>,
  userHeaders: Record<string, string> = {},
): HeaderList {
  const own = new Set(Object.keys(userHeaders).map((name) => name.toLowerCase()));
  return Object.entries(headers).filter(([name]) => {
    const known = name.toLowerCase();
    return !WITHHELD_HEADERS.has(known) && !own.has(known);
  });
}

/** The URL under which an archive has a response. */
export function archivedUrl(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return url;
  parsed.hash = '';
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

/**
 * Copies the bytes of a body into an exchange while they are read. The exchange is cut until the body has ended.
 * @param maxBytes maximum number of bytes that are kept; a body may have more of them than what they decode to
 */
export function recordBody(exchange: Exchange, maxBytes: number): Transform {
  const chunks: Buffer[] = [];
  let kept = 0;
  exchange.isCut = true;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (kept + chunk.length <= maxBytes) chunks.push(chunk);
      kept += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      exchange.body = Buffer.concat(chunks);
      exchange.isCut = kept > maxBytes;
      done();
    },
  });
}

/** Reads the start of a body to its end or to a limit, and closes it. @returns whether it had ended */
export async function readStart(
  source: Readable,
  maxBytes: number,
): Promise<{ bytes: Buffer; hasEnded: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (size + chunk.length > maxBytes) return { bytes: Buffer.concat(chunks), hasEnded: false };
    chunks.push(chunk);
    size += chunk.length;
  }
  return { bytes: Buffer.concat(chunks), hasEnded: true };
}
