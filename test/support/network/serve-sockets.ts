import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';

/** A server of WebSockets on loopback. */
export interface SocketServer extends AsyncDisposable {
  /** Its origin, which ends in a slash. */
  url: string;
  /** The connections that are open. */
  sockets: Set<WebSocket>;
}

/**
 * Serves WebSockets.
 * @param accept receives each connection, with the path that the client asked for
 */
export async function serveSockets(
  accept: (socket: WebSocket, path: string) => void,
  options: Pick<ServerOptions, 'maxPayload'> = {},
): Promise<SocketServer> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, ...options });
  sockets.on('connection', (socket, { url = '/' }) => accept(socket, url));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a TCP port, the address is never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/`,
    sockets: sockets.clients,
    async [Symbol.asyncDispose]() {
      sockets.close();
      server.close();
    },
  };
}
