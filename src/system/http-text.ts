import { type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { DIRECT_AGENT } from './direct-agent.ts';

/** A part of the service that is reached without a proxy: by a Unix socket, or at a port of this machine. */
export type OwnPart = { socketPath: string } | { port: number };

/** A response of a part, as text. */
export interface PartResponse {
  status: number;
  body: string;
}

/**
 * Requests a text from another part of the service.
 * @param options.timeoutMs milliseconds for the whole response
 * @throws the errors of the connection
 */
export function requestText(
  part: OwnPart,
  { path, timeoutMs }: { path: string; timeoutMs: number },
): Promise<PartResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<PartResponse>();
  const signal = AbortSignal.timeout(timeoutMs);
  // The host of an own part is this machine: Node's default is a name, which a resolver could answer.
  const place = 'port' in part ? { host: '127.0.0.1', port: part.port, agent: DIRECT_AGENT } : part;
  const call: ClientRequest = request({ ...place, path, signal }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
  });
  call.on('error', (error) =>
    reject(signal.aborted ? new Error(`no response within ${timeoutMs} ms`) : error),
  );
  call.end();
  return promise;
}
