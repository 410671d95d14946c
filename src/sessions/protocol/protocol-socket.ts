import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { giveToSession, PROTOCOL_SOCKET } from '../session-directory.ts';
import { MAX_MESSAGE_BYTES } from './client-socket.ts';

/** The Unix socket of a session on which its sandboxes speak the DevTools protocol. */
export interface ProtocolSocket {
  /** URL for the profile of the session. */
  profileUrl: string;
  close(): void;
}

/**
 * Serves the socket of the DevTools protocol in a directory of a session. The host's own Playwright connects
 * to it too, at a path that code of users does not know.
 */
export async function serveProtocolSocket(
  directory: string,
  onClient: (socket: WebSocket, purpose: 'code' | 'profile') => void,
): Promise<ProtocolSocket> {
  const profilePath = `/profile-${randomUUID()}`;
  const server = createServer((_request, response) => {
    response.writeHead(404).end();
  });
  const sockets = new WebSocketServer({ server, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  sockets.on('connection', (socket, request) => {
    socket.on('error', () => socket.terminate());
    onClient(socket, request.url === profilePath ? 'profile' : 'code');
  });
  const path = join(directory, PROTOCOL_SOCKET);
  server.listen(path);
  await once(server, 'listening');
  await giveToSession(path);
  return {
    profileUrl: `ws+unix:${path}:${profilePath}`,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}
