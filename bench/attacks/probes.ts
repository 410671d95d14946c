import { connect as connectHttp2 } from 'node:http2';
import { connect, type NetConnectOpts } from 'node:net';

/** What a program without any secret gets from a port or socket. */

/** How long a port may take to say something, in milliseconds. */
const PROBE_MS = 500;

/** Sends a text. @returns what came within half a second; `undefined` if there is no connection */
export function exchange(where: NetConnectOpts, request: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let reply: string | undefined;
    const socket = connect(where, () => {
      reply = '';
      socket.write(request, 'latin1');
      setTimeout(() => socket.destroy(), PROBE_MS);
    });
    socket.on('data', (chunk) => {
      reply = (reply ?? '') + chunk.toString('latin1');
    });
    // A connection that is refused or broken is followed by `close`.
    socket.on('error', () => undefined).on('close', () => resolve(reply));
  });
}

/** Whether a Postgres at a port asks for no password. */
export async function isPostgresOpen(port: number): Promise<boolean> {
  const body = '\0\x03\0\0user\0postgres\0database\0postgres\0\0';
  const startup = `\0\0\0${String.fromCharCode(body.length + 4)}${body}`;
  // The message AuthenticationOk.
  const reply = await exchange({ port, host: '127.0.0.1' }, startup);
  return reply?.startsWith('R\0\0\0\x08\0\0\0\0') ?? false;
}

/** Lists the workflows of a Temporal at a port. @returns the status of gRPC, `0` for success; otherwise empty */
export function askTemporal(port: number): Promise<string> {
  return new Promise((resolve) => {
    const client = connectHttp2(`http://127.0.0.1:${port}`);
    const end = (status: unknown) => {
      client.destroy();
      resolve(String(status ?? ''));
    };
    client.on('error', () => end(''));
    setTimeout(() => end(''), PROBE_MS);
    const request = client.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/ListNamespaces',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    request
      .on('error', () => end(''))
      .on('response', (headers) => {
        if (headers['grpc-status'] !== undefined) end(headers['grpc-status']);
      });
    request.on('trailers', (trailers) => end(trailers['grpc-status']));
    // A message of no bytes, which has no compression.
    request.resume().end(Buffer.alloc(5));
  });
}
