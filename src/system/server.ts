import { once } from 'node:events';
import { type Server as HttpServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { ListenOptions, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { policyOf, ServiceError } from '../errors.ts';

/** How long a client may read nothing of a response that is being sent to it, in milliseconds. */
const UNREAD_MS = 60_000;
/** How long a client that was refused may take to close its connection, in milliseconds. */
const REFUSED_MS = 1_000;

/**
 * Lets a server accept connections. An error that it meets later, such as a connection for which there is no
 * file descriptor, is reported: without a listener it would end the process.
 * @param where a port and an IP address, or the path of a Unix socket
 * @param onError called with such an error; the server goes on
 * @returns once it listens @throws the error of the system if it cannot, for example because the port is
 *   taken
 */
export async function listen(
  server: Server,
  where: ListenOptions,
  onError: (error: unknown) => void,
): Promise<void> {
  server.listen(where);
  await once(server, 'listening');
  server.on('error', onError);
}

/**
 * Closes the connections of clients that read nothing more of their response: each takes a file descriptor,
 * and those of what is sent, for as long as the client likes. Clients that only wait for their response keep
 * their connection, and so do WebSockets, for which Node ends the timeout.
 * @param unreadMs milliseconds without a byte that is sent or received; 60,000 by default
 */
export function closeUnread(server: HttpServer, unreadMs = UNREAD_MS): void {
  const waiting = new WeakSet<Socket>();
  server.on('request', ({ socket }, response) => {
    waiting.add(socket);
    response.once('close', () => waiting.delete(socket));
  });
  server.setTimeout(unreadMs, (socket) => {
    if (!waiting.has(socket) || socket.writableLength > 0) socket.destroy();
  });
}

/** What becomes of a connection whose client asks for another protocol (RFC 9110, 7.8). */
export type UpgradeHandler = (request: IncomingMessage, stream: Duplex, head: Buffer) => unknown;

/**
 * Handles the connections of a server whose clients ask for another protocol. Node then listens to their
 * errors no longer, so that a client which resets its connection would end the process.
 * @param handle may return a promise
 * @param onError called with what it throws; the connection is closed
 */
export function onUpgrade(
  server: HttpServer,
  handle: UpgradeHandler,
  onError: (error: unknown) => void,
): void {
  server.on('upgrade', (request, stream, head) => {
    // An error is followed by `close`, which is all that has to be known about it.
    stream.on('error', () => stream.destroy());
    const handled = async () => handle(request, stream, head);
    handled().catch((error) => {
      stream.destroy();
      onError(error);
    });
  });
}

/** Refuses a client that asks for another protocol, with the status and body that any request would get. */
export function refuseUpgrade(stream: Duplex, { code, message }: ServiceError): void {
  const { status } = policyOf(code);
  const text = JSON.stringify({ success: false, code, error: message });
  const headers = `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}`;
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${text}`);
  // No timeout of the server applies to the connection any more, and the client may never close its side.
  stream.resume();
  setTimeout(() => stream.destroy(), REFUSED_MS).unref();
}

/**
 * Refuses a client whose handshake is not one of WebSockets (RFC 6455), such as one with an invalid key. Listens to
 * the event `wsClientError` of a server of WebSockets, which would send a text otherwise.
 */
export const refuseHandshake = ({ message }: Error, stream: Duplex): void =>
  refuseUpgrade(
    stream,
    new ServiceError('BAD_REQUEST', `The handshake of the WebSocket is wrong: ${message}.`),
  );
